package action

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/almanac-sched/almanac/engine"
)

// link is the server's end of the connection to the supervisor, which it starts when none answers. What is to be said is queued; one
// goroutine owns the connection. Nothing here blocks a caller but adopt.
type link struct {
	config Config
	log    *slog.Logger
	run    string // the folder run

	place os.FileInfo // what it was at first; below mu

	mu      sync.Mutex
	running bool // the goroutine has been started
	wake    chan struct{}
	queue   []message
	flight  map[int64]*awaited   // attempts whose outcome is awaited
	calls   sync.WaitGroup       // of these functions
	asked   map[int64]chan *roll // answers that adopt waits for, by the number of the question
	number  int64
	acks    []int64
	flush   *time.Timer // sends the acks when there is nothing else to say
	conn    *wire
	trouble string // the last reason why no supervisor was reached, so that it is logged once
	lost    error  // why this server starts nothing any more
	closed  bool
	ended   chan struct{}
}

// An awaited attempt is one whose outcome somebody waits for.
type awaited struct {
	done      func(engine.Result)
	ask       *spawn // with which it is begun; nil for one of an earlier server
	cancelled bool
}

const (
	ackBatch  = 256
	ackPeriod = time.Second

	retryPeriod = time.Second
)

var errDisplaced = errors.New("another server has taken over the supervisor of this data directory")

func newLink(config Config) *link {
	run := filepath.Join(config.Dir, runFolder)
	place, _ := os.Stat(run)
	return &link{
		config: config, log: config.Log, run: run, place: place, wake: make(chan struct{}, 1),
		flight: map[int64]*awaited{}, asked: map[int64]chan *roll{}, ended: make(chan struct{}),
	}
}

// spawn asks for a child.
func (l *link) spawn(s *spawn, done func(engine.Result)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.closed:
		go done(notStarted(s.Attempt, errors.New("the server is closing")))
	case l.lost != nil:
		go done(notStarted(s.Attempt, l.lost))
	default:
		l.flight[s.Attempt] = &awaited{done: done, ask: s}
		l.say(message{Spawn: s})
	}
}

// cancel asks for the end of a child that this server awaits.
func (l *link) cancel(attempt int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if w := l.flight[attempt]; w != nil {
		w.cancelled = true
		l.say(message{Cancel: attempt})
	}
}

// renew moves the end of the lease of those attempts that this server awaits. With none of them there is nobody to tell.
func (l *link) renew(attempts []int64, until instant) {
	l.mu.Lock()
	defer l.mu.Unlock()
	var awaited []int64
	for _, id := range attempts {
		if l.flight[id] != nil {
			awaited = append(awaited, id)
		}
	}
	if len(awaited) > 0 {
		l.say(message{Renew: &renewal{Attempts: awaited, Until: until}})
	}
}

// adopt asks the supervisor, or the journal that one left, about attempts of an earlier server.
func (l *link) adopt(attempts []int64, done func(engine.Result)) (unknown, unbegun []int64) {
	if len(attempts) == 0 || !l.hasMemory() {
		return attempts, nil
	}
	answer := make(chan *roll, 1)
	l.mu.Lock()
	if l.closed || l.lost != nil {
		l.mu.Unlock()
		return attempts, nil
	}
	l.number++
	number := l.number
	l.asked[number] = answer
	for _, id := range attempts {
		l.flight[id] = &awaited{done: done}
	}
	l.say(message{Adopt: &roll{Number: number, Attempts: slices.Clone(attempts)}})
	l.mu.Unlock()
	if r := <-answer; r != nil {
		return r.Attempts, r.Unbegun
	}
	return nil, nil
}

// hasMemory reports that there is a supervisor, or a journal of one, to ask, or that something runs which one has started: the supervisor that is started for
// the question ends that before it answers.
func (l *link) hasMemory() bool {
	info, err := os.Stat(filepath.Join(l.run, journalFile))
	if err == nil && info.Size() > 0 {
		return true
	}
	for _, name := range []string{socketFile, askedFile} {
		if _, err := os.Lstat(filepath.Join(l.run, name)); err == nil {
			return true
		}
	}
	return anyMarked(outMark(l.config.Dir))
}

