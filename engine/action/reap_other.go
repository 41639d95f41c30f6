//go:build unix && !linux

package action

import "syscall"

// becomeSubreaper is Linux's alone; elsewhere an orphan that left its group is not ours to find.
func becomeSubreaper() error { return nil }

// ownGroup starts a child in a process group of its own.
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// watch waits for one child and kills what is left of its group.
func (s *supervisor) watch(c *child) {
	go func() {
		var status syscall.WaitStatus
		for {
			if _, err := syscall.Wait4(c.pid, &status, 0, nil); err != syscall.EINTR {
				break
			}
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		if c.killAt == 0 {
			_ = syscall.Kill(-c.pid, syscall.SIGKILL)
		}
		delete(s.pids, c.pid)
		c.gone = true
		go s.finish(c, status)
	}()
}

// reap has nothing to do: every child is watched by itself.
func (s *supervisor) reap() {}
