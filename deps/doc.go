// Package deps answers one question: which upstream plan times does this
// downstream plan time wait for, and why?
//
// A schedule is known to this package only as a function from a window to plan
// times (Occurrences), so it neither parses rules nor reads a clock. An Edge is
// what a user writes about one dependency; Compile joins it with the two jobs
// and either refuses the pair with the reason or gives a Binder. Bind is then a
// pure function of the two schedules, the edge and the plan time:
//
//	down := deps.Job{Name: "report", Period: deps.Period{Class: deps.Day}, Location: shanghai, Occurrences: report}
//	up := deps.Job{Name: "orders", Period: deps.Period{Class: deps.Hour, Every: time.Hour}, Occurrences: orders}
//	binder, err := deps.Edge{}.Compile(down, up)
//	binding := binder.Bind(at) // binding.Times, and binding.Reason says why these
//
// The rules are those of dependencies.md, which each function cites by section.
// In short: the natural policy looks at the calendar day of the downstream job's
// zone, or at its clock hour; jobs at listed hours are paired within that day;
// the traditional policy looks one period back. A dependency set is a contiguous
// range of the upstream's plan times and is handed out as a sub-slice of them.
//
// Two levels of graph are checked here too: Order sorts the jobs of a workflow
// or names the cycle, and FindCycle expands, for jobs that wait for each other's
// earlier cycles, the instances of one period.
package deps
