package azure_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/engine/spec"
	"github.com/almanac-sched/almanac/web/azure"
)

// folderOf is a folder of workflows, each with one job j that is run by hand.
func folderOf(t *testing.T, names ...string) (workflows []*engine.Workflow) {
	for _, name := range names {
		w, problems := spec.Decode(name+".yaml", []byte("workflow: "+name+"\njobs:\n  j: {trigger: manual, action: {type: none}}\n"), spec.Options{})
		require.False(t, problems.HasErrors(), "%v", problems)
		workflows = append(workflows, w)
	}
	return workflows
}

func TestAFolderDoesNotTakeTheNamesOfCollections(t *testing.T) {
	d, s := newDesk(t), newSink(t)
	d.must(201, "PUT", at("Made"), standard)
	d.must(201, "PUT", at("made/jobs/a"), s.every(`{"frequency": "day"}`))
	d.must(201, "PUT", at("empty"), standard)
	d.must(201, "PUT", elsewhere("far"), standard)
	d.must(201, "PUT", elsewhere("far/jobs/j"), s.every(`{"frequency": "day"}`))
	for _, c := range []struct {
		name    string
		folder  []string
		refused []string
	}{
		{"the name of a collection", []string{"other", "Made"}, []string{"the workflow Made has the name of the job collection " + at("Made")}},
		{"in another case", []string{"mADE"}, []string{"the workflow mADE has the name of the job collection " + at("Made")}},
		{"of one without jobs", []string{"empty"}, []string{"the workflow empty has the name of the job collection " + at("empty")}},
		{"all of them are told", []string{"empty", "other", "made"}, []string{"the workflow empty ", "the workflow made "}},
		{"of a collection of another group, whose workflow has another name", []string{"far"}, nil},
		{"another name", []string{"other", "made-2"}, nil},
		{"no workflow", nil, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := d.db.Read(t.Context(), func(v engine.View) error { return azure.RefuseWorkflows(v, folderOf(t, c.folder...)) })
			if len(c.refused) == 0 {
				require.NoError(t, err)
				return
			}
			require.ErrorIs(t, err, engine.ErrConflict)
			require.Len(t, strings.Split(err.Error(), "\n"), len(c.refused))
			for _, words := range append(c.refused, "delete the collection there, or give the workflow another name") {
				require.ErrorContains(t, err, words)
			}
		})
	}
}

// Of a folder and a collection that have a name in common whoever came first keeps it, and the other is refused as a whole.
func TestWhoCameFirstKeepsTheName(t *testing.T) {
	d, s := newDesk(t), newSink(t)
	daily := s.every(`{"frequency": "day"}`)
	d.must(201, "PUT", at("made"), standard)
	d.must(201, "PUT", at("made/jobs/j"), daily)
	shown := d.must(200, "GET", at("made/jobs/j"), "").body
	before := d.dump()
	_, err := d.engine.Load(t.Context(), folderOf(t, "filed", "made"), d.now)
	require.ErrorIs(t, err, engine.ErrConflict)
	require.ErrorContains(t, err, "made/j")
	require.Equal(t, before, d.dump(), "of a folder that is refused nothing is loaded")
	d.refused(404, notFound, "GET", at("filed"), "")
	require.Equal(t, shown, d.must(200, "GET", at("made/jobs/j"), "").body)
	d.pass(30*60e9, 30*60e9)
	require.Equal(t, []string{"/every"}, s.paths(), "what was made goes on")

	_, err = d.engine.Load(t.Context(), folderOf(t, "filed"), d.now)
	require.NoError(t, err)
	before = d.dump()
	require.Contains(t, d.refused(409, conflict, "PUT", at("Filed"), standard), "it is changed in its file")
	d.refused(409, conflict, "PUT", at("FILED/jobs/k"), daily)
	require.Equal(t, before, d.dump())
	require.Equal(t, "filed/j", d.must(200, "GET", at("filed/jobs"), "").member(t, "value.0.name"))

	// A name that is free again is anybody's.
	d.must(200, "DELETE", at("made"), "")
	_, err = d.engine.Load(t.Context(), folderOf(t, "made"), d.now)
	require.NoError(t, err)
	d.refused(404, notFound, "GET", at("filed"), "")
	d.must(201, "PUT", at("filed"), standard)
	d.must(201, "PUT", at("filed/jobs/j"), daily)
	require.Equal(t, 0.0, d.status(at("filed/jobs/j"))["executionCount"])
	require.Contains(t, d.refused(409, conflict, "PUT", at("made"), standard), "it is changed in its file")
}
