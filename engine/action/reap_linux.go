package action

import (
	"errors"
	"runtime"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// becomeSubreaper makes orphans of our children our own children, so that none is lost sight of.
func becomeSubreaper() error { return unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) }

// ownGroup starts a child in a process group of its own. It dies with the supervisor: nobody could tell its outcome any more, and another
// attempt may soon do the same work. (The signal is tied to the thread that forked; the runtime ends none of the supervisor's.)
func ownGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// watch has nothing to do: reap sees every child.
func (s *supervisor) watch(*child) {}

// reap waits for children, ours and adopted ones, for as long as the process lives. It looks before it reaps: as long as a dead leader is
// not reaped, its pid and its group cannot be another's, so the rest of the group is killed first.
func (s *supervisor) reap() {
	for {
		s.mu.Lock()
		before := s.forked
		s.mu.Unlock()
		pid, err := nextDead()
		switch {
		case errors.Is(err, unix.EINTR):
		case err != nil: // no children at all, and so no strays either
			s.mu.Lock()
			clear(s.strays)
			for s.forked == before {
				s.changed.Wait()
			}
			s.mu.Unlock()
		default:
			if c, status := s.reapOne(pid); c != nil {
				s.settle(c, status)
			}
			// Waiting blocks the thread: let what was just made ready run on it first.
			runtime.Gosched()
		}
	}
}

// settle finishes a child at once when nothing in that can take long, and beside the reaper otherwise.
func (s *supervisor) settle(c *child, status syscall.WaitStatus) {
	info, err := c.log.Stat()
	if err == nil && info.Size() == 0 && c.killAt == 0 {
		s.finish(c, status)
		return
	}
	go s.finish(c, status)
}

// reapOne reaps one dead process and returns the child whose main process it was, nil when it was none. A pid that is not known may be
// that of a child whose fork has not returned yet.
func (s *supervisor) reapOne(pid int) (*child, syscall.WaitStatus) {
	s.mu.Lock()
	defer s.mu.Unlock()
	last := s.tickets
	c := s.pids[pid]
	for c == nil && s.forking(last) {
		s.changed.Wait()
		c = s.pids[pid]
	}
	if c != nil && c.killAt == 0 {
		_ = syscall.Kill(-pid, syscall.SIGKILL)
	}
	var status syscall.WaitStatus
	if _, err := syscall.Wait4(pid, &status, syscall.WNOHANG, nil); err != nil {
		return nil, 0 // a child that never ran its program: ForkExec has reaped it
	}
	delete(s.pids, pid)
	delete(s.strays, pid)
	if c != nil {
		c.gone = true
	}
	return c, status
}

// forking reports whether a fork with a ticket up to last is under way. The caller holds the lock.
func (s *supervisor) forking(last int64) bool {
	for ticket := range s.forks {
		if ticket <= last {
			return true
		}
	}
	return false
}

// nextDead waits for any child to end and returns its pid without reaping it.
func nextDead() (int, error) {
	var info unix.Siginfo
	if err := unix.Waitid(unix.P_ALL, 0, &info, unix.WEXITED|unix.WNOWAIT, nil); err != nil {
		return 0, err
	}
	// The pid is the first field of siginfo's union, which is aligned as a pointer.
	const word = unsafe.Sizeof(uintptr(0))
	at := (3*unsafe.Sizeof(int32(0)) + word - 1) / word * word
	return int(*(*int32)(unsafe.Add(unsafe.Pointer(&info), at))), nil
}
