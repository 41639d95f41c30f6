package web_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/web"
	"github.com/almanac-sched/almanac/web/azure"
)

const (
	azureGroup       = "/subscriptions/00000000-0000-0000-0000-000000000000/resourceGroups/almanac"
	azureCollections = "/providers/Microsoft.Scheduler/jobCollections"
	azureVersion     = "?api-version=2016-03-01"
	azureJob         = `{"properties": {"startTime": "2027-01-01T00:00:00Z", "action": {"type": "Http", "request": {"method": "GET", "uri": "http://127.0.0.1:1/"}}, "recurrence": {"frequency": "day"}}}`
)

// azureVisits are the visits of the face of Azure Scheduler.
func azureVisits(f *fixture) map[string]visit {
	put := func(path, body string) func() {
		return func() {
			w := f.as("editor", http.MethodPut, path+azureVersion, body)
			require.Less(f.t, w.Code, 300, w.Body.String())
		}
	}
	jc, gone, other := azureGroup+azureCollections+"/jc1", azureGroup+azureCollections+"/gone", azureGroup+"-other"
	put(jc, "{}")()
	put(jc+"/jobs/j1", azureJob)()
	at := func(path string) string { return path + azureVersion }
	return map[string]visit{
		"azureListBySubscription": {at("/subscriptions/00000000-0000-0000-0000-000000000000" + azureCollections), "", 200, nil},
		"azureListByGroup":        {at(azureGroup + azureCollections), "", 200, nil},
		"azureGetCollection":      {at(jc), "", 200, nil},
		"azurePutCollection":      {at(jc), "{}", 200, nil},
		"azurePatchCollection":    {at(jc), "{}", 200, nil},
		"azureDeleteCollection":   {at(gone), "", 200, put(gone, "{}")},
		"azureEnableCollection":   {at(jc + "/enable"), "", 200, nil},
		"azureDisableCollection":  {at(gone + "/disable"), "", 200, put(gone, "{}")},
		"azureListJobs":           {at(jc + "/jobs"), "", 200, nil},
		"azureGetJob":             {at(jc + "/jobs/j1"), "", 200, nil},
		"azurePutJob":             {at(jc + "/jobs/j1"), azureJob, 200, nil},
		"azurePatchJob":           {at(jc + "/jobs/j1"), "{}", 200, nil},
		"azureDeleteJob":          {at(jc + "/jobs/gone"), "", 200, put(jc+"/jobs/gone", azureJob)},
		"azureRunJob":             {at(jc + "/jobs/j1/run"), "", 200, nil},
		"azureJobHistory":         {at(jc + "/jobs/j1/history"), "", 200, nil},
		"azureGetProvider":        {at("/subscriptions/s/providers/Microsoft.Scheduler"), "", 200, nil},
		"azureRegister":           {at("/subscriptions/s/providers/Microsoft.Scheduler/register"), "", 200, nil},
		"azureHeadGroup":          {at(azureGroup), "", 204, nil},
		"azurePutGroup":           {at(azureGroup), "{}", 200, nil},
		"azureDeleteGroup":        {at(other), "", 200, put(other, "{}")},
	}
}

func (f *fixture) refusedByFace(w int, code, body string) {
	f.t.Helper()
	require.Contains(f.t, body, `"code":"`+code+`"`, "%d", w)
}

func TestTheFaceRefusesInItsOwnWords(t *testing.T) {
	f := newFixture(t)
	azureVisits(f)
	for _, c := range []struct {
		name, who, method, path, body string
		change                        option
		status                        int
		code                          string
	}{
		{"a stranger", "", "GET", azureGroup + azureVersion, "", nil, 401, "AuthenticationFailed"},
		{"a stranger at an unknown path", "", "GET", "/subscriptions/s/nothing", "", nil, 401, "AuthenticationFailed"},
		{"a viewer who changes", "viewer", "PUT", azureGroup + azureCollections + "/jc1" + azureVersion, "{}", nil, 403, "AuthorizationFailed"},
		{"an operator who changes", "operator", "DELETE", azureGroup + azureCollections + "/jc1" + azureVersion, "", nil, 403, "AuthorizationFailed"},
		{"an unknown path", "viewer", "GET", "/Subscriptions/s/nothing" + azureVersion, "", nil, 404, "ResourceNotFound"},
		{"the word alone", "viewer", "GET", "/subscriptions", "", nil, 404, "ResourceNotFound"},
		{"another provider", "viewer", "GET", azureGroup + "/providers/Microsoft.Compute/jobCollections/jc1" + azureVersion, "", nil, 404, "ResourceNotFound"},
		{"a verb that there is not", "admin", "POST", azureGroup + azureCollections + "/jc1" + azureVersion, "{}", nil, 400, "InvalidHttpVerb"},
		{"an encoded slash", "viewer", "GET", azureGroup + azureCollections + "/jc1%2Fjobs" + azureVersion, "", nil, 400, "BadRequest"},
		{"a body that is no JSON", "editor", "PUT", azureGroup + azureCollections + "/jc1" + azureVersion, "a", header("Content-Type", "text/plain"), 415, "UnsupportedMediaType"},
		{"a body beyond all limits", "editor", "PUT", azureGroup + azureCollections + "/jc1" + azureVersion, string(make([]byte, azure.MaxBody+1)), nil, 413, "RequestEntityTooLarge"},
	} {
		t.Run(c.name, func(t *testing.T) {
			options := []option{}
			if c.change != nil {
				options = append(options, c.change)
			}
			w := f.as(c.who, c.method, c.path, c.body, options...)
			require.Equal(t, c.status, w.Code, w.Body)
			checkFace(t, w)
			f.refusedByFace(w.Code, c.code, w.Body.String())
		})
	}
}

func TestWithoutAFaceThereIsNone(t *testing.T) {
	f := newFixture(t, func(c *web.Config) { c.Azure = nil })
	w := f.as("admin", "GET", azureGroup+azureCollections+azureVersion, "")
	require.Equal(t, 404, w.Code)
	checkFace(t, w)
}
