package engine

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
)

// operations is the one table of what each operation asks of an instance.
var operations = map[Operation]struct {
	event   Event   // that it sends; "" for one that changes no state
	from    []State // of an operation without an event
	already State   // in which there is nothing left to do
	hint    string  // for one that is in another state; "" says what that one can take
}{
	OperateRerun:    {event: Rerun},
	OperateForce:    {event: Force, already: Forced},
	OperateSkip:     {event: Skip, already: Skipped},
	OperateCancel:   {event: Cancel, already: Cancelled},
	OperateFreeze:   {from: []State{Waiting}, hint: "only what waits can be held"},
	OperateUnfreeze: {from: []State{Waiting}, hint: "only what waits can be held"},
	OperateConfirm:  {from: []State{Waiting}, hint: "only a waiting instance can be confirmed"},
	OperateDetach:   {from: []State{Waiting}, hint: "only what waits can be detached"},
	OperateRunNow:   {from: []State{Waiting}, hint: "rerun what has ended"},
	OperateBoost:    {from: []State{Waiting}, hint: "only what waits has a turn"},

	OperateReschedule: {from: []State{Waiting}, hint: "only what waits has a time to start at"},
}

// AllowedStates lists in which states an instance can take an operation.
func AllowedStates(op Operation) []State {
	rule := operations[op]
	if rule.event != "" {
		return arrows[rule.event].from
	}
	return rule.from
}

// rule decides on one chosen instance.
func (o *operating) rule(i *Instance) error {
	rule := operations[o.Operation]
	if rule.already != "" && i.State == rule.already {
		o.list(i, EffectUnchanged, i.State, "it is "+string(i.State)+" already")
		return nil
	}
	if allowed := AllowedStates(o.Operation); !slices.Contains(allowed, i.State) {
		o.refuse(i, "it is "+string(i.State), o.stateHint(allowed, cmp.Or(rule.hint, i.State.takes())))
		return nil
	}
	if o.refusesAhead(i) {
		return nil
	}
	switch o.Operation {
	case OperateRerun:
		return o.rerun(i)
	case OperateForce:
		o.transit(i, Force, "counts as succeeded")
	case OperateSkip:
		o.transit(i, Skip, "counts as done without running")
	case OperateCancel:
		o.cancel(i)
	case OperateFreeze:
		return o.freeze(i, true)
	case OperateUnfreeze:
		return o.freeze(i, false)
	case OperateConfirm:
		o.confirm(i)
	case OperateDetach:
		return o.detach(i)
	case OperateRunNow:
		return o.runNow(i)
	case OperateBoost:
		return o.boost(i)
	case OperateReschedule:
		return o.reschedule(i)
	}
	return nil
}

// takes says what can be done to an instance that refuses to be ended, or begun again.
func (s State) takes() string {
	switch s {
	case Waiting:
		return "what waits need not be rerun"
	case Running:
		return "cancel first what runs"
	}
	var words []string
	for _, can := range []struct {
		event Event
		word  string
	}{{Rerun, "rerun"}, {Force, "forced"}, {Skip, "skipped"}, {Cancel, "cancelled"}} {
		if slices.Contains(arrows[can.event].from, s) {
			words = append(words, can.word)
		}
	}
	return "it can be " + strings.Join(words, " or ")
}

// stateHint says which states would be right, as a term when the instances were chosen by a selector.
func (o *operating) stateHint(allowed []State, hint string) string {
	s, err := ParseSelector(o.Selector)
	if o.Selector == "" || err != nil || s.One() {
		return hint
	}
	if s.Up != 0 || s.Down != 0 {
		return hint + "; what hops add is not asked about state:, so choose by terms alone" + o.downstreamHint()
	}
	words := make([]string, len(allowed))
	for n, state := range allowed {
		words[n] = string(state)
	}
	return "add state:" + strings.Join(words, ",")
}

// downstreamHint names the option that does for a rerun what hops cannot: it passes over what waits.
func (o *operating) downstreamHint() string {
	if o.Operation != OperateRerun {
		return ""
	}
	return "; the scope downstream (--downstream) reruns what has ended of what waits for them"
}

