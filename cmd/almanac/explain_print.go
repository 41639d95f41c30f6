package main

import (
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/web"
)

const (
	explainWidth = 80 // columns of a line, where the viewer does not say how wide it is
	treeLines    = 60 // of the tree
	treeIndent   = 12 // levels that are moved in
)

// An explanationPrinter writes an explanation for people.
type explanationPrinter struct {
	b        strings.Builder
	terminal bool
	view     viewer
	now      time.Time
	lines    int // of the tree
	left     int // lines of it that were left out
}

func printExplanation(w io.Writer, x *web.Explanation, terminal bool, v viewer) error {
	p := &explanationPrinter{terminal: terminal, view: v, now: v.in(x.At)}
	p.head(x)
	p.gates(x)
	p.dependencies(x)
	p.tree(x)
	p.roots(x)
	p.past(x)
	_, err := io.WriteString(w, p.b.String())
	return err
}

func (p *explanationPrinter) strong(words string) string {
	if !p.terminal {
		return words
	}
	return text.Bold.Sprint(words)
}

func (p *explanationPrinter) title(words string) { fmt.Fprintf(&p.b, "\n%s\n", p.strong(words)) }

// width is how many columns a line has.
func (p *explanationPrinter) width() int {
	if p.view.columns > 0 {
		return p.view.columns
	}
	return explainWidth
}

// wrapped prints text after a lead, and further lines below it, within the width: lead and text are
// broken between their words. A word that is wider by itself, such as a name, stays whole, so that
// it can be pasted.
func (p *explanationPrinter) wrapped(lead string, indent int, words string) {
	first := strings.TrimRight(lead, " ")
	p.broken(indent, first, lead[len(first):], strings.Fields(printable(words)))
}

// command prints a line that can be pasted: what goes on below it is marked so for a shell.
func (p *explanationPrinter) command(lead, words string) {
	if text.StringWidthWithoutEscSequences(lead+words) > p.width() {
		fmt.Fprintln(&p.b, strings.TrimRight(lead, " "))
		lead = "      "
	}
	fmt.Fprintf(&p.b, "%s%s\n", lead, p.strong(words))
}

// broken prints a lead that may have to be broken at its gaps, what stands between, and words.
func (p *explanationPrinter) broken(indent int, lead, between string, words []string) {
	wide := text.StringWidthWithoutEscSequences
	column, line := wide(lead), lead
	if column > p.width() {
		line, column = "", 0
		for n, part := range gaps.FindAllString(lead, -1) {
			if n > 0 && column+wide(part) > p.width() {
				fmt.Fprintln(&p.b, strings.TrimRight(line, " "))
				line, column = strings.Repeat(" ", indent), indent
				part = strings.TrimLeft(part, " ")
			}
			line, column = line+part, column+wide(part)
		}
	}
	for _, word := range words {
		if column+wide(between+word) > p.width() && column > indent {
			fmt.Fprintln(&p.b, strings.TrimRight(line, " "))
			in := indent
			if in+wide(word) > p.width() { // a long name moves to the left
				in = min(in, 4)
			}
			line, column, between = strings.Repeat(" ", in), in, ""
		}
		line, column, between = line+between+word, column+wide(between+word), " "
	}
	fmt.Fprintln(&p.b, strings.TrimRight(line, " "))
}

// gaps are the parts of a lead, each with the gap before it.
var gaps = regexp.MustCompile(`^ *[^ ]+| {2,}[^ ]+(?: [^ ]+)*| [^ ]+`)

func (p *explanationPrinter) head(x *web.Explanation) {
	i := &x.Instance
	id := "(instance " + i.ID.String() + ")"
	if !x.Planned {
		id = "(not planned yet: by the loaded definitions)"
	}
	p.wrapped(p.strong(i.Name)+"  "+stateText(i.State, p.terminal)+"  ", 2, id)
	if len(x.Unknown) > 0 {
		fmt.Fprintf(&p.b, "  as of: %s\n", p.view.clock(x.At))
	}
	p.wrapped("  why: ", 7, i.Reason.Text)
	p.wrapped("  due: ", 7, x.Schedule)
	f := &x.Forecast
	if !f.Earliest.IsZero() && f.Earliest.After(x.At) {
		fmt.Fprintf(&p.b, "  earliest start: %s\n", p.view.clock(f.Earliest))
	}
	if !i.State.Ended() {
		p.wrapped("  estimate: ", 12, p.estimate(f))
	}
	for n, what := range x.Unknown {
		lead := "           "
		if n == 0 {
			lead = "  unknown: "
		}
		p.wrapped(lead, 11, what)
	}
}

