package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// A BackfillChange is what a person changes of a backfill; nil leaves it as it is.
type BackfillChange struct {
	Priority *int
	Parallel *int
	Share    *string
	Window   *string // "" is none
}

// PauseBackfill keeps anything more of a backfill from starting. What runs goes on. Pausing twice is pausing once.
func (e *Engine) PauseBackfill(ctx context.Context, key, actor, note string, now time.Time) (BackfillRow, error) {
	return e.changeBackfill(ctx, "pause", key, actor, note, now, func(_ Tx, b *BackfillRow, _ time.Time) error {
		if b.Stage == BackfillRunning {
			b.Stage = BackfillPaused
		}
		return mustBe(b, BackfillPaused)
	})
}

// ResumeBackfill lets a paused backfill go on, also one that stopped because an instance of it failed.
func (e *Engine) ResumeBackfill(ctx context.Context, key, actor, note string, now time.Time) (BackfillRow, error) {
	return e.changeBackfill(ctx, "resume", key, actor, note, now, func(_ Tx, b *BackfillRow, now time.Time) error {
		if b.Stage == BackfillPaused {
			b.Stage, b.ResumedAt = BackfillRunning, now
		}
		return mustBe(b, BackfillRunning)
	})
}

// CancelBackfill cancels what waits of a backfill, page by page and nothing more of it starts from now on; with running, what runs is asked to stop too.
func (e *Engine) CancelBackfill(ctx context.Context, key, actor, note string, running bool, now time.Time) (BackfillRow, error) {
	return e.changeBackfill(ctx, "cancel", key, actor, note, now, func(_ Tx, b *BackfillRow, _ time.Time) error {
		switch b.Stage {
		case BackfillWithdrawing, BackfillCancelled:
			return nil
		case BackfillApplying:
			b.Stage = BackfillWithdrawing
			return nil
		}
		if b.Stage.Open() {
			b.Stage = BackfillCancelling
			b.Options.CancelRunning = b.Options.CancelRunning || running
		}
		return mustBe(b, BackfillCancelling)
	})
}

// SetBackfill changes how a backfill that has not ended goes on.
func (e *Engine) SetBackfill(ctx context.Context, key string, c BackfillChange, actor, note string, now time.Time) (BackfillRow, error) {
	return e.changeBackfill(ctx, "set", key, actor, note, now, func(tx Tx, b *BackfillRow, _ time.Time) error {
		var mistakes []error
		o := &b.Options
		if c.Priority != nil {
			if *c.Priority < 1 || *c.Priority > 9 {
				mistakes = append(mistakes, &MistakeError{"priority", fmt.Sprintf("priority %d: choose 1 (last) to 9 (first)", *c.Priority)})
			}
			o.Priority = *c.Priority
		}
		if c.Parallel != nil {
			if *c.Parallel < 0 {
				mistakes = append(mistakes, &MistakeError{"parallel", fmt.Sprintf("parallel is %d; at least 1 is needed, and 0 is as many as the share lets", *c.Parallel)})
			}
			o.Parallel = *c.Parallel
		}
		var err error
		if c.Share != nil {
			if o.Floor, o.Cap, err = ParseShare(*c.Share); err != nil {
				mistakes = append(mistakes, misplaced("share", err))
			}
		}
		if c.Window != nil {
			if o.Window = nil; *c.Window != "" {
				if o.Window, err = ParseLaneWindow(*c.Window); err != nil {
					mistakes = append(mistakes, misplaced("window", err))
				}
			}
		}
		switch {
		case len(mistakes) > 0:
			return errors.Join(mistakes...)
		case c == BackfillChange{}:
			return fmt.Errorf("%w: nothing to change: give priority, parallel, share or window", ErrInvalid)
		case !b.Stage.Open(), !b.Stage.Real():
			return mustBe(b, BackfillRunning)
		}
		if c.Priority != nil {
			b.Options.Moving = &LaneMove{From: b.ID + 1}
			err = moveLane(tx, b)
		}
		return err
	})
}

// laneSlice is of how many instances of a backfill one transaction changes the priority.
const laneSlice = 500

