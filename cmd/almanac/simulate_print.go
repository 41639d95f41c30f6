package main

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/web"
)

func (a *app) printSimulation(s *web.Simulation, form string, rows int) error {
	var b strings.Builder
	switch form {
	case "json":
		return writeJSON(a.stdout, s)
	case "gantt":
		writeGantt(&b, s, rows, a.view)
	default:
		if err := writeSimulated(&b, s, rows, a.view); err != nil {
			return err
		}
	}
	if b.Len() > 0 {
		b.WriteByte('\n')
	}
	if _, err := io.WriteString(a.stdout, b.String()); err != nil {
		return err
	}
	b.Reset()
	writeVerdict(&b, s, rows, a.view)
	return a.view.prose(a.stdout, "%s", strings.TrimSuffix(b.String(), "\n"))
}

func millis(ms int64) string { return duration(time.Duration(ms) * time.Millisecond) }

// writeSimulated is the table of instances, by start.
func writeSimulated(b *strings.Builder, s *web.Simulation, rows int, v viewer) error {
	var lines [][]string
	for i := range s.Instances[:min(rows, len(s.Instances))] {
		x := &s.Instances[i]
		held := "-"
		switch {
		case x.State == engine.Waiting && x.Longest != "":
			held = "no end, " + string(x.Longest)
		case x.Longest != "":
			held = ""
			for _, h := range x.Held {
				if h.Gate == x.Longest {
					held = fmt.Sprintf("%s %s", millis(h.TookMS), h.Gate)
				}
			}
		}
		lines = append(lines, []string{x.Workflow + "/" + x.Job, v.clock(x.PlanTime), v.onDay(x.StartedAt, x.PlanTime), v.onDay(x.EndedAt, x.PlanTime), string(x.State), held, deadlineWords(x)})
	}
	if len(lines) > 0 {
		if err := v.table(b, []string{"job", "plan time", "start", "end", "state", "held longest", "deadline"}, lines, nil); err != nil {
			return err
		}
	}
	if left := s.Counts.Instances - len(lines); left > 0 && len(lines) > 0 {
		fmt.Fprintf(b, "and %s (--rows, or -o json)\n", count(left, "more instance"))
	}
	return nil
}

// onDay is a time of day, with the days that lie between it and the plan time.
func (v viewer) onDay(t *time.Time, planTime time.Time) string {
	if t == nil {
		return "-"
	}
	text := v.in(*t).Format("15:04:05")
	day := func(t time.Time) time.Time { y, m, d := t.Date(); return time.Date(y, m, d, 0, 0, 0, 0, time.UTC) }
	if days := int(day(v.in(*t)).Sub(day(v.in(planTime))).Hours()) / 24; days > 0 {
		text += fmt.Sprintf("+%d", days)
	}
	return text
}

func deadlineWords(x *web.SimulatedInstance) string {
	switch {
	case x.Deadline == nil, x.EndedAt == nil && !x.Late:
		return "-"
	case !x.Late && !x.State.Satisfies():
		return string(x.State) + ", " + duration(x.Deadline.Sub(*x.EndedAt)) + " before"
	case !x.Late:
		return "met, " + duration(x.Deadline.Sub(*x.EndedAt)) + " left"
	case x.EndedAt == nil:
		return "missed, never ends"
	}
	return "missed by " + duration(x.EndedAt.Sub(*x.Deadline))
}

// writeVerdict is what the day comes to.
func writeVerdict(b *strings.Builder, s *web.Simulation, rows int, view viewer) {
	c := &s.Counts
	fmt.Fprintf(b, "%s from %s to %s: %d succeeded", count(c.Instances, "instance"), view.clock(s.From), view.clock(s.To), c.Succeeded)
	for _, n := range []struct {
		n    int
		what string
	}{{c.Skipped, "skipped"}, {c.Failed, "failed"}, {c.Cancelled, "cancelled"}, {c.Unfinished, "without an end"}, {c.Late, "late"}} {
		if n.n > 0 {
			fmt.Fprintf(b, ", %d %s", n.n, n.what)
		}
	}
	fmt.Fprintf(b, "; the last thing happens at %s\n", view.moment(s.Last))
	writeAttention(b, s, rows)
	for _, w := range s.Waiting {
		fmt.Fprintf(b, "held by %s: %s in all, %s; longest %s, %s\n", w.Gate, millis(w.TotalMS), count(w.Instances, "instance"), millis(w.LongestMS), w.Of)
	}
	for i := range s.Usage {
		u := &s.Usage[i]
		name := "slots"
		if u.Pool != "" {
			name = "pool " + u.Pool
		}
		fmt.Fprintf(b, "%s: at most %d of %d at once, all taken for %s\n", name, u.Peak, u.Size, millis(u.FullMS))
	}
	writeAssumed(b, s, rows, view)
	for i := range s.Paths {
		writePath(b, &s.Paths[i], view)
	}
	for _, v := range s.Assertions {
		word := "holds"
		if !v.Holds {
			word = "FAILS"
		}
		fmt.Fprintf(b, "%s  %s\n", word, printable(v.Text))
		for _, why := range v.Why {
			fmt.Fprintf(b, "       %s\n", printable(why))
		}
		if v.More > 0 {
			fmt.Fprintf(b, "       and %d more\n", v.More)
		}
	}
}

