package engine

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"hash"
	"slices"
	"time"
)

// recorded reads the instances of the day, in outline: what a picture shows of them is all that the
// terms of a selector ask of them, too.
func (d *boarding) recorded(v View, jobs []JobRow) ([]Instance, error) {
	list, err := v.Outlines(d.From, d.To, d.request.Most+1)
	refs := make(map[int64]JobRef, len(jobs))
	for n := range jobs {
		refs[jobs[n].ID] = jobs[n].Ref
	}
	for n := range list {
		list[n].Ref = refs[list[n].Job]
	}
	return list, err
}

// open is the part of the window that is not written down of a job, empty when there is none.
func (d *boarding) open(j *Job) (from, to time.Time) {
	one, known := d.current[j.Ref()]
	if !known || !one.active() {
		return from, to
	}
	return latest(d.From, one.from()), d.To
}

// unplanned adds what the definitions would plan to what is recorded. Beyond where the plan of a job ends there may be recorded ones too: of a day that
// was run alone.
func (d *boarding) unplanned(all []Instance) ([]Instance, error) {
	tooMany := fmt.Errorf("%w: the day has more than %d instances; choose fewer by a selector, such as workflow:NAME", ErrInvalid, d.request.Most)
	if len(all) > d.request.Most {
		return nil, tooMany
	}
	if d.planner == nil {
		return all, nil
	}
	known := map[place]bool{}
	for n := range all {
		if i := &all[n]; i.Kind == Scheduled {
			known[place{i.Job, "", i.PlanTime.UnixMilli()}] = true
		}
	}
	before := len(all)
	for _, j := range d.planner.Jobs() {
		from, to := d.open(j)
		if !from.Before(to) {
			continue
		}
		one := d.current[j.Ref()]
		timetable := d.planner.Timetable(j.Ref())
		for _, at := range timetable.Between(from, to) {
			if known[place{one.row.ID, "", at.UnixMilli()}] {
				continue
			}
			at = at.In(timetable.Location())
			all = append(all, Instance{
				Job: one.row.ID, Ref: j.Ref(), Version: one.row.Version, Kind: Scheduled, PlanTime: at, NotBefore: at.Add(j.spreadOffset()), State: Waiting, Gate: GateTime,
				DryRun: timetable.DryRun(at),
			})
		}
		if len(all) > d.request.Most {
			return nil, tooMany
		}
	}
	if len(all) == before {
		return all, nil
	}
	slices.SortStableFunc(all, func(a, b Instance) int {
		return cmp.Or(a.PlanTime.Compare(b.PlanTime), cmp.Compare(b2i(a.ID == 0), b2i(b.ID == 0)), cmp.Compare(a.ID, b.ID), compareRefs(a.Ref, b.Ref))
	})
	return all, nil
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// selected leaves what the selector chooses. The day is the window, whatever the selector says of days beside.
func (d *boarding) selected(v View, all []Instance, now time.Time) ([]Instance, error) {
	if d.selector == nil || len(all) == 0 {
		return all, nil
	}
	x := &selection{Engine: d.Engine, v: v, s: d.selector, now: now, jobs: map[int64]*selectedJob{}}
	if err := x.readJobs(); err != nil {
		return nil, err
	}
	chosen := slices.Clone(all)
	if len(x.s.of(false, "id", "name")) > 0 {
		named, err := x.named()
		if err != nil {
			return nil, err
		}
		chosen = slices.DeleteFunc(chosen, func(i Instance) bool {
			return !slices.ContainsFunc(named, func(one Instance) bool { return one.ID == i.ID })
		})
		if len(chosen) == 0 {
			return nil, fmt.Errorf("%w: what the selector names is not of this day", ErrNotFound)
		}
	}
	chosen, err := x.sieve(chosen)
	if err != nil || x.s.Up == 0 && x.s.Down == 0 {
		return chosen, err
	}
	wide, err := x.widen(slices.DeleteFunc(chosen, func(i Instance) bool { return i.ID == 0 }))
	return slices.DeleteFunc(wide, func(i Instance) bool { return i.PlanTime.Before(d.From) || !i.PlanTime.Before(d.To) }), err
}

// A fingerprint sums numbers up, in their order.
type fingerprint struct{ hash.Hash64 }

func (f fingerprint) add(numbers ...int64) {
	var b [8]byte
	for _, n := range numbers {
		binary.LittleEndian.PutUint64(b[:], uint64(n))
		_, _ = f.Write(b[:]) // never fails
	}
}
