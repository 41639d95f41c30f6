package engine

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"
)

// jobs finds the jobs that a name or a pattern means; none is a mistake.
func (a *asking) jobs(what, name string) []*Job {
	var found []*Job
	whole := strings.Contains(name, "/")
	for _, j := range a.Planner.Jobs() {
		full := j.Name
		if whole {
			full = j.Ref().String()
		}
		matches, err := path.Match(name, full)
		if err != nil {
			a.mistake("%s %q: %w", what, name, err)
			return nil
		}
		if matches {
			found = append(found, j)
		}
	}
	switch {
	case len(found) == 0:
		a.mistake("%s: there is no job %s", what, name)
	case len(found) > 1 && !strings.ContainsAny(name, `*?[\`):
		a.mistake("%s: %s is a job of several workflows; write %s", what, name, found[0].Ref())
		return nil
	}
	return found
}

// instances finds the instances that JOB[@TIME] means: without a time one reference to all of each job.
func (a *asking) instances(what, text string) []PlannedRef {
	name, at, timed := strings.Cut(text, "@")
	var found []PlannedRef
	jobs := a.jobs(what, name)
	for _, j := range jobs {
		if !timed {
			found = append(found, PlannedRef{Ref: j.Ref()})
			continue
		}
		for _, t := range a.timesOf(j) {
			if saysTime(at, t.In(j.When.Location)) {
				found = append(found, PlannedRef{j.Ref(), t})
			}
		}
	}
	if len(found) == 0 && len(jobs) > 0 {
		a.mistake("%s: %s has no plan time %s then%s", what, name, at, a.dueWords(jobs[0]))
	}
	return found
}

func (a *asking) timesOf(j *Job) []time.Time {
	for i := range a.plan.Jobs {
		if a.plan.Jobs[i].Job.Ref() == j.Ref() {
			return a.plan.Jobs[i].Times
		}
	}
	return nil
}

func (a *asking) dueWords(j *Job) string {
	times := a.timesOf(j)
	if len(times) == 0 {
		return "; it is not due at all"
	}
	var words []string
	for i, t := range times {
		if i == 5 {
			words = append(words, "…")
			break
		}
		words = append(words, t.Format("01-02T15:04"))
	}
	return "; it is due at " + strings.Join(words, ", ")
}

// saysTime reports whether a text names a plan time: its clock time, its date and clock time, or the instant.
func saysTime(text string, t time.Time) bool {
	if at, err := time.Parse(time.RFC3339, text); err == nil {
		return at.Equal(t)
	}
	return slices.ContainsFunc([]string{"15:04", "15:04:05", "2006-01-02T15:04", "2006-01-02T15:04:05", "2006-01-02 15:04"}, func(layout string) bool {
		at, err := time.Parse(layout, text)
		return err == nil && at.Format(layout) == t.Format(layout) && (t.Second() == 0 || strings.HasSuffix(layout, ":05"))
	})
}

func (a *asking) duration(what, text string) time.Duration {
	d, err := parsePeriod(text)
	if err != nil {
		a.mistake("%s: %w", what, err)
	}
	return d
}

// parseShortPeriod reads 10m, 1h30m, 2d.
func parseShortPeriod(text string) (time.Duration, error) {
	days, rest := 0, text
	if before, after, ok := strings.Cut(text, "d"); ok {
		n, err := strconv.Atoi(before)
		if err != nil {
			return 0, err
		}
		if days, rest = n, after; rest == "" {
			rest = "0s"
		}
	}
	d, err := time.ParseDuration(rest)
	if err == nil && (d < 0 || days < 0 || days > 366 || d > 366*24*time.Hour) {
		err = errors.New("out of range")
	}
	return time.Duration(days)*24*time.Hour + d, err
}

// parsePeriod reads a length of time as people write it, or an ISO 8601 duration of days and shorter units.
func parsePeriod(text string) (time.Duration, error) {
	wrong := fmt.Errorf("%q is no length of time; write 10m, 1h30m, 45s or PT10M", text)
	if d, err := parseShortPeriod(text); err == nil {
		return d, nil
	}
	rest, ok := strings.CutPrefix(text, "P")
	if !ok || rest == "" {
		return 0, wrong
	}
	units := map[byte]time.Duration{'D': 24 * time.Hour}
	total := time.Duration(0)
	for order := "DHMS"; rest != ""; {
		if rest[0] == 'T' && len(units) == 1 && len(rest) > 1 {
			units = map[byte]time.Duration{'H': time.Hour, 'M': time.Minute, 'S': time.Second}
			rest = rest[1:]
			continue
		}
		n := strings.IndexFunc(rest, func(c rune) bool { return (c < '0' || c > '9') && c != '.' })
		if n < 1 {
			return 0, wrong
		}
		unit, known := units[rest[n]]
		number, err := strconv.ParseFloat(rest[:n], 64)
		place := strings.IndexByte(order, rest[n])
		if !known || err != nil || place < 0 || number*float64(unit) > float64(366*24*time.Hour) {
			return 0, wrong
		}
		total += time.Duration(number * float64(unit)).Round(time.Millisecond)
		order, rest = order[place+1:], rest[n+1:]
	}
	return total, nil
}
