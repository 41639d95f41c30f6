package azure_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

// stocked is a desk with ten collections of a thousand jobs.
func stocked(b *testing.B, jobs int) *desk {
	d := newDesk(b)
	for c := range jobs / 1000 {
		d.must(201, "PUT", at(fmt.Sprintf("jc%d", c)), `{"properties": {"sku": {"name": "P20Premium"}}}`)
	}
	for n := range jobs {
		d.direct(http.MethodPut, at(fmt.Sprintf("jc%d/jobs/j%d", n/1000, n)), daily)
	}
	d.settle()
	return d
}

const daily = `{"properties": {"startTime": "2026-08-03T01:00:00Z", "action": {"type": "Http", "request": {"method": "GET", "uri": "http://127.0.0.1:1/", "headers": {"a": "b"}}}, "recurrence": {"frequency": "day", "schedule": {"hours": [5], "minutes": [0]}}}}`

// direct asks without a connection.
func (d *desk) direct(method, path, body string) {
	r := httptest.NewRequestWithContext(d.Context(), method, path+"?api-version=2016-03-01", strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Authorization", "Bearer "+d.secret)
	w := httptest.NewRecorder()
	d.handler.ServeHTTP(w, r)
	require.Less(d, w.Code, 300, w.Body)
}

func BenchmarkFace(b *testing.B) {
	d := stocked(b, 10_000)
	var n atomic.Int64
	parallel := func(name string, each func(n int64)) {
		b.Run(name, func(b *testing.B) {
			b.SetParallelism(16)
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					each(n.Add(1))
				}
			})
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "requests/s")
		})
	}
	parallel("get a job", func(n int64) { d.direct(http.MethodGet, at(fmt.Sprintf("jc%d/jobs/j%d", n%10_000/1000, n%10_000)), "") })
	parallel("put a job", func(n int64) {
		d.direct(http.MethodPut, at(fmt.Sprintf("jc%d/jobs/j%d", n%10_000/1000, n%10_000)), strings.Replace(daily, "[5]", fmt.Sprintf("[%d]", n/10_000%24), 1))
	})
	parallel("list 100 jobs", func(n int64) { d.direct(http.MethodGet, at(fmt.Sprintf("jc%d/jobs", n%10)), "") })
}
