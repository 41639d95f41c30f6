package spec_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/engine/spec"
)

func TestOneBadFileStopsOneWorkflow(t *testing.T) {
	const broken = "workflow: b\njobs:\n  up: {triger: manual, action: {type: none}}\n"
	file := func(workflow, jobs string) string {
		return "workflow: " + workflow + "\ndefaults: {action: {type: none}}\njobs:\n" + jobs
	}
	daily := func(job, rest string) string {
		return "  " + job + ": {startTime: \"2026-01-01T00:00:00Z\", recurrence: {frequency: day}" + rest + "}\n"
	}
	good := map[string]string{"a.yaml": file("a", daily("one", "")), "b.yaml": file("b", daily("up", "")), "c.yaml": file("c", daily("down", ", dependsOn: [b/up]"))}
	recorded, problems := spec.Load(folderOf(good), "/f")
	require.False(t, problems.HasErrors(), "%v", problems)
	with := func(changes map[string]string) map[string]string {
		files := map[string]string{}
		for name, text := range good {
			files[name] = text
		}
		for name, text := range changes {
			files[name] = text
		}
		return files
	}
	for _, c := range []struct {
		name     string
		files    map[string]string
		recorded []*engine.Workflow
		served   []string
		kept     []string
	}{
		{"nothing is wrong", good, recorded, []string{"a", "b", "c"}, nil},
		{"the bad one is kept as it was recorded, also for those that wait for it", with(map[string]string{"b.yaml": broken}), recorded,
			[]string{"a", "b", "c"}, []string{"b"}},
		{"a bad one of which nothing is recorded is absent, and so is what waits for it", with(map[string]string{"b.yaml": broken}), nil, []string{"a"}, nil},
		{"nobody knows what a file holds that cannot be read: nothing counts as removed", map[string]string{"a.yaml": good["a.yaml"], "x.yaml": "{"}, recorded,
			[]string{"a", "b", "c"}, []string{"b", "c"}},
		{"what a good one takes away of what is kept: all stays", with(map[string]string{"b.yaml": file("b", daily("other", "")), "c.yaml": "workflow: c\njobs: {down: {x: 1}}\n"}),
			recorded, []string{"a", "b", "c"}, []string{"a", "b", "c"}},
		{"every file is bad, and nothing is recorded", map[string]string{"b.yaml": broken}, nil, nil, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			workflows, kept, _ := spec.LoadGood(folderOf(c.files), "/f", c.recorded)
			var names []string
			for _, w := range workflows {
				names = append(names, w.Name)
			}
			slices.Sort(names)
			require.Equal(t, c.served, names)
			require.Equal(t, c.kept, kept)
		})
	}
}
