package sim

import (
	"slices"

	"github.com/almanac-sched/almanac/engine"
)

// A progress is an operation of many transactions as the commits have left it.
type progress struct {
	row  engine.OperationRow
	list []int64 // ids; 0 of what was not written down when it was chosen
	jobs []int64 // of a load, which has these in the place of instances
}

func (p *progress) loads() bool { return p.row.Order.Operation == engine.OperateLoad }

// loading reports whether a load under way is about a job.
func (b *booking) loading(job int64) bool {
	for _, p := range b.operations {
		if p.row.Stage == engine.OperationChanging && slices.Contains(p.jobs, job) {
			return true
		}
	}
	return false
}

func (b *booking) beginLoad(o *op) {
	jobs, err := engine.LoadedJobs(o.list)
	if err != nil || len(jobs) != o.progress.Total {
		b.w.broken("I9", "load %d has a list of %d, and says that it is of %d: %v", o.progress.ID, len(jobs), o.progress.Total, err)
		return
	}
	for _, p := range b.operations {
		if p.loads() && p.row.Stage == engine.OperationChanging {
			b.w.broken("I9", "load %d begins before load %d is through", o.progress.ID, p.row.ID)
		}
	}
	if o.progress.Stage == engine.OperationChanging {
		b.w.saw("load in slices")
		b.defineInSlices()
	}
	b.w.logf("%s begins load %d of %d jobs", b.s.name, o.progress.ID, o.progress.Total)
	b.operations[o.progress.ID] = &progress{row: *o.progress, jobs: jobs}
}

func (r *recorder) BeginOperation(row engine.OperationRow, targets []byte) error {
	err := r.Tx.BeginOperation(row, targets)
	r.add(op{kind: opBegin, ok: err == nil, progress: &row, list: append([]byte(nil), targets...)})
	return err
}

func (r *recorder) SetOperation(row engine.OperationRow) error {
	err := r.Tx.SetOperation(row)
	r.add(op{kind: opProgress, ok: err == nil, progress: &row})
	return err
}

// act notes that a person's operation has changed an instance in this commit.
func (b *booking) act(id int64) {
	if b.acted == nil {
		b.acted = map[int64]bool{}
	}
	b.acted[id] = true
}

func (b *booking) beginOperation(o *op) {
	if o.progress.Order.Operation == engine.OperateLoad {
		b.beginLoad(o)
		return
	}
	list, err := engine.OperationTargetIDs(o.list)
	if err != nil || len(list) != o.progress.Total {
		b.w.broken("I9", "operation %d has a list of %d, and says that it is of %d: %v", o.progress.ID, len(list), o.progress.Total, err)
		return
	}
	b.w.saw("operation in slices")
	b.w.logf("%s begins operation %d: %s of %d", b.s.name, o.progress.ID, o.progress.Order.Operation, o.progress.Total)
	b.operations[o.progress.ID] = &progress{row: *o.progress, list: list}
}

// progressOperation holds a slice against what it says: each of the list is decided on once and in
// order, and what counts as changed was changed in this commit.
func (b *booking) progressOperation(o *op) {
	p := b.operations[o.progress.ID]
	if p == nil || !p.row.EndedAt.IsZero() {
		b.w.broken("I9", "operation %d goes on, and is not under way", o.progress.ID)
		return
	}
	was, is := p.row, *o.progress
	p = &progress{is, p.list, p.jobs}
	b.operations[is.ID] = p
	b.w.logf("%s carries on with operation %d: %s %d of %d", b.s.name, is.ID, is.Stage, is.Done, is.Total)
	if is.Stage == engine.OperationEnded {
		b.w.saw("operation ended")
	}
	if was.Stage != engine.OperationChanging {
		return
	}
	if is.Stage == engine.OperationChanging {
		b.w.saw("operation cut into slices")
	}
	to := is.Changed()
	if p.loads() && is.Stage == engine.OperationChanging {
		b.w.saw("load cut into slices")
	}
	if to <= was.Done || to > is.Total {
		b.w.broken("I9", "a slice of operation %d goes from %d to %d of %d", is.ID, was.Done, to, is.Total)
		return
	}
	if p.loads() {
		return // what it does to jobs is held against their definitions
	}
	decided := is.Outcome.MovedOn - was.Outcome.MovedOn
	for effect, n := range is.Outcome.Counts {
		decided += n - was.Outcome.Counts[effect]
	}
	changed := 0
	for _, effect := range []engine.Effect{engine.EffectChanged, engine.EffectReopened} {
		changed += is.Outcome.Counts[effect] - was.Outcome.Counts[effect]
	}
	acted, fresh := 0, 0
	for _, id := range p.list[was.Done:to] {
		switch {
		case id == 0:
			fresh++
		case b.acted[id]:
			acted++
		}
	}
	if is.Outcome.MovedOn > was.Outcome.MovedOn {
		b.w.saw("moved on meanwhile")
	}
	switch {
	case decided != to-was.Done:
		b.w.broken("I9", "a slice of operation %d went from %d to %d, and has decided on %d", is.ID, was.Done, to, decided)
	case changed < acted || changed > acted+fresh:
		b.w.broken("I9", "a slice of operation %d counts %d as changed, and has changed %d", is.ID, changed, acted)
	}
}

// checkUnheld demands that nothing starts that an operation under way is about.
func (b *booking) checkUnheld(i *entry) {
	for _, p := range b.operations {
		if p.row.Stage != engine.OperationChanging {
			continue
		}
		if p.loads() && slices.Contains(p.jobs, i.job) {
			b.w.broken("I18", "instance %d of %s was started, and load %d, which is about its job, is not through", i.id, i.ref, p.row.ID)
			return
		}
		for _, id := range p.list {
			if id == i.id {
				b.w.broken("I18", "instance %d of %s was started, and operation %d, which is about it, is not through", i.id, i.ref, p.row.ID)
				return
			}
		}
	}
}

// checkThrough demands that every operation has come to its end.
func (w *World) checkThrough(engine.View) error {
	for _, id := range sortedKeys(w.ledger.operations) {
		if p := w.ledger.operations[id]; p.row.EndedAt.IsZero() {
			w.broken("progress", "operation %d is %s, %d of %d, and everything is healed", id, p.row.Stage, p.row.Done, p.row.Total)
			return nil
		}
	}
	return nil
}
