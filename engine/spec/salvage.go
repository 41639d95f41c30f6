package spec

import (
	"io/fs"
	"slices"

	"github.com/almanac-sched/almanac/engine"
)

// LoadGood is Load of a folder of which some files are bad, beside what was loaded last: one bad file stops one workflow. The workflows of good files are
// returned, and of the others those that were recorded, which are named in kept: where a file is bad nobody can say which workflow it holds, so that none is
// taken for removed. A workflow that does not fit with the others, because a bad file has what it waits for, counts as one of a bad file. Where the good ones
// do not fit with what is kept all stays as it was recorded. The problems are those that Load reports.
func LoadGood(fsys fs.FS, folder string, recorded []*engine.Workflow) (workflows []*engine.Workflow, kept []string, problems Problems) {
	if workflows, problems = Load(fsys, folder); !problems.HasErrors() {
		return workflows, nil, problems
	}
	good, _, _, _ := decodeAll(fsys, folder)
	bad := map[string]bool{}
	for _, p := range problems {
		if p.Severity == Error {
			bad[p.File] = true
		}
	}
	good = slices.DeleteFunc(good, func(w *engine.Workflow) bool { return bad[w.File] })
	for {
		set := slices.Clone(good)
		settled := map[string]bool{}
		kept = nil
		for _, w := range recorded {
			if !slices.ContainsFunc(good, func(g *engine.Workflow) bool { return g.Name == w.Name }) {
				set, settled[w.Name], kept = append(set, w), true, append(kept, w.Name)
			}
		}
		wrong := map[string]bool{}
		l := lint{at: anchor, settled: settled}
		for _, p := range l.run(set) {
			if p.Severity == Error {
				wrong[p.File] = true
			}
		}
		if len(wrong) == 0 {
			slices.Sort(kept)
			return set, kept, problems
		}
		before := len(good)
		if good = slices.DeleteFunc(good, func(w *engine.Workflow) bool { return wrong[w.File] }); len(good) == before {
			good = nil // what is kept does not fit with the others
		}
		if before == 0 {
			return nil, nil, problems
		}
	}
}
