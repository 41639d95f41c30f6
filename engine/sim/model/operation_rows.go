package model

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/almanac-sched/almanac/engine"
)

// An operation is a row with its list, which one that has ended has no more.
type operation struct {
	row     engine.OperationRow
	targets []byte
}

func (s *state) putOperation(id int64, o *operation) *operation { return put(s.operations, id, o) }

func ownOperation(row engine.OperationRow) engine.OperationRow {
	row.At, row.EndedAt = utc(row.At), utc(row.EndedAt)
	row.Outcome.Counts = maps.Clone(row.Outcome.Counts)
	row.Outcome.Refusals = slices.Clone(row.Outcome.Refusals)
	return row
}

func (v *view) operationsThat(fits func(*engine.OperationRow) bool) (list []engine.OperationRow, err error) {
	for _, o := range v.s.operations {
		if fits(&o.row) {
			list = append(list, ownOperation(o.row))
		}
	}
	slices.SortFunc(list, func(a, b engine.OperationRow) int { return cmp.Compare(a.ID, b.ID) })
	return list, v.broken
}

func (v *view) OpenOperations() ([]engine.OperationRow, error) {
	if len(v.s.operations) == 0 {
		return nil, v.broken
	}
	return v.operationsThat(func(row *engine.OperationRow) bool { return row.EndedAt.IsZero() })
}

func (v *view) Operations(before int64, limit int) ([]engine.OperationRow, error) {
	list, err := v.operationsThat(func(row *engine.OperationRow) bool { return before <= 0 || row.ID < before })
	slices.Reverse(list)
	if limit >= 0 {
		list = list[:min(limit, len(list))]
	}
	return list, err
}

func (v *view) Operation(id int64) (engine.OperationRow, error) {
	switch o := v.s.operations[id]; {
	case v.broken != nil:
		return engine.OperationRow{}, v.broken
	case o == nil:
		return engine.OperationRow{}, fmt.Errorf("operation %d: %w", id, engine.ErrNotFound)
	default:
		return ownOperation(o.row), nil
	}
}

func (v *view) OperationTargets(id int64) ([]byte, error) {
	if o := v.s.operations[id]; o != nil {
		return slices.Clone(o.targets), v.broken
	}
	return nil, v.broken
}

func (t *tx) BeginOperation(row engine.OperationRow, targets []byte) error {
	if t.broken != nil {
		return t.broken
	}
	if err := checkOperation(&row, row.Total); err != nil {
		return t.refuse(err)
	}
	if row.Digest == "" || row.Actor == "" || row.Total <= 0 || targets == nil || t.s.operations[row.ID] != nil {
		return t.refuse(fmt.Errorf("operation %d: %w", row.ID, ErrConstraint))
	}
	set(t, (*state).putOperation, row.ID, &operation{row: ownOperation(row), targets: slices.Clone(targets)})
	return nil
}

func checkOperation(row *engine.OperationRow, total int) error {
	if !slices.Contains(engine.OperationStages, row.Stage) || row.Done < 0 || row.Done > total ||
		(row.Stage == engine.OperationEnded) == row.EndedAt.IsZero() {
		return fmt.Errorf("operation %d: %w: %s, %d of %d, ended %s", row.ID, ErrConstraint, row.Stage, row.Done, total, row.EndedAt)
	}
	return nil
}

func (t *tx) SetOperation(row engine.OperationRow) error {
	was := t.s.operations[row.ID]
	switch {
	case t.broken != nil:
		return t.broken
	case was == nil:
		return nil
	}
	if err := checkOperation(&row, was.row.Total); err != nil {
		return t.refuse(err)
	}
	is := &operation{row: was.row, targets: was.targets}
	row = ownOperation(row)
	is.row.Stage, is.row.Done, is.row.Outcome, is.row.EndedAt = row.Stage, row.Done, row.Outcome, row.EndedAt
	if row.Stage == engine.OperationEnded {
		is.targets = nil
	}
	set(t, (*state).putOperation, row.ID, is)
	return nil
}

// pruneOperations removes those that ended before the time.
func (t *tx) pruneOperations(before time.Time) {
	for _, id := range slices.Sorted(maps.Keys(t.s.operations)) {
		if row := &t.s.operations[id].row; !row.EndedAt.IsZero() && row.EndedAt.UnixMilli() < before.UnixMilli() {
			set(t, (*state).putOperation, id, nil)
		}
	}
}
