package sim

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/almanac-sched/almanac/engine"
)

// A laneEntry is a backfill as the commits have left it.
type laneEntry struct {
	row     engine.BackfillRow
	entries []*entry
	unreal  []op // what is written of it and is not real
	pruned  bool // retention has removed instances of it
}

func (b *booking) putBackfill(row *engine.BackfillRow) {
	l := b.lanes[row.Key]
	if l == nil {
		l = &laneEntry{}
		b.lanes[row.Key] = l
	}
	if l.row.Stage != row.Stage {
		b.w.saw("backfill " + string(row.Stage))
		b.w.logf("%s backfill %s is %s: %s", b.s.name, row.Key, row.Stage, row.Reason.Detail)
	}
	was := l.row.Stage
	l.row = *row
	switch unreal := l.unreal; {
	case row.Stage.Real() && len(unreal) > 0:
		l.unreal = nil
		for n := range unreal {
			b.insert(&unreal[n])
		}
		fallthrough
	case row.Stage == engine.BackfillRunning && was == engine.BackfillApplying:
		if len(l.entries) != row.Options.Instances {
			b.w.broken("I8", "the backfill %s became real with %d of its %d instances", row.Key, len(l.entries), row.Options.Instances)
		}
	}
}

// write counts what is written of a backfill that is not real.
func (b *booking) write(o *op) {
	l := b.lanes[o.key]
	switch {
	case !o.ok || l == nil:
	case o.kind == opWritten:
		if int(o.n) != len(l.unreal) {
			b.w.broken("I8", "%d instances of the backfill %s count as written, and %d are", o.n, o.key, len(l.unreal))
		}
		b.w.saw("backfill sliced")
	default:
		b.w.saw("backfill withdrawn in part")
		l.unreal = l.unreal[:len(l.unreal)-int(o.n)] // which of them says nothing any more
	}
}

// checkBackfills demands that no backfill is left half applied: what was acknowledged is real, or was taken away and says so.
func (w *World) checkBackfills() {
	for _, key := range sortedKeys(w.ledger.lanes) {
		l := w.ledger.lanes[key]
		switch o := &l.row.Options; {
		case !l.row.Stage.Real():
			w.broken("I8", "the backfill %s is still %s: %d of %d instances are written", key, l.row.Stage, l.row.Written, o.Instances)
		case o.Withdrawn != (len(l.entries) == 0) && !l.pruned:
			w.broken("I8", "the backfill %s is %s and has %d instances", key, l.row.Stage, len(l.entries))
		case l.row.Written != 0 || len(l.unreal) != 0:
			w.broken("I8", "the backfill %s is %s, and %d instances of it are not real", key, l.row.Stage, len(l.unreal))
		}
	}
}

// setLanePriority enters the priority that those of a backfill have now that wait, with ids in a range.
func (b *booking) setLanePriority(o *op) {
	l := b.lanes[o.key]
	if !o.ok || l == nil {
		return
	}
	n := int64(0)
	for _, i := range l.entries {
		if i.state == engine.Waiting && i.id >= o.id && i.id < o.fence {
			i.priority = o.priority
			n++
		}
	}
	if n != o.n {
		b.w.broken("store", "the priority of %d instances of the backfill %s was set, and %d wait", o.n, o.key, n)
	}
}

// checkLane holds the start of an instance of a backfill against what its lane may do: nothing starts of one that is paused or cancelled, and no more at
// once than may.
func (b *booking) checkLane(i *entry) {
	l := b.lanes[i.key]
	if i.kind != engine.Backfill || l == nil {
		return
	}
	if l.row.Stage != engine.BackfillRunning {
		b.w.broken("I9", "instance %d of the backfill %s was started while that was %s", i.id, i.key, l.row.Stage)
	}
	if most := l.row.Options.Parallel; most > 0 && l.active() >= most {
		b.w.broken("I5", "instance %d of the backfill %s was started while %d of %d ran", i.id, i.key, l.active(), most)
	}
}

