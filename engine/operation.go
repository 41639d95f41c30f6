package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/almanac-sched/almanac/engine/fault"
)

// Operation is what a person can do to instances.
type Operation string

// The operations (`docs/operations.md`).
const (
	OperateRerun    Operation = "rerun"    // ended ones begin again
	OperateForce    Operation = "force"    // counts as succeeded
	OperateSkip     Operation = "skip"     // counts as satisfied, and does not run
	OperateFreeze   Operation = "freeze"   // does not start
	OperateUnfreeze Operation = "unfreeze" // may start again
	OperateCancel   Operation = "cancel"   // ends, or does not begin
	OperateConfirm  Operation = "confirm"  // lets one pass whose job asks for it
	OperateDetach   Operation = "detach"   // does not wait for one upstream instance any more
	OperateRunNow   Operation = "run-now"  // waits for no upstream and for no time
	OperateBoost    Operation = "boost"    // another priority

	OperateReschedule Operation = "reschedule" // starts at another time than its plan time, which stays
)

// Operations lists every operation.
var Operations = []Operation{
	OperateRerun, OperateForce, OperateSkip, OperateFreeze, OperateUnfreeze, OperateCancel, OperateConfirm, OperateDetach, OperateRunNow, OperateBoost,
	OperateReschedule,
}

// An OperationRequest asks for one operation on the instances that a selector chooses, or on those with the ids.
type OperationRequest struct {
	Operation Operation
	Selector  string
	IDs       []int64 // in the place of Selector
	Options   OperationOptions
	Actor     string
	Note      string // why, for the history
	DryRun    bool   // says what would happen, and changes nothing
}

// OperationOptions say how. Those of another operation must be empty.
type OperationOptions struct {
	From     string `json:"from,omitempty"`     // of rerun: start (default), failed or step
	Step     string `json:"step,omitempty"`     // of rerun from a step
	Version  string `json:"version,omitempty"`  // of rerun: original (default) or latest
	Scope    string `json:"scope,omitempty"`    // of rerun: this (default) or downstream
	Upstream string `json:"upstream,omitempty"` // of detach: the id or the name of the instance that is not waited for any more
	Priority int    `json:"priority,omitempty"` // of boost: 1 (last) to 9 (first), default 9
	To       string `json:"to,omitempty"`       // of reschedule: when it starts at the earliest, or "plan" for its plan time
}

// An OperationResult is what an operation does, or with DryRun would do.
type OperationResult struct {
	Operation Operation
	DryRun    bool
	Changes   []InstanceChange // the first MostListed of them, those that were chosen first
	Total     int              // of all
	Counts    map[Effect]int
	UnderWay  *OperationRow // of one that is carried out in many transactions: as it was begun
}

// MostListed is how many changes a result lists.
const MostListed = 1000

// Effect is what an operation means for one instance.
type Effect string

// The effects.
const (
	EffectChanged   Effect = "changed"   // chosen, and something changes
	EffectUnchanged Effect = "unchanged" // chosen, and it is so already
	EffectReopened  Effect = "reopened"  // waits for one that is rerun, has ended, and begins again too
	EffectLeft      Effect = "left"      // waits for one that is rerun, and stays as it is
	EffectWoken     Effect = "woken"     // waits for one that changes, and is looked at
)

// Effects lists every effect.
var Effects = []Effect{EffectChanged, EffectUnchanged, EffectReopened, EffectLeft, EffectWoken}

// An InstanceChange is what happens to one instance.
type InstanceChange struct {
	ID       int64
	Ref      JobRef
	PlanTime time.Time
	Effect   Effect
	From, To State
	Text     string // in words
}

// A Refusal is why an operation cannot be done to one instance.
type Refusal struct {
	Instance string // its name
	Why      string
	Hint     string // what would be right; "" says nothing
}

// A RefusedError lists every instance that refuses; nothing was changed. It is of kind ErrConflict.
type RefusedError struct {
	Operation Operation
	Of        int // instances that were chosen
	Refusals  []Refusal
}

