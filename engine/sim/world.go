package sim

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/engine/spec"
)

// Options say which world a seed makes, beyond what the seed says itself.
type Options struct {
	Days      int    // of chaos; 0: the seed says
	Servers   int    // 0: the seed says
	Store     string // model (default) or sqlite
	Dir       string // of a sqlite store
	Keep      string // of a sqlite store: an empty folder that keeps the rows, in data, and what happened, for chronocheck
	Calm      bool   // no faults but the operator
	NoRestore bool   // the operator neither backs up nor restores: not every store can
	Quiet     bool   // no journal: faster, and a failing seed is run again with one
}

// healing is how long a world has after its chaos to come to rest.
const healing = 3 * time.Hour

// A World is one seed's installation.
type World struct {
	seed  uint64
	opts  Options
	shape shape

	t        time.Duration // true time since epoch
	epoch    time.Time
	zone     *time.Location
	agenda   agenda
	seq      int64
	depth    int // of calls that stand still
	chaos    bool
	healed   time.Duration // when the chaos ended
	rested   time.Duration // when the world had come to rest
	era      int           // grows with each restore
	happened int
	steps    int
	writes   int

	nemesis, store, operator dice
	filler                   dice     // of backfills
	filled                   []string // keys of those that were applied, or may have been
	watcher                  dice     // of what jobs watch
	watching                 bool
	looks                    map[int64]int // made, by watch
	teller                   dice          // of alerts
	doubter                  dice          // of clocks that are not believed
	reviewer                 dice          // of diffs and what becomes of them
	pending                  *pendingReview
	telling                  bool
	sinks                    float64 // how often they fail
	net                      network
	passages                 dice // what becomes of requests
	servers                  []*server
	runners                  []*runner
	owners                   map[string]int
	rows                     rows
	ledger                   *ledger
	witness                  *witness
	journal                  journal
	seen                     map[string]int
	violation                *Violation

	genes        []*gene
	folder       []*engine.Workflow
	folderLoaded bool
	edition      int // of the folder
	decoded      map[string]*engine.Job
	keys         int
	saved        any
	savedLedger  *ledger
	delivered    map[int64]int // when the backup was made
	told         map[int64]int
	spare        []op
	commits      []func(v engine.View)

	crashAt   int // the write that crashes, of a scenario; 0 is none
	crashKind Crash
	crashed   bool
}

// A Report is what became of a world.
type Report struct {
	Seed      uint64
	Days      float64 // simulated, the healing included
	Steps     int
	Commits   int
	Instances int
	Children  int
	Seen      map[string]int
	Journal   string
	Violation *Violation
}

// Run makes the world of a seed, lets it live, and reports. The same seed and options are the same report.
func Run(seed uint64, opts Options) Report {
	w, err := newWorld(seed, opts)
	if err != nil {
		return Report{Seed: seed, Violation: &Violation{Invariant: "world", Words: err.Error()}}
	}
	defer w.rows.close()
	w.live()
	if opts.Keep != "" {
		if err := w.writeEvidence(); err != nil {
			w.broken("world", "%s", err)
		}
	}
	return w.report()
}

// newEmptyWorld is a world before its shape, its workflows and its nodes.
func newEmptyWorld(seed uint64, opts Options) *World {
	w := &World{seed: seed, opts: opts, seen: map[string]int{}, decoded: map[string]*engine.Job{}, owners: map[string]int{}, looks: map[int64]int{}}
	w.nemesis, w.store, w.operator = newDice(seed, streamNemesis), newDice(seed, streamStore), newDice(seed, streamOperator)
	w.doubter = newDice(seed, streamClock)
	w.net = network{dice: newDice(seed, streamNetwork), cut: map[link]bool{}}
	w.passages = newDice(seed, streamRequests)
	return w
}

func newWorld(seed uint64, opts Options) (*World, error) {
	w := newEmptyWorld(seed, opts)
	w.drawShape(newDice(seed, streamShape))
	if err := w.furnish(newDice(seed, streamJobs)); err != nil {
		return nil, err
	}
	return w, w.open()
}

// furnish draws the workflows.
func (w *World) furnish(d dice) error {
	for n := range w.shape.jobs {
		g := w.newGene(d, n)
		w.genes = append(w.genes, g)
	}
	for n, g := range w.genes {
		others := w.genes[:n]
		if d.chance(0.1) {
			others = w.genes
		}
		w.drawNeeds(d, g, others)
	}
	w.drawWatches()
	w.drawAlerts()
	var err error
	w.folder, err = w.compile(w.genes)
	return err
}

// open makes the store and the nodes.
func (w *World) open() error {
	var err error
	if w.zone, err = time.LoadLocation(w.shape.zone); err != nil {
		return err
	}
	w.ledger, w.witness = newLedger(w), newWitness(w)
	for n := range w.shape.runners {
		w.runners = append(w.runners, newRunner(w, n))
	}
	for n := range w.shape.servers {
		w.servers = append(w.servers, newServer(w, n))
	}
	w.rows, err = openRows(w)
	return err
}

// storeClock is the clock by which leases are judged: the store's machine is right; one that a single server uses has that server's.
func (w *World) storeClock() time.Time {
	if w.shape.shared {
		return w.epoch.Add(w.t)
	}
	return w.servers[0].now()
}

// live is the life of a world: chaos, healing, rest.
func (w *World) live() {
	w.logf("seed %d: %+v", w.seed, w.shape)
	for _, g := range w.genes {
		w.logf("job %s %q %q needs %q", g.name, g.when, g.rest, g.needs)
	}
	for n, s := range w.servers {
		w.after(time.Duration(n)*700*time.Millisecond, s.start)
	}
	w.chaos = true
	w.torment()
	w.operate()
	w.backfills()
	w.acknowledge()
	w.reviews()
	w.until(time.Duration(w.shape.days) * 24 * time.Hour)
	w.settle()
}

// settle heals the world and demands that it comes to rest.
func (w *World) settle() {
	if w.violation != nil {
		return
	}
	w.heal()
	w.healed = w.t
	w.until(w.t + w.shape.healing)
	for n := 0; n < mostTurns && len(w.agenda) > 0 && w.agenda[0].at <= w.t+2*turnTakes; n++ {
		w.until(w.agenda[0].at) // what has just been woken is looked at in the turn that follows
	}
	w.rested = w.t
	if w.violation == nil {
		w.checkRest()
	}
}

func (w *World) report() Report {
	return Report{
		Seed: w.seed, Days: w.t.Hours() / 24, Steps: w.steps, Commits: w.ledger.commits, Instances: len(w.ledger.instances), Children: w.witness.total,
		Seen: w.seen, Journal: string(w.journal.text), Violation: w.violation,
	}
}

// decode reads a definition; a world reads each once.
func (w *World) decode(definition []byte, folder string) (*engine.Job, error) {
	if job := w.decoded[string(definition)]; job != nil {
		return job, nil
	}
	job, err := spec.DecodeJob(definition, folder)
	if err != nil {
		return nil, fmt.Errorf("decode: %w", err)
	}
	w.decoded[string(definition)] = job
	return job, nil
}

// alive reports whether the process that an owner names still runs.
func (w *World) alive(owner string) bool { return w.owners[owner] != 0 }

func (w *World) read(fn func(v engine.View) error) {
	if err := w.rows.Read(context.Background(), fn); err != nil {
		w.broken("store", "reading failed: %s", err)
	}
}

func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }
