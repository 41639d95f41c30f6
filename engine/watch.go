package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/almanac-sched/almanac/engine/fault"
)

// A WatchRow is a step that holds no slot while it is not over: one of type wait between two looks, or one of type job while the instance that it started
// goes on. It becomes the attempt of its ID when it ends; until then it is no attempt, so that nothing counts it as one.
type WatchRow struct {
	ID        int64
	Instance  int64
	Step      string
	Number    int // of the attempt
	StartedAt time.Time
	Until     time.Time // when it times out; zero is never
	Next      time.Time // when to look again; zero for a job
	Polls     int       // looks so far
	Last      string    // what the latest of them found, or why nothing could be started
	Child     int64     // the instance that was started; 0 for a wait
}

// WatchView reads them.
type WatchView interface {
	// Watches lists what the steps of an instance watch, by ID.
	Watches(instance int64) ([]WatchRow, error)
	// WatchesOver lists those whose child has ended, by ID, at most limit. Its cost is that of those alone.
	WatchesOver(limit int) ([]WatchRow, error)
}

// WatchTx writes them, under the fence of their instance: false and no change when it is not running under it. When an instance stops running, what it
// watches goes in the same transaction.
type WatchTx interface {
	// PutWatch inserts the row or replaces the one of the same ID.
	PutWatch(w WatchRow, fence int64) (bool, error)
	// EndWatch removes the row; false also when there is none.
	EndWatch(id, instance, fence int64) (bool, error)
}

const (
	overBatch    = 1000
	pollsAtOnce  = 32 // looks under way
	pollTimeout  = time.Minute
	maxPollWords = 500 // bytes kept of what a look found
)

// A watch is a WatchRow in the working set.
type watch struct {
	row     WatchRow
	looking bool // a look is under way, or in line for it
}

// due is when the watch is next to be looked at; zero is never by itself.
func (w *watch) due() time.Time { return earliest(w.row.Next, w.row.Until) }

func (e *Engine) await(w *watch) {
	if at := w.due(); !at.IsZero() {
		e.polls.add(pollEntry{at, w.row.ID})
	}
}

// A startedWatch is a watch that the transaction has recorded.
type startedWatch struct {
	readyStep
	row WatchRow
	end *Result // it is over already
}

// startStanding starts the steps that need no slot.
func (t *turn) startStanding() error {
	for _, s := range t.standing {
		if err := t.startWatch(s); err != nil {
			return err
		}
	}
	return nil
}

// startWatch records that a step that needs no slot begins: its watch, and what it starts.
func (t *turn) startWatch(s readyStep) error {
	r := s.run
	if !r.progress.Startable(s.step) {
		return nil
	}
	id, err := t.ids.take(t.tx)
	if err != nil {
		return err
	}
	row, a := *r.progress.Step(s.step), &r.progress.Def(s.step).Action
	w := WatchRow{ID: id, Instance: r.instance.ID, Step: row.Step, Number: r.number(s.step), StartedAt: t.now}
	if a.Timeout > 0 {
		w.Until = t.now.Add(a.Timeout)
	}
	var end *Result
	switch {
	case t.perform != nil:
		w.Until = time.Time{} // it ends when its time is up
	case a.Type == ActionJob:
		if end, err = t.call(s, &w); err != nil {
			return err
		}
	default:
		w.Next = t.now
	}
	ok, err := t.tx.PutWatch(w, r.instance.Fence)
	if err != nil {
		return fmt.Errorf("record what a step of %s watches: %w", r.instance.Name(), err)
	}
	if !ok {
		t.fenced = true
		return nil
	}
	row.State, row.NotBefore = StepRunning, time.Time{}
	row.Attempts++
	if ok, err := t.tx.SetStep(r.instance.ID, r.instance.Fence, row); err != nil || !ok {
		return wrap(errors.Join(err, unless(ok, errStuck)), "record a step of %s", r.instance.Name())
	}
	t.watches = append(t.watches, startedWatch{s, w, end})
	return nil
}

