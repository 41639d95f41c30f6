package azure_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/engine/azure"
)

// A cron expression is exported where a recurrence gives the same times, from the first of them after now (2026-03-04 12:25:30, a Wednesday).
func TestCronAsARecurrence(t *testing.T) {
	for cron, want := range map[string]string{
		"* * * * *":             `"startTime":"2026-03-04T12:26:00Z",R{"frequency":"minute","interval":1}`,
		"*/15 * * * *":          `"startTime":"2026-03-04T12:30:00Z",R{"frequency":"minute","interval":15}`,
		"5 * * * *":             `"startTime":"2026-03-04T13:05:00Z",R{"frequency":"hour","interval":1}`,
		"30 */6 * * *":          `"startTime":"2026-03-04T12:30:00Z",R{"frequency":"hour","interval":6}`,
		"0 2,5,15 * * *":        `"startTime":"2026-03-04T15:00:00Z",R{"frequency":"day","interval":1,"schedule":{"minutes":[0],"hours":[2,5,15]}}`,
		"0,1 * * * *":           `"startTime":"2026-03-04T13:00:00Z",R{"frequency":"day","interval":1,"schedule":{"minutes":[0,1]}}`,
		"*/15 1-3 * * *":        `"startTime":"2026-03-05T01:00:00Z",R{"frequency":"day","interval":1,"schedule":{"minutes":[0,15,30,45],"hours":[1,2,3]}}`,
		"30 9 * * 1-5":          `"startTime":"2026-03-05T09:30:00Z",R{"frequency":"week","interval":1,"schedule":{"minutes":[30],"hours":[9],"weekDays":["monday","tuesday","wednesday","thursday","friday"]}}`,
		"@weekly":               `"startTime":"2026-03-08T00:00:00Z",R{"frequency":"week","interval":1,"schedule":{"minutes":[0],"hours":[0],"weekDays":["sunday"]}}`,
		"0 6 1,15 * *":          `"startTime":"2026-03-15T06:00:00Z",R{"frequency":"month","interval":1,"schedule":{"minutes":[0],"hours":[6],"monthDays":[1,15]}}`,
		"0 0 31 * *":            `"startTime":"2026-03-31T00:00:00Z",R{"frequency":"month","interval":1,"schedule":{"minutes":[0],"hours":[0],"monthDays":[31]}}`,
		"0 0 1 1,4,7,10 *":      `"startTime":"2026-04-01T00:00:00Z",R{"frequency":"month","interval":3,"schedule":{"minutes":[0],"hours":[0],"monthDays":[1]}}`,
		"@yearly":               `"startTime":"2027-01-01T00:00:00Z",R{"frequency":"month","interval":12,"schedule":{"minutes":[0],"hours":[0],"monthDays":[1]}}`,
		"0 0 1 1,2 *":           "", // months that are not evenly apart
		"0 0 13 * 5":            "", // the 13th that is a Friday, or either
		"0 0 * 7,8 *":           "",
		"CRON_TZ=UTC @midnight": `"startTime":"2026-03-05T00:00:00Z",R{"frequency":"day","interval":1,"schedule":{"minutes":[0],"hours":[0]}}`,
	} {
		w := decode(t, `{workflow: w, jobs: {j: {cron: "`+cron+`", overlap: skip, misfire: skip, action: {type: http, request: {method: GET, uri: "http://a"}}}}}`)
		out := azure.Export(w.Jobs[0], created)
		if want == "" {
			require.Nil(t, out.Properties, cron)
			require.Equal(t, "cron", out.Losses[0].Member)
			continue
		}
		require.NotNil(t, out.Properties, cron)
		require.Empty(t, out.Losses)
		want = strings.Replace(want, "R{", `"action":{"type":"Http","request":{"uri":"http://a","method":"GET"}},"recurrence":{`, 1)
		require.Equal(t, "{"+want+`,"state":"enabled"}`, marshal(t, out.Properties), cron)
	}
}

