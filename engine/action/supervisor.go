package action

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// supervisor owns the children of one data directory. What stands below mu belongs to whoever holds it; nothing that may wait for a
// disk or a peer is done under it.
type supervisor struct {
	version string
	log     *slog.Logger
	outMark string   // how the output variable begins in the environment of this directory's children
	run     *os.Root // the folder run
	runPath string

	listener *net.UnixListener // of keepHouse's goroutine

	out     *os.Root // the folder of the output files
	logs    *Logs
	journal *journal
	asked   *asked
	null    *os.File
	boot    string
	queue   chan *child // waiting for a spawner

	mu      sync.Mutex
	changed *sync.Cond // a fork has finished
	live    map[int64]*child
	pids    map[int]*child
	server  *session
	order   int64                // children accepted so far
	tickets int64                // forks begun so far
	forked  int64                // forks that have returned
	forks   map[int64]bool       // tickets of the forks under way
	strays  map[int]*stray       // children of children that came to us and have not been reaped
	ended   bool                 // a child has ended since the last look for strays
	idle    time.Time            // since when there has been neither server nor child; zero when there is one
	look    map[int64]*logGrowth // running children whose logs are watched
	wake    chan struct{}
	asleep  bool // keepHouse is in a pause that a new child should cut short
}

// spawners is how many goroutines start children. The runtime lets one fork at a time; the others prepare theirs meanwhile.
const spawners = 3

func newSupervisor(dir, version string, log *slog.Logger) (*supervisor, error) {
	s := &supervisor{
		version: version, log: log, outMark: outMark(dir), boot: bootID(),
		queue: make(chan *child, 1024), live: map[int64]*child{}, pids: map[int]*child{}, strays: map[int]*stray{},
		forks: map[int64]bool{}, look: map[int64]*logGrowth{}, wake: make(chan struct{}, 1), idle: time.Now(),
	}
	s.changed = sync.NewCond(&s.mu)
	if err := becomeSubreaper(); err != nil {
		return nil, fmt.Errorf("become the parent of orphaned processes: %w", err)
	}
	run := filepath.Join(dir, runFolder)
	s.runPath = run
	var err error
	if s.run, err = os.OpenRoot(run); err != nil {
		return nil, fmt.Errorf("open the run folder: %w", err)
	}
	if s.logs, err = OpenLogs(dir); err != nil {
		return nil, err
	}
	if s.null, err = os.Open(os.DevNull); err != nil {
		return nil, fmt.Errorf("open the null device: %w", err)
	}
	unclean := true // without a journal too: whoever took that away did not end what its supervisor ran
	if info, err := s.run.Stat(journalFile); err == nil {
		unclean = info.Size() > 0
	}
	var orphans []birth
	if s.asked, err = openAsked(s.run, s.boot); err != nil {
		return nil, err
	}
	if s.journal, orphans, err = openJournal(s.run, time.Now(), log); err != nil {
		return nil, err
	}
	for _, b := range orphans { // of a supervisor of another version, perhaps
		if err := s.asked.note(b.Attempt); err != nil {
			return nil, err
		}
	}
	if unclean {
		s.endSurvivors(orphans)
	}
	// Nobody is left to write into these.
	if err := os.RemoveAll(filepath.Join(run, outputFolder)); err != nil {
		return nil, fmt.Errorf("clear the output files: %w", err)
	}
	if err := s.run.Mkdir(outputFolder, 0o700); err != nil {
		return nil, fmt.Errorf("make the folder of output files: %w", err)
	}
	if s.out, err = s.run.OpenRoot(outputFolder); err != nil {
		return nil, fmt.Errorf("open the folder of output files: %w", err)
	}
	return s, nil
}

// serve listens until there is nothing left to supervise, or until ctx ends and the children have been ended.
func (s *supervisor) serve(ctx context.Context, listener *net.UnixListener) error {
	go s.reap()
	go s.journal.keepSynced()
	for range spawners {
		go s.spawner()
	}
	s.hear(listener)
	s.keepHouse(ctx)
	s.listener.Close()
	_ = s.run.Remove(socketFile)
	return s.journal.close(time.Now())
}

// hear takes the connections of a socket, until it is closed.
func (s *supervisor) hear(listener *net.UnixListener) {
	s.listener = listener
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go s.greet(conn)
		}
	}()
}

// keepReachable makes the socket again when somebody has deleted it: the next server would find nobody, and could not start another supervisor
// either, since this one holds the lock.
func (s *supervisor) keepReachable() {
	if _, err := s.run.Lstat(socketFile); !errors.Is(err, fs.ErrNotExist) {
		return
	}
	there, err := os.Stat(s.runPath)
	if mine, e := s.run.Stat("."); err != nil || e != nil || !os.SameFile(mine, there) {
		return // the folder is another: who starts a supervisor there ends what this one runs
	}
	listener, err := listen(s.runPath)
	if err != nil {
		s.log.Error("the socket is gone and cannot be made again", "error", err)
		return
	}
	s.log.Warn("the socket was gone and is made again")
	s.listener.Close()
	s.hear(listener)
}

// keepHouse does what is due from time to time: watch the logs' sizes, look for strays, notice that there is nothing to do. It sleeps
// while a server is connected and nothing runs, and returns when the process should end.
func (s *supervisor) keepHouse(ctx context.Context) {
	stopping := false
	done := ctx.Done()
	var swept time.Time
	for {
		pause := s.watchLogs()
		s.keepReachable()
		now := time.Now()
		if now.Sub(swept) >= sweepEvery {
			swept = now
			s.sweep()
		}
		s.mu.Lock()
		busy := len(s.live) > 0 || len(s.strays) > 0 || s.ended
		switch {
		case busy || s.server != nil && !stopping:
			s.idle = time.Time{}
		case s.idle.IsZero():
			s.idle = now
		}
		over := !busy && (stopping || s.server == nil && now.Sub(s.idle) >= linger)
		if !busy && !stopping && s.server != nil {
			pause = time.Hour
		}
		s.asleep = pause > watchFast
		s.mu.Unlock()
		if over {
			return
		}
		timer := time.NewTimer(pause)
		select {
		case <-timer.C:
		case <-s.wake:
		case <-done:
			done, stopping = nil, true
			s.stopAll()
		}
		timer.Stop()
	}
}

// rouse ends a long pause of keepHouse. The caller holds the lock.
func (s *supervisor) rouse() {
	if s.asleep {
		s.asleep = false
		select {
		case s.wake <- struct{}{}:
		default: // it has been told already
		}
	}
}

// stopAll ends every child because the supervisor itself was told to end.
func (s *supervisor) stopAll() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.live {
		s.terminate(c, endStop)
	}
}
