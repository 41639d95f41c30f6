package sim

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"

	"github.com/almanac-sched/almanac/engine"
)

// acts are what a person does to an installation (fault 14), each with its share. Backfill gets its line here when the engine has it.
var acts = []struct {
	name  string
	share int
	do    func(w *World, s *server)
}{
	{"edit", 6, (*World).edit},
	{"move upstream", 6, (*World).moveUpstream},
	{"disable", 2, (*World).disable},
	{"enable", 3, (*World).enable},
	{"delete", 2, (*World).remove},
	{"add again", 3, (*World).bringBack},
	{"trigger", 6, (*World).trigger},
	{"cancel", 5, (*World).cancel},
	{"confirm", 4, (*World).confirm},
	{"rerun", 6, (*World).rerun},
	{"force", 2, (*World).force},
	{"skip", 2, (*World).skip},
	{"freeze", 2, (*World).freeze},
	{"unfreeze", 4, (*World).unfreeze},
	{"detach", 3, (*World).detach},
	{"run-now", 3, (*World).runNow},
	{"boost", 3, (*World).boost},
	{"reschedule", 2, (*World).reschedule},
	{"ahead", 3, (*World).ahead},
	{"many", 4, (*World).many},
	{"pause", 3, (*World).pause},
	{"resume", 2, (*World).resume},
	{"backup", 2, (*World).backup},
	{"restore", 1, (*World).restore},
}

// operate lets the operator act again and again.
func (w *World) operate() {
	if w.shape.operator == 0 {
		return
	}
	all := 0
	for _, a := range acts {
		all += a.share
	}
	var again func()
	again = func() {
		if !w.chaos {
			return
		}
		n := w.operator.IntN(all)
		for _, a := range acts {
			if n -= a.share; n < 0 {
				if s := w.anyServer(); s != nil {
					a.do(w, s)
				}
				break
			}
		}
		w.after(w.operator.about(w.shape.operator), again)
	}
	w.after(w.operator.about(w.shape.operator), again)
}

// anyServer is a server that could answer a request now.
func (w *World) anyServer() *server {
	return w.serverBy(w.operator)
}

// command carries a person's command out on a server. When it is acknowledged, check says what is not there; one that is refused must leave no trace.
func (w *World) command(s *server, name string, do func(ctx context.Context) error, check func() string) {
	life, commits := s.life, s.commits
	err := errDone
	s.commanded = true
	s.call(func() { err = do(context.Background()) })
	s.commanded = false
	switch {
	case life != s.life || errors.Is(err, errDone):
		w.saw("command unacknowledged")
		w.logf("%s %s: no answer", s.name, name)
		return
	case err == nil:
		w.saw(name)
		w.logf("%s %s: acknowledged", s.name, name)
		if missing := check(); missing != "" {
			w.broken("I9", "%s was acknowledged by %s, and %s", name, s.name, missing)
		}
	case unsure(err):
		w.saw("command unacknowledged")
		w.logf("%s %s: %s", s.name, name, err)
	default:
		w.saw("command refused")
		w.logf("%s %s: %s", s.name, name, err)
		if s.commits != commits {
			w.broken("I9", "%s was refused by %s with %q, and has written", name, s.name, err)
		}
	}
	s.nudge()
}

// unsure reports whether an error leaves open what has become of a command.
func unsure(err error) bool { return errors.Is(err, engine.ErrUnavailable) || errors.Is(err, errInOut) }

var errDone = errors.New("the server has died")

func (w *World) anyGene(fits func(*gene) bool) *gene {
	first := w.operator.IntN(len(w.genes))
	for n := range w.genes {
		if g := w.genes[(first+n)%len(w.genes)]; fits(g) {
			return g
		}
	}
	return nil
}

// reload compiles the changed genes and gives them to a server. The folder has changed whatever the server says: its next start loads it too.
func (w *World) reload(s *server, name string) {
	workflows, err := w.compile(w.genes)
	if err != nil {
		w.broken("I9", "the operator's file is refused: %s", err)
		return
	}
	w.folder = workflows
	w.edition++
	edition := w.edition
	w.command(s, name, func(ctx context.Context) error {
		_, err := s.engine.Load(ctx, workflows, s.now())
		return err
	}, func() string {
		if edition == w.edition { // while a slow server loaded, another may have loaded what came after
			w.acknowledgeLoad()
		}
		return ""
	})
}