// moveLane gives some more of what waits of a backfill its priority. The ids of its instances follow
// its own. What begins again later keeps the priority that it had.
func moveLane(tx Tx, b *BackfillRow) error {
	from, end := b.Options.Moving.From, b.ID+1+int64(b.Options.Instances)
	to := min(from+laneSlice, end)
	if _, err := tx.SetLanePriority(b.Key, b.Options.Priority, from, to); err != nil {
		return fmt.Errorf("move the backfill %s in the queues: %w", b.Key, err)
	}
	if b.Options.Moving.From = to; to == end {
		b.Options.Moving = nil
	}
	return nil
}

// moveLanes carries on, by one short write transaction, with a backfill that is to get another
// priority; more says that there is more to do at once. It is a part of Bulk.
func (e *Engine) moveLanes(ctx context.Context, _ time.Time) (more bool, err error) {
	key := ""
	if err := e.cfg.Store.Read(ctx, func(v View) error {
		rows, err := v.OpenBackfills()
		for n := range rows {
			if rows[n].Options.Moving != nil {
				key = rows[n].Key
			}
		}
		return err
	}); err != nil || key == "" {
		return false, wrap(err, "look for backfills that get another priority")
	}
	mine := false
	err = e.cfg.Store.Write(ctx, func(tx Tx) error {
		if mine, err = e.leaseBulk(tx); err != nil || !mine {
			return err
		}
		b, err := tx.Backfill(key)
		if err != nil || b.Options.Moving == nil {
			return ignoreMissing(err)
		}
		if err := moveLane(tx, &b); err != nil {
			return err
		}
		return tx.PutBackfill(b)
	})
	return mine && err == nil, err
}

func mustBe(b *BackfillRow, stage BackfillStage) error {
	if b.Stage == stage {
		return nil
	}
	if b.Stage == BackfillApplying {
		return fmt.Errorf("%w: it is still being applied, %d of %d instances are written; wait for that, or cancel it", ErrConflict, b.Written, b.Options.Instances)
	}
	return fmt.Errorf("%w: it is %s", ErrConflict, b.Stage)
}

// changeBackfill changes a backfill for a person, with a line in the history when that changes anything.
func (e *Engine) changeBackfill(ctx context.Context, what, key, actor, note string, now time.Time, change func(Tx, *BackfillRow, time.Time) error) (b BackfillRow, err error) {
	err = e.cfg.Store.Write(ctx, func(tx Tx) error {
		now, err := e.viewTime(tx, now)
		if err != nil {
			return fmt.Errorf("read the clock: %w", err)
		}
		now = now.Truncate(time.Millisecond)
		if b, err = tx.Backfill(key); err != nil {
			return err
		}
		before, running := b.Stage, b.Options.CancelRunning
		if err := change(tx, &b, now); err != nil {
			return err
		}
		if what != "set" && before == b.Stage && running == b.Options.CancelRunning {
			return nil // as it was
		}
		reason := Reason{Code: ReasonPerson, Actor: actor, Detail: note}
		if what != "set" {
			b.Reason = reason
		}
		if err := tx.PutBackfill(b); err != nil {
			return err
		}
		return recordBackfill(tx, &b, what, reason, now)
	})
	if err != nil {
		return BackfillRow{}, fmt.Errorf("%s the backfill %s: %w", what, key, err)
	}
	e.inbox.nudge()
	e.bulk.nudge()
	return b, nil
}

// A BackfillStatus is a backfill with how far it is.
type BackfillStatus struct {
	BackfillRow
	States map[State]int
	Why    string        // why nothing of it starts just now; "" when it may, or is over
	Left   time.Duration // until its end, by how long its jobs took so far; 0 is not known
	Known  bool          // Left is
}

// Backfill returns a backfill with how far it is.
func (e *Engine) Backfill(ctx context.Context, key string, now time.Time) (s BackfillStatus, err error) {
	err = e.cfg.Store.Read(ctx, func(v View) error {
		row, err := v.Backfill(key)
		if err != nil {
			return err
		}
		s, err = e.backfillStatus(v, row, now)
		return err
	})
	return s, wrap(err, "read the backfill %s", key)
}

// Backfills lists backfills with an id below before (0 is no bound), the newest first.
func (e *Engine) Backfills(ctx context.Context, before int64, limit int, now time.Time) (list []BackfillStatus, err error) {
	err = e.cfg.Store.Read(ctx, func(v View) error {
		list = nil
		rows, err := v.Backfills(before, limit)
		if err != nil {
			return err
		}
		for _, row := range rows {
			s, err := e.backfillStatus(v, row, now)
			if err != nil {
				return err
			}
			list = append(list, s)
		}
		return nil
	})
	return list, wrap(err, "list the backfills")
}

