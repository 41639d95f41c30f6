package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"
)

const (
	startPatience = 60 * time.Second  // for a server to be ready, on a machine that others use too
	healPatience  = 120 * time.Second // for everything to have ended after the last kill
	killSlots     = 8
)

// wanted is what a kill loop has to have seen before its silence means anything.
var wanted = []string{
	"attempt lost", "attempt failed", "attempt timeout", "instance lost", "instance retried after a loss", "instance cancelled: person", "instance cancelled: overlap",
	"attempt adopted", "backup", "payment lost",
}

// A killing is one run of the kill loop.
type killing struct {
	*place
	seed     int64
	kills    int
	families int
	dir      string // of this run
	data     string
	checker  string

	folder  *folder
	nemesis nemesis
	acks    acks
	sink    *sink

	mu       sync.Mutex
	server   *server // nil while none runs
	readies  []time.Duration
	starting sync.WaitGroup

	violations []string
	backups    []string
	seen       map[string]int      // what happened to attempts and instances
	begins     map[runID]time.Time // by the witness file
	ends       map[runID]time.Time
	losses     []time.Time // kills of a supervisor
	taken      int         // sockets of a supervisor that were deleted
}

func killCommand(ctx context.Context, args []string) error {
	f, dir, binary := flags("kill")
	seed := f.Int64("seed", 1, "the first seed")
	runs := f.Int("runs", 1, "how many seeds, one after the other")
	kills := f.Int("kills", 30, "kills of each run")
	jobs := f.Int("jobs", len(kinds), "scheduled jobs, in whole families")
	checker := f.String("checker", "", "the chronocheck `binary`; by default it is built")
	if err := f.Parse(args); err != nil {
		return flag.ErrHelp
	}
	p, err := settle(ctx, *dir, *binary)
	if err != nil {
		return err
	}
	if *checker == "" {
		if *checker, err = p.build(ctx, "chronocheck"); err != nil {
			return err
		}
	}
	total, violations := 0, 0
	var readies []time.Duration
	seen := map[string]int{}
	for n := range *runs {
		k := &killing{
			place: p, seed: *seed + int64(n), kills: *kills, families: max(1, (*jobs+len(kinds)-1)/len(kinds)), checker: *checker,
			dir: filepath.Join(p.dir, fmt.Sprintf("seed-%d", *seed+int64(n))), seen: map[string]int{},
		}
		done, err := k.run(ctx)
		total += done
		readies = append(readies, k.readies...)
		for what, n := range k.seen {
			seen[what] += n
		}
		violations += len(k.violations)
		if err != nil {
			p.leave(true)
			return fmt.Errorf("seed %d: %w", k.seed, err)
		}
		for _, v := range k.violations {
			fmt.Printf("seed %d: %s\n", k.seed, v)
		}
		if len(k.violations) == 0 && !p.kept {
			_ = os.RemoveAll(k.dir)
		}
	}
	fmt.Printf("ready after a kill: %s\n", spread(readies))
	for _, what := range wanted {
		if seen[what] == 0 {
			fmt.Printf("never seen: %s; more kills are needed to say anything about it\n", what)
		}
	}
	fmt.Println("\n| date | commit | what | seeds | how many | violations |\n|---|---|---|---|---|---|")
	fmt.Printf("| %s | %s | kill -9 of server, supervisor or both | %d–%d | %d kills | %d |\n",
		time.Now().UTC().Format(time.DateOnly), commit(ctx), *seed, *seed+int64(*runs)-1, total, violations)
	p.leave(violations > 0)
	if violations > 0 {
		return errViolated
	}
	return nil
}

// spread says how durations are distributed.
func spread(d []time.Duration) string {
	if len(d) == 0 {
		return "never"
	}
	slices.Sort(d)
	return fmt.Sprintf("median %.2f s, longest %.2f s of %d", d[len(d)/2].Seconds(), d[len(d)-1].Seconds(), len(d))
}

func (k *killing) fail(format string, args ...any) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.violations = append(k.violations, fmt.Sprintf(format, args...))
}

// A blow is one kill, drawn before anything begins.
type blow struct {
	after time.Duration // since the server was started after the one before
	whom  string        // server, supervisor or both
	flip  bool          // of both, the supervisor first
	down  time.Duration // until the server is started again
	take  bool          // of the server alone: the supervisor's socket is deleted meanwhile
}

// blows draws the kills. One in eight comes while the server starts, and one in four leaves it down for a while, so that due times pass meanwhile.
func (k *killing) blows() (blows []blow, total time.Duration) {
	draw, takes := newSource(k.seed, "kills"), newSource(k.seed, "takes")
	for range k.kills {
		b := blow{after: draw.between(200*time.Millisecond, 5*time.Second), whom: []string{"server", "server", "supervisor", "both"}[draw.below(4)], flip: draw.below(2) == 0}
		early, down := draw.between(0, 100*time.Millisecond), draw.between(500*time.Millisecond, 3*time.Second)
		if draw.below(8) == 0 {
			b.after = early
		}
		if draw.below(4) == 0 && b.whom != "supervisor" {
			b.down = down
		}
		b.take = takes.below(4) == 0
		blows = append(blows, b)
		total += b.after + b.down
	}
	return blows, total
}

