package azure_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

// fuzzed sends a request without a network. Whatever a client sends, the server has no fault of its own, and says in words what was wrong.
func (d *desk) fuzzed(t *testing.T, method, path string, query url.Values, body string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), method, path+"?"+query.Encode(), strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Authorization", "Bearer "+d.secret)
	w := httptest.NewRecorder()
	d.handler.ServeHTTP(w, r)
	require.Less(t, w.Code, 500, "%s %s %q: %s", method, r.URL, body, w.Body)
	require.True(t, utf8.Valid(w.Body.Bytes()))
	if w.Code >= 400 {
		var refusal struct {
			Error struct{ Code, Message string }
		}
		require.NoError(t, json.Unmarshal(w.Body.Bytes(), &refusal))
		require.NotEmpty(t, refusal.Error.Code)
		require.NotEmpty(t, refusal.Error.Message)
	}
	return w
}

// current is the query of a request that asks for nothing but the newest version.
var current = url.Values{"api-version": {"2016-03-01"}}

// A body as a job, as a collection, as a change of both and as a resource group. What was taken is shown, and can be put again as it is shown, unless it
// wants its secrets or is final by then.
func FuzzBodies(f *testing.F) {
	d, s := newDesk(f), newSink(f)
	d.must(201, "PUT", at("jc1"), `{"properties": {"sku": {"name": "P20Premium"}}}`)
	for _, seed := range []string{
		s.once(), s.every(`{"frequency": "week", "schedule": {"weekDays": ["monday"]}}`), s.every(`{"frequency": "month", "schedule": {"monthlyOccurrences": [{"day": "friday", "occurrence": -1}]}}`),
		standard, "{}", "", "null", "[]", `{"properties": null}`, `{"location": "x", "tags": {"a": "b"}, "id": "", "name": "jc1", "type": "x"}`,
		`{"properties": {"state": "disabled"}}`, `{"properties": {"recurrence": {"count": 0}}}`, `{"properties": {"action": {"type": "storageQueue", "queueMessage": {"sasToken": "a"}}}}`,
		`{"properties": {"action": {"request": {"headers": {"a": "\u0000"}, "authentication": {"type": "ClientCertificate", "pfx": "AAAA"}}}}}`,
		`{"properties": {"sku": {"name": "free"}, "quota": {"maxJobCount": 1e9, "maxRecurrence": {"frequency": "minute", "interval": 0}}}}`,
		`{"properties": {"startTime": "9999-12-31T23:59:59.9999999Z", "recurrence": {"frequency": "month", "interval": 18, "schedule": {"monthDays": [31, -31]}}}}`,
		`{"properties": {"startTime": "2026-09-01", "action": {"type": "http", "request": {"method": "GET", "uri": "http://h/"}}, "recurrence": {"frequency": "day", "endTime": "2026-01-01"}}}`,
		`{"properties": {"action": {"type": "serviceBusTopic", "serviceBusTopicMessage": {"namespace": "n", "topicPath": "t", "authentication": {"sasKeyName": "a", "sasKey": "b"},
			"brokeredMessageProperties": {"timeToLive": "1.00:00:00", "forcePersistence": true}, "customMessageProperties": {"a": "b"}}, "retryPolicy": {"retryInterval": "PT15S", "retryCount": 20}}}}`,
	} {
		f.Add(seed)
	}
	kept := s.every(`{"frequency": "day", "count": 3}`)
	f.Fuzz(func(t *testing.T, body string) {
		c, j := at("fuzzed"), at("jc1/jobs/j1")
		for _, path := range []string{c, j} {
			put := d.fuzzed(t, http.MethodPut, path, current, body)
			if put.Code < 400 {
				require.Equal(t, http.StatusCreated, put.Code)
				got := d.fuzzed(t, http.MethodGet, path, current, "")
				require.Equal(t, put.Body.String(), got.Body.String())
				d.fuzzed(t, http.MethodPut, path, current, got.Body.String())
				d.fuzzed(t, http.MethodPatch, path, current, body)
				d.fuzzed(t, http.MethodGet, path, current, "")
				require.Equal(t, http.StatusOK, d.fuzzed(t, http.MethodDelete, path, current, "").Code)
			}
		}
		require.Equal(t, http.StatusCreated, d.fuzzed(t, http.MethodPut, c, current, "{}").Code)
		require.Equal(t, http.StatusCreated, d.fuzzed(t, http.MethodPut, c+"/jobs/j1", current, kept).Code)
		d.fuzzed(t, http.MethodPatch, c+"/jobs/j1", current, body)
		d.fuzzed(t, http.MethodPatch, c, current, body)
		require.Equal(t, http.StatusOK, d.fuzzed(t, http.MethodGet, c+"/jobs", current, "").Code)
		require.Equal(t, http.StatusOK, d.fuzzed(t, http.MethodDelete, c, current, "").Code)
		d.fuzzed(t, http.MethodPut, "/subscriptions/s/resourceGroups/g", current, body)
	})
}

// The query of a list, and a name. A list that is given has a next page or none.
func FuzzQueries(f *testing.F) {
	d, s := newDesk(f), newSink(f)
	d.must(201, "PUT", at("jc1"), `{"properties": {"sku": {"name": "P20Premium"}}}`)
	for _, name := range []string{"j1", "j2", "j3"} {
		d.must(201, "PUT", at("jc1/jobs", name), s.every(`{"frequency": "hour"}`))
	}
	d.pass(3*3600e9, 1800e9)
	for _, seed := range [][5]string{
		{"2016-03-01", "state eq enabled", "1", "0", "j1"}, {"2016-01-01", "status eq 'failed'", "100", "2", "J1"}, {"2014-08-01-preview", "state eq 'Faulted'", "-0", "99999999999999999999", "new"},
		{"2017-01-01", "'", "1e3", "", "%2e"}, {"", "state+eq\x00", "٣", " 1", "作业"}, {"2016-03-01", "STATUS  EQ  COMPLETED", "2", "1", "a/b"}, {"2016-03-01", "", "1", "2147483647", "history"},
	} {
		f.Add(seed[0], seed[1], seed[2], seed[3], seed[4])
	}
	f.Fuzz(func(t *testing.T, version, filter, top, skip, name string) {
		full := url.Values{"api-version": {version}, "$filter": {filter}, "$top": {top}, "$skip": {skip}}
		for _, path := range []string{strings.TrimSuffix(at(""), "/"), at("jc1/jobs"), at("jc1/jobs/j1/history"), at("jc1", url.PathEscape(name)), at("jc1/jobs", url.PathEscape(name)), at(url.PathEscape(name), "jobs")} {
			w := d.fuzzed(t, http.MethodGet, path, full, "")
			var page struct {
				Value    []json.RawMessage
				NextLink *string
			}
			if w.Code != http.StatusOK || json.Unmarshal(w.Body.Bytes(), &page) != nil || page.NextLink == nil {
				continue
			}
			require.NotEmpty(t, page.Value)
			next, err := url.Parse(*page.NextLink)
			require.NoError(t, err)
			require.True(t, next.IsAbs())
			require.Equal(t, http.StatusOK, d.fuzzed(t, http.MethodGet, next.EscapedPath(), next.Query(), "").Code)
		}
		d.fuzzed(t, http.MethodPost, at(url.PathEscape(name), "enable"), full, "")
		d.fuzzed(t, http.MethodPut, at("jc1/jobs/j1", url.PathEscape(name)), full, "{}")
	})
}
