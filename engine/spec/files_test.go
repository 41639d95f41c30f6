package spec_test

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/engine/spec"
)

func stored(jobs []*engine.Job) (list []spec.StoredJob) {
	for _, j := range jobs {
		list = append(list, spec.StoredJob{Ref: j.Ref(), Definition: j.Definition, Folder: j.Folder})
	}
	return list
}

// again exports jobs and reads the files back: the definitions by name.
func again(t require.TestingT, jobs []*engine.Job) (definitions map[engine.JobRef]string, notes []string) {
	files, notes, err := spec.ExportFiles(stored(jobs))
	require.NoError(t, err)
	definitions = map[engine.JobRef]string{}
	for _, f := range files {
		w, problems := spec.Decode(f.Name, f.Text, spec.Options{Folder: "/jobs"})
		require.False(t, problems.HasErrors(), "%v\n%s", problems, f.Text)
		for _, j := range w.Jobs {
			definitions[j.Ref()] = string(j.Definition)
		}
	}
	return definitions, notes
}

func TestExportedFilesLoadAgainToTheSameDefinitions(t *testing.T) {
	check := func(t require.TestingT, jobs []*engine.Job) {
		got, _ := again(t, jobs)
		require.Len(t, got, len(jobs))
		for _, j := range jobs {
			require.Equal(t, string(j.Definition), got[j.Ref()])
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		g := workflows{rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 5))}
		text, err := json.Marshal(g.document())
		require.NoError(t, err)
		w, problems := spec.Decode("w.json", text, spec.Options{Folder: "/jobs"})
		if !problems.HasErrors() {
			check(t, w.Jobs)
		}
	})
	n := 0
	for _, pattern := range []string{"testdata/good/*.yaml", "testdata/meaning/*.yaml", "../../examples/*.yaml"} {
		files, err := filepath.Glob(pattern)
		require.NoError(t, err)
		for _, file := range files {
			data, err := os.ReadFile(file)
			require.NoError(t, err)
			w, problems := spec.Decode(filepath.Base(file), data, spec.Options{Folder: "/jobs", Files: fstest.MapFS{}})
			if !problems.HasErrors() {
				n++
				check(t, w.Jobs)
			}
		}
	}
	require.Greater(t, n, 5)
}

func TestWhatAFileCannotSayIsNoted(t *testing.T) {
	one, err := spec.DecodeJob([]byte(`{"workflow":"orders~1f2e3d4c","jobs":{"load":{"trigger":"manual","secrets":{"key":{"resource":"job x#password"}},
		"action":{"type":"http","request":{"method":"GET","uri":"https://example.com/${{ secrets.key }}"}}}}}`), "/jobs")
	require.NoError(t, err)
	two, err := spec.DecodeJob([]byte(`{"workflow":"shop","timeZone":"Asia/Tokyo","jobs":{"a":{"trigger":"manual","action":{"type":"shell","script":"load.sh"}}}}`), "/srv")
	require.NoError(t, err)
	got, notes := again(t, []*engine.Job{one, two})
	require.Equal(t, []string{
		"the workflow orders~1f2e3d4c is orders-1f2e3d4c: no file can have its name",
		"orders-1f2e3d4c/load: the secret key is not in the file: set the variable ALMANAC_ORDERS_1F2E3D4C_LOAD_KEY of the server",
		"shop/a runs the script load.sh, which lies in /srv: copy it beside the file",
	}, notes)
	require.Len(t, got, 2)
	require.Contains(t, got[engine.JobRef{Workflow: "orders-1f2e3d4c", Job: "load"}], `"secrets":{"key":{"env":"ALMANAC_ORDERS_1F2E3D4C_LOAD_KEY"}}`)
	require.Equal(t, string(two.Definition), got[two.Ref()])
	_, _, err = spec.ExportFiles([]spec.StoredJob{{Ref: engine.JobRef{Workflow: "w", Job: "j"}, Definition: []byte("{}")}})
	require.Error(t, err)
}

func TestJobsOfOneWorkflowInSeveralZones(t *testing.T) {
	w, problems := spec.Decode("w.yaml", []byte("jobs:\n  a: {cron: '0 1 * * *', action: {type: none}, timeZone: Asia/Tokyo}\n  b: {cron: '0 1 * * *', action: {type: none}}\n"), spec.Options{Folder: "/jobs"})
	require.Empty(t, problems)
	got, _ := again(t, w.Jobs)
	require.Equal(t, string(w.Jobs[0].Definition), got[w.Jobs[0].Ref()])
	require.Equal(t, string(w.Jobs[1].Definition), got[w.Jobs[1].Ref()])
}