func (r *RefusedError) Error() string {
	const most = 20
	var b strings.Builder
	if len(r.Refusals) == 1 && r.Of == 1 {
		one := r.Refusals[0]
		fmt.Fprintf(&b, "%s %s: %s", r.Operation, one.Instance, one.Why)
		if one.Hint != "" {
			b.WriteString("; " + one.Hint)
		}
		return b.String()
	}
	fmt.Fprintf(&b, "%s: %d of %d refuse, and nothing was changed", r.Operation, len(r.Refusals), r.Of)
	for n, one := range r.Refusals[:min(most, len(r.Refusals))] {
		fmt.Fprintf(&b, "\n%s: %s", one.Instance, one.Why)
		if one.Hint != "" && (n == 0 || r.Refusals[n-1].Hint != one.Hint) {
			b.WriteString("; " + one.Hint)
		}
	}
	if more := len(r.Refusals) - most; more > 0 {
		fmt.Fprintf(&b, "\nand %d more", more)
	}
	return b.String()
}

// Unwrap makes it of kind ErrConflict.
func (r *RefusedError) Unwrap() error { return ErrConflict }

// Operate carries out an operation on all that is chosen, or on nothing. It is durable when Operate
// returns. What changes more instances than one transaction may is taken down then, and Bulk carries
// it out: see OperationResult.UnderWay. Errors are of kind ErrInvalid (the request), ErrNotFound
// (nothing is chosen) or ErrConflict (*RefusedError: some of them do not allow it).
func (e *Engine) Operate(ctx context.Context, r OperationRequest, now time.Time) (OperationResult, error) {
	if err := r.check(); err != nil {
		return OperationResult{}, err
	}
	for try := 0; ; try++ {
		o, err := e.operate(ctx, &r, now, try == redrafts)
		if errors.Is(err, errStale) {
			if err = e.relearn(ctx); err == nil {
				continue
			}
		}
		if errors.Is(err, errMoved) {
			continue
		}
		if err != nil {
			if errors.Is(err, ErrUnavailable) {
				e.inbox.doubt() // the rows may say that something is being cancelled
			}
			return OperationResult{}, err
		}
		return o.result(), nil
	}
}

// operate is Operate with the definitions as they are known; errStale when the rows have others. What
// is chosen is found, and decided on, by a look at the rows beside the writer. errMoved says that
// what was found so does not allow it any more, and is never returned when last is true.
func (e *Engine) operate(ctx context.Context, r *OperationRequest, now time.Time, last bool) (*operating, error) {
	var o *operating
	var given []Instance
	revision := e.defs.at()
	preview := r.DryRun && !fault.Planted(fault.PreviewWrites)
	if preview || len(r.IDs) != 1 || r.Options.Scope == "downstream" {
		err := e.cfg.Store.Read(ctx, func(v View) error {
			o = &operating{Engine: e, OperationRequest: r, v: v}
			return o.decide(now)
		})
		if err != nil || preview {
			return o, err
		}
		if len(o.steps) > e.atOnce() {
			return o, o.begin(ctx, revision)
		}
		given = o.chosen
	}
	err := e.cfg.Store.Write(ctx, func(tx Tx) error {
		o = &operating{Engine: e, OperationRequest: r, v: tx, tx: tx, given: given}
		if current, err := tx.Revision(); err != nil || current != revision {
			return errors.Join(err, unless(current == revision, errStale))
		}
		err := o.decide(now)
		if given != nil && !last && (errors.Is(err, ErrConflict) || err == nil && len(o.steps) > e.atOnce()) {
			return errMoved
		}
		if err != nil {
			return err
		}
		return o.carryOut(tx)
	})
	if err != nil {
		return nil, err
	}
	o.publish()
	return o, nil
}

// publish tells the loop and the observer what was committed.
func (o *operating) publish() {
	for _, c := range o.cancels {
		o.inbox.cancel(c)
	}
	for _, n := range o.notices {
		o.cfg.Observe(n)
	}
	o.inbox.nudge()
}

