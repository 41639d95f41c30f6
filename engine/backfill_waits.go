package engine

import (
	"encoding/binary"
	"fmt"
	"hash"
	"strconv"
	"time"

	"github.com/almanac-sched/almanac/recurrence"
)

type recurrenceOrigin = recurrence.Origin

func dayStart(d recurrence.Date, zone *time.Location) time.Time { return recurrence.DayStart(d, zone) }

// backfillReach is how many days a dependency may look back: more than a year of months.
const backfillReach = 800

// originBefore is the origin of a job whose days before its creation are wanted too: the same phase
// and the same defaults, from a time before from on. A rule that counts its occurrences, and a job
// that is due once at its creation, have no such days.
func originBefore(j *Job, origin recurrence.Origin, created, from time.Time) recurrence.Origin {
	w := &j.When
	switch {
	case created.Before(from):
		return origin
	case !w.Start.IsZero():
		return recurrence.Anchored(from)
	case w.Rule == nil && (w.Cron != "" || len(w.At) > 0):
		return recurrence.Anchored(from)
	case w.Rule == nil || w.Rule.Count > 0:
		return origin
	}
	return recurrence.Anchored(samePhase(w, created, from))
}

// samePhase is a time before from at which the rule would have begun in the same phase, and with
// the same defaults, as at the anchor.
func samePhase(w *recurrence.When, anchor, from time.Time) time.Time {
	zone := w.Location
	if zone == nil {
		zone = time.UTC
	}
	n, local := max(1, w.Rule.Interval), anchor.In(zone)
	days := int(anchor.Sub(from)/(24*time.Hour)) + 2
	switch w.Rule.Frequency {
	case recurrence.Minute, recurrence.Hour:
		step := time.Duration(n) * time.Minute
		if w.Rule.Frequency == recurrence.Hour {
			step *= 60
		}
		return local.Add(-step * (anchor.Sub(from)/step + 1))
	case recurrence.Day:
		return backByDays(local, n, days)
	case recurrence.Week:
		return backByDays(local, 7*n, days)
	}
	years := 4 * n // years that are the same, leap days too
	return local.AddDate(-years*(days/(365*years)+1), 0, 0)
}

// backByDays goes back at least so many days, by whole steps, to a day on which the clock shows the
// same time: the rule takes its hour and minute from there.
func backByDays(t time.Time, step, days int) time.Time {
	const tries = 400 // no clock is put forward so many days on end
	for k := days/step + 1; ; k++ {
		at := t.AddDate(0, 0, -step*k)
		if k > days/step+tries || at.Hour() == t.Hour() && at.Minute() == t.Minute() {
			return at
		}
	}
}

// A section is a part of a dependency's set that is bound alike: one row.
type section struct {
	how         bond
	key         string
	first, last time.Time
	count       int
}

// waits appends the rows by which an instance waits, bound as `dependencies.md` §9 says, and with
// words says them. What they were made of goes into the sum.
func (d *draft) waits(
	rows []Wait, edges []*draftEdge, i spot, instance int64, key string, sum *digest, words bool,
) ([]Wait, []string) {
	var texts []string
	for _, e := range edges {
		sections, all := d.sections(e, i, sum)
		base := e.plan.base(instance, e.up.row.ID, 0)
		base.Timeout = 0 // nobody knows when its lane lets it wait
		add := func(w Wait) {
			w.N = len(rows)
			rows = append(rows, w)
		}
		if all == 0 {
			add(base)
			if words {
				texts = append(texts, fmt.Sprintf("%s: nothing due in %s (%s)", base.Ref, windowText(&base), base.Rule))
			}
			continue
		}
		granted, left := 0, 0
		for _, s := range sections {
			switch s.how {
			case bondDry, bondIgnored, bondOtherDay:
				granted += s.count
			case bondMissing:
			default:
				left++
			}
			if words {
				texts = append(texts, sectionText(&base, &s))
			}
		}
		if base.Select != "all" && granted > 0 {
			if n := needed(base.Select, all) - granted; n > 0 {
				base.Select = strconv.Itoa(n)
			} else {
				left = 0
			}
		}
		if left == 0 {
			base.Select, base.OnMissing = "all", MissingRun
			add(base)
			continue
		}
		for _, s := range sections {
			w := base
			switch s.how {
			case bondHere:
				w.Key = key
			case bondRecorded, bondComing:
				w.Key = s.key
			default:
				continue
			}
			w.First, w.Last, w.Count = s.first, s.last, s.count
			add(w)
		}
	}
	return rows, texts
}

// sections cuts the set of a dependency into parts that are bound alike. Those of the same backfill
// are one part of each piece: a range of that key holds nothing else. They stand until the next are
// asked for.
func (d *draft) sections(e *draftEdge, i spot, sum *digest) (_ []section, all int) {
	at, list := i.at(), e.sections[:0]
	here, last := -1, -1
	d.bind(e, -1, i, func() { here, last = -1, -1 }, func(u upstreamTime) {
		all++
		how, key, o := d.bond(at, e, &u), "", d.outcomes[u.seen]
		if how == bondRecorded {
			key = o.Key
		}
		if sum != nil {
			sum.number(u.at.UnixMilli())
			sum.number(int64(how))
			sum.text(key)
			sum.text(string(o.State))
		}
		k := last
		if how == bondHere {
			k = here
		}
		if k < 0 || list[k].how != how || list[k].key != key {
			list = append(list, section{how: how, key: key, first: u.at})
			k = len(list) - 1
			if how == bondHere {
				here = k
			}
		}
		last = k
		list[k].last = u.at
		list[k].count++
	})
	e.sections = list
	return list, all
}

// A digest is a sum of what a plan was made of. Each value says how long it is, so that two lists
// of values are not taken for one.
type digest struct {
	hash.Hash
	scratch []byte
}

func (s *digest) number(n int64) {
	s.scratch = binary.AppendVarint(s.scratch, n)
	s.spill(4096)
}

func (s *digest) text(t string) {
	s.scratch = append(binary.AppendUvarint(s.scratch, uint64(len(t))), t...)
	s.spill(4096)
}

// spill hands what has been gathered to the hash when it is longer than so many bytes.
func (s *digest) spill(most int) {
	if len(s.scratch) > most {
		s.Write(s.scratch)
		s.scratch = s.scratch[:0]
	}
}

// sectionText says in words how a part of a dependency is bound.
func sectionText(w *Wait, s *section) string {
	const clock = "2006-01-02 15:04"
	what := fmt.Sprintf("%s@%s", w.Ref, PlanTimeText(s.first))
	if s.count > 1 {
		what = fmt.Sprintf("%s: %d from %s to %s", w.Ref, s.count, s.first.Format(clock), s.last.Format(clock))
	}
	words := ""
	switch s.how {
	case bondHere:
		words = "in this backfill"
	case bondRecorded:
		words = "as recorded"
		if s.key != "" {
			words += " by " + s.key
		}
	case bondComing:
		words = "to come"
	case bondDry:
		words = "a dry run, counts as satisfied"
	case bondIgnored:
		words = "not recorded, counts as satisfied (ignore missing)"
	case bondOtherDay:
		words = "of another day, not waited for (order desc)"
	case bondMissing:
		words = "not recorded"
	}
	return fmt.Sprintf("%s (%s): %s", what, w.Rule, words)
}
