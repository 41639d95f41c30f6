package sim

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/almanac-sched/almanac/engine"
)

// A pendingReview is a change of the folder that a person has looked at and not loaded yet.
type pendingReview struct {
	genes    []*gene
	folder   []*engine.Workflow
	review   engine.Review
	loaded   string // what was, by then
	reviewed map[engine.InstanceName]bool
}

// reviews lets the operator compare a change with what is loaded, and apply it later, by dice of their own: what was loaded meanwhile makes it void.
func (w *World) reviews() {
	if w.shape.operator == 0 {
		return
	}
	w.reviewer = newDice(w.seed, streamReviews)
	if !w.reviewer.chance(0.5) {
		return
	}
	var again func()
	again = func() {
		if !w.chaos {
			return
		}
		if s := w.serverBy(w.reviewer); s != nil {
			if w.pending == nil {
				w.compare(s)
			} else {
				w.applyReview(s)
			}
		}
		w.after(w.reviewer.about(w.shape.operator), again)
	}
	w.after(w.reviewer.about(w.shape.operator), again)
}

// compare asks what a change of one job would do.
func (w *World) compare(s *server) {
	d := w.reviewer
	p := &pendingReview{genes: cloneGenes(w.genes), loaded: w.ledger.loaded(), reviewed: map[engine.InstanceName]bool{}}
	g := p.genes[d.IntN(len(p.genes))]
	switch {
	case g.gone:
		g.gone = false
	case d.chance(0.2):
		g.gone = true
	case d.chance(0.3):
		g.disabled = !g.disabled
	default:
		g.revision++
	}
	var err error
	if p.folder, err = w.compile(p.genes); err != nil || len(p.folder) == 0 {
		return // such a folder no person would get to load
	}
	dropDue := d.chance(0.4)
	w.command(s, "compare", func(ctx context.Context) error {
		now := s.now()
		diff, err := s.engine.DiffLoaded(ctx, p.folder, now, now.Add(w.shape.planAhead), dropDue, now)
		if err != nil {
			return err
		}
		p.review = engine.Review{Loaded: diff.Loaded, Definitions: diff.Definitions, DropDue: dropDue, Actor: "operator", Note: "looked at"}
		name := func(n engine.InstanceName) {
			if !p.reviewed[n] {
				p.reviewed[n], p.review.Dropped = true, append(p.review.Dropped, n)
			}
		}
		for _, i := range diff.Removed {
			name(engine.InstanceName{Ref: i.Ref, PlanTime: i.PlanTime})
		}
		for n := range diff.Due {
			if due := &diff.Due[n]; due.Fate == engine.DueDropped || due.Fate == engine.DueStranded {
				name(engine.InstanceName{Ref: due.Instance.Ref, Key: due.Instance.Key, PlanTime: due.Instance.PlanTime})
			}
		}
		w.pending = p
		return nil
	}, func() string { return "" })
}

// applyReview loads what was reviewed. It may be refused; when other definitions were loaded meanwhile it must be.
func (w *World) applyReview(s *server) {
	p := w.pending
	w.pending = nil
	genes, folder := w.genes, w.folder
	w.genes, w.folder = p.genes, p.folder
	w.edition++
	edition, drifted := w.edition, w.ledger.loaded() != p.loaded
	s.applying = p
	refused := false
	w.command(s, "apply", func(ctx context.Context) error {
		_, err := s.engine.Apply(ctx, p.folder, p.review, s.now())
		refused = err != nil && !unsure(err)
		return err
	}, func() string {
		if edition == w.edition {
			w.acknowledgeLoad()
		}
		return ""
	})
	s.applying = nil
	if refused {
		if drifted {
			w.saw("drift refused")
		}
		if edition == w.edition { // nobody has changed the folder meanwhile
			w.genes, w.folder = genes, folder
		}
	}
}

// cloneGenes copies what jobs are made from, so that a change of the copy is none of the original.
func cloneGenes(genes []*gene) []*gene {
	copies := make([]*gene, len(genes))
	by := map[*gene]*gene{}
	for n, g := range genes {
		c := *g
		c.when, c.needs, c.rest = slices.Clone(g.when), slices.Clone(g.needs), slices.Clone(g.rest)
		copies[n] = &c
		by[g] = &c
	}
	for _, c := range copies {
		if c.callee != nil {
			c.callee = by[c.callee]
		}
	}
	return copies
}

// loaded says which version of each job is loaded: what was changed and changed back is the same again.
func (l *ledger) loaded() string {
	var b strings.Builder
	for _, id := range sortedKeys(l.jobs) {
		if row := &l.jobs[id].row; !row.Removed {
			fmt.Fprintf(&b, "%s %d %t\n", row.Ref, row.Version, row.Disabled)
		}
	}
	return b.String()
}

// define holds a change of definitions that is made by a review against what was reviewed.
func (b *booking) define(before, row *engine.JobRow) {
	if b.loading(row.ID) {
		return
	}
	if before != nil && before.Version == row.Version && before.Disabled == row.Disabled && before.Removed == row.Removed {
		return
	}
	if p := b.s.applying; p != nil && b.s.commanded && !b.applied && p.loaded != b.loaded() {
		b.w.broken("I9", "%s applies a review of what is not loaded any more", b.s.name)
	}
	b.applied = true
}

// defineInSlices does so when a load is taken down: its slices follow one another.
func (b *booking) defineInSlices() {
	if p := b.s.applying; p != nil && b.s.commanded && p.loaded != b.loaded() {
		b.w.broken("I9", "%s applies a review of what is not loaded any more", b.s.name)
	}
}