// Everything that has no counterpart is named with its reason; what would change when or what a job is leaves the whole job out.
func TestWhatHasNoCounterpart(t *testing.T) {
	const http = `action: {type: http, request: {method: GET, uri: "http://a"}}`
	const skip = `overlap: skip, misfire: skip, `
	for _, c := range []struct {
		job  string
		want string // members, with "!" in front where the job is left out
	}{
		{skip + http, ""},
		{http, "overlap misfire"},
		{skip + `dependsOn: [other], confirm: true, concurrency: 2, spread: PT5M, priority: 9, deadline: PT1H, onLost: hold, description: d, tags: [t], env: {A: b}, params: {p: 1}, timeout: PT5M, ` + http,
			"timeout dependsOn confirm concurrency spread priority deadline onLost params env description tags"},
		{skip + `pool: p, ` + http, "pool"},
		{skip + `selfDependency: true, ` + http, "dependsOn"},
		{skip + `trigger: manual, ` + http, "!trigger"},
		{skip + `calendar: c, recurrence: {frequency: day}, ` + http, "!calendar"},
		{skip + `calendar: c, recurrence: {frequency: month, schedule: {workDays: [1]}}, ` + http, "!calendar !recurrence.schedule.workDays"},
		{skip + `timeZone: Asia/Shanghai, cron: "0 2 * * *", ` + http, "!timeZone"},
		{skip + `timeZone: Asia/Shanghai, recurrence: {frequency: day}, ` + http, "!timeZone"},
		{skip + `timeZone: Asia/Shanghai, recurrence: {frequency: hour}, ` + http, ""}, // elapsed time is the same everywhere
		{skip + `timeZone: Asia/Shanghai, startTime: 2030-01-01T00:00, ` + http, ""},
		{skip + `at: [2030-01-01], ` + http, ""},
		{skip + `at: [2020-01-01, 2030-01-01], ` + http, ""},
		{skip + `at: [2020-01-01], ` + http, "!at"},
		{skip + `at: [2030-01-01, 2030-01-02], ` + http, "!at"},
		{skip + `action: {type: shell, command: "true"}`, "!action"},
		{skip + `action: {type: none}`, "!action"},
		{skip + `steps: {a: {type: none}, b: {type: none}}`, "!steps"},
		{skip + `errorAction: {type: shell, command: "true"}, ` + http, "errorAction"},
		{skip + `retryPolicy: {retryType: exponential, retryInterval: PT5S, retryCount: 3, on: [503]}, ` + http, "retryPolicy.retryType retryPolicy.on retryPolicy.retryInterval"},
		{skip + `action: {type: http, expect: [204], request: {method: GET, uri: "http://a/${{ planDay }}", headers: {X: "${{ params.p }}"}, body: "$${{ now }}"}}, params: {p: 1}`,
			"action.request.uri action.request.headers.X action.expect params"},
	} {
		w := decode(t, `{workflow: w, calendars: {c: {off: [2026-01-01]}}, jobs: {other: {`+http+`}, j: {`+c.job+`}}}`)
		out := azure.Export(w.Job("j"), created)
		var got []string
		for _, l := range out.Losses {
			require.NotEmpty(t, l.Reason)
			if out.Properties == nil {
				l.Member = "!" + l.Member
			}
			got = append(got, l.Member)
		}
		require.Equal(t, c.want, strings.Join(got, " "), c.job)
	}
}

// Names that the service would not take, or not tell apart, are changed.
func TestNamesOfTheService(t *testing.T) {
	w := decode(t, `{workflow: 日报, jobs: {Orders: {action: {type: http, request: {method: GET, uri: "http://a"}}}, orders: {action: {type: http, request: {method: GET, uri: "http://a"}}},
		9.to.5: {action: {type: http, request: {method: GET, uri: "http://a"}}}}}`)
	var names []string
	for _, j := range azure.ExportAll([]*engine.Workflow{w}, created) {
		names = append(names, j.Name)
		collection, name, _ := strings.Cut(j.Name, "/")
		require.Regexp(t, azure.NameForm, collection)
		require.Regexp(t, azure.NameForm, name)
	}
	require.Equal(t, []string{"j--/j9-to-5", "j--/Orders", "j--/orders-2"}, names)
}