// estimate is a forecast in words.
func (p *explanationPrinter) estimate(f *web.Forecast) string {
	var parts []string
	if !f.Start.IsZero() && f.Start.After(p.now) {
		parts = append(parts, "starts "+p.about(f.Start, f.AtLeast))
	}
	if !f.End.IsZero() {
		parts = append(parts, "ends "+p.about(f.End, f.AtLeast))
	}
	if f.Of > 0 {
		parts = append(parts, fmt.Sprintf("takes %s (median of %d; nine of ten at most %s)", duration(seconds(f.Median)), f.Of, duration(seconds(f.High))))
	}
	if f.Unknown != "" {
		parts = append(parts, "not known: "+f.Unknown)
	}
	return strings.Join(parts, ", ")
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

func (p *explanationPrinter) about(t time.Time, atLeast bool) string {
	word := "about "
	if atLeast {
		word = "not before "
	}
	if t = p.view.in(t); t.Format(time.DateOnly) == p.now.Format(time.DateOnly) {
		return word + t.Format("15:04:05 -07:00")
	}
	return word + p.view.moment(t)
}

func (p *explanationPrinter) gates(x *web.Explanation) {
	if len(x.Gates) == 0 {
		return
	}
	p.title("gates")
	for _, g := range x.Gates {
		state := "open:   "
		if !g.Open {
			state = "closed: "
		}
		p.wrapped(fmt.Sprintf("  %-11s  %s", g.Gate, state), 25, g.Text)
	}
}

func (p *explanationPrinter) dependencies(x *web.Explanation) {
	if len(x.Dependencies) == 0 {
		return
	}
	p.title("waits for")
	const shown = 40
	for n := range x.Dependencies[:min(shown, len(x.Dependencies))] {
		d := &x.Dependencies[n]
		p.wrapped("  ", 4, d.Text)
		p.wrapped("    looked in ", 6, windowWords(d.Window.From, d.Window.To, d.Window.Closed, p.view)+unlessEmpty(": ", d.Pair))
		if c := d.Candidates; c != nil && (c.Out > 0 || c.In > 1) {
			p.candidates(c)
		}
	}
	if rest := len(x.Dependencies) - shown; rest > 0 {
		fmt.Fprintf(&p.b, "  and %d more\n", rest)
	}
}

func unlessEmpty(before, words string) string {
	if words == "" {
		return ""
	}
	return before + words
}

// candidates prints what a dependency had to choose from; of many the ends.
func (p *explanationPrinter) candidates(c *web.Candidates) {
	const ends = 4
	for n, one := range c.Items {
		if len(c.Items) > 2*ends+1 && n >= ends && n < len(c.Items)-ends {
			if n == ends {
				fmt.Fprintf(&p.b, "      ...  %d more\n", len(c.Items)+c.Left-2*ends)
			}
			continue
		}
		word, why := "in ", string(one.State)
		if !one.In {
			word, why = "out", one.Why
		}
		if why == "" {
			why = "not planned yet"
		}
		p.wrapped(fmt.Sprintf("      %s  %s  ", word, p.view.clock(one.PlanTime)), 37, why)
	}
}

func (p *explanationPrinter) tree(x *web.Explanation) {
	blocked := false
	for n := range x.Dependencies {
		blocked = blocked || len(x.Dependencies[n].Causes) > 0
	}
	if !blocked {
		return
	}
	p.title("blocked by")
	for n := range x.Dependencies {
		d := &x.Dependencies[n]
		p.causes(d.Causes, d.More, 1)
	}
	if p.left > 0 {
		fmt.Fprintf(&p.b, "  and %s more; -o json has them\n", count(p.left, "line"))
	}
}

func (p *explanationPrinter) causes(list []web.Cause, more, depth int) {
	indent := strings.Repeat("  ", min(depth, treeIndent))
	for n := range list {
		c := &list[n]
		p.lines++
		if p.lines > treeLines {
			p.left++
		} else {
			p.cause(c, indent, depth)
		}
		for k := range c.Dependencies {
			p.causes(unseen(c, c.Dependencies[k].Causes), c.Dependencies[k].More, depth+1)
		}
	}
	if more > 0 && p.lines <= treeLines {
		fmt.Fprintf(&p.b, "%sand %d more of them\n", indent, more)
	}
}

// unseen leaves out what is in the tree elsewhere, unless there is nothing else that a cause waits for.
func unseen(of *web.Cause, list []web.Cause) []web.Cause {
	again := func(c web.Cause) bool { return c.Again }
	for n := range of.Dependencies {
		if slices.ContainsFunc(of.Dependencies[n].Causes, func(c web.Cause) bool { return !c.Again }) {
			return slices.DeleteFunc(slices.Clone(list), again)
		}
	}
	return list
}

// cause prints one instance of the tree: what is below it says why it waits.
func (p *explanationPrinter) cause(c *web.Cause, indent string, depth int) {
	lead := indent
	if depth > treeIndent {
		lead = fmt.Sprintf("%s%d: ", indent, depth)
	}
	state := "not planned yet"
	if c.State != "" {
		state = stateText(c.State, p.terminal)
	}
	why := ""
	switch {
	case c.Circle:
		why = "waits for what waits for it: a circle"
	case c.Again:
		why = "see above"
	case c.State == engine.Waiting || c.State == "":
		if len(c.Dependencies) == 0 || c.Root {
			why = c.Reason.Text
		}
	case c.State == engine.Running:
		why = p.estimate(&web.Forecast{End: c.Forecast.End, AtLeast: c.Forecast.AtLeast, Unknown: c.Forecast.Unknown})
	default:
		why = reasonOf(c)
	}
	if c.Root {
		state = p.strong(state)
	}
	p.wrapped(fmt.Sprintf("%s%s  %s  ", lead, c.Name, state), len(indent)+4, why)
}

// reasonOf is the reason of a cause beside its state.
func reasonOf(c *web.Cause) string { return strings.TrimPrefix(c.Reason.Text, string(c.State)+": ") }

func (p *explanationPrinter) roots(x *web.Explanation) {
	if len(x.Roots) == 0 || x.Instance.State.Satisfies() {
		return
	}
	title := "root"
	if len(x.Roots) > 1 || x.Beyond {
		title = "roots"
	}
	if x.Beyond {
		title += " (the tree was cut: there may be more)"
	}
	p.title(title)
	for n := range x.Roots {
		r := &x.Roots[n]
		state := "not planned yet"
		if r.State != "" {
			state = stateText(r.State, p.terminal)
		}
		p.wrapped(fmt.Sprintf("  %s  %s  ", p.strong(r.Name), state), 6, reasonOf(r))
		if r.Help != "" {
			p.command("    would help: ", r.Help)
		}
	}
}

// past prints what has happened to it.
func (p *explanationPrinter) past(x *web.Explanation) {
	if len(x.Watching) > 0 {
		p.title("watches")
	}
	for n := range x.Watching {
		p.wrapped("  ", 4, watchWords(&x.Watching[n], p.view))
	}
	if len(x.Attempts) > 0 {
		p.title("attempts")
	}
	for n := range x.Attempts {
		t := &x.Attempts[n]
		name := unlessEmpty("step ", t.Step)
		if t.ErrorAction {
			name = "error action"
		}
		outcome := "runs"
		if t.Outcome != "" {
			outcome = fmt.Sprintf("%s after %s", t.Outcome, duration(t.EndedAt.Sub(t.StartedAt)))
			if t.Text != "" && t.Text != string(t.Outcome) {
				outcome += ": " + t.Text
			}
		}
		if t.Run != x.Attempts[0].Run || t.Run != x.Instance.Run {
			name = strings.TrimSpace(fmt.Sprintf("run %d %s", t.Run, name))
		}
		p.wrapped(fmt.Sprintf("  %s  %d  ", p.view.moment(t.StartedAt), t.Number), 4, name+" "+outcome)
	}
	if len(x.Events) > 0 {
		p.title("history")
	}
	for n := range x.Events {
		e := &x.Events[n]
		what := e.Kind
		if e.From != "" && e.To != "" {
			what = fmt.Sprintf("%s → %s", e.From, e.To)
		}
		p.wrapped(fmt.Sprintf("  %s  %s  ", p.view.moment(e.At), what), 4, e.Reason.Text)
	}
}

// watchWords is what a step waits for without a slot.
func watchWords(w *web.Watching, v viewer) string {
	words := unlessEmpty("step ", w.Step)
	switch {
	case w.Instance != 0:
		words += fmt.Sprintf(" waits for instance %s", w.Instance)
	case w.Last == "":
		words += fmt.Sprintf(" has looked %s", count(w.Looks, "time"))
	default:
		words += fmt.Sprintf(" found at look %d: %s", w.Looks, w.Last)
	}
	words += ", since " + v.moment(w.Since)
	if !w.Next.IsZero() {
		words += ", looks again " + v.moment(w.Next)
	}
	if !w.Until.IsZero() {
		words += ", until " + v.moment(w.Until)
	}
	return strings.TrimSpace(words)
}