// say queues a message. The caller holds the lock.
func (l *link) say(m message) {
	if l.conn != nil && len(l.queue) == 0 { // nothing waits to be said before it: it need not go by way of another goroutine
		if taken, rest := l.conn.trySend(m); taken {
			if rest {
				l.nudge()
			}
			return
		}
	}
	l.queue = append(l.queue, m)
	if !l.running {
		l.running = true
		go l.work()
	}
	l.nudge()
}

func (l *link) nudge() {
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// work connects when there is something to say or an outcome to wait for, for as long as the server lives.
func (l *link) work() {
	defer close(l.ended)
	defer l.settle()
	for {
		l.mu.Lock()
		idle, over := len(l.queue) == 0 && len(l.flight) == 0, l.closed || l.lost != nil
		l.mu.Unlock()
		if over {
			return
		}
		if idle {
			<-l.wake
			continue
		}
		w, err := l.connect()
		if err != nil {
			l.despair(err)
			continue
		}
		l.converse(w)
	}
}

// settle answers, when this server speaks to no supervisor any more, whoever still waits for an answer. Attempts that were never sent
// have failed; what was sent is the next server's to hear of.
func (l *link) settle() {
	var unsent []int64
	l.mu.Lock()
	for _, m := range l.queue {
		if m.Spawn != nil {
			unsent = append(unsent, m.Spawn.Attempt)
		}
	}
	l.queue = nil
	for number, answer := range l.asked {
		delete(l.asked, number)
		answer <- nil
	}
	why := l.lost
	l.mu.Unlock()
	for _, id := range unsent {
		l.deliver(notStarted(id, why), false)
	}
}

// converse speaks over one connection until it breaks. Outcomes that were awaited over an earlier one are asked for first.
func (l *link) converse(w *wire) {
	l.mu.Lock()
	l.conn, l.trouble = w, ""
	if again := l.unsaid(); len(again) > 0 {
		l.queue = append([]message{{Adopt: &roll{Attempts: again}}}, l.queue...)
	}
	l.mu.Unlock()
	broken := make(chan struct{})
	go func() {
		defer close(broken)
		l.hear(w)
	}()
	defer func() {
		w.Close()
		<-broken
		l.mu.Lock()
		l.conn = nil
		l.mu.Unlock()
	}()
	for {
		w.Lock()
		l.mu.Lock()
		ms, closed := l.queue, l.closed
		l.queue = nil
		if len(l.acks) >= ackBatch || closed && len(l.acks) > 0 || len(ms) > 0 && len(l.acks) > 0 {
			ms = append(ms, message{Acks: l.acks})
			l.acks = nil
		}
		l.mu.Unlock()
		err := w.send(ms)
		w.Unlock()
		if err != nil && !closed { // it has hung up; what it said before, that another server has taken over, is still to be heard
			_ = w.SetReadDeadline(time.Now().Add(helloPatience))
			<-broken
		}
		if closed || err != nil {
			return
		}
		select {
		case <-l.wake:
		case <-broken:
			return
		}
	}
}

// unsaid returns the awaited attempts that the queue does not already speak of. The caller holds the lock.
func (l *link) unsaid() []int64 {
	queued := make(map[int64]bool)
	for _, m := range l.queue {
		if m.Spawn != nil {
			queued[m.Spawn.Attempt] = true
		}
		if m.Adopt != nil {
			for _, id := range m.Adopt.Attempts {
				queued[id] = true
			}
		}
	}
	var ids []int64
	for id := range l.flight {
		if !queued[id] {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// hear takes what the supervisor says until the connection breaks.
func (l *link) hear(w *wire) {
	for {
		var m message
		if err := w.dec.Decode(&m); err != nil {
			break
		}
		switch {
		case m.Report != nil:
			l.deliver(m.Report.result(), true)
		case m.Unknown != nil:
			l.giveUp(m.Unknown)
		case m.Displaced:
			l.mu.Lock()
			l.lost = errDisplaced
			l.mu.Unlock()
			l.log.Error("attempts are no longer started here", "error", errDisplaced)
		}
	}
	// Questions that got no answer over this connection are asked again over the next, by converse; what is unknown then is
	// reported as lost.
	l.mu.Lock()
	defer l.mu.Unlock()
	for number, answer := range l.asked {
		if !slices.ContainsFunc(l.queue, func(m message) bool { return m.Adopt != nil && m.Adopt.Number == number }) {
			delete(l.asked, number)
			answer <- nil
		}
	}
}

// deliver hands an outcome to whoever awaits it, once, and acknowledges it when that has returned.
func (l *link) deliver(r engine.Result, recorded bool) {
	l.mu.Lock()
	f := l.flight[r.Attempt]
	if f == nil || l.closed {
		l.mu.Unlock()
		return // nobody here waits for it: the journal keeps it until a server asks
	}
	delete(l.flight, r.Attempt)
	l.calls.Add(1)
	l.mu.Unlock()
	defer l.calls.Done()
	f.done(r)
	if recorded {
		l.ack(r.Attempt)
	}
}

// ack remembers that the journal may forget an outcome, and says so soon, with others.
func (l *link) ack(attempt int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.acks = append(l.acks, attempt)
	switch {
	case len(l.acks) == ackBatch:
		l.nudge()
	case len(l.acks) == 1 && l.flush == nil:
		l.flush = time.AfterFunc(ackPeriod, func() {
			l.mu.Lock()
			defer l.mu.Unlock()
			l.flush = nil
			if l.conn != nil && len(l.acks) > 0 {
				l.queue = append(l.queue, message{Acks: l.acks})
				l.acks = nil
				l.nudge()
			}
		})
	}
}

// giveUp settles the attempts that the supervisor does not know: adopt returns them, or, when they were asked for again after a broken connection, those that
// never began are asked for once more and the others are lost.
func (l *link) giveUp(r *roll) {
	l.mu.Lock()
	if answer := l.asked[r.Number]; answer != nil {
		delete(l.asked, r.Number)
		for _, id := range slices.Concat(r.Attempts, r.Unbegun) {
			delete(l.flight, id)
		}
		l.mu.Unlock()
		answer <- r
		return
	}
	lost := slices.Clone(r.Attempts)
	var cancelled []int64
	for _, id := range r.Unbegun {
		switch w := l.flight[id]; {
		case w == nil:
		case w.cancelled:
			cancelled = append(cancelled, id)
		case w.ask == nil: // of an earlier server, whose words are not known here
			lost = append(lost, id)
		default:
			l.say(message{Spawn: w.ask})
		}
	}
	l.mu.Unlock()
	for _, id := range cancelled {
		now := time.Now()
		l.deliver(engine.Result{Attempt: id, Outcome: engine.OutcomeCancelled, Message: "cancelled before it started", StartedAt: now, EndedAt: now}, false)
	}
	for _, id := range lost {
		l.deliver(lostResult(id), false)
	}
}

func lostResult(attempt int64) engine.Result {
	return engine.Result{Attempt: attempt, Outcome: engine.OutcomeLost, Message: "the supervisor ended, and the outcome with it", EndedAt: time.Now()}
}

// despair settles what cannot be carried out because no supervisor can be reached: new attempts fail with the reason. Attempts that were
// begun before stay awaited, and are asked for again: only a supervisor that has read the journal may say that an outcome is lost.
func (l *link) despair(err error) {
	var failed []int64
	l.mu.Lock()
	for _, m := range l.queue {
		if m.Spawn != nil {
			failed = append(failed, m.Spawn.Attempt)
		}
		if m.Adopt != nil && l.asked[m.Adopt.Number] != nil {
			l.asked[m.Adopt.Number] <- nil
			delete(l.asked, m.Adopt.Number)
		}
	}
	l.queue = nil
	if words := err.Error(); words != l.trouble {
		l.trouble = words
		l.log.Error("supervisor not reached", "error", err)
	}
	l.mu.Unlock()
	for _, id := range failed {
		l.deliver(notStarted(id, err), false)
	}
	select {
	case <-time.After(retryPeriod):
	case <-l.wake:
	}
}

// close waits for outcomes that are being handed over, says what is still to be said and lets go of the supervisor and its children.
func (l *link) close(ctx context.Context) error {
	l.mu.Lock()
	l.closed = true
	running := l.running
	if l.flush != nil {
		l.flush.Stop()
	}
	l.nudge()
	l.mu.Unlock()
	over := make(chan struct{})
	go func() {
		defer close(over)
		l.calls.Wait()
		if running {
			<-l.ended
		}
	}()
	select {
	case <-over:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("take leave of the supervisor: %w", ctx.Err())
	}
}