// check collects what is wrong with the request itself.
func (r *OperationRequest) check() error {
	var mistakes []error
	add := func(form string, args ...any) {
		mistakes = append(mistakes, fmt.Errorf("%w: "+form, append([]any{ErrInvalid}, args...)...))
	}
	if !slices.Contains(Operations, r.Operation) {
		mistakes = append(mistakes, fmt.Errorf("%w: %w", ErrInvalid, oneOf("operation", string(r.Operation), Operations)))
	}
	switch {
	case r.Selector == "" && len(r.IDs) == 0:
		add("say on which instances: a selector, or their ids")
	case r.Selector != "" && len(r.IDs) > 0:
		add("give either a selector or ids, not both")
	case len(r.IDs) > MostSelected:
		mistakes = append(mistakes, tooMany(len(r.IDs)))
	}
	if r.Selector != "" {
		if _, err := ParseSelector(r.Selector); err != nil {
			mistakes = append(mistakes, err)
		}
	}
	o := &r.Options
	for _, given := range []struct {
		option, value string
		of            Operation
		allowed       []string
	}{
		{"from", o.From, OperateRerun, []string{"start", "failed", "step"}}, {"step", o.Step, OperateRerun, nil},
		{"version", o.Version, OperateRerun, []string{"original", "latest"}}, {"scope", o.Scope, OperateRerun, []string{"this", "downstream"}},
		{"upstream", o.Upstream, OperateDetach, nil}, {"to", o.To, OperateReschedule, nil},
	} {
		switch {
		case given.value == "":
		case given.of != r.Operation:
			add("the option %s is one of %s, not of %s", given.option, given.of, r.Operation)
		case given.allowed != nil && !slices.Contains(given.allowed, given.value):
			add("the option %s is %q; allowed are %s", given.option, given.value, strings.Join(given.allowed, ", "))
		}
	}
	switch {
	case o.From == "step" && o.Step == "":
		add("from a step: name the step with the option step")
	case o.Step != "" && o.From != "" && o.From != "step":
		add("the option step goes with from: step, not with from: %s", o.From)
	case r.Operation == OperateDetach && o.Upstream == "":
		add("say which instance is not to be waited for with the option upstream")
	case r.Operation == OperateReschedule && o.To == "":
		add("say when it starts at the earliest with the option to: a time, or plan for its plan time")
	case o.Priority != 0 && r.Operation != OperateBoost:
		add("the option priority is one of boost, not of %s", r.Operation)
	case o.Priority < 0 || o.Priority > 9:
		add("the priority is %d; 1 (last) to 9 (first) are allowed", o.Priority)
	}
	return errors.Join(mistakes...)
}

// An operating is one operation at work on one snapshot: what it will do is decided first, all of it, and carried out after that.
type operating struct {
	*Engine
	*OperationRequest
	v   View
	tx  Tx // nil of a look
	now time.Time

	given    []Instance // what a look has chosen; nil chooses anew
	chosen   []Instance
	steps    []act // what is to be done, in order
	changes  []InstanceChange
	refusals []Refusal
	seen     map[int64]bool
	jobsGone map[JobRef]string // why a job runs nothing any more; "" is that it does
	jobs     map[int64]JobRow
	notices  []Notice
	cancels  []cancelRequest
	row      *OperationRow // when it was only taken down
	code     ReasonCode    // why, when no person has asked for it
}

// An act is what is done to one instance.
type act struct {
	instance Instance
	upstream int64 // it waits for this one, which is rerun; 0 of one that was chosen
	effect   Effect
	to       State
	text     string
	do       func(tx Tx, i *Instance) (bool, error)
}

// decide finds out all that the operation does, and who refuses.
func (o *operating) decide(now time.Time) (err error) {
	if o.now, err = o.viewTime(o.v, now); err != nil {
		return fmt.Errorf("read the clock: %w", err)
	}
	o.now = o.now.Truncate(time.Millisecond)
	if err := o.choose(); err != nil {
		return err
	}
	if o.tx != nil {
		if err := o.writeAhead(o.tx); err != nil {
			return err
		}
	}
	o.seen = make(map[int64]bool, len(o.chosen))
	for i := range o.chosen {
		o.seen[o.chosen[i].ID] = true
	}
	for i := range o.chosen {
		if err := o.rule(&o.chosen[i]); err != nil {
			return err
		}
	}
	if o.Operation == OperateRerun && o.Options.Scope == "downstream" && len(o.refusals) == 0 {
		if err := o.reopenDownstream(); err != nil {
			return err
		}
	}
	if len(o.refusals) > 0 && !fault.Planted(fault.BulkPartial) {
		return &RefusedError{Operation: o.Operation, Of: len(o.chosen), Refusals: o.refusals}
	}
	if len(o.steps) > MostSelected {
		return tooMany(len(o.steps))
	}
	return o.listWoken()
}

// choose finds the instances.
func (o *operating) choose() error {
	if o.given != nil {
		return o.chooseAgain()
	}
	if o.Selector != "" {
		s, err := ParseSelector(o.Selector)
		if err != nil {
			return err
		}
		ahead := slices.Contains(aheadOperations, o.Operation) || o.Operation == OperateDetach && s.One()
		o.chosen, err = o.chooseFrom(o.v, s, o.now, ahead)
		return err
	}
	var missing []error
	given := slices.Clone(o.IDs)
	slices.Sort(given)
	for _, id := range slices.Compact(given) {
		i, err := o.v.Instance(id)
		switch {
		case isNotFound(err):
			missing = append(missing, fmt.Errorf("%w: there is no instance %d", ErrNotFound, id))
		case err != nil:
			return fmt.Errorf("read instance %d: %w", id, err)
		}
		o.chosen = append(o.chosen, i)
	}
	SortByPlanTime(o.chosen)
	return errors.Join(missing...)
}

