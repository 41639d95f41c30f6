package model

import (
	"fmt"
	"slices"

	"github.com/almanac-sched/almanac/engine"
)

// A history is the events, without a gap. What retention has removed is at the beginning, and goes for good when the transaction has ended.
type history struct {
	start  int64 // the id of the first of events
	first  int64 // the oldest that is kept
	events []*engine.EventRow
	of     *ordered[belonging] // those that are kept, by instance
}

// last returns the id of the newest event, 0 when there never was one.
func (h *history) last() int64 { return h.start + int64(len(h.events)) - 1 }

func (h *history) at(id int64) *engine.EventRow { return h.events[id-h.start] }

func (h *history) clone() history {
	return history{h.start, h.first, slices.Clone(h.events), h.of.clone()}
}

// forget gives up the memory of what is not kept.
func (h *history) forget() {
	if gone := int(h.first - h.start); gone > len(h.events)/2 {
		h.start, h.events = h.first, slices.Clone(h.events[gone:])
	}
}

func (h *history) index(id int64, in bool) {
	if instance := h.at(id).Instance; instance != 0 {
		toggle(h.of, belonging{instance, id}, in)
	}
}

// putEvent appends an event, or takes the last one away.
func (s *state) putEvent(id int64, row *engine.EventRow) (old *engine.EventRow) {
	h := &s.history
	if row != nil {
		h.events = append(h.events, row)
		h.index(id, true)
		return nil
	}
	h.index(id, false)
	old = h.at(id)
	h.events = h.events[:len(h.events)-1]
	return old
}

// putFirst moves the beginning of what is kept.
func (s *state) putFirst(_ struct{}, first int64) (old int64) {
	h := &s.history
	old = h.first
	for ; h.first < first; h.first++ {
		h.index(h.first, false)
	}
	for ; h.first > first; h.first-- {
		h.index(h.first-1, true)
	}
	return old
}

func (t *tx) Record(e engine.EventRow) error {
	if e.Kind == "" {
		return fmt.Errorf("%w: an event without a kind", engine.ErrInvalid)
	}
	for _, s := range [...]engine.State{e.From, e.To} {
		if s != "" && !slices.Contains(engine.States, s) {
			return fmt.Errorf("%w: an event of the unknown state %q", engine.ErrInvalid, s)
		}
	}
	t.record(e)
	return nil
}

func (t *tx) record(e engine.EventRow) {
	e.At, e.Reason = utc(e.At), ownReason(e.Reason)
	set(t, (*state).putEvent, t.s.history.last()+1, &e)
}
