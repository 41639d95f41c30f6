package sim

import (
	"fmt"
	"hash/fnv"
	"strings"
	"time"

	"github.com/almanac-sched/almanac/engine"
)

// The ways in which a job holds no slot while it goes on, or starts others.
const (
	watchWait  = "wait"  // it looks again and again
	watchCall  = "call"  // it starts an instance of another job, and ends as that does
	watchStart = "start" // it starts one and does not wait
	watchEach  = "each"  // a step for each item of a list
	watchMany  = "many"  // all of it: a wait, then instances and waits for each item of a list
)

// drawWatches lets some jobs of some worlds watch, by dice of their own.
func (w *World) drawWatches() {
	w.watcher = newDice(w.seed, streamWatches)
	if w.watching = w.watcher.chance(0.5); !w.watching {
		return
	}
	for n := range w.genes {
		w.drawWatch(w.watcher, n)
	}
}

// drawWatch draws how a job watches, if it does. It starts only jobs behind it, so that none starts itself by way of others.
func (w *World) drawWatch(d dice, n int) {
	g := w.genes[n]
	g.watch, g.callee = "", nil
	if !d.chance(0.4) {
		return
	}
	g.watch = pick(d, watchWait, watchCall, watchCall, watchStart, watchEach, watchMany)
	if behind := w.genes[n+1:]; len(behind) > 0 {
		g.callee = behind[d.IntN(len(behind))]
	}
	g.items, g.parallel = d.in(0, 4), d.in(1, 3)
	g.limit, g.onFailure = pick(d, "", "", "PT4M", "PT1H"), pick(d, "fail", "continue", "failSuccessors", "pause")
}

// redrawWatch is a person's edit of what a job watches.
func (w *World) redrawWatch(g *gene) {
	for n := range w.genes {
		if w.genes[n] == g {
			w.drawWatch(w.watcher, n)
			g.revision++
		}
	}
}

// watchText is what a job does that watches; false when it does not.
func (g *gene) watchText(b *strings.Builder, command string) bool {
	wait := fmt.Sprintf("type: wait, interval: PT2M, http: {uri: \"https://ready.example/%s/r%d\"}", g.name, g.revision)
	call := wait
	if g.callee != nil && !g.callee.gone {
		call = "type: job, job: " + g.callee.name
		if g.watch == watchStart {
			call += ", wait: false"
		}
	}
	limit := ""
	if g.limit != "" {
		limit = ", timeout: " + g.limit
	}
	items := make([]string, g.items)
	for n := range items {
		items[n] = fmt.Sprintf("item%d", n)
	}
	list := "[" + strings.Join(items, ", ") + "]"
	if g.items == 0 {
		list = `"[]"` // a text, since nobody writes an empty list out
	}
	each := fmt.Sprintf("forEach: %s, parallel: %d, onFailure: %s", list, g.parallel, g.onFailure)
	switch g.watch {
	case "":
		return false
	case watchWait:
		fmt.Fprintf(b, "    action: {%s}\n", wait)
	case watchCall, watchStart:
		fmt.Fprintf(b, "    action: {%s}\n", call)
	case watchEach:
		fmt.Fprintf(b, `    steps:
      list: {type: shell, command: "%s list", outputs: [rows]}
      each: {needs: [list], %s, type: shell, command: "%s each", args: ["${{ item }}"]}
      last: {needs: [each], type: none}
`, command, each, command)
	default:
		fmt.Fprintf(b, `    steps:
      ready: {%s%s}
      runs: {needs: [ready], %s, %s%s}
      looks: {needs: [ready], %s, %s}
      last: {needs: [runs, looks], type: shell, command: "%s last"}
`, wait, limit, each, call, limit, each, wait, command)
	}
	return true
}