// run tortures one server under one seed, and returns how many kills there were. What went wrong with the server is in violations; the error is
// of the torture itself.
func (k *killing) run(ctx context.Context) (kills int, err error) {
	k.data = filepath.Join(k.dir, "data")
	if err := os.MkdirAll(k.dir, 0o700); err != nil {
		return 0, err
	}
	if k.sink, err = newSink(); err != nil {
		return 0, err
	}
	defer k.sink.close()
	n, err := openLines(filepath.Join(k.dir, "nemesis"))
	if err != nil {
		return 0, err
	}
	a, err := openLines(filepath.Join(k.dir, "acks"))
	if err != nil {
		return 0, err
	}
	k.nemesis, k.acks = nemesis{n}, acks{a}
	blows, total := k.blows()
	begin := time.Now().UTC().Truncate(time.Second).Add(3 * time.Second)
	if k.folder, err = writeFolder(filepath.Join(k.dir, "pipelines"), begin, int(total.Seconds())+2*period, k.families, k.sink.url); err != nil {
		return 0, err
	}
	fmt.Printf("seed %d: %d kills in %.0f s, %d instances\n", k.seed, k.kills, total.Seconds(), k.folder.instances())

	defer k.clear(ctx)
	if err := k.start(ctx); err != nil {
		return 0, err
	}
	hours, closing := context.WithCancel(ctx)
	var crowd sync.WaitGroup
	crowd.Go(func() {
		(&people{draw: newSource(k.seed, "people"), folder: k.folder, acks: k.acks, now: k.up, backup: func(name string) { k.backup(hours, name) }}).bother(hours)
	})
	for _, b := range blows {
		pause(ctx, b.after)
		if ctx.Err() != nil {
			break
		}
		if err = k.strike(ctx, b); err != nil {
			break
		}
		kills++
	}
	closing()
	crowd.Wait()
	if err := errors.Join(err, ctx.Err()); err != nil {
		return kills, err
	}
	k.heal(ctx)
	k.judge(ctx)
	return kills, nil
}

// up is the server that runs, or is about to.
func (k *killing) up() *server {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.server
}

// start starts the server and notes, when it is, that it is ready.
func (k *killing) start(context.Context) error {
	k.nemesis.note("start", "server")
	s, err := startServer(k.binary, k.folder.path, k.data, filepath.Join(k.dir, "server.log"), nil, "--slots", fmt.Sprint(killSlots))
	if err != nil {
		return err
	}
	k.mu.Lock()
	k.server = s
	k.mu.Unlock()
	k.starting.Go(func() {
		took, err := s.awaitReady(context.Background(), startPatience)
		select {
		case <-s.ended: // it was killed before
		default:
			if err != nil {
				k.fail("start: %v", err)
				return
			}
			k.nemesis.note("ready", "server")
			k.mu.Lock()
			k.readies = append(k.readies, took)
			k.mu.Unlock()
		}
	})
	return nil
}

// strike kills and starts the server again when it was the one.
func (k *killing) strike(ctx context.Context, b blow) error {
	s, whom := k.up(), b.whom
	select {
	case <-s.ended:
		k.fail("the server ended by itself: %s", s.cmd.ProcessState)
		return k.start(ctx)
	default:
	}
	supervisor := 0
	if whom != "server" {
		for range 100 { // one that has nothing to do ends, and the next attempt starts another
			if supervisor = supervisorOf(k.data); supervisor != 0 {
				break
			}
			pause(ctx, 10*time.Millisecond)
		}
		if supervisor == 0 {
			whom = "server"
		}
	}
	k.nemesis.note("kill", whom)
	switch whom {
	case "supervisor":
		killProcess(ctx, supervisor)
		return nil
	case "both":
		if b.flip {
			killProcess(ctx, supervisor)
			s.kill()
		} else {
			s.kill()
			killProcess(ctx, supervisor)
		}
	default:
		s.kill()
		if b.take && os.Remove(filepath.Join(k.data, "run", "supervisor.sock")) == nil {
			k.taken++
		}
	}
	k.starting.Wait()
	pause(ctx, b.down)
	return k.start(ctx)
}

// heal lets the server live and waits until everything has ended. What is lost and held waits for a person, who cancels it.
func (k *killing) heal(ctx context.Context) {
	k.nemesis.note("heal", "server")
	k.starting.Wait()
	s := k.up()
	pause(ctx, time.Until(k.folder.end()))
	var left []openInstance
	for deadline := time.Now().Add(healPatience); time.Now().Before(deadline) && ctx.Err() == nil; pause(ctx, 200*time.Millisecond) {
		var err error
		if left, err = s.open(); err != nil {
			continue
		}
		if len(left) == 0 {
			break
		}
		for _, i := range left {
			if i.State != "lost" {
				continue
			}
			if id, ok := instanceOf(s, "/instances/"+i.ID+"/cancel", nil); ok {
				k.acks.note(ack{Command: "cancel", Instance: id})
			}
		}
	}
	for n, i := range left {
		if n == 10 {
			k.fail("progress: and %d more", len(left)-n)
			break
		}
		k.fail("progress: %s is still %s %s after the last kill: %s", i.Name, i.State, healPatience, i.Reason.Text)
	}
	select {
	case <-s.ended:
		k.fail("the server ended by itself: %s", s.cmd.ProcessState)
	default:
		if err := s.interrupt(15 * time.Second); err != nil {
			k.fail("end: %v", err)
		}
	}
	// The supervisor lingers two seconds.
	for range 100 {
		if supervisorOf(k.data) == 0 && len(leftBehind(k.data)) == 0 {
			return
		}
		pause(ctx, 100*time.Millisecond)
	}
	if pid := supervisorOf(k.data); pid != 0 {
		k.fail("the supervisor %d has nothing to do and does not end", pid)
	}
	if pids := leftBehind(k.data); len(pids) > 0 {
		k.fail("processes are left of attempts that have ended: %v", pids)
	}
}

// clear leaves no process behind, whatever happened.
func (k *killing) clear(ctx context.Context) {
	if s := k.up(); s != nil {
		s.kill()
	}
	if pid := supervisorOf(k.data); pid != 0 {
		killProcess(ctx, pid)
	}
	for _, pid := range leftBehind(k.data) {
		killProcess(ctx, pid)
	}
}
