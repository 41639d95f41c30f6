package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"
)

// A report is what was found: a value that is printed, written as JSON and drawn.
type report struct {
	Verdict    string      `json:"verdict"` // "kept" or "violated"
	Now        string      `json:"now"`     // when the rows were read
	Checks     []*tally    `json:"checks"`
	Violations int         `json:"violationCount"`
	Found      []violation `json:"violations"`
}

// A tally is the counts of one check.
type tally struct {
	ID         string         `json:"id"`
	Name       string         `json:"name"`
	Checked    int            `json:"checked"`
	Violations int            `json:"violations"`
	NotChecked map[string]int `json:"notChecked,omitempty"` // by reason
}

// A violation is one promise that was not kept.
type violation struct {
	Check    string `json:"check"`
	Job      string `json:"job,omitempty"`
	PlanTime string `json:"planTime,omitempty"`
	Instance int64  `json:"instance,omitempty"`
	Found    string `json:"found"`

	at int64 // the plan time in ms
}

var checkNames = []string{
	"completeness", "uniqueness", "outcome", "truth", "effects", "dependencies", "windows", "skips", "limits", "acknowledged", "error actions", "logs",
}

// The checks, by their place in the report.
const (
	c1 = iota
	c2
	c3
	c4
	c5
	c6
	c7
	c8
	c9
	c10
	c11
	c12
)

func newReport(now int64) *report {
	r := &report{Now: stamp(now, time.UTC), Found: []violation{}}
	for i, name := range checkNames {
		r.Checks = append(r.Checks, &tally{ID: fmt.Sprintf("C%d", i+1), Name: name, NotChecked: map[string]int{}})
	}
	return r
}

// checked counts one thing that was looked at.
func (r *report) checked(check int) { r.Checks[check].Checked++ }

// notChecked counts n things that could not be.
func (r *report) notChecked(check, n int, why string) {
	if n > 0 {
		r.Checks[check].NotChecked[why] += n
	}
}

// violate records a violation by an instance.
func (r *report) violate(check int, i *instance, format string, args ...any) {
	r.Checks[check].Violations++
	r.Found = append(r.Found, violation{
		Check: r.Checks[check].ID, Job: i.job.String(), PlanTime: stamp(i.plan, i.zone()), Instance: i.id, Found: fmt.Sprintf(format, args...), at: i.plan,
	})
}

// violateAt records a violation of a job at a plan time that has no instance; 0 is no time.
func (r *report) violateAt(check int, j *job, at int64, format string, args ...any) {
	v := violation{Check: r.Checks[check].ID, Found: fmt.Sprintf(format, args...), at: at}
	if j != nil {
		v.Job = j.String()
		if at != 0 {
			v.PlanTime = stamp(at, j.location())
		}
	} else if at != 0 {
		v.PlanTime = stamp(at, time.UTC)
	}
	r.Checks[check].Violations++
	r.Found = append(r.Found, v)
}

// finish brings the violations in order: by check, job, plan time.
func (r *report) finish() {
	place := map[string]int{}
	for i, t := range r.Checks {
		place[t.ID] = i
		r.Violations += t.Violations
	}
	slices.SortStableFunc(r.Found, func(a, b violation) int {
		return cmp.Or(cmp.Compare(place[a.Check], place[b.Check]), cmp.Compare(a.Job, b.Job), cmp.Compare(a.at, b.at), cmp.Compare(a.Instance, b.Instance))
	})
	r.Verdict = "kept"
	if r.Violations > 0 {
		r.Verdict = "violated"
	}
}

func (t *tally) unchecked() (n int) {
	for _, m := range t.NotChecked {
		n += m
	}
	return n
}

// print writes the verdict, the counts, why things were not checked, and each violation.
func (r *report) print(w io.Writer) error {
	var b strings.Builder
	if r.Violations == 0 {
		fmt.Fprintf(&b, "every promise kept, as far as checked; rows as of %s\n\n", r.Now)
	} else {
		fmt.Fprintf(&b, "VIOLATED: %d violations; rows as of %s\n\n", r.Violations, r.Now)
	}
	fmt.Fprintf(&b, "%-22s %10s %10s %12s\n", "check", "checked", "violations", "not checked")
	for _, t := range r.Checks {
		fmt.Fprintf(&b, "%-22s %10d %10d %12d\n", t.ID+" "+t.Name, t.Checked, t.Violations, t.unchecked())
	}
	for _, t := range r.Checks {
		for _, why := range slices.Sorted(maps.Keys(t.NotChecked)) {
			fmt.Fprintf(&b, "\n%s not checked, %d: %s", t.ID, t.NotChecked[why], why)
		}
	}
	if !strings.HasSuffix(b.String(), "\n") {
		b.WriteByte('\n')
	}
	if len(r.Found) > 0 {
		b.WriteByte('\n')
	}
	for _, v := range r.Found {
		b.WriteString(v.Check)
		if v.Job != "" {
			b.WriteString("  " + v.Job)
		}
		if v.PlanTime != "" {
			b.WriteString("@" + v.PlanTime)
		}
		if v.Instance != 0 {
			fmt.Fprintf(&b, " (instance %d)", v.Instance)
		}
		b.WriteString(": " + v.Found + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// stamp is an instant for people.
func stamp(ms int64, loc *time.Location) string {
	t := time.UnixMilli(ms).In(loc)
	if ms%1000 != 0 {
		return t.Format("2006-01-02T15:04:05.000Z07:00")
	}
	return t.Format(time.RFC3339)
}