// writeAttention lists what did not end well, those behind one root together.
func writeAttention(b *strings.Builder, s *web.Simulation, rows int) {
	behind := map[string]int{}
	var roots []string
	shown := 0
	for i := range s.Attention {
		x := &s.Attention[i]
		switch {
		case x.Root != "":
			if behind[x.Root]++; behind[x.Root] == 1 {
				roots = append(roots, x.Root)
			}
		case shown >= rows:
		case x.State == engine.Succeeded || x.State == engine.Skipped: // late: the table may have left it out
			shown++
			fmt.Fprintf(b, "  %s  late: %s\n", x.Name, deadlineWords(x))
		default:
			shown++
			why := strings.TrimPrefix(x.Why, string(x.State)+": ")
			fmt.Fprintf(b, "  %s  %s: %s\n", x.Name, x.State, printable(why))
		}
	}
	for n, root := range roots {
		if n == rows {
			break
		}
		fmt.Fprintf(b, "  never started: %s, behind %s\n", count(behind[root], "instance"), printable(root))
	}
}

// writeAssumed says what was taken for granted.
func writeAssumed(b *strings.Builder, s *web.Simulation, rows int, v viewer) {
	for n, u := range s.Assumed {
		if n == rows {
			fmt.Fprintf(b, "and of %s\n", count(len(s.Assumed)-n, "more job"))
			break
		}
		span := v.clock(u.First)
		if u.PlanTimes > 1 {
			span = fmt.Sprintf("%s … %s (%d)", v.clock(u.First), v.clock(u.Last), u.PlanTimes)
		}
		fmt.Fprintf(b, "assumed satisfied: %s/%s at %s, outside of what is played\n", u.Workflow, u.Job, span)
	}
	var guessed []string
	guess := int64(0)
	for _, d := range s.Durations {
		if d.Source == engine.DurationDefault {
			guessed, guess = append(guessed, d.Workflow+"/"+d.Job), d.DurationMS
		}
	}
	if len(guessed) > 0 {
		names := strings.Join(guessed[:min(5, len(guessed))], ", ")
		if len(guessed) > 5 {
			names += fmt.Sprintf(" and %d more", len(guessed)-5)
		}
		fmt.Fprintf(b, "nothing is known of how long these take, taken for %s each: %s\n", millis(guess), names)
	}
	if s.Conditions > 0 {
		fmt.Fprintf(b, "taken for true: %s that only real outputs could answer\n", count(s.Conditions, "condition"))
	}
}

// writePath is a critical path, from what only waited for its time.
func writePath(b *strings.Builder, p *web.SimulatedPath, v viewer) {
	fmt.Fprintf(b, "critical path of %s\n", p.Of)
	for _, step := range p.Steps {
		why := "at its time"
		switch step.Via {
		case engine.GateDependency:
			why = "when the one before had ended"
		case engine.GateConcurrency:
			why = "when the one before, of its own job, had ended"
		}
		if step.QueuedMS > 0 {
			why += fmt.Sprintf(", %s later for want of a slot", millis(step.QueuedMS))
		}
		runs := "never ends"
		if step.EndedAt != nil {
			runs = duration(step.EndedAt.Sub(step.StartedAt)) + " to " + v.onDay(step.EndedAt, step.StartedAt)
		}
		fmt.Fprintf(b, "  %s  %s  %s; starts %s\n", v.in(step.StartedAt).Format("15:04:05"), step.Name, runs, why)
	}
}

// The columns of a Gantt chart: names, a gap of two, and bars up to the end of the viewer's lines.
const (
	ganttName  = 26
	ganttWidth = 80 // where the viewer does not say how wide it is
	ganttLeast = 24 // so many columns a day has at least
	ganttMost  = 72
)

// ganttBar is how many columns the bars of a chart have.
func (v viewer) ganttBar() int {
	width := v.columns
	if width == 0 {
		width = ganttWidth
	}
	return min(ganttMost, max(ganttLeast, width-ganttName-2))
}