// acknowledgeLoad holds what a load has promised against the book.
func (w *World) acknowledgeLoad() {
	for _, workflow := range w.folder {
		for _, job := range workflow.Jobs {
			id, known := w.ledger.refs[job.Ref()]
			if !known {
				w.broken("I9", "a load was acknowledged, and %s is unknown", job.Ref())
				return
			}
			row := w.ledger.jobs[id].row
			if v := w.ledger.versions[row.Version]; v == nil || string(v.Definition) != string(job.Definition) || row.Removed || row.Disabled != job.Disabled {
				w.broken("I9", "a load was acknowledged, and %s is %+v", job.Ref(), row)
				return
			}
		}
	}
	for _, g := range w.genes {
		if id, known := w.ledger.refs[engine.JobRef{Workflow: "w", Job: g.name}]; known && g.gone && !w.ledger.jobs[id].row.Removed {
			w.broken("I9", "a load without %s was acknowledged, and it is still there", g.name)
			return
		}
	}
}

func (w *World) edit(s *server) {
	g := w.anyGene(func(g *gene) bool { return !g.gone })
	if g == nil {
		return
	}
	before := *g
	g.revision++
	d := w.operator
	if w.watching && w.watcher.chance(0.3) {
		w.redrawWatch(g)
	}
	switch d.IntN(5) {
	case 4:
		w.reverse(g)
	case 0:
		g.when, g.manual = nil, false
		w.drawWhen(d, g)
		if g.manual {
			g.needs = nil
		}
	case 1:
		w.drawNeeds(d, g, w.genes)
	case 2:
		fresh := w.newGene(d, 0)
		g.rest, g.kind, g.steps, g.confirm = fresh.rest, fresh.kind, fresh.steps, fresh.confirm
	}
	if _, err := w.compile(w.genes); err != nil {
		*g = before
		return
	}
	w.reload(s, "edit")
}

// moveUpstream changes when a job is due that another waits for just now.
func (w *World) moveUpstream(s *server) {
	awaited := map[string]bool{}
	for _, id := range sortedKeys(w.ledger.instances) {
		if i := w.ledger.instances[id]; i.state == engine.Waiting && i.gate == engine.GateDependency {
			for n := range i.waits {
				if up := w.ledger.jobs[i.waits[n].Upstream]; up != nil {
					awaited[up.row.Ref.Job] = true
				}
			}
		}
	}
	g := w.anyGene(func(g *gene) bool { return !g.gone && !g.manual && awaited[g.name] })
	if g == nil {
		return
	}
	before := *g
	g.revision++
	g.when = nil
	w.drawWhen(w.operator, g)
	if g.manual {
		*g = before
		return
	}
	if _, err := w.compile(w.genes); err != nil {
		*g = before
		return
	}
	w.reload(s, "move upstream")
}

// reverse turns a dependency round: what waits already waits the old way, what is planned anew the new way, and the two may wait for each other.
func (w *World) reverse(g *gene) {
	if len(g.needs) == 0 {
		return
	}
	name, _, _ := strings.Cut(strings.TrimPrefix(g.needs[0], "{job: "), ",")
	name = strings.TrimSuffix(name, "}")
	for _, up := range w.genes {
		if up.name == name && !up.gone && up != g {
			g.needs = g.needs[1:]
			up.needs = append([]string{"{job: " + g.name + "}"}, up.needs...)
			up.revision++
		}
	}
}

func (w *World) disable(s *server) {
	if g := w.anyGene(func(g *gene) bool { return !g.gone && !g.disabled }); g != nil {
		g.disabled = true
		w.reload(s, "disable")
	}
}

func (w *World) enable(s *server) {
	if g := w.anyGene(func(g *gene) bool { return !g.gone && g.disabled }); g != nil {
		g.disabled = false
		w.reload(s, "enable")
	}
}

// remove takes a job and what depends on it out of the file.
func (w *World) remove(s *server) {
	g := w.anyGene(func(g *gene) bool { return !g.gone })
	left := 0
	for _, other := range w.genes {
		if !other.gone {
			left++
		}
	}
	if g == nil || left < 3 {
		return
	}
	g.gone = true
	if _, err := w.compile(w.genes); err != nil {
		g.gone = false
		return
	}
	w.reload(s, "delete")
}