// call starts the instance that a step of type job asks for. What makes that impossible ends the step, and so does having started one that is not waited for.
func (t *turn) call(s readyStep, w *WatchRow) (*Result, error) {
	c := s.run.progress.Def(s.step).Action.Call
	request, err := t.calling(s, w, c)
	var child Instance
	if err == nil {
		child, _, err = t.insertManual(t.tx, t.defs.lookup(c.Job), request, t.now)
	}
	end := &Result{Attempt: w.ID, StartedAt: t.now, EndedAt: t.now}
	switch {
	case errors.Is(err, ErrInvalid), errors.Is(err, ErrConflict), errors.Is(err, ErrNotFound):
		end.Outcome, end.Message = OutcomeFailed, fmt.Sprintf("cannot start %s: %s", c.Job, err)
		w.Last = end.Message
		return end, nil
	case err != nil:
		return nil, fmt.Errorf("start %s for %s: %w", c.Job, s.run.instance.Name(), err)
	}
	w.Child = child.ID
	if !c.Wait {
		return started(w, &child, t.now), nil
	}
	return nil, nil //nolint:nilnil // it goes on
}

// calling makes the request of a step of type job. Its key is that of the attempt, so that asking twice is asking once.
func (t *turn) calling(s readyStep, w *WatchRow, c *Call) (TriggerRequest, error) {
	i := &s.run.instance
	request := TriggerRequest{
		Ref: c.Job, PlanTime: &i.PlanTime, Actor: "job " + i.Name(), Note: "step of instance " + strconv.FormatInt(i.ID, 10),
		Key: fmt.Sprintf(OwnKeys+"job-%d-%s-%d", i.ID, w.Step, w.Number),
	}
	if fault.Planted(fault.OldChild) {
		request.Key = fmt.Sprintf(OwnKeys+"job-%d-%s", i.ID, w.Step)
	}
	scope := t.stepScope(t.now, s, w.Number)
	scope.Secret = nil // what is given to an instance is written down
	if c.PlanTime != "" {
		text, err := c.PlanTime.Render(scope)
		if err != nil {
			return request, fmt.Errorf("%w: planTime: %w", ErrInvalid, err)
		}
		planTime, err := time.Parse(time.RFC3339Nano, text)
		if err != nil {
			return request, fmt.Errorf("%w: planTime is %q, which is no time such as 2026-10-01T02:00:00+08:00", ErrInvalid, text)
		}
		request.PlanTime = &planTime
	}
	for name, text := range c.Params {
		value, err := text.Render(scope)
		if err != nil {
			return request, fmt.Errorf("%w: params %s: %w", ErrInvalid, name, err)
		}
		if request.Params == nil {
			request.Params = map[string]string{}
		}
		request.Params[name] = value
	}
	return request, nil
}

func started(w *WatchRow, child *Instance, now time.Time) *Result {
	return &Result{
		Attempt: w.ID, Outcome: OutcomeSucceeded, Message: "started " + child.Name(), StartedAt: w.StartedAt, EndedAt: now,
		Outputs: map[string]string{"instance": strconv.FormatInt(child.ID, 10)},
	}
}

// ended is what the end of the instance that a step waits for means for the step.
func ended(w *WatchRow, child *Instance, now time.Time) Result {
	r := Result{
		Attempt: w.ID, Outcome: OutcomeFailed, StartedAt: w.StartedAt, EndedAt: now, Outputs: map[string]string{"instance": strconv.FormatInt(child.ID, 10)},
		Message: fmt.Sprintf("%s %s", child.Name(), child.State),
	}
	switch {
	case child.State.Satisfies():
		r.Outcome = OutcomeSucceeded
	case child.Reason.Detail != "":
		r.Message += ": " + child.Reason.Detail
	default:
		r.Message += ": " + string(child.Reason.Code)
	}
	return r
}

// lookAtOver finds the steps that wait for an instance which has ended.
func (t *turn) lookAtOver() error {
	rows, err := t.tx.WatchesOver(overBatch)
	if err != nil {
		return fmt.Errorf("list what is over: %w", err)
	}
	for i := range rows {
		if l, mine := t.live[rows[i].ID]; !mine || l.watch == nil {
			continue
		}
		child, err := t.tx.Instance(rows[i].Child)
		if err != nil {
			return fmt.Errorf("read what instance %d waits for: %w", rows[i].Instance, err)
		}
		t.over = append(t.over, ended(&rows[i], &child, t.now))
	}
	return nil
}

