package spec

import "github.com/almanac-sched/almanac/deps"

// tooFew warns of a dependency that asks for more instances than there are to choose from: no rerun would ever help what waits for it.
func (l *lint) tooFew(e *lintEdge) {
	wanted := e.dependency.Edge.Select
	down, up := l.timetable(e.down), l.timetable(e.up)
	if wanted.Kind != deps.SelectCount || down == nil || up == nil {
		return
	}
	most, binds := 0, 0
	for n, t := range upTo(down, l.begin(down, up), rareBinds) {
		if b := e.binder.Bind(t); !b.Empty() {
			most, binds = max(most, b.Len()), binds+1
		}
		if most >= wanted.N || n*most > sampledSet {
			break
		}
	}
	if binds == 0 || most >= wanted.N {
		return
	}
	l.report(e.down, e.down.place(e.n), Warning, "write a smaller number, or a wider window",
		"select asks for %d instances of %s, and there are never more than %d to choose from in the next %d windows of %s: each would wait until its waitTimeout",
		wanted.N, e.dependency.Job, most, binds, e.down.Name)
	l.problems[len(l.problems)-1].Kind = KindNever
}
