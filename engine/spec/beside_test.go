package spec_test

import (
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/engine/spec"
)

func folderOf(files map[string]string) fstest.MapFS {
	tree := fstest.MapFS{}
	for name, text := range files {
		tree[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return tree
}

const (
	besideStores = "workflow: stores\njobs:\n  load: {cron: \"0 2 * * *\", action: {type: none}}\n"
	besideReport = "workflow: report\njobs:\n  daily: {cron: \"0 1 * * *\", dependsOn: [stores/load], action: {type: none}}\n"
)

func TestAFileIsJudgedBesideWhatIsLoaded(t *testing.T) {
	loaded, problems := spec.Load(folderOf(map[string]string{"stores.yaml": besideStores, "report.yaml": besideReport}), "/srv")
	require.Len(t, problems, 1, "a wait for a later instance, which is told once")

	for name, c := range map[string]struct {
		file, text string
		want       []string
	}{
		"the same again":                     {"stores.yaml", besideStores, []string{"a wait for a later instance"}},
		"another time":                       {"stores.yaml", "workflow: stores\njobs:\n  load: {cron: \"0 0 * * *\", action: {type: none}}\n", nil},
		"a job that others wait for is gone": {"stores.yaml", "workflow: stores\njobs:\n  other: {trigger: manual, action: {type: none}}\n", []string{"daily depends on stores/load, which does not exist"}},
		"a circle over both": {"stores.yaml", "workflow: stores\njobs:\n  load: {cron: \"0 2 * * *\", dependsOn: [report/daily], action: {type: none}}\n",
			[]string{"report/daily"}},
		"another workflow, which knows both":   {"more.yaml", "workflow: more\njobs:\n  x: {cron: \"0 9 * * *\", dependsOn: [stores/load, report/daily], action: {type: none}}\n", nil},
		"one that waits for what nobody knows": {"more.yaml", "workflow: more\njobs:\n  x: {cron: \"0 9 * * *\", dependsOn: [stores/lod], action: {type: none}}\n", []string{"did you mean"}},
	} {
		t.Run(name, func(t *testing.T) {
			workflows, problems := spec.LoadBeside(folderOf(map[string]string{c.file: c.text}), "/srv", loaded, time.Time{})
			text := problems.Error()
			for _, want := range c.want {
				require.Contains(t, text, want)
			}
			if c.want == nil {
				require.Empty(t, problems)
			}
			if problems.HasErrors() {
				require.Nil(t, workflows)
				return
			}
			names := map[string]bool{}
			for _, w := range workflows {
				require.False(t, names[w.Name], "each workflow once")
				names[w.Name] = true
			}
			require.Contains(t, names, "report")
			require.Equal(t, "/srv/"+c.file, workflows[0].File, "those of the files come first")
		})
	}
}

// What a load would start at once is said, also of a one-off whose time has passed; without a clock nothing
// has passed.
func TestWhatALoadWouldStartAtOnceIsSaid(t *testing.T) {
	const passed = "startTime: \"2026-01-01T08:00:00Z\", action: {type: none}"
	start := time.Date(2026, 1, 1, 8, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		name, job string
		now       time.Time
		want      []string
	}{
		{"passed", passed, start.Add(time.Second), []string{"the startTime 2026-01-01T08:00:00Z of a has passed: it runs once, as soon as its name is first loaded"}},
		{"at the very time", passed, start, nil},
		{"to come", passed, start.Add(-time.Second), nil},
		{"no clock", passed, time.Time{}, nil},
		{"disabled", passed + ", state: disabled", start.Add(time.Hour), nil},
		{"over", passed + ", endTime: \"2026-01-02T00:00:00Z\"", start.AddDate(0, 1, 0), nil},
		{"a rule", passed + ", recurrence: {frequency: day}", start.AddDate(0, 1, 0), nil},
		{"on demand", "trigger: manual, action: {type: none}", start, nil},
		{"no startTime", "action: {type: none}", start, []string{"a has no startTime: it runs as soon as its name is first loaded"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, problems := spec.LoadBeside(folderOf(map[string]string{"w.yaml": "jobs:\n  a: {" + c.job + "}\n"}), "/srv", nil, c.now)
			var got []string
			for _, p := range problems {
				require.Equal(t, spec.KindAtOnce, p.Kind)
				require.Equal(t, spec.Warning, p.Severity)
				require.Equal(t, 2, p.Line)
				got = append(got, p.Message)
			}
			require.Equal(t, c.want, got)
		})
	}
}
