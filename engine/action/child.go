package action

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
	"time"

	"github.com/almanac-sched/almanac/engine"
)

// child is one attempt in the hands of the supervisor. Its fields are guarded by the supervisor's lock, once it is in live.
type child struct {
	spawn
	order   int64 // of acceptance, from 1
	log     *os.File
	pump    *pump // in the place of the log, for a child that was given secrets
	pid     int   // 0 before the fork
	started time.Time
	why     endReason // why it is being ended; "" while it is not
	gone    bool      // its main process has been reaped
	killAt  instant   // when the grace of an ending child is over
	timeout *time.Timer
	expiry  *alarm // its lease demands an end
	kill    *alarm
	broken  error // what makes the attempt impossible although the child was born
	holeTo  int64 // up to where the middle of its log has been given back; only keepHouse uses it
}

// endReason is why the supervisor ends a child.
type endReason string

const (
	endTimeout endReason = "timeout"
	endCancel  endReason = "cancel"
	endStop    endReason = "stop" // the supervisor was told to end
	endLease   endReason = "lease"
	endLog     endReason = "log" // the log grew past its limit and cannot be kept small while it grows
	endBroken  endReason = "broken"
)

// spawner starts children, one after the other.
func (s *supervisor) spawner() {
	for c := range s.queue {
		s.launch(c)
	}
}

// launch starts a child, or says why it cannot be.
func (s *supervisor) launch(c *child) {
	err := s.start(c)
	if err == nil {
		return
	}
	now := time.Now()
	if c.started.IsZero() {
		c.started = now
	}
	r := &report{Attempt: c.Attempt, Fence: c.Fence, Outcome: engine.OutcomeFailed, Message: "cannot start: " + err.Error(), StartedAt: c.started, EndedAt: now}
	switch {
	case errors.Is(err, errCancelled):
		r.Outcome, r.Message = engine.OutcomeCancelled, "cancelled before it started"
	case errors.Is(err, errStopped):
		r.Outcome, r.Message = engine.OutcomeLost, stoppedMessage
	case errors.Is(err, errLease):
		r.Outcome, r.Message = engine.OutcomeLost, tooLateMessage
	}
	s.conclude(c, r)
}

var (
	errCancelled = errors.New("cancelled")
	errStopped   = errors.New("stopped")
	errLease     = errors.New("the lease ended")
)

// What is said of attempts that nobody meant to end. The last two are lost rather than cancelled or failed: whoever holds the instance's fence
// by then decides, and this is not him.
const (
	stoppedMessage = "ended with the supervisor, which was told to stop"
	leaseMessage   = "ended because its lease was not renewed"
	tooLateMessage = "not started: its lease had ended"
)

// start forks one child. An error means that there is none.
func (s *supervisor) start(c *child) error {
	log, err := s.logs.create(c.Attempt)
	if err != nil {
		return err
	}
	if err := s.asked.note(c.Attempt); err != nil {
		log.Close()
		return err
	}
	s.mu.Lock()
	switch c.why {
	case endCancel:
		err = errCancelled
	case endStop:
		err = errStopped
	}
	if err == nil && c.Lease.over() {
		err = errLease
	}
	if err != nil {
		s.mu.Unlock()
		log.Close()
		return err
	}
	s.tickets++
	ticket := s.tickets
	s.forks[ticket] = true
	c.log = log
	c.started = time.Now()
	s.mu.Unlock()

	fd := log.Fd()
	if len(c.Secrets) > 0 {
		if c.pump, err = newPump(log, c.Secrets); err != nil {
			s.mu.Lock()
			delete(s.forks, ticket)
			s.forked++
			s.changed.Broadcast()
			c.log = nil
			s.mu.Unlock()
			log.Close()
			return fmt.Errorf("make a pipe to the log: %w", err)
		}
		fd = c.pump.to.Fd()
	}
	from := bootClock()
	pid, err := syscall.ForkExec(c.Argv[0], c.Argv, &syscall.ProcAttr{
		Dir: c.Dir, Env: c.Env, Files: []uintptr{s.null.Fd(), fd, fd}, Sys: ownGroup(),
	})
	to := bootClock()
	if c.pump != nil {
		c.pump.run()
	}
	var unwritten error
	if err == nil {
		unwritten = s.journal.begin(birth{Attempt: c.Attempt, Fence: c.Fence, Pid: pid, Boot: s.boot, From: from, To: to})
	}

	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.forks, ticket)
	s.forked++
	defer s.changed.Broadcast()
	if err != nil {
		c.log = nil
		log.Close()
		return explainStart(err, c)
	}
	c.pid = pid
	s.pids[pid] = c
	s.look[c.Attempt] = &logGrowth{}
	s.rouse()
	s.watch(c)
	s.heed(c)
	switch {
	case unwritten != nil:
		c.broken = unwritten
		c.why = endBroken
		_ = syscall.Kill(-pid, syscall.SIGKILL)
	case c.why != "": // asked for while the fork was under way
		why := c.why
		c.why = ""
		s.terminate(c, why)
	case c.Timeout > 0:
		c.timeout = time.AfterFunc(c.Timeout, func() {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.terminate(c, endTimeout)
		})
	}
	return nil
}

