package engine

import (
	"cmp"
	"slices"
)

// A bid is what asks for a slot: a step of a running instance, or an instance that waits.
type bid struct {
	step      readyStep // of a contender: no run, step −1
	contender *contender
	instance  *Instance
	lane      *lane // nil for what is of no backfill
	favoured  bool
}

// rank puts the bids in the order in which slots are given: what a backfill gets as its floor, then by priority, and what is of no backfill first among
// equals. What two of one backfill get goes by its own order, which is that of its ids.
func (t *turn) rank(bids []bid) {
	byTurn := func(a, b bid) int {
		return cmp.Or(compareTurn(a.instance, b.instance), cmp.Compare(a.step.step, b.step.step))
	}
	slices.SortFunc(bids, byTurn)
	if len(t.laneOrder) == 0 {
		return
	}
	for _, l := range t.laneOrder {
		l.reorder(bids)
	}
	ahead, all := map[*lane]int{}, 0
	for i := range bids {
		if l := bids[i].lane; l != nil && t.favoured(l, bids[i].instance.Pool, ahead[l], all) {
			bids[i].favoured = true
			ahead[l]++
			all++
		}
	}
	class := func(b bid) int {
		switch {
		case b.favoured:
			return 0
		case b.lane == nil:
			return 1
		}
		return 2
	}
	slices.SortStableFunc(bids, func(a, b bid) int {
		x, y := class(a), class(b)
		if x == 0 || y == 0 {
			return cmp.Compare(x, y)
		}
		return cmp.Or(cmp.Compare(b.instance.Priority, a.instance.Priority), cmp.Compare(x, y))
	})
}

// reorder puts the bids of the lane, on the places that they have among all, in the order of the backfill.
func (l *lane) reorder(bids []bid) {
	var places []int
	var own []bid
	for i := range bids {
		if bids[i].lane == l {
			places, own = append(places, i), append(own, bids[i])
		}
	}
	slices.SortStableFunc(own, func(a, b bid) int {
		x, y := a.instance, b.instance
		return cmp.Or(cmp.Compare(y.Priority, x.Priority), cmp.Compare(x.ID, y.ID))
	})
	for n, place := range places {
		bids[place] = own[n]
	}
}

// spared reports whether the last free slot is kept from a lane's bid for one that is of no backfill, when nothing else of those runs.
func (t *turn) spared(b *bid, others int) bool {
	if b.lane == nil || b.favoured || others == 0 || t.cfg.Slots == 1 || t.free > 1 {
		return false
	}
	lanes := 0
	for _, l := range t.laneOrder {
		lanes += l.slots
	}
	return t.cfg.Slots-t.free <= lanes
}

// favoured reports whether a lane's entry goes before all that is of no backfill: it has less than its floor. So that neither waits for ever for the
// other, the floor never takes the last slot of a server or of a pool; where there is only one, the two take turns.
func (t *turn) favoured(l *lane, pool string, ahead, all int) bool {
	slots := t.cfg.Slots
	if l.slots+ahead >= l.floor(slots) {
		return false
	}
	for _, other := range t.laneOrder {
		all += other.slots
	}
	if slots == 1 && t.laneLast[""] || slots > 1 && all >= slots-1 {
		return false
	}
	size, sized := t.defs.poolSize(pool)
	switch {
	case !sized:
	case size == 1 && t.laneLast[pool]:
		return false
	case size > 1 && l.pools[pool]+ahead >= size-1:
		return false
	}
	return true
}
