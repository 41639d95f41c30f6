//go:build unix && !linux

package action

import "syscall"

// sweep finds nothing: without a subreaper, orphans are the system's.
func (s *supervisor) sweep() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended = false
}

// endSurvivors kills the process groups that the journal names, where the system can tell that they are still the same.
func (s *supervisor) endSurvivors(orphans []birth) {
	for _, b := range orphans {
		switch {
		case b.Boot == "" || b.Boot != s.boot:
		case startedWithin(b.Pid, b.From, b.To):
			_ = syscall.Kill(-b.Pid, syscall.SIGKILL)
			s.log.Warn("survivor killed", "pid", b.Pid, "attempt", b.Attempt)
		default:
			s.log.Warn("child of an earlier supervisor not found; it may have ended", "pid", b.Pid, "attempt", b.Attempt)
		}
	}
}

// endMarked finds nothing: here no process can be told by its environment.
func (s *supervisor) endMarked(int64) {}

// anyMarked cannot be told here: what runs does not show its environment.
func anyMarked(string) bool { return false }
