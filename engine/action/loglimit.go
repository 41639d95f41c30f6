package action

import (
	"errors"
	"os"
	"time"
)

// How often the sizes of the running children's logs are looked at: more often while one is young or grows fast, so that the disk never
// holds much more than its limit.
const (
	watchSlow = 200 * time.Millisecond
	watchFast = 10 * time.Millisecond
	young     = time.Second
)

// logGrowth is what the last look at a log saw.
type logGrowth struct{ size int64 }

// errNoHoles says that the middle of a growing file cannot be given back here.
var errNoHoles = errors.New("holes cannot be punched into this file")

// watchLogs keeps the logs of running children within their limits and returns when to look again.
func (s *supervisor) watchLogs() time.Duration {
	s.mu.Lock()
	watched := make([]*child, 0, len(s.look))
	for id := range s.look {
		watched = append(watched, s.live[id])
	}
	s.mu.Unlock()
	if len(watched) == 0 {
		return sweepEvery
	}
	pause := watchSlow
	for _, c := range watched {
		if s.watchLog(c) {
			pause = watchFast
		}
	}
	return pause
}

// watchLog looks at one log and reports that it may grow fast. Of what lies between the two kept halves the disk space is given back; the
// file keeps its length until the attempt ends. Where that is impossible the attempt is ended.
func (s *supervisor) watchLog(c *child) (fast bool) {
	if c == nil || c.LogLimit <= 0 {
		return false
	}
	info, err := c.log.Stat()
	if err != nil {
		return false // closed: the attempt has ended meanwhile
	}
	size := info.Size()
	s.mu.Lock()
	if g := s.look[c.Attempt]; g != nil {
		fast = size-g.size > c.LogLimit/64 || time.Since(c.started) < young
		g.size = size
	}
	s.mu.Unlock()
	if size <= c.LogLimit {
		return fast
	}
	const block = 4096
	half := c.LogLimit / 2
	from, to := (half+block-1)/block*block, (size-half)/block*block
	c.holeTo = max(c.holeTo, from)
	if to-c.holeTo < min(1<<20, half) {
		return fast
	}
	if err := punch(c.log, c.holeTo, to-c.holeTo); err != nil {
		s.mu.Lock()
		s.terminate(c, endLog)
		s.mu.Unlock()
		s.log.Warn("attempt ended: its log cannot be kept small", "attempt", c.Attempt, "error", err)
		return fast
	}
	c.holeTo = to
	return fast
}

// withDescriptor keeps a file from being closed while its descriptor is used.
func withDescriptor(f *os.File, use func(fd int) error) error {
	conn, err := f.SyscallConn()
	if err != nil {
		return err
	}
	var inner error
	if err := conn.Control(func(fd uintptr) { inner = use(int(fd)) }); err != nil {
		return err
	}
	return inner
}
