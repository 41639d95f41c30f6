package engine

import (
	"fmt"
	"slices"
	"time"
)

// widen adds so many hops along recorded waits.
func (x *selection) widen(list []Instance) ([]Instance, error) {
	seen := map[int64]bool{}
	for i := range list {
		seen[list[i].ID] = true
	}
	base := list
	for _, way := range []struct {
		hops int
		next func(*Instance) ([]Instance, error)
	}{{x.s.Up, x.upstream}, {x.s.Down, x.v.WaitingFor}} {
		edge := base
		for hop := 0; hop < way.hops && len(edge) > 0; hop++ {
			var further []Instance
			for i := range edge {
				next, err := way.next(&edge[i])
				if err != nil {
					return nil, fmt.Errorf("follow what waits from %s: %w", edge[i].Name(), err)
				}
				for _, n := range next {
					if !seen[n.ID] {
						seen[n.ID] = true
						further = append(further, n)
					}
				}
				if len(seen) > MostSelected {
					break
				}
			}
			list, edge = append(slices.Clip(list), further...), further
		}
	}
	if len(list) > MostSelected {
		return nil, tooMany(len(list))
	}
	SortByPlanTime(list)
	return list, nil
}

func tooMany(n int) error {
	return fmt.Errorf("%w: that is %d instances or more, and one operation may change %d; name fewer days or jobs", ErrInvalid, n, MostSelected)
}

// upstream lists what an instance waits for, as recorded.
func (x *selection) upstream(i *Instance) (list []Instance, err error) {
	waits, err := x.v.Waits(i.ID)
	if err != nil {
		return nil, err
	}
	for n := range waits {
		w := &waits[n]
		if w.Count == 0 {
			continue
		}
		some, err := x.v.Between(w.Upstream, w.First, w.Last.Add(time.Millisecond), MostSelected+1)
		if err != nil {
			return nil, err
		}
		for _, up := range some {
			if up.Key == w.Key {
				list = append(list, up)
			}
		}
	}
	return list, nil
}
