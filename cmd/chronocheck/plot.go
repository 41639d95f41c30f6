package main

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"time"
)

// Sizes of the plot, in pixels.
const (
	plotWidth  = 1400
	labelWidth = 260
	rowHeight  = 18
	headHeight = 40
)

// plot draws one row per job: its due times with epsilon after each, green when they have an instance without a violation and red otherwise, the runs
// over them, and the time in which the server was down shaded.
func (c *checker) plot(r *report) []byte {
	from, to := c.plotSpan()
	scale := float64(plotWidth-labelWidth-20) / float64(max(1, to-from))
	x := func(ms int64) float64 { return labelWidth + float64(min(to, max(from, ms))-from)*scale }
	red := map[string]bool{}
	for _, v := range r.Found {
		red[fmt.Sprintf("%s %d", v.Job, v.at)] = true
	}
	height := headHeight + len(c.order)*rowHeight + 30
	var b bytes.Buffer
	text := func(x float64, y int, s string) {
		fmt.Fprintf(&b, `<text x="%.1f" y="%d">`, x, y)
		_ = xml.EscapeText(&b, []byte(s)) // a buffer takes everything
		b.WriteString("</text>\n")
	}
	rect := func(from, to int64, y, h int, class, title string) {
		fmt.Fprintf(&b, `<rect class="%s" x="%.1f" y="%d" width="%.1f" height="%d"><title>`, class, x(from), y, max(1, x(to)-x(from)), h)
		_ = xml.EscapeText(&b, []byte(title))
		b.WriteString("</title></rect>\n")
	}
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %[1]d %[2]d">`+"\n", plotWidth, height)
	b.WriteString("<style>text{font:11px sans-serif}.good{fill:#8c8}.bad{fill:#d33}.run{fill:#235}.lost{fill:#c80}.down{fill:#999;opacity:.35}.line{stroke:#ddd}</style>\n")
	fmt.Fprintf(&b, `<rect width="%d" height="%d" fill="#fff"/>`+"\n", plotWidth, height)
	title := fmt.Sprintf("%s to %s: %s, %d violations", stamp(from, time.UTC), stamp(to, time.UTC), r.Verdict, r.Violations)
	text(10, 16, title)
	for n, j := range c.order {
		y := headHeight + n*rowHeight
		fmt.Fprintf(&b, `<line class="line" x1="0" y1="%d" x2="%d" y2="%[1]d"/>`+"\n", y, plotWidth)
		text(10, y+13, j.String())
		for _, d := range c.dueTimes(j, from, to) {
			class := "good"
			if red[fmt.Sprintf("%s %d", j, d)] {
				class = "bad"
			}
			rect(d, d+c.epsilon, y+2, rowHeight-4, class, j.String()+"@"+stamp(d, j.location()))
		}
		for _, i := range c.byJob[j] {
			if i.kind != "scheduled" && red[fmt.Sprintf("%s %d", j, i.plan)] {
				rect(i.plan, i.plan+c.epsilon, y+2, rowHeight-4, "bad", i.String())
			}
			for _, a := range i.attempts {
				begin, end := a.started, c.endOf(a)
				if w := c.witnessOf(a); w != nil && len(w.begins) > 0 && len(w.ends) > 0 {
					begin, end = w.begins[0].at/1e6, w.ends[len(w.ends)-1].at/1e6
				}
				class := "run"
				if a.outcome == "lost" {
					class = "lost"
				}
				if end >= from && begin <= to {
					rect(begin, end, y+6, rowHeight-12, class, fmt.Sprintf("%s attempt %d: %s", i, a.number, a.outcome))
				}
			}
		}
	}
	if c.nemesis != nil {
		for _, s := range c.nemesis.down {
			rect(s.from, s.to, headHeight-8, len(c.order)*rowHeight+8, "down", "down from "+stamp(s.from, time.UTC))
		}
	}
	b.WriteString("</svg>\n")
	return b.Bytes()
}

// plotSpan is from the first to the last thing that happened.
func (c *checker) plotSpan() (from, to int64) {
	from, to = forever, c.now
	for _, a := range c.attempts {
		from = min(from, a.started)
	}
	for _, i := range c.instances {
		if i.plan <= c.now {
			from = min(from, max(i.plan, i.version.created))
		}
	}
	if c.nemesis != nil && len(c.nemesis.down) > 0 {
		from = min(from, c.nemesis.down[0].from)
	}
	return min(from, to-1), to
}

// dueTimes lists the due times of a job in [from, to]: those of the oracle, and those that are recorded where it does not understand the schedule.
func (c *checker) dueTimes(j *job, from, to int64) (list []int64) {
	if len(j.versions) == 0 || !j.hasCreated {
		return nil
	}
	seen := map[int64]bool{}
	for _, e := range j.eras(max(from, j.created), to+1) {
		if e.version.whenErr == nil && !e.version.def.disabled && !e.version.def.manual {
			for _, at := range e.version.when.ever(e.from, e.to) {
				seen[at] = true
				list = append(list, at)
			}
		}
	}
	for _, i := range c.byJob[j] {
		if i.kind == "scheduled" && !seen[i.plan] && from <= i.plan && i.plan <= to {
			list = append(list, i.plan)
		}
	}
	return list
}
