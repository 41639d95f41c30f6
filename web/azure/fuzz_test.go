package azure_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Whatever a client sends, the server has no fault of its own, and says in a word what was wrong.
func FuzzRequests(f *testing.F) {
	d, s := newDesk(f), newSink(f)
	d.must(201, "PUT", at("jc1"), `{"properties": {"sku": {"name": "P20Premium"}}}`)
	d.must(201, "PUT", at("jc1/jobs/j1"), s.every(`{"frequency": "day", "count": 3}`))
	for _, seed := range []string{
		s.once(), s.every(`{"frequency": "week", "schedule": {"weekDays": ["monday"]}}`), standard, "{}", "", "null", "[]", `{"properties": null}`,
		`{"properties": {"state": "disabled"}}`, `{"properties": {"recurrence": {"count": 0}}}`, `{"properties": {"action": {"type": "storageQueue", "queueMessage": {"sasToken": "a"}}}}`,
		`{"properties": {"action": {"request": {"headers": {"a": "\u0000"}, "authentication": {"type": "ClientCertificate", "pfx": "AAAA"}}}}}`,
		`{"properties": {"sku": {"name": "free"}, "quota": {"maxJobCount": 1e9, "maxRecurrence": {"frequency": "minute", "interval": 0}}}}`,
		`{"properties": {"startTime": "9999-12-31T23:59:59.9999999Z", "recurrence": {"frequency": "month", "interval": 18, "schedule": {"monthDays": [31, -31]}}}}`,
	} {
		f.Add(seed, "state eq enabled", "1", "jobs/j1")
		f.Add(seed, "'", "-0", "JOBS/J1")
		f.Add(seed, "state eq 'faulted'", "99999999999999999999", "jobs/new")
		f.Add(seed, "state+eq\x00", "1e3", "%2e")
	}
	methods := []string{http.MethodPut, http.MethodPatch, http.MethodGet, http.MethodPost}
	f.Fuzz(func(t *testing.T, body, filter, number, rest string) {
		for _, method := range methods {
			for _, path := range []string{at("jc1"), at("jc1/jobs/j1"), at("jc1/jobs"), at("jc1/jobs/j1/history"), at("jc1", url.PathEscape(rest))} {
				query := url.Values{"api-version": {"2016-03-01"}, "$filter": {filter}, "$top": {number}, "$skip": {number}}
				r := httptest.NewRequestWithContext(t.Context(), method, path+"?"+query.Encode(), strings.NewReader(body))
				r.Header.Set("Content-Type", "application/json")
				r.Header.Set("Authorization", "Bearer "+d.secret)
				w := httptest.NewRecorder()
				d.handler.ServeHTTP(w, r)
				require.Less(t, w.Code, 500, "%s %s %q: %s", method, path, body, w.Body)
				if w.Code >= 400 {
					require.Contains(t, w.Body.String(), `{"error":{"code":"`)
				}
			}
		}
	})
}