// chooseAgain finds what a look has chosen in the rows as they are now.
func (o *operating) chooseAgain() error {
	for n := range o.given {
		g := &o.given[n]
		i, there, err := o.again(g.ID, g.Job, g.PlanTime)
		if err != nil || !there {
			return errors.Join(err, unless(there, errMoved))
		}
		o.chosen = append(o.chosen, i)
	}
	return nil
}

func (o *operating) add(a act) {
	o.steps = append(o.steps, a)
	o.list(&a.instance, a.effect, a.to, a.text)
}

func (o *operating) list(i *Instance, effect Effect, to State, text string) {
	o.changes = append(o.changes, InstanceChange{ID: i.ID, Ref: i.Ref, PlanTime: i.PlanTime, Effect: effect, From: i.State, To: to, Text: text})
}

func (o *operating) refuse(i *Instance, why, hint string) {
	o.refusals = append(o.refusals, Refusal{Instance: i.Name(), Why: why, Hint: hint})
}

// reason is what the history says of it.
func (o *operating) reason(detail string) Reason {
	if o.Note != "" {
		if detail = cmp.Or(detail, o.Note); detail != o.Note {
			detail += ": " + o.Note
		}
	}
	return Reason{Code: cmp.Or(o.code, ReasonPerson), Actor: o.actor(), Detail: detail}
}

func (o *operating) actor() string { return cmp.Or(o.Actor, "unknown") }

// listWoken adds what is looked at because of the changes, as far as a result lists.
func (o *operating) listWoken() error {
	if o.Operation == OperateBoost || o.Operation == OperateConfirm || len(o.changes) > MostListed {
		return nil
	}
	for n := range o.steps {
		a := &o.steps[n]
		if a.instance.State == a.to && o.Operation != OperateFreeze && o.Operation != OperateUnfreeze {
			continue
		}
		waiting, err := o.v.WaitingFor(&a.instance)
		if err != nil {
			return fmt.Errorf("list what waits for %s: %w", a.instance.Name(), err)
		}
		for w := range waiting {
			if i := &waiting[w]; i.State == Waiting && !o.seen[i.ID] {
				o.seen[i.ID] = true
				o.list(i, EffectWoken, Waiting, "waits for "+a.instance.Name())
			}
		}
	}
	return nil
}

// carryOut does what was decided, in the transaction that decided it.
func (o *operating) carryOut(tx Tx) error {
	if err := o.doSteps(tx); err != nil {
		return err
	}
	if len(o.chosen) > 1 || o.Operation == OperateConfirm && o.Note != "" {
		event := EventRow{At: o.now, Kind: "operation", Reason: o.reason(fmt.Sprintf("%s of %s", o.Operation, plural(len(o.steps), "instance"))), Actor: o.actor()}
		if len(o.chosen) == 1 {
			event.Instance, event.Job = o.chosen[0].ID, o.chosen[0].Job
		}
		if err := tx.Record(event); err != nil {
			return fmt.Errorf("record the operation: %w", err)
		}
	}
	return nil
}

func (o *operating) doSteps(tx Tx) error {
	for n := range o.steps {
		a := &o.steps[n]
		ok, err := a.do(tx, &a.instance)
		if err != nil {
			return fmt.Errorf("%s %s: %w", o.Operation, a.instance.Name(), err)
		}
		if !ok {
			return fmt.Errorf("%s %s: %w", o.Operation, a.instance.Name(), errStuck)
		}
	}
	return nil
}

// result is what is told of it.
func (o *operating) result() OperationResult {
	r := OperationResult{
		Operation: o.Operation, DryRun: o.DryRun, Total: len(o.changes), Counts: map[Effect]int{}, UnderWay: o.row,
	}
	for n := range o.changes {
		r.Counts[o.changes[n].Effect]++
	}
	r.Changes = o.changes[:min(MostListed, len(o.changes))]
	return r
}

func ignoreMissing(err error) error {
	if isNotFound(err) {
		return nil
	}
	return err
}