// answered reports whether the turn itself has ended an instance that a step waits for, as it does with one that needs no slot: the turn that follows at
// once finds it among what is over.
func (t *turn) answered() bool {
	ended := map[int64]bool{}
	for n := range t.notices {
		if i := &t.notices[n].Instance; i.Kind == Manual && i.State.Ended() {
			ended[i.ID] = true
		}
	}
	if len(ended) == 0 {
		return false
	}
	for _, l := range t.live {
		if l.watch != nil && ended[l.watch.row.Child] {
			return true
		}
	}
	return slices.ContainsFunc(t.watches, func(w startedWatch) bool { return ended[w.row.Child] })
}

// watched lets the working set take over what was recorded of watches.
func (e *Engine) watched(started []startedWatch, over []Result) {
	for _, s := range started {
		s.run.progress.Started(s.step)
		s.run.progress.TakeChanged() // the transaction wrote it
		e.keepWatch(s.run, s.step, s.row)
		if e.perform != nil {
			e.perform(s.row.StartedAt, startedStep{s.readyStep, s.row.ID, s.row.Number})
		}
		if s.end != nil {
			e.inbox.result(*s.end)
		}
	}
	for _, r := range over {
		e.inbox.result(r)
	}
}

func (e *Engine) keepWatch(r *run, step int, row WatchRow) {
	w := &watch{row: row}
	r.attempts[row.ID] = step
	e.live[row.ID] = liveAttempt{run: r, step: step, fence: r.instance.Fence, action: r.progress.Def(step).Action.Type, watch: w}
	e.await(w)
}

// resume goes on with a watch that was found in the rows.
func (e *Engine) resume(now time.Time, l liveAttempt) {
	w := l.watch
	a := &l.run.progress.Def(l.step).Action
	if a.Type == ActionWait && a.Probe != nil && w.row.Next.After(now.Add(a.Probe.Interval)) {
		w.row.Next = now.Add(a.Probe.Interval) // by a clock that was set back
	}
	w.looking = e.looking[w.row.ID]
	e.await(w)
	if a.Type != ActionJob {
		return
	}
	switch {
	case w.row.Child == 0:
		e.inbox.result(Result{Attempt: w.row.ID, Outcome: OutcomeFailed, Message: w.row.Last, StartedAt: w.row.StartedAt, EndedAt: now})
	case a.Call != nil && !a.Call.Wait:
		e.inbox.result(Result{
			Attempt: w.row.ID, Outcome: OutcomeSucceeded, StartedAt: w.row.StartedAt, EndedAt: now, Outputs: map[string]string{"instance": strconv.FormatInt(w.row.Child, 10)},
		})
	}
}

// endWatch stages the end of a watch: the attempt that it has been.
func (e *Engine) endWatch(l liveAttempt, r Result) {
	w := &l.watch.row
	e.staged.watches = append(e.staged.watches, stagedWatch{run: l.run, row: *w, end: &AttemptRow{
		ID: w.ID, Instance: w.Instance, Job: l.run.instance.Job, Step: w.Step, Number: w.Number, Fence: l.fence, Owner: l.run.instance.Owner,
		Pool: l.run.job.Pool, StartedAt: w.StartedAt, Result: &r,
	}})
}

// cancelWatch cancels a step that holds no slot. One that waits for an instance cancels that, and ends when it has ended.
func (e *Engine) cancelWatch(now time.Time, l liveAttempt, reason Reason) {
	w := &l.watch.row
	if w.Child != 0 {
		name := l.run.instance.Name() // whatever made it give way: no rule of the other job did
		own := Reason{Code: ReasonPerson, Actor: cmp.Or(reason.Actor, "job "+name), Detail: name + " was cancelled"}
		e.staged.cascade = append(e.staged.cascade, cancelRequest{w.Child, own})
		return
	}
	if e.looking[w.ID] || e.perform != nil {
		e.cfg.Runner.Cancel(w.ID)
	}
	e.end(now, l, Result{Attempt: w.ID, Outcome: OutcomeCancelled, Message: "cancelled", StartedAt: w.StartedAt, EndedAt: now})
}

