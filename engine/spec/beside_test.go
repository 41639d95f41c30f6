package spec_test

import (
	"testing"
	"testing/fstest"

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
			workflows, problems := spec.LoadBeside(folderOf(map[string]string{c.file: c.text}), "/srv", loaded)
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