// explainStart says in words why a fork failed. The system's error does not tell a missing folder from a missing program.
func explainStart(err error, c *child) error {
	if info, e := os.Stat(c.Dir); errors.Is(e, fs.ErrNotExist) || e == nil && !info.IsDir() {
		return fmt.Errorf("there is no folder %s", c.Dir)
	}
	return fmt.Errorf("%s: %w", c.Argv[0], err)
}

// terminate asks a child to end: TERM to its group, KILL after its grace. The first reason stays. The caller holds the lock.
func (s *supervisor) terminate(c *child, why endReason) {
	if c.why != "" || c.gone {
		return
	}
	c.why = why
	if c.pid == 0 {
		return // start sees the reason
	}
	c.killAt = machineClock().plus(c.Grace)
	if last := c.Lease.last(); last != 0 {
		c.killAt = min(c.killAt, last)
	}
	_ = syscall.Kill(-c.pid, syscall.SIGTERM)
	_ = syscall.Kill(-c.pid, syscall.SIGCONT) // a stopped process takes the TERM only when it goes on
	c.kill = newAlarm(c.killAt, func() {
		s.mu.Lock()
		if !c.gone {
			_ = syscall.Kill(-c.pid, syscall.SIGKILL)
		}
		leased := c.Lease.Until != 0
		s.mu.Unlock()
		if leased {
			s.endMarked(c.Attempt) // those that left the group have no time until the next look for strays
		}
	})
}

// heed sets the alarm that ends a child before its lease does. The caller holds the lock.
func (s *supervisor) heed(c *child) {
	switch {
	case c.pid == 0 || c.gone: // start looks by itself; what ended needs no end
	case c.expiry != nil:
		c.expiry.move(c.Lease.trusted())
	case c.Lease.Until != 0:
		c.expiry = newAlarm(c.Lease.trusted(), func() {
			s.mu.Lock()
			defer s.mu.Unlock()
			if !c.Lease.over() { // renewed while the alarm rang
				c.expiry = nil
				s.heed(c)
				return
			}
			s.terminate(c, endLease)
		})
	}
}

// finish is called once, when the main process of a child has been reaped.
func (s *supervisor) finish(c *child, status syscall.WaitStatus) {
	ended := time.Now()
	s.mu.Lock()
	why, killAt := c.why, c.killAt
	if c.timeout != nil {
		c.timeout.Stop()
	}
	c.expiry.stop()
	c.kill.stop()
	delete(s.look, c.Attempt)
	s.mu.Unlock()
	if killAt != 0 {
		s.endGroup(c.pid, killAt)
		ended = time.Now()
	}
	r := &report{Attempt: c.Attempt, Fence: c.Fence, StartedAt: c.started, EndedAt: ended}
	switch {
	case status.Exited():
		r.Exited, r.Exit = true, status.ExitStatus()
	case status.Signaled():
		r.Signal = status.Signal().String()
	}
	judge(r, c, why)
	outputs, complaint := readOutputs(s.out, c.Attempt)
	if c.pump != nil {
		c.pump.end()
		outputs = c.pump.mask.hiddenValues(outputs)
	}
	r.Outputs = outputs
	r.note(complaint)
	r.LogBytes, r.Truncated, complaint = s.closeLog(c)
	r.note(complaint)
	s.conclude(c, r)
}