func (w *World) bringBack(s *server) {
	if g := w.anyGene(func(g *gene) bool { return g.gone }); g != nil {
		g.gone = false
		if _, err := w.compile(w.genes); err != nil {
			g.gone = true
			return
		}
		w.reload(s, "add again")
	}
}

func (w *World) trigger(s *server) {
	g := w.anyGene(func(g *gene) bool { return true })
	w.keys++
	request := engine.TriggerRequest{Ref: engine.JobRef{Workflow: "w", Job: g.name}, Actor: "operator", Key: fmt.Sprintf("key-%d", w.keys)}
	if w.keys > 1 && w.operator.chance(0.2) {
		request.Key = fmt.Sprintf("key-%d", w.operator.in(1, w.keys))
	}
	var instance engine.Instance
	w.command(s, "trigger", func(ctx context.Context) (err error) {
		instance, _, err = s.engine.Trigger(ctx, request, s.now())
		return err
	}, func() string {
		id := w.ledger.refs[request.Ref]
		if j := w.ledger.jobs[id]; j == nil || j.keyed[request.Key] == nil || j.keyed[request.Key].id != instance.ID {
			return fmt.Sprintf("%s has no instance of the key %s", request.Ref, request.Key)
		}
		return ""
	})
}

// anyInstance picks an instance that fits, by the book.
func (w *World) anyInstance(fits func(*entry) bool) *entry {
	var list []*entry
	for _, id := range sortedKeys(w.ledger.instances) {
		if i := w.ledger.instances[id]; fits(i) {
			list = append(list, i)
		}
	}
	if len(list) == 0 {
		return nil
	}
	return list[w.operator.IntN(len(list))]
}

func (w *World) cancel(s *server) {
	wanted := pick(w.operator, engine.Running, engine.Running, engine.Waiting, engine.Lost, engine.Succeeded)
	i := w.anyInstance(func(i *entry) bool { return i.state == wanted })
	if i == nil {
		return
	}
	w.command(s, "cancel", func(ctx context.Context) error {
		_, err := s.engine.Cancel(ctx, i.id, "operator", "not wanted", s.now())
		return err
	}, func() string {
		now := w.ledger.instances[i.id]
		if now == nil || !now.cancel && !now.state.Ended() {
			return fmt.Sprintf("instance %d is %+v", i.id, now)
		}
		if now.state == engine.Running {
			now.told, now.toldAt = true, s.turned
		}
		return ""
	})
}

func (w *World) confirm(s *server) {
	i := w.anyInstance(func(i *entry) bool { return i.state == engine.Waiting && i.gate == engine.GateConfirm })
	if i == nil {
		i = w.anyInstance(func(i *entry) bool { return i.state == engine.Waiting && !i.confirmed || i.state == engine.Running })
	}
	if i == nil {
		return
	}
	w.command(s, "confirm", func(ctx context.Context) error {
		_, err := s.engine.Confirm(ctx, i.id, "operator", s.now())
		return err
	}, func() string {
		if now := w.ledger.instances[i.id]; now == nil || !now.confirmed {
			return fmt.Sprintf("instance %d is %+v", i.id, now)
		}
		return ""
	})
}

// backup keeps the rows as they are now.
func (w *World) backup(*server) {
	if w.opts.NoRestore {
		return
	}
	if saved := w.rows.backup(); saved != nil {
		w.saw("backup")
		w.logf("backup")
		w.saved, w.savedLedger = saved, w.ledger.clone()
		w.delivered, w.told = maps.Clone(w.witness.delivered), maps.Clone(w.witness.told)
	}
}

// restore puts an earlier state of the rows in place, on machines that know nothing of what came after: I16.
func (w *World) restore(*server) {
	if w.saved == nil || w.depth > 0 {
		return
	}
	w.saw("restore")
	w.logf("restore")
	for _, s := range w.servers {
		s.crash("restore", true)
	}
	for _, r := range w.runners {
		r.crash(true)
		clear(r.records)
	}
	w.era++
	w.rows.restore(w.saved)
	w.ledger = w.savedLedger.clone()
	w.witness = newWitness(w)
	w.witness.delivered, w.witness.told = maps.Clone(w.delivered), maps.Clone(w.told)
	w.folderLoaded = false
	w.pending = nil
	for _, r := range w.runners {
		r.start()
	}
	for _, s := range w.servers {
		w.after(w.operator.between(0, w.shape.downTime), s.start)
	}
}
