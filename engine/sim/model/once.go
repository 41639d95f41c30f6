package model

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/almanac-sched/almanac/engine"
)

func (v *view) Once(key engine.OnceKey) (engine.OnceRow, error) {
	if v.broken != nil {
		return engine.OnceRow{}, v.broken
	}
	if row := v.s.once[key]; row != nil {
		return ownOnce(*row), nil
	}
	return engine.OnceRow{}, missing("request %s", key.Key)
}

func (t *tx) PutOnce(r engine.OnceRow) (bool, error) {
	switch {
	case t.broken != nil:
		return false, t.broken
	case r.Operation == "" || r.Key == "":
		return false, t.refuse(fmt.Errorf("request: %w: an operation or a key is empty", ErrConstraint))
	case t.s.once[r.OnceKey] != nil:
		return false, nil
	}
	row := ownOnce(r)
	row.Answer, row.At = nil, time.UnixMilli(r.At.UnixMilli()).UTC()
	set(t, (*state).putOnce, r.OnceKey, &row)
	return true, nil
}

func (t *tx) AnswerOnce(key engine.OnceKey, answer []byte) (bool, error) {
	if t.broken != nil {
		return false, t.broken
	}
	old := t.s.once[key]
	if old == nil || old.Answer != nil {
		return false, nil
	}
	row := *old
	row.Answer = append([]byte{}, answer...)
	set(t, (*state).putOnce, key, &row)
	return true, nil
}

func (t *tx) PruneOnce(before time.Time, limit int) error {
	if t.broken != nil {
		return t.broken
	}
	var old []*engine.OnceRow
	for _, row := range t.s.once {
		if row.At.UnixMilli() < before.UnixMilli() {
			old = append(old, row)
		}
	}
	slices.SortFunc(old, func(a, b *engine.OnceRow) int {
		return cmp.Or(a.At.Compare(b.At), strings.Compare(a.Principal, b.Principal), strings.Compare(a.Operation, b.Operation), strings.Compare(a.Key, b.Key))
	})
	for _, row := range old[:min(limit, len(old))] {
		set(t, (*state).putOnce, row.OnceKey, nil)
	}
	return nil
}

func (s *state) putOnce(key engine.OnceKey, row *engine.OnceRow) (old *engine.OnceRow) {
	return put(s.once, key, row)
}

// ownOnce is a row whose contents are nobody else's.
func ownOnce(r engine.OnceRow) engine.OnceRow {
	r.Request, r.Answer = bytes.Clone(r.Request), bytes.Clone(r.Answer)
	return r
}