// judge fills in the outcome and the words for it.
func judge(r *report, c *child, why endReason) {
	switch {
	case why == endTimeout:
		r.Outcome, r.Message = engine.OutcomeTimeout, fmt.Sprintf("killed after %s timeout", c.Timeout)
	case why == endCancel:
		r.Outcome, r.Message = engine.OutcomeCancelled, "cancelled"
	case why == endLease:
		r.Outcome, r.Message = engine.OutcomeLost, leaseMessage
	case why == endLog:
		r.Outcome, r.Message = engine.OutcomeFailed, fmt.Sprintf("killed: its log grew past %d bytes", c.LogLimit)
	case why == endBroken:
		r.Outcome, r.Message = engine.OutcomeFailed, "cannot start: "+c.broken.Error()
	case r.Exited && r.Exit == 0:
		r.Outcome = engine.OutcomeSucceeded
	case why == endStop:
		r.Outcome, r.Message = engine.OutcomeLost, stoppedMessage
	case r.Exited:
		r.Outcome, r.Message = engine.OutcomeFailed, fmt.Sprintf("exit %d", r.Exit)
	default:
		r.Outcome, r.Message = engine.OutcomeFailed, "ended by signal: "+r.Signal
	}
}

// note adds a remark to the message.
func (r *report) note(remark string) {
	switch {
	case remark == "":
	case r.Message == "":
		r.Message = remark
	default:
		r.Message += "; " + remark
	}
}

// endGroup gives what is left of a process group the rest of its grace and kills it then. Its leader has been reaped; its number cannot
// be another's as long as one member lives, and between two looks the system does not run through all its numbers.
func (s *supervisor) endGroup(group int, killAt instant) {
	for syscall.Kill(-group, 0) == nil {
		left := killAt.left()
		if left <= 0 {
			_ = syscall.Kill(-group, syscall.SIGKILL)
			return
		}
		time.Sleep(min(left, 20*time.Millisecond))
	}
}

// closeLog makes the log durable, and short when it passed its limit.
func (s *supervisor) closeLog(c *child) (size int64, truncated bool, complaint string) {
	defer c.log.Close()
	info, err := c.log.Stat()
	if err != nil {
		return 0, false, "the log cannot be read"
	}
	size = info.Size()
	if size == 0 {
		return 0, false, ""
	}
	if c.LogLimit > 0 && size > c.LogLimit {
		short, err := s.logs.cut(c.Attempt, c.LogLimit)
		if err == nil {
			return short, true, ""
		}
		s.log.Error("log not cut", "attempt", c.Attempt, "error", err)
		complaint = "the log could not be cut"
	}
	if err := c.log.Sync(); err != nil {
		s.log.Error("log not synced", "attempt", c.Attempt, "error", err)
		complaint = "the end of the log may be missing: " + err.Error()
	}
	return size, false, complaint
}

// conclude records an outcome and tells the server, in this order.
func (s *supervisor) conclude(c *child, r *report) {
	if err := s.journal.end(r, time.Now()); err != nil {
		s.log.Error("outcome not written, kept in memory", "attempt", c.Attempt, "error", err)
	}
	s.mu.Lock()
	delete(s.live, c.Attempt)
	s.ended = true
	server := s.server
	s.mu.Unlock()
	if server != nil {
		server.tell(message{Report: r})
	}
	s.journal.wantSync()
}