// transit sends an event to the instance.
func (o *operating) transit(i *Instance, e Event, text string) {
	to := arrows[e].to
	o.add(act{instance: *i, effect: EffectChanged, to: to, text: text, do: func(tx Tx, i *Instance) (bool, error) {
		reason := o.reason("")
		ok, err := tx.Apply(Transition{Instance: i.ID, Event: e, From: i.State, Fence: i.Fence, At: o.now, Reason: reason})
		after := *i
		if e.Closes(i.State) {
			after.next()
		}
		after.State, after.Gate, after.Reason, after.EndedAt = to, "", reason, o.now
		o.notices = append(o.notices, Notice{Instance: after, From: i.State})
		if err != nil || !ok {
			return ok, err
		}
		return true, o.recount(tx, []settled{{*i, e}}, o.now)
	}})
}

func (o *operating) cancel(i *Instance) {
	switch {
	case i.State != Running:
		o.transit(i, Cancel, "does not run")
	case i.Cancel != nil:
		o.list(i, EffectUnchanged, Cancelled, "it is being cancelled already")
		o.cancels = append(o.cancels, cancelRequest{i.ID, *i.Cancel}) // it is in the rows; the loop may not have heard
	default:
		o.add(act{instance: *i, effect: EffectChanged, to: Cancelled, text: "is cancelled when its processes have ended", do: func(tx Tx, i *Instance) (bool, error) {
			reason := o.reason("")
			o.cancels = append(o.cancels, cancelRequest{i.ID, reason})
			return tx.SetCancel(i.ID, reason, o.now)
		}})
	}
}

func (o *operating) freeze(i *Instance, frozen bool) error {
	already, text := "it is frozen already", "does not start before it is let go"
	if !frozen {
		already, text = "it is not frozen", "may start"
	}
	if i.Frozen == frozen {
		o.list(i, EffectUnchanged, i.State, already)
		return nil
	}
	if o.isAhead(i) {
		kind := OperateUnfreeze
		if frozen {
			kind = OperateFreeze
		}
		return o.order(i, string(kind), text, func(order *OverrideRow, _ *Instance) { order.Frozen = frozen })
	}
	o.add(act{instance: *i, effect: EffectChanged, to: i.State, text: text, do: func(tx Tx, i *Instance) (bool, error) {
		return tx.SetFrozen(i.ID, frozen, o.reason(""), o.now)
	}})
	return nil
}

func (o *operating) confirm(i *Instance) {
	if i.Confirmed != "" {
		o.list(i, EffectUnchanged, i.State, "it was confirmed by "+i.Confirmed)
		return
	}
	o.add(act{instance: *i, effect: EffectChanged, to: i.State, text: "is confirmed", do: func(tx Tx, i *Instance) (bool, error) {
		return tx.SetConfirmed(i.ID, o.reason(""), o.now)
	}})
}

func (o *operating) runNow(i *Instance) error {
	if i.RunNow != "" {
		o.list(i, EffectUnchanged, i.State, "it was let run by "+i.RunNow)
		return nil
	}
	if gone, err := o.gone(i); err != nil || gone != "" {
		if err == nil {
			o.refuse(i, gone, "")
		}
		return err
	}
	text := "waits for no upstream and no time"
	if i.Frozen {
		text += "; it is still frozen"
	}
	o.add(act{instance: *i, effect: EffectChanged, to: i.State, text: text, do: func(tx Tx, i *Instance) (bool, error) {
		return tx.SetRunNow(i.ID, o.reason("dependencies and plan time are not waited for"), o.now)
	}})
	return nil
}

// gone says why the job of an instance does not run anything any more; "" is that it does.
func (o *operating) gone(i *Instance) (string, error) {
	if why, known := o.jobsGone[i.Ref]; known {
		return why, nil
	}
	row, err := o.v.JobByRef(i.Ref)
	if err != nil {
		return "", fmt.Errorf("read %s: %w", i.Ref, err)
	}
	why := ""
	switch {
	case row.Removed:
		why = "the job was removed from the definitions"
	case row.Disabled:
		why = "the job is disabled; enable it in its definition first"
	}
	if o.jobsGone == nil {
		o.jobsGone = map[JobRef]string{}
	}
	o.jobsGone[i.Ref] = why
	return why, nil
}