func (l *laneEntry) active() (n int) {
	for _, i := range l.entries {
		if i.state == engine.Running {
			n++
		}
	}
	return n
}

// between lists the entries of a job in [first, last].
func (l *laneEntry) between(job int64, first, last time.Time) (list []*entry) {
	if l == nil {
		return nil
	}
	for _, i := range l.entries {
		if i.job == job && !i.plan.Before(first) && !i.plan.After(last) {
			list = append(list, i)
		}
	}
	return list
}

// upstream lists what a wait is for.
func (l *ledger) upstream(j *jobEntry, p *engine.Wait) []*entry {
	if p.Key == "" {
		return j.between(p.First, p.Last)
	}
	return l.lanes[p.Key].between(p.Upstream, p.First, p.Last)
}

// mostFilled bounds a backfill: a world is short.
const mostFilled = 40

// backfills lets the operator make backfills and change them, by dice of their own.
func (w *World) backfills() {
	if w.shape.operator == 0 {
		return
	}
	w.filler = newDice(w.seed, streamBackfills)
	var again func()
	again = func() {
		if !w.chaos {
			return
		}
		if s := w.serverBy(w.filler); s != nil {
			switch d := w.filler; {
			case len(w.filled) == 0 || d.chance(0.4):
				w.fill(s)
			default:
				w.refill(s, w.filled[d.IntN(len(w.filled))])
			}
		}
		w.after(w.filler.about(w.shape.operator), again)
	}
	w.after(w.filler.about(w.shape.operator), again)
}

// serverBy is a server that could answer a request now, as the dice say.
func (w *World) serverBy(d dice) *server {
	first := d.IntN(len(w.servers))
	for n := range w.servers {
		if s := w.servers[(first+n)%len(w.servers)]; s.up && s.loaded && s.still == 0 {
			return s
		}
	}
	return nil
}

// fill plans and applies a backfill.
func (w *World) fill(s *server) {
	d := w.filler
	g := w.genes[d.IntN(len(w.genes))]
	day := func(back int) string { return s.now().AddDate(0, 0, -back).Format("2006-01-02") }
	last := d.in(1, 4)
	r := engine.BackfillRequest{
		Jobs: []string{"w/" + g.name}, From: day(last + d.in(0, 2)), To: day(last), Parallel: d.in(0, 3), ByDay: d.chance(0.3), StopOnFailure: d.chance(0.3),
		IgnoreMissing: d.chance(0.8), Select: []string{pick(d, "missing", "failed", "all")}, Order: pick(d, "asc", "desc"), Upstream: pick(d, "", "1"),
		Downstream: pick(d, "", "all"),
	}
	if d.chance(0.5) {
		r.Share = pick(d, "0..1", "1..2", "2..9")
	}
	var key string
	var wanted int
	w.command(s, "backfill", func(ctx context.Context) error {
		plan, err := s.engine.PlanBackfill(ctx, r, s.now())
		if err != nil {
			return err
		}
		if plan.In == 0 || plan.In > mostFilled {
			return fmt.Errorf("%w: %d instances are not for this world", engine.ErrInvalid, plan.In)
		}
		key, wanted = plan.ID, plan.In
		w.filled = append(w.filled, key)
		_, _, err = s.engine.ApplyBackfill(ctx, engine.BackfillApplication{
			ID: plan.ID, At: plan.At, Fingerprint: plan.Fingerprint, Request: r, Jobs: plan.Jobs, Actor: "operator",
		}, s.now())
		return err
	}, func() string {
		switch l := w.ledger.lanes[key]; {
		case l == nil:
			return fmt.Sprintf("there is no backfill %s", key)
		case !l.row.Stage.Real() || l.row.Options.Withdrawn: // until later, see checkBackfills; or while a slow server answered it was given up
		case len(l.entries) != wanted:
			return fmt.Sprintf("the backfill %s has not its %d instances", key, wanted)
		}
		return ""
	})
	if key != "" {
		w.overtake(s, key)
	}
}