func (e *Engine) backfillStatus(v View, row BackfillRow, now time.Time) (s BackfillStatus, err error) {
	s = BackfillStatus{BackfillRow: row}
	if len(row.Options.Jobs) > 0 {
		if d := e.defs.lookup(row.Options.Jobs[0].Ref); d != nil { // its days are those of its jobs
			zone := d.job.When.Location
			s.From, s.To = row.From.In(zone), row.To.In(zone)
		}
	}
	switch row.Stage {
	case BackfillApplying:
		s.Why = fmt.Sprintf("it is being applied: %d of %d instances are written", row.Written, row.Options.Instances)
		return s, nil
	case BackfillWithdrawing:
		s.Why = fmt.Sprintf("it is being withdrawn before it was applied: %d instances are left to be taken away", row.Written)
		return s, nil
	}
	if s.States, err = v.BackfillStates(row.Key); err != nil || !row.Stage.Open() {
		return s, err
	}
	l := &lane{row: row, running: s.States[Running]}
	loads, err := v.LiveInLanes()
	if err != nil {
		return s, err
	}
	for _, load := range loads {
		if load.Key == row.Key && (!e.cfg.Shared || load.Owner == e.cfg.Owner) {
			l.slots += load.Attempts
		}
	}
	switch w := row.Options.Window; {
	case row.Stage == BackfillPaused:
		s.Why = "paused"
		if row.Reason.Detail != "" {
			s.Why += ": " + row.Reason.Detail
		}
	case row.Stage == BackfillCancelling:
		s.Why = "it is being cancelled"
	case w != nil && w.Opens(now).After(now):
		s.Why = "its window " + w.String() + " opens at " + w.Opens(now).Format(time.RFC3339)
	}
	if s.Why == "" && s.States[Waiting] > 0 {
		s.Why = l.full(e.cfg.Slots)
	}
	return s, e.estimateBackfill(v, &s, l)
}

// laneVerdict says why the lane of a waiting instance does not let it start, for explanations.
func (e *Engine) laneVerdict(v View, i *Instance, now time.Time) (Verdict, error) {
	verdict := Verdict{Gate: GateSlot, Reason: Reason{Code: ReasonLane, Detail: "its turn has not come"}}
	row, err := v.Backfill(i.Key)
	if err != nil {
		return verdict, ignoreMissing(err)
	}
	s, err := e.backfillStatus(v, row, now)
	if s.Why != "" {
		verdict.Reason.Detail = s.Why
	}
	return verdict, err
}

// estimateBackfill estimates when a backfill will have ended: what is left of it at the median of its jobs, as many at once as may run, of each job too.
func (e *Engine) estimateBackfill(v View, s *BackfillStatus, l *lane) error {
	left := s.States[Waiting] + s.States[Running] + s.States[Lost]
	if left == 0 || s.Options.Instances == 0 {
		return nil
	}
	at := l.cap(e.cfg.Slots)
	if p := s.Options.Parallel; p > 0 {
		at = min(at, p)
	}
	var total, longest time.Duration // all of it one after the other, and the job that takes longest by itself
	known := 0
	for _, part := range s.Options.Jobs {
		d := e.defs.lookup(part.Ref)
		if d != nil && d.job.Instantaneous() {
			known += part.Instances
			continue
		}
		estimate, err := EstimateInBackfill(v, part.Job, s.Key)
		if err != nil {
			return err
		}
		if estimate.Of > 0 {
			known += part.Instances
			took := estimate.Median * time.Duration(part.Instances)
			total += took
			longest = max(longest, took/time.Duration(cmp.Or(atOnce(d, at), 1)))
		}
	}
	if known < s.Options.Instances {
		return nil // of a job that never ran, nobody knows
	}
	s.Known = true
	s.Left = max(total/time.Duration(cmp.Or(at, 1)), longest) / time.Duration(s.Options.Instances) * time.Duration(left)
	return nil
}

// atOnce is how many instances of a job run at once where so many may: one of a job that waits for itself.
func atOnce(d *definition, most int) int {
	if d == nil {
		return most
	}
	if slices.ContainsFunc(d.job.DependsOn, func(up Dependency) bool { return up.Job == d.row.Ref }) {
		return min(most, 1)
	}
	return min(most, cmp.Or(d.job.Concurrency, most))
}