func (o *operating) boost(i *Instance) error {
	priority := cmp.Or(o.Options.Priority, 9)
	if i.Priority == priority {
		o.list(i, EffectUnchanged, i.State, fmt.Sprintf("its priority is %d already", priority))
		return nil
	}
	text := fmt.Sprintf("priority %d instead of %d", priority, i.Priority)
	if o.isAhead(i) {
		return o.order(i, "boost", text, func(order *OverrideRow, planned *Instance) {
			if order.Priority = priority; priority == planned.Priority {
				order.Priority = 0
			}
		})
	}
	o.add(act{instance: *i, effect: EffectChanged, to: i.State, text: text, do: func(tx Tx, i *Instance) (bool, error) {
		return tx.SetPriority(i.ID, priority, o.reason(text), o.now)
	}})
	return nil
}

// detach takes one upstream instance out of what the instance waits for.
func (o *operating) detach(i *Instance) error {
	up, err := o.upstreamOf()
	if err != nil {
		return err
	}
	waits, err := o.v.Waits(i.ID)
	if err != nil {
		return fmt.Errorf("read what %s waits for: %w", i.Name(), err)
	}
	var left []Wait
	found := false
	for from := 0; from < len(waits); {
		to := from + 1
		for to < len(waits) && waits[to].Dependency == waits[from].Dependency && waits[to].Ended == waits[from].Ended {
			to++
		}
		pieces, cut, err := o.cut(waits[from:to], &up)
		if err != nil {
			return err
		}
		left, found, from = append(left, pieces...), found || cut, to
	}
	if !found {
		o.refuse(i, "it does not wait for "+up.Name(), "`almanac explain "+i.Name()+"` lists what it waits for")
		return nil
	}
	for n := range left {
		left[n].N = n
	}
	text := "does not wait for " + up.Name()
	o.add(act{instance: *i, effect: EffectChanged, to: i.State, text: text, do: func(tx Tx, i *Instance) (bool, error) {
		return tx.SetWaits(i.ID, left, o.reason(text), o.now)
	}})
	return nil
}

// upstreamOf finds the instance that is to be detached.
func (o *operating) upstreamOf() (up Instance, err error) {
	s, err := ParseSelector(o.Options.Upstream)
	if err != nil || !s.One() {
		return up, fmt.Errorf("%w: the option upstream is %q; write the id of one instance, or workflow/job@plan time", ErrInvalid, o.Options.Upstream)
	}
	list, err := o.Engine.choose(o.v, s, o.now)
	if err != nil {
		return up, fmt.Errorf("the option upstream: %w", err)
	}
	return list[0], nil
}

// cut takes an upstream instance out of the pieces of one dependency. A dependency that has none left is open.
func (o *operating) cut(pieces []Wait, up *Instance) (left []Wait, found bool, err error) {
	var marks []Wait
	for n := range pieces {
		w := pieces[n]
		if w.Upstream != up.Job || w.Key != up.Key || w.Count == 0 || up.PlanTime.Before(w.First) || up.PlanTime.After(w.Last) {
			left = append(left, w)
			continue
		}
		there, err := o.v.Between(w.Upstream, w.First, w.Last.Add(time.Millisecond), MostSelected)
		if err != nil {
			return nil, false, fmt.Errorf("list the instances of %s: %w", w.Ref, err)
		}
		var before, after []Instance
		for k := range there {
			switch {
			case there[k].Key != w.Key:
			case there[k].PlanTime.Before(up.PlanTime):
				before = append(before, there[k])
			case there[k].PlanTime.After(up.PlanTime):
				after = append(after, there[k])
			}
		}
		found = true
		marks = append(marks, detachedMark(w, up.PlanTime))
		rest := w.Count - 1 - len(before) // behind it, by the schedule; some may not be planned yet
		if len(before) > 0 {
			piece := w
			piece.Last, piece.Count = before[len(before)-1].PlanTime, len(before)
			left = append(left, piece)
		}
		if rest = max(rest, len(after)); rest > 0 && w.Last.After(up.PlanTime) {
			piece := w
			piece.First, piece.Count = up.PlanTime.Add(time.Millisecond), rest
			if len(after) > 0 {
				piece.First = after[0].PlanTime
			}
			left = append(left, piece)
		}
	}
	if !found {
		return pieces, false, nil
	}
	return detachedFrom(left, marks), true, nil
}

// wantedOf is the count that a selection asks for, 0 when it is none.
func wantedOf(selects string) (n int) {
	if _, err := fmt.Sscanf(selects, "%d", &n); err != nil {
		return 0
	}
	return n
}