// look is one look of a step that waits: the server makes it itself, and it ends with it.
func (p *proxy) look(c *call) {
	w, a := p.s.w, c.attempt
	w.ledger.checkLook(p.s, a)
	c.look = true
	w.saw("look")
	w.looks[a.ID]++
	began := p.s.now()
	result := engine.Result{Attempt: a.ID, Outcome: engine.OutcomeFailed, Status: 404, StartedAt: began, Message: "HTTP 404"}
	takes, needed, impossible := w.patienceOf(a)
	switch {
	case impossible:
		result.Unrepeatable, result.Message = true, "the secret is not there"
	case w.chaos && w.net.chance(w.net.loss):
		result.Status, result.Message = 0, "the answer did not come"
	case w.looks[a.ID] > needed || !w.chaos:
		result.Outcome, result.Status, result.Message = engine.OutcomeSucceeded, 200, ""
	}
	if limit := a.Action.Timeout; limit > 0 && takes > limit {
		takes = limit
		result = engine.Result{Attempt: a.ID, Outcome: engine.OutcomeTimeout, Message: "timeout", StartedAt: began}
	}
	p.s.soon(takes+time.Millisecond, func() {
		if c.result == nil {
			if result.EndedAt = p.s.now(); result.Outcome == engine.OutcomeSucceeded {
				w.witness.found[a.ID] = true
			}
			p.finish(c, result)
		}
	})
}

// patienceOf decides how a step that waits will go: how long a look takes, and how many find nothing before one does.
func (w *World) patienceOf(a engine.Attempt) (takes time.Duration, needed int, impossible bool) {
	h := fnv.New64a()
	fmt.Fprint(h, w.seed, "look", a.Ref, a.PlanTime.Unix(), a.Step, a.Number)
	n := h.Sum64()
	takes = time.Duration(n>>8%70_000) * time.Millisecond / 4
	needed = int(n >> 24 % 6)
	if n%16 == 0 {
		needed = 1 << 30 // not in this chaos
	}
	return takes, needed, w.chaos && n>>40%40 == 0
}

// checkLook sees a look begin. A server alone makes none but of what a running instance watches.
func (l *ledger) checkLook(s *server, a engine.Attempt) {
	row := l.watches[a.ID]
	if !l.w.shape.shared && (row == nil || l.instances[row.Instance].state != engine.Running) {
		l.w.broken("I6", "%s looks for step %q of %s, and the rows say %+v", s.name, a.Step, a.Ref, row)
	}
}

func (r *recorder) PutWatch(row engine.WatchRow, fence int64) (bool, error) {
	ok, err := r.Tx.PutWatch(row, fence)
	r.add(op{kind: opWatch, ok: ok, id: row.Instance, fence: fence, watch: &row})
	return ok, err
}

func (r *recorder) EndWatch(id, instance, fence int64) (bool, error) {
	ok, err := r.Tx.EndWatch(id, instance, fence)
	r.add(op{kind: opEndWatch, ok: ok, id: instance, n: id, fence: fence})
	return ok, err
}

// putWatch enters what a step watches: it is the only one of its step, nothing of the step lives beside it, and the instance that it names is there.
func (b *booking) putWatch(o *op) {
	row := *o.watch
	if !b.fenced(o, "what a step watches") {
		return
	}
	i, before := b.instances[row.Instance], b.watches[row.ID]
	if before == nil {
		for _, id := range sortedKeys(b.watches) {
			if other := b.watches[id]; other.Instance == row.Instance && other.Step == row.Step {
				b.w.broken("I2", "step %q of instance %d of %s watches twice: %d and %d", row.Step, i.id, i.ref, id, row.ID)
			}
		}
		for _, id := range i.attempts {
			a := b.attempts[id]
			if !a.row.Error && a.row.Step == row.Step && (a.result == nil || a.row.Number >= row.Number) {
				b.w.broken("I2", "step %q of instance %d of %s watches as its attempt %d, beside %+v", row.Step, i.id, i.ref, row.Number, a.row)
			}
		}
		if b.forgotten(i) {
			b.w.broken("I9", "step %q of instance %d of %s begins to watch although its cancellation was decided", row.Step, i.id, i.ref)
		}
		if child := b.instances[row.Child]; row.Child != 0 && (child == nil || child.kind != engine.Manual) {
			b.w.broken("I6", "step %q of instance %d of %s waits for instance %d, which is %+v", row.Step, i.id, i.ref, row.Child, child)
		}
		b.w.logf("%s watch %d of %d %s step=%q n=%d child=%d", b.s.name, row.ID, i.id, i.ref, row.Step, row.Number, row.Child)
		if row.Child != 0 {
			b.w.saw("instance started by a step")
			if other := b.called[row.Child]; other != 0 {
				b.w.broken("I6", "step %q of instance %d of %s was given instance %d, which its attempt of watch %d had started", row.Step, i.id, i.ref, row.Child, other)
			}
			b.called[row.Child] = row.ID
		}
		if strings.HasSuffix(row.Step, "]") {
			b.w.saw("item watches")
		}
	}
	b.watches[row.ID] = &row
}

