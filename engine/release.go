package engine

import (
	"cmp"
	"fmt"
	"slices"
	"time"
)

// Upstreams lists the ended instances that an instance waited for, the one that ended last first, looking at most at limit of each wait: those with the
// latest plan times. What ended after it started was not waited for.
func Upstreams(v View, i *Instance, limit int) ([]Instance, error) {
	waits, err := v.Waits(i.ID)
	if err != nil {
		return nil, fmt.Errorf("read what %s waits for: %w", i.Name(), err)
	}
	at := i.StartedAt
	if at.IsZero() {
		at = i.EndedAt
	}
	var ended []Instance
	for n := range waits {
		list, err := v.RangeOf(&waits[n], limit)
		if err != nil {
			return nil, fmt.Errorf("look up %s for %s: %w", waits[n].Ref, i.Name(), err)
		}
		for _, u := range list {
			if !u.EndedAt.IsZero() && (at.IsZero() || !u.EndedAt.After(at)) && u.ID != i.ID {
				ended = append(ended, u)
			}
		}
	}
	slices.SortFunc(ended, func(a, b Instance) int { return cmp.Or(b.EndedAt.Compare(a.EndedAt), cmp.Compare(a.ID, b.ID)) })
	return slices.CompactFunc(ended, func(a, b Instance) bool { return a.ID == b.ID }), nil
}

// Released is when what an instance waited for let it go: when the last of it ended, or its own time when that was later.
func Released(v View, i *Instance, limit int) (time.Time, error) {
	ended, err := Upstreams(v, i, limit)
	if err != nil || len(ended) == 0 || ended[0].EndedAt.Before(i.NotBefore) {
		return i.NotBefore, err
	}
	return ended[0].EndedAt, nil
}
