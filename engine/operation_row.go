package engine

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"
)

// An OperationRow is an operation on more instances than one transaction changes. One small commit
// takes it down with the list of what was chosen; it is carried out in many short ones after that.
type OperationRow struct {
	ID      int64
	Stage   OperationStage
	Order   OperationOrder
	Total   int    // instances that were chosen, or found behind them
	Done    int    // of them, in this stage
	Digest  string // of the list
	Outcome OperationOutcome
	Actor   string
	At      time.Time
	EndedAt time.Time // zero while it is under way
}

// OperationStage is where an operation stands that is carried out in many transactions.
type OperationStage string

// The stages. While an operation is changing, nothing on its list starts: what comes late on the
// list would start on what stood before. Then what was held so is let be looked at.
const (
	OperationChanging OperationStage = "changing"
	OperationWaking   OperationStage = "waking"
	OperationEnded    OperationStage = "ended"
)

// OperationStages lists every stage, in order.
var OperationStages = []OperationStage{OperationChanging, OperationWaking, OperationEnded}

// An OperationOrder is what was asked for.
type OperationOrder struct {
	Operation Operation        `json:"operation"`
	Selector  string           `json:"selector,omitempty"`
	Options   OperationOptions `json:"options"`
	Note      string           `json:"note,omitempty"`
	Code      ReasonCode       `json:"code,omitempty"` // why, when no person has asked for it
}

// An OperationOutcome is what has become of the instances so far.
type OperationOutcome struct {
	Counts   map[Effect]int `json:"counts,omitempty"`
	MovedOn  int            `json:"movedOn,omitempty"`  // did not allow it any more when their turn came
	Refusals []Refusal      `json:"refusals,omitempty"` // the first MostMovedOn of them

	// Of a load: instances that were planned anew, those of them that the loop plans after it, those
	// that it has planned itself, and how far it has come with waking.
	Replaced int      `json:"replaced,omitempty"`
	Later    int      `json:"later,omitempty"`
	Planned  int      `json:"planned,omitempty"`
	Wake     WakeMark `json:"wake,omitzero"`
}

// MostMovedOn is how many instances that had moved on an outcome names.
const MostMovedOn = 20

// Changed is how many instances of the list are through.
func (row *OperationRow) Changed() int {
	if row.Stage == OperationChanging {
		return row.Done
	}
	return row.Total
}

func (row *OperationRow) request() *OperationRequest {
	return &OperationRequest{
		Operation: row.Order.Operation, Selector: row.Order.Selector, Options: row.Order.Options,
		Actor: row.Actor, Note: row.Order.Note,
	}
}

// movedOn counts an instance that does not allow the operation any more.
func (o *OperationOutcome) movedOn(r Refusal) {
	if o.MovedOn++; len(o.Refusals) < MostMovedOn {
		o.Refusals = append(o.Refusals, r)
	}
}

func (o *OperationOutcome) clone() OperationOutcome {
	c := *o
	c.Counts, c.Refusals = maps.Clone(o.Counts), slices.Clone(o.Refusals)
	if c.Counts == nil {
		c.Counts = map[Effect]int{}
	}
	return c
}

// OperationRowView reads them.
type OperationRowView interface {
	// OpenOperations lists those that are under way, by id. There are few.
	OpenOperations() ([]OperationRow, error)
	// Operations lists those with an id below before (0 is no bound), the newest first, at most limit.
	Operations(before int64, limit int) ([]OperationRow, error)
	// Operation returns one; ErrNotFound when there is none.
	Operation(id int64) (OperationRow, error)
	// OperationTargets returns the list of one as BeginOperation was given it; nil of one that has
	// ended or is not there.
	OperationTargets(id int64) ([]byte, error)
}

// OperationRowTx writes them.
type OperationRowTx interface {
	// BeginOperation inserts the row with its list.
	BeginOperation(row OperationRow, targets []byte) error
	// SetOperation replaces stage, Done, Outcome and EndedAt of the row of that id. One that has
	// ended loses its list.
	SetOperation(row OperationRow) error
}

// A target is one instance of the list of an operation. One that was not written down when it was
// chosen is known by its job and plan time.
type target struct {
	id       int64
	upstream int64 // it waits for this one, which is rerun; 0 of one that was chosen
	job      int64
	at       time.Time
}

// encodeTargets writes a list as differences, since the ids of a day are near to one another.
func encodeTargets(list []target) []byte {
	text := binary.AppendUvarint(nil, uint64(len(list)))
	var last target
	for _, t := range list {
		text = binary.AppendVarint(text, t.id-last.id)
		text = binary.AppendVarint(text, t.upstream)
		if t.id == 0 {
			text = binary.AppendVarint(text, t.job)
			text = binary.AppendVarint(text, t.at.UnixMilli())
		}
		last = t
	}
	return text
}

var errTargets = errors.New("the list of an operation cannot be read")