// endWatch enters that a watch is over: the same commit makes the attempt of it.
func (b *booking) endWatch(o *op) {
	row, i := b.watches[o.n], b.instances[o.id]
	holds := row != nil && row.Instance == o.id && i != nil && i.state == engine.Running && i.fence == o.fence
	switch {
	case o.ok != holds:
		b.w.broken("I3", "the end of watch %d of instance %d under fence %d was accepted=%t while it was %+v of %+v", o.n, o.id, o.fence, o.ok, row, i)
	case !o.ok:
		b.refusedWrite(i, o.fence)
	default:
		delete(b.watches, o.n)
		if b.over == nil {
			b.over = map[int64]*engine.WatchRow{}
		}
		b.over[o.n] = row
	}
}

// becomes holds the attempt that a watch becomes against what there was to see. false: it was no watch.
func (b *booking) becomes(i *entry, a *engine.AttemptRow) bool {
	row := b.over[a.ID]
	if row == nil {
		return false
	}
	delete(b.over, a.ID)
	b.w.saw("watch ended " + string(a.Result.Outcome))
	if a.Instance != row.Instance || a.Step != row.Step || a.Number != row.Number {
		b.w.broken("I2", "watch %+v became the attempt %+v", *row, *a)
	}
	if a.Result.Outcome != engine.OutcomeSucceeded {
		return true
	}
	job := b.definition(i.version)
	if job == nil {
		return true
	}
	step := job.StepOf(a.Step)
	switch child := b.instances[row.Child]; {
	case row.Child == 0 && !b.w.witness.found[row.ID]:
		b.w.broken("I6", "step %q of instance %d of %s is recorded as so, and no look has found it", a.Step, i.id, i.ref)
	case row.Child != 0 && step != nil && step.Action.Call != nil && step.Action.Call.Wait && (child == nil || !child.satisfied):
		b.w.broken("I4", "step %q of instance %d of %s succeeded although instance %d, which it waits for, never did: %+v", a.Step, i.id, i.ref, row.Child, child)
	}
	return true
}

// checkOver demands that what has stopped to be a watch has become an attempt.
func (b *booking) checkOver() {
	for _, id := range sortedKeys(b.over) {
		b.w.broken("I2", "watch %d of instance %d is over, and there is no attempt of it", id, b.over[id].Instance)
	}
}

// leaveWatches lets what an instance watched go: it has stopped running.
func (b *booking) leaveWatches(i *entry) {
	for id, row := range b.watches {
		if row.Instance == i.id {
			delete(b.watches, id)
		}
	}
}

// checkWatches judges what a running instance watches at rest. It reports whether something of it is on its way.
func (w *World) checkWatches(v engine.View, e *entry, now time.Time) (bool, error) {
	rows, err := v.Watches(e.id)
	if err != nil {
		return false, err
	}
	for n := range rows {
		row := &rows[n]
		if w.ledger.watches[row.ID] == nil {
			w.broken("store", "instance %d of %s watches %+v, which was never committed", e.id, e.ref, *row)
			return false, nil
		}
		if row.Child == 0 {
			if now.Sub(row.Next) > patience && !row.Next.IsZero() {
				w.broken("progress", "step %q of instance %d of %s@%s was to look at %s, and everything is healed: %+v", row.Step, e.id, e.ref, e.plan, row.Next, *row)
			}
			continue
		}
		child := w.ledger.instances[row.Child]
		if child == nil || child.state.Ended() && child.ended.Before(now.Add(-patience)) {
			w.broken("progress", "step %q of instance %d of %s@%s waits for instance %d, which has ended: %+v", row.Step, e.id, e.ref, e.plan, row.Child, child)
		}
	}
	return len(rows) > 0, nil
}