// overtake cancels a backfill while it is being applied, which is soon over.
func (w *World) overtake(s *server, key string) {
	if w.filler.chance(0.3) {
		w.after(2*turnTakes, func() {
			if w.chaos && s.up && s.loaded && s.still == 0 {
				w.cancelFilled(s, key, false)
			}
		})
	}
}

// cancelFilled cancels a backfill.
func (w *World) cancelFilled(s *server, key string, running bool) {
	w.command(s, "cancel backfill", func(ctx context.Context) error {
		_, err := s.engine.CancelBackfill(ctx, key, "operator", "", running, s.now())
		return err
	}, func() string {
		l := w.ledger.lanes[key]
		if l == nil {
			return "there is no such backfill"
		}
		switch l.row.Stage {
		case engine.BackfillCancelling, engine.BackfillWithdrawing, engine.BackfillCancelled:
			return ""
		}
		return "it is " + string(l.row.Stage)
	})
}

// refill pauses, resumes, changes or cancels a backfill.
func (w *World) refill(s *server, key string) {
	d := w.filler
	what := pick(d, "pause", "resume", "set", "cancel")
	running, priority := d.chance(0.5), d.in(1, 9)
	if what == "cancel" {
		w.cancelFilled(s, key, running)
		return
	}
	w.command(s, what+" backfill", func(ctx context.Context) (err error) {
		switch what {
		case "pause":
			_, err = s.engine.PauseBackfill(ctx, key, "operator", "", s.now())
		case "resume":
			_, err = s.engine.ResumeBackfill(ctx, key, "operator", "", s.now())
		default:
			_, err = s.engine.SetBackfill(ctx, key, engine.BackfillChange{Priority: &priority}, "operator", "", s.now())
		}
		return err
	}, func() string {
		l := w.ledger.lanes[key]
		if l == nil {
			return "there is no such backfill"
		}
		if stage, told := map[string]engine.BackfillStage{"pause": engine.BackfillPaused, "resume": engine.BackfillRunning}[what]; told && l.row.Stage != stage {
			return "it is " + string(l.row.Stage)
		}
		return ""
	})
}

// checkSleeping judges a waiting instance of a backfill at rest: in a lane that is paused it may wait for ever, and otherwise something of the lane must run
// or wait for a reason that stands.
func (w *World) checkSleeping(v engine.View, e *entry, now time.Time, free int) error {
	row, err := v.Backfill(e.key)
	if errors.Is(err, engine.ErrNotFound) {
		w.broken("I14", "instance %d waits in the backfill %s, which is gone", e.id, e.key)
		return nil
	}
	if err != nil || row.Stage == engine.BackfillPaused {
		return err
	}
	if !row.Stage.Open() || row.Stage == engine.BackfillCancelling {
		w.broken("I7", "instance %d waits in the backfill %s, which is %s", e.id, e.key, row.Stage)
		return nil
	}
	i, err := v.Instance(e.id)
	if err != nil {
		return err
	}
	job := w.ledger.definition(e.version)
	verdict, err := judge(v, &i, job, w.ledger.limit(e.job, job), w.ledger.jobs[e.job].row.Disabled, now)
	if err != nil {
		return err
	}
	l := w.ledger.lanes[e.key]
	if row.Options.ByDay {
		for _, other := range l.entries {
			if !other.state.Ended() && other.id < e.id {
				return nil // one of an earlier day
			}
		}
	}
	if verdict.Open && free > 0 && l.active() == 0 && w.roomInPool(job.Pool) {
		w.broken("I7", "instance %d of %s@%s waits behind the gate %s since %s, nothing of its backfill %s runs, and every gate is open: %+v", e.id, e.ref, e.plan, i.Gate,
			i.NotBefore, e.key, i.Reason)
	}
	return nil
}