// A stagedWatch is a watch as it is now, or the attempt that it has become.
type stagedWatch struct {
	run *run
	row WatchRow
	end *AttemptRow
}

func (s *staged) writeWatch(tx Tx, w *stagedWatch) error {
	if s.fenced[w.run] {
		return nil
	}
	var ok bool
	var err error
	if w.end == nil {
		ok, err = tx.PutWatch(w.row, w.run.instance.Fence)
	} else if ok, err = tx.EndWatch(w.row.ID, w.row.Instance, w.run.instance.Fence); err == nil && ok {
		ok, err = tx.AddAttempt(*w.end)
	}
	return wrap(s.check(w.run, ok, err), "record what a step of instance %d watches", w.row.Instance)
}

// cancelChild cancels an instance because the one that started it is cancelled.
func cancelChild(tx Tx, c cancelRequest, at time.Time) error {
	i, err := tx.Instance(c.instance)
	switch {
	case errors.Is(err, ErrNotFound):
		return nil
	case err != nil:
	case i.State == Running && i.Cancel == nil:
		_, err = tx.SetCancel(i.ID, c.reason, at)
	case i.State == Waiting || i.State == Lost:
		_, err = tx.Apply(Transition{Instance: i.ID, Event: Cancel, From: i.State, Fence: i.Fence, At: at, Reason: c.reason})
	}
	return wrap(err, "cancel instance %d", c.instance)
}

// stepScope is what the texts of a step may name.
func (e *Engine) stepScope(now time.Time, s readyStep, number int) Scope {
	r := s.run
	scope := e.scope(now, &r.instance, r.job, number)
	scope.Outputs = r.output
	if step, n, item := r.progress.Item(s.step); item {
		scope.Item = func() (string, error) {
			list, err := e.values(r, step, func() Scope { return e.listScope(now, r) })
			if err != nil || n >= len(list) {
				return "", wrap(errors.Join(err, unless(n < len(list), errors.New("the list has become shorter"))), "item %d", n)
			}
			return list[n], nil
		}
	}
	return scope
}

// listScope is what the list of a step may name: nothing that is another the next time, and nothing that must not be written down.
func (e *Engine) listScope(now time.Time, r *run) Scope {
	scope := e.scope(now, &r.instance, r.job, 0)
	scope.Outputs, scope.Secret = r.output, nil
	return scope
}

// output is an output of a step that has ended well.
func (r *run) output(step, key string) (string, bool) {
	i := r.progress.Index(step)
	if i < 0 {
		return "", false
	}
	value, ok := r.progress.Step(i).Outputs[key]
	return value, ok
}

// StepStatus is a step of an instance with what it waits for, as people are shown it.
type StepStatus struct {
	StepRow
	Watch *WatchRow
}

// StepsOf lists the steps of a started instance. An instance of a job with one plain action has none until a second attempt at it is due.
func (e *Engine) StepsOf(ctx context.Context, instance int64) (steps []StepStatus, err error) {
	err = e.cfg.Store.Read(ctx, func(v View) error {
		steps = nil
		if _, err := v.Instance(instance); err != nil {
			return err
		}
		rows, err := v.Steps(instance)
		if err != nil {
			return err
		}
		watches, err := v.Watches(instance)
		for _, row := range rows {
			s := StepStatus{StepRow: row}
			if n := slices.IndexFunc(watches, func(w WatchRow) bool { return w.Step == row.Step }); n >= 0 {
				s.Watch = &watches[n]
			}
			steps = append(steps, s)
		}
		return err
	})
	return steps, wrap(err, "list the steps of instance %d", instance)
}

// cut shortens a text to at most n bytes, at a character.
func cut(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for n > 0 && text[n]&0xc0 == 0x80 {
		n--
	}
	return text[:n] + "…"
}
