package azure_test

import (
	"fmt"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// Clients that do not know of one another get one order of things, and no fault.
func TestManyClientsAtOnce(t *testing.T) {
	d := newDesk(t)
	d.must(201, "PUT", at("jc1"), `{"properties": {"quota": {"maxJobCount": 3}}}`)
	far := `{"properties": {"startTime": "2026-12-01", "action": {"type": "http", "request": {"method": "GET", "uri": "http://127.0.0.1:1/"}}, "recurrence": {"frequency": "day"}}}`
	var all sync.WaitGroup
	for n := range 8 {
		all.Go(func() {
			for i := range 12 {
				j := at(fmt.Sprintf("jc1/jobs/j%d", (n+i)%5))
				for _, x := range []struct{ method, path, body string }{
					{"PUT", j, far}, {"PATCH", j, `{"properties": {"recurrence": {"frequency": "hour"}}}`}, {"GET", j, ""}, {"POST", j + "/run", ""},
					{"POST", at("jc1/disable"), ""}, {"POST", at("jc1/enable"), ""}, {"GET", at("jc1/jobs"), ""}, {"DELETE", j, ""},
				} {
					r := httptest.NewRequestWithContext(t.Context(), x.method, x.path+"?api-version=2016-03-01", strings.NewReader(x.body))
					r.Header.Set("Content-Type", "application/json")
					r.Header.Set("Authorization", "Bearer "+d.secret)
					w := httptest.NewRecorder()
					d.handler.ServeHTTP(w, r)
					if w.Code >= 500 {
						t.Errorf("%s %s: %d %s", x.method, x.path, w.Code, w.Body)
					}
				}
			}
		})
	}
	all.Wait()
	list, _ := d.must(200, "GET", at("jc1/jobs"), "").member(t, "value").([]any)
	require.LessOrEqual(t, len(list), 3)
}
