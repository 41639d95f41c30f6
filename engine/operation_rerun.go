package engine

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// rerun decides how a chosen instance begins again.
func (o *operating) rerun(i *Instance) error {
	gone, err := o.gone(i)
	if err != nil {
		return err
	}
	if gone != "" {
		o.refuse(i, gone, "")
		return nil
	}
	job, version, err := o.rerunVersion(i)
	if errors.Is(err, ErrInvalid) {
		o.refuse(i, err.Error(), "rerun it with the latest version of its job")
		return nil
	}
	if err != nil {
		return err
	}
	var steps []StepRow
	if i.HasRun() {
		if steps, err = o.v.Steps(i.ID); err != nil {
			return fmt.Errorf("read the steps of %s: %w", i.Name(), err)
		}
	}
	from := cmp.Or(o.Options.From, "start")
	if o.Options.Step != "" {
		from = "step"
	}
	text := "runs again from the start"
	var kept []StepRow
	switch from {
	case "step":
		if job.step(o.Options.Step) < 0 {
			var known []string
			for n := range job.Steps {
				known = append(known, job.Steps[n].Name)
			}
			o.refuse(i, fmt.Sprintf("its job has no step %q", o.Options.Step), "it has "+strings.Join(known, ", "))
			return nil
		}
		kept = keepSteps(job, steps, o.Options.Step)
		text = "runs again from the step " + o.Options.Step
	case "failed":
		kept = keepSteps(job, steps, "")
		if i.State.Satisfies() && !slices.ContainsFunc(kept, func(s StepRow) bool { return s.State == StepWaiting }) {
			o.refuse(i, "it is "+string(i.State)+", and no step of it failed", "rerun it from the start, or from a step")
			return nil
		}
		text = "runs again from what failed"
	}
	if n := keptSteps(kept); n > 0 {
		text += fmt.Sprintf(", %s kept", plural(n, "step"))
	} else {
		kept = nil
	}
	o.reopen(i, 0, text, version, job, kept)
	return nil
}

// rerunVersion returns the job as of the version that the rerun goes by; version is 0 when it keeps its own.
func (o *operating) rerunVersion(i *Instance) (job *Job, version int64, err error) {
	if o.Options.Version == "latest" {
		row, err := o.v.JobByRef(i.Ref)
		if err != nil {
			return nil, 0, fmt.Errorf("read %s: %w", i.Ref, err)
		}
		version = row.Version
	}
	job, err = o.defs.version(o.v, cmp.Or(version, i.Version))
	return job, version, err
}

// reopen sends the event rerun; upstream is the instance because of which it is sent, 0 when this one was chosen.
func (o *operating) reopen(i *Instance, upstream int64, text string, version int64, job *Job, kept []StepRow) {
	effect := EffectChanged
	if upstream != 0 {
		effect = EffectReopened
	}
	if version != 0 && version != i.Version {
		text += ", by the latest version"
	}
	o.add(act{instance: *i, upstream: upstream, effect: effect, to: Waiting, text: text, do: func(tx Tx, i *Instance) (bool, error) {
		if i.HasRun() { // else it has none
			if ok, err := tx.KeepSteps(i.ID, kept); err != nil || !ok {
				return ok, err
			}
		}
		reason := o.reason(text)
		ok, err := tx.Apply(Transition{Instance: i.ID, Event: Rerun, From: i.State, Fence: i.Fence, At: o.now, Reason: reason, Version: version, Pool: job.Pool})
		if err != nil || !ok {
			return ok, err
		}
		if err := reopenBackfill(tx, i, o.actor(), o.now); err != nil {
			return false, err
		}
		after := *i
		after.next()
		after.State, after.Gate, after.Reason, after.Version = Waiting, GateDependency, reason, cmp.Or(version, i.Version)
		o.notices = append(o.notices, Notice{Instance: after, From: i.State})
		if err := tx.WakeWaiters(i); err != nil {
			return false, err
		}
		return true, o.recount(tx, []settled{{*i, Rerun}}, o.now)
	}})
}

