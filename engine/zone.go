package engine

import (
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
	"time"
)

// zoneRules is a hash of when the zone's offset changes, and to what, from 2020 to 2045: two sets of rules that agree in it plan alike. A change that
// is taken back within a day may go unseen.
func zoneRules(loc *time.Location) string {
	const day = 24 * 60 * 60
	offset := func(sec int64) int {
		_, o := time.Unix(sec, 0).In(loc).Zone()
		return o
	}
	h := fnv.New64a()
	from := time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC).Unix()
	to := time.Date(2045, 1, 1, 0, 0, 0, 0, time.UTC).Unix()
	before := offset(from)
	fmt.Fprint(h, before)
	for sec := from; sec < to; sec += day {
		after := offset(sec + day)
		if after == before {
			continue
		}
		low, high := sec, sec+day // the offset is before's at low and another at high
		for high-low > 1 {
			if middle := (low + high) / 2; offset(middle) == before {
				low = middle
			} else {
				high = middle
			}
		}
		fmt.Fprint(h, " ", high, after)
		before = after
	}
	return fmt.Sprintf("%016x", h.Sum64())
}

// A zoneLook finds the jobs whose plan was written with other rules of their zone than this program
// knows (`reliability.md` F8): after an update of the zone data. They are planned anew like changed
// ones, and the history lists the difference.
type zoneLook struct {
	v       View
	put     map[string]string // rules that are to be put down
	changed map[string]bool   // of the zones that were looked at
}

// look reports whether the rules of the job's zone have changed since a load last put them down.
func (z *zoneLook) look(j *Job) (bool, error) {
	zone := j.When.Location
	if zone == nil || zone == time.UTC {
		return false, nil
	}
	name := zone.String()
	changed, known := z.changed[name]
	if known {
		return changed, nil
	}
	before, err := z.v.ZoneRules(name)
	if err != nil {
		return false, fmt.Errorf("read the rules of %s: %w", name, err)
	}
	now := zoneRules(zone)
	if now != before {
		z.put[name] = now
	}
	z.changed[name] = now != before && before != ""
	return z.changed[name], nil
}

// rezone records that a job is planned by other rules of its zone from now on.
func (l *loading) rezone(d *definition) error {
	d.row.leave()
	if err := l.putJob(&d.row); err != nil {
		return fmt.Errorf("record %s: %w", d.row.Ref, err)
	}
	l.rows[d.row.Ref] = d.row
	l.touched = append(l.touched, d.row.Ref)
	l.rezoned = append(l.rezoned, d.row.Ref)
	return nil
}

// unlooked lists the plan times that DeleteUnstarted would take away.
func unlooked(v View, job int64, from time.Time) ([]time.Time, error) {
	waiting, err := v.WaitingPlanned(job)
	if err != nil {
		return nil, err
	}
	var times []time.Time
	for _, i := range waiting {
		if i.Kind == Scheduled && i.Gate == GateTime && !i.Touched && i.Confirmed == "" && !i.PlanTime.Before(from) {
			times = append(times, i.PlanTime)
		}
	}
	return times, nil
}

// recordRezoned writes down what the new rules of its zone changed for a job.
func (l *loading) recordRezoned(d *definition, before, after []time.Time) error {
	list := func(times, others []time.Time) string {
		const most = 10
		var words []string
		n := 0
		for _, t := range times {
			if slices.ContainsFunc(others, t.Equal) {
				continue
			}
			if n++; n <= most {
				words = append(words, t.In(d.job.When.Location).Format("2006-01-02 15:04 -07:00"))
			}
		}
		if n > most {
			words = append(words, fmt.Sprintf("and %d more", n-most))
		}
		if n == 0 {
			return "none"
		}
		return strings.Join(words, ", ")
	}
	return l.tx.Record(EventRow{At: l.now, Kind: "zone-rules", Job: d.row.ID, Reason: Reason{Code: ReasonDefinition, Detail: fmt.Sprintf(
		"the rules of %s have changed: %d instances planned anew; gone: %s; new: %s", d.job.When.Location, len(after), list(before, after), list(after, before))}})
}