// writeGantt draws a line a job: what runs, what waits although its time has come, and how many slots that takes.
func writeGantt(b *strings.Builder, s *web.Simulation, rows int, v viewer) {
	bar := v.ganttBar()
	begin, end := v.in(s.From), v.in(s.Last)
	if !end.After(begin) {
		end = begin.Add(time.Hour)
	}
	width := end.Sub(begin)/time.Duration(bar) + 1
	column := func(t time.Time) int { return min(bar-1, max(0, int(t.Sub(begin)/width))) }
	writeScale(b, begin, end, bar, column)
	lines := map[string][]rune{}
	var order []string
	for i := range s.Instances {
		x := &s.Instances[i]
		name := x.Workflow + "/" + x.Job
		line := lines[name]
		if line == nil {
			line = []rune(strings.Repeat(" ", bar))
			lines[name], order = line, append(order, name)
		}
		paintInstance(line, x, column)
	}
	for n, name := range order {
		if n == rows {
			fmt.Fprintf(b, "and %s\n", count(len(order)-n, "more job"))
			break
		}
		short := name
		if r := []rune(name); len(r) > ganttName {
			short = "…" + string(r[len(r)-ganttName+1:])
		}
		fmt.Fprintf(b, "%-*s  %s\n", ganttName, short, strings.TrimRight(string(lines[name]), " "))
	}
	for i := range s.Usage {
		writeUsage(b, &s.Usage[i], bar, column)
	}
	b.WriteString("█ runs  ░ waits although its time has come\n" +
		"x failed or cancelled  ! past its deadline  ? never ends\n")
	if s.More > 0 {
		fmt.Fprintf(b, "%s are not drawn\n", count(s.More, "more instance"))
	}
}

func writeScale(b *strings.Builder, begin, end time.Time, bar int, column func(time.Time) int) {
	step := time.Hour
	for _, wider := range []time.Duration{2 * time.Hour, 3 * time.Hour, 6 * time.Hour, 12 * time.Hour, 24 * time.Hour, 48 * time.Hour, 96 * time.Hour} {
		if int(end.Sub(begin)/step) > bar/6 {
			step = wider
		}
	}
	scale := []rune(strings.Repeat(" ", bar+5))
	for t := begin; t.Before(end) && column(t)+len("15:04") <= bar; t = t.Add(step) {
		copy(scale[column(t):], []rune(t.Format("15:04")))
	}
	fmt.Fprintf(b, "%-*s  %s\n", ganttName, begin.Format("2006-01-02 -07:00"), strings.TrimRight(string(scale[:bar]), " "))
}

// paintInstance draws one instance into its job's line; what runs covers what waits, and a mark covers both.
func paintInstance(line []rune, x *web.SimulatedInstance, column func(time.Time) int) {
	until, mark := len(line)-1, rune(0)
	switch {
	case x.EndedAt != nil:
		until = column(*x.EndedAt)
		if x.State == engine.Failed || x.State == engine.Cancelled {
			mark = 'x'
		} else if x.Late {
			mark = '!'
		}
	default:
		mark = '?'
	}
	from := until
	if x.StartedAt != nil {
		from = column(*x.StartedAt)
	}
	if x.State != engine.Skipped && len(x.Held) > 0 || x.StartedAt == nil && x.EndedAt == nil {
		for n := column(x.PlanTime); n < from; n++ {
			if line[n] == ' ' {
				line[n] = '░'
			}
		}
	}
	if x.StartedAt != nil {
		for n := from; n <= until; n++ {
			if line[n] == ' ' || line[n] == '░' {
				line[n] = '█'
			}
		}
	}
	if mark != 0 {
		line[until] = mark
	}
}

// writeUsage draws how full the slots, or a pool, are.
func writeUsage(b *strings.Builder, u *web.SimulatedUsage, bar int, column func(time.Time) int) {
	levels := []rune(" ▁▂▃▄▅▆▇█")
	most := make([]int, bar)
	wide := time.Duration(u.WidthMS) * time.Millisecond
	for _, bucket := range u.Buckets {
		for n := column(bucket.From); n <= column(bucket.From.Add(wide-1)); n++ {
			most[n] = max(most[n], bucket.Peak)
		}
	}
	line := make([]rune, bar)
	for n, peak := range most {
		level := 0
		if peak > 0 {
			level = max(1, peak*(len(levels)-1)/max(1, u.Size))
		}
		line[n] = levels[min(level, len(levels)-1)]
	}
	name := fmt.Sprintf("slots, of %d", u.Size)
	if u.Pool != "" {
		name = fmt.Sprintf("pool %s, of %d", u.Pool, u.Size)
	}
	fmt.Fprintf(b, "%-*s  %s\n", ganttName, text.Trim(name, ganttName), strings.TrimRight(string(line), " "))
}