// step returns the ordinal of a step, -1 when there is none of that name.
func (j *Job) step(name string) int {
	return slices.IndexFunc(j.Steps, func(s Step) bool { return s.Name == name && name != "" })
}

// keepSteps gives the steps of the next run: those that succeeded, or were skipped, stay with their outputs; the others wait, with the named one and all
// that need one of these.
func keepSteps(job *Job, before []StepRow, from string) []StepRow {
	rows := make([]StepRow, len(job.Steps))
	again := map[string]bool{}
	for n := range job.Steps {
		name := job.Steps[n].Name
		rows[n] = StepRow{Step: name, State: StepWaiting}
		for _, row := range before {
			if row.Step == name && (row.State == StepSucceeded || row.State == StepSkipped) {
				rows[n].State, rows[n].Outputs = row.State, row.Outputs
			}
		}
		if name == from || rows[n].State == StepWaiting {
			again[name] = true
		}
	}
	for grown := true; grown; {
		grown = false
		for n := range job.Steps {
			s := &job.Steps[n]
			if !again[s.Name] && slices.ContainsFunc(s.Needs, func(need string) bool { return again[need] }) {
				again[s.Name], grown = true, true
			}
		}
	}
	for n := range rows {
		if again[rows[n].Step] {
			rows[n] = StepRow{Step: rows[n].Step, State: StepWaiting}
		}
	}
	return rows
}

// keptSteps counts the steps that are kept.
func keptSteps(steps []StepRow) (n int) {
	for _, s := range steps {
		if s.State != StepWaiting {
			n++
		}
	}
	return n
}

// resumed are the steps that a run goes on from: what succeeded stays, all else is begun anew.
func resumed(stored []StepRow) []StepRow {
	var rows []StepRow
	for _, row := range stored {
		if row.State == StepSucceeded || row.State == StepSkipped {
			rows = append(rows, StepRow{Step: row.Step, State: row.State, Outputs: row.Outputs})
		}
	}
	return rows
}

// reopenDownstream adds every instance that waits, by its recorded waits, for one that is rerun: ended ones begin again, from the start, waiting ones
// stay, and one that runs refuses.
func (o *operating) reopenDownstream() error {
	edge := o.chosen
	for len(edge) > 0 {
		var further []Instance
		for n := range edge {
			next, err := o.v.WaitingFor(&edge[n])
			if err != nil {
				return fmt.Errorf("list what waits for %s: %w", edge[n].Name(), err)
			}
			for _, i := range next {
				if o.seen[i.ID] {
					continue
				}
				o.seen[i.ID] = true
				further = append(further, i)
				if err := o.downstream(&i, &edge[n]); err != nil {
					return err
				}
			}
			if len(o.seen) > MostSelected {
				return tooMany(len(o.seen))
			}
		}
		edge = further
	}
	return nil
}

// downstream decides on one instance that waits for one that is rerun.
func (o *operating) downstream(i, up *Instance) error {
	after := "after " + up.Name()
	switch {
	case i.State == Waiting:
		o.list(i, EffectWoken, Waiting, "waits for "+up.Name())
	case i.State == Running:
		o.refuse(i, "it runs, and waits for "+up.Name(), "cancel it first, or rerun only this one (scope this)")
	case i.DryRun && i.State == Skipped:
		o.list(i, EffectLeft, i.State, "not a work day of the job's calendar")
	default:
		gone, err := o.gone(i)
		if err != nil {
			return err
		}
		if gone != "" {
			o.list(i, EffectLeft, i.State, gone)
			return nil
		}
		job, version, err := o.rerunVersion(i)
		if errors.Is(err, ErrInvalid) {
			o.list(i, EffectLeft, i.State, err.Error())
			return nil
		}
		if err != nil {
			return err
		}
		o.reopen(i, up.ID, "runs again "+after, version, job, nil)
	}
	return nil
}