func decodeTargets(text []byte) ([]target, error) {
	n, used := binary.Uvarint(text)
	if used <= 0 || n > uint64(len(text)) {
		return nil, errTargets
	}
	text = text[used:]
	next := func() int64 {
		v, used := binary.Varint(text)
		if used <= 0 {
			text = nil
			return 0
		}
		text = text[used:]
		return v
	}
	list := make([]target, n)
	last := int64(0)
	for k := range list {
		if len(text) == 0 {
			return nil, errTargets
		}
		t := target{id: last + next(), upstream: next()}
		if last = t.id; t.id == 0 {
			t.job, t.at = next(), time.UnixMilli(next()).UTC()
		}
		list[k] = t
	}
	if len(text) > 0 {
		return nil, errTargets
	}
	return list, nil
}

// OperationTargetIDs are the instances of a list; 0 stands for one that was not written down when it
// was chosen.
func OperationTargetIDs(list []byte) ([]int64, error) {
	targets, err := decodeTargets(list)
	ids := make([]int64, len(targets))
	for n := range targets {
		ids[n] = targets[n].id
	}
	return ids, err
}

func digestOf(targets []byte) string {
	sum := sha256.Sum256(targets)
	return hex.EncodeToString(sum[:16])
}

// A targetList is the list of an operation that is under way, decoded. It never changes.
type targetList struct {
	list []target
	ids  map[int64]struct{}
	load *loadList          // of a load, which has a list of jobs
	jobs map[int64]struct{} // of it, by row id
}

// newLoadedList is the list of a load.
func newLoadedList(load *loadList) *targetList {
	t := &targetList{load: load, jobs: make(map[int64]struct{}, len(load.items))}
	for n := range load.items {
		t.jobs[load.items[n].Job] = struct{}{}
	}
	return t
}

// has reports whether an instance of a job is on the list.
func (t *targetList) has(instance, job int64) bool {
	if t.load != nil {
		_, on := t.jobs[job]
		return on
	}
	_, on := t.ids[instance]
	return on
}

func newTargetList(text []byte) (*targetList, error) {
	if isLoad(text) {
		items, err := decodeItems(text)
		return newLoadedList(&loadList{items: items}), err
	}
	list, err := decodeTargets(text)
	if err != nil {
		return nil, err
	}
	t := &targetList{list: list, ids: make(map[int64]struct{}, len(list))}
	for n := range list {
		if list[n].id != 0 {
			t.ids[list[n].id] = struct{}{}
		}
	}
	return t, nil
}

// targets returns the list of an operation. It is remembered by its digest, so that no rollback can
// put what is remembered out of step.
func (b *bulk) targets(v OperationRowView, row *OperationRow) (*targetList, error) {
	b.mu.Lock()
	known := b.lists[row.Digest]
	b.mu.Unlock()
	if known != nil {
		return known, nil
	}
	text, err := v.OperationTargets(row.ID)
	if err != nil {
		return nil, fmt.Errorf("read what the operation %d is about: %w", row.ID, err)
	}
	if known, err = newTargetList(text); err != nil {
		return nil, fmt.Errorf("operation %d: %w", row.ID, err)
	}
	b.keepList(row.Digest, known)
	return known, nil
}

// remember keeps the list of a load that this engine has made.
func (b *bulk) remember(digest string, load *loadList) { b.keepList(digest, newLoadedList(load)) }

func (b *bulk) keepList(digest string, t *targetList) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.lists == nil {
		b.lists = map[string]*targetList{}
	}
	b.lists[digest] = t
}

// forget drops the lists when no operation is under way any more.
func (b *bulk) forget() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.lists = nil
}

// operationOf is the operation under way that has the instance on its list and is not through; nil
// when there is none.
func (e *Engine) operationOf(v View, instance, job int64) (*OperationRow, error) {
	rows, err := v.OpenOperations()
	if err != nil {
		return nil, fmt.Errorf("list the operations under way: %w", err)
	}
	for n := range rows {
		if rows[n].Stage != OperationChanging {
			continue
		}
		t, err := e.bulk.targets(v, &rows[n])
		if err != nil {
			return nil, err
		}
		if t.has(instance, job) {
			return &rows[n], nil
		}
	}
	return nil, nil //nolint:nilnil // there is none
}

// OperationOn is the operation under way that has the instance on its list and is not through, by
// the rows alone; nil when there is none.
func OperationOn(v View, instance, job int64) (*OperationRow, error) {
	var e Engine
	return e.operationOf(v, instance, job)
}

// ListOperations lists operations of many transactions with an id below before (0 is no bound), the
// newest first.
func (e *Engine) ListOperations(ctx context.Context, before int64, limit int) (list []OperationRow, err error) {
	err = e.cfg.Store.Read(ctx, func(v View) (err error) {
		list, err = v.Operations(before, limit)
		return err
	})
	return list, wrap(err, "list the operations")
}

// FindOperation returns one of them; ErrNotFound when there is none.
func (e *Engine) FindOperation(ctx context.Context, id int64) (row OperationRow, err error) {
	err = e.cfg.Store.Read(ctx, func(v View) (err error) {
		row, err = v.Operation(id)
		return err
	})
	return row, wrap(err, "read operation %d", id)
}
