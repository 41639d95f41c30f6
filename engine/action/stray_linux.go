package action

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// sweep kills the orphans whose attempt has ended. One that carries the mark of a running attempt is left alone. One without a mark,
// because it was started with a cleared environment, is killed when every attempt that ran when it was first seen has ended.
func (s *supervisor) sweep() {
	s.mu.Lock()
	due := s.ended || len(s.strays) > 0
	s.ended = false
	s.mu.Unlock()
	if !due {
		return
	}
	self := os.Getpid()
	seen := make(map[int]bool)
	for _, pid := range childrenOf(self) {
		s.mu.Lock()
		_, known := s.pids[pid]
		s.mu.Unlock()
		if !known {
			seen[pid] = true
			s.judgeStray(self, pid)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for pid := range s.strays {
		if !seen[pid] {
			delete(s.strays, pid)
		}
	}
}

// judgeStray decides about one child of ours that we did not start, or whose fork is just returning: that one's attempt is live, which
// protects it. The lock is held from the check that it is our child to the signal:
// only the reaper could free the pid, and it needs the lock.
func (s *supervisor) judgeStray(self, pid int) {
	attempt := s.markOf(pid)
	s.mu.Lock()
	st, ok := statOf(pid)
	if _, known := s.pids[pid]; known || !ok || st.parent != self || st.state == 'Z' {
		s.mu.Unlock()
		return
	}
	x := s.strays[pid]
	if x == nil {
		x = &stray{order: s.order}
		s.strays[pid] = x
	}
	keep := false
	if attempt != 0 {
		_, keep = s.live[attempt]
	} else {
		for _, c := range s.live {
			keep = keep || c.order <= x.order
		}
	}
	first := !keep && !x.killed
	if !keep {
		x.killed = true
		if st.group == pid {
			_ = syscall.Kill(-pid, syscall.SIGKILL)
		}
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
	s.mu.Unlock()
	if first {
		if attempt != 0 {
			s.logs.note(attempt, fmt.Sprintf("killed process %d (%s), which outlived the attempt outside its process group", pid, st.name))
		}
		s.log.Warn("stray process killed", "pid", pid, "name", st.name, "attempt", attempt)
	}
}

// endSurvivors kills what an earlier supervisor left running, when that one was killed itself: the process groups that the journal names,
// unless the machine was started anew since, and every process that carries the mark of this data directory.
func (s *supervisor) endSurvivors(orphans []birth) {
	dying := map[int]stat{} // killed, and not dead yet: one that is being taken apart carries no mark any more
	for deadline := time.Now().Add(5 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		for pid, was := range dying {
			if st, ok := statOf(pid); !ok || st.state == 'Z' || st.start != was.start {
				delete(dying, pid)
			}
		}
		for _, b := range orphans {
			if b.Boot == "" || b.Boot != s.boot {
				continue // a number of another start of the machine means nothing
			}
			var st stat
			born := func() (ok bool) {
				st, ok = statOf(b.Pid)
				return ok && st.state != 'Z' && b.From-1 <= st.start && st.start <= b.To+1
			}
			if !born() {
				continue
			}
			_ = syscall.Kill(-b.Pid, syscall.SIGKILL) // its number is the group's for as long as a member lives
			killIf(b.Pid, born)
			s.log.Warn("survivor killed", "pid", b.Pid, "name", st.name, "attempt", b.Attempt)
			dying[b.Pid] = st
		}
		maps.Copy(dying, s.killMarked(func(int64) bool { return true }))
		if len(dying) == 0 {
			return
		}
		if time.Now().After(deadline) {
			s.log.Error("processes of an earlier supervisor do not die", "count", len(dying))
			return
		}
	}
}

// endMarked kills what is left of an attempt, wherever it went.
func (s *supervisor) endMarked(attempt int64) {
	for deadline := time.Now().Add(5 * time.Second); len(s.killMarked(func(id int64) bool { return id == attempt })) > 0; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			s.log.Error("processes of an attempt do not die", "attempt", attempt)
			return
		}
	}
}

// killMarked kills the processes that carry the mark of an attempt that which accepts, and returns them as they were.
func (s *supervisor) killMarked(which func(attempt int64) bool) map[int]stat {
	found := map[int]stat{}
	for _, pid := range processes() {
		if pid == os.Getpid() || pid == os.Getppid() {
			continue
		}
		if attempt := s.markOf(pid); attempt == 0 || !which(attempt) {
			continue
		}
		var st stat
		var attempt int64
		killed := killIf(pid, func() (ok bool) {
			st, ok = statOf(pid)
			attempt = s.markOf(pid)
			return ok && st.state != 'Z' && attempt != 0 && which(attempt)
		})
		if killed {
			s.log.Warn("survivor killed", "pid", pid, "name", st.name, "attempt", attempt)
			found[pid] = st
		}
	}
	return found
}

// killIf kills a process that is the right one and reports whether it is. Where the system can hold on to a process, a number that changes hands
// between the look and the signal leads to nobody.
func killIf(pid int, right func() bool) bool {
	fd, err := unix.PidfdOpen(pid, 0)
	if errors.Is(err, unix.ESRCH) {
		return false
	}
	held := err == nil
	if held {
		defer unix.Close(fd)
	}
	switch {
	case !right():
		return false
	case held:
		_ = unix.PidfdSendSignal(fd, unix.SIGKILL, nil, 0)
	default: // an old system, or one that forbids it
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
	return true
}

// markOf returns the attempt that a process belongs to by its environment, 0 when it carries no mark of this data directory.
func (s *supervisor) markOf(pid int) int64 {
	f, err := os.Open("/proc/" + strconv.Itoa(pid) + "/environ")
	if err != nil {
		return 0
	}
	defer f.Close()
	env, _ := io.ReadAll(io.LimitReader(f, 4<<20))
	for len(env) > 0 {
		entry, rest, _ := bytes.Cut(env, []byte{0})
		env = rest
		if id, ok := strings.CutPrefix(string(entry), s.outMark); ok {
			attempt, err := strconv.ParseInt(id, 10, 64)
			if err == nil {
				return attempt
			}
		}
	}
	return 0
}

// stat is what /proc/<pid>/stat tells.
type stat struct {
	name   string
	state  byte
	parent int
	group  int
	start  int64 // in clock ticks since boot
}

func statOf(pid int) (stat, bool) {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return stat{}, false
	}
	open, end := bytes.IndexByte(text, '('), bytes.LastIndexByte(text, ')') // a name may hold blanks and parentheses
	if open < 0 || end < open {
		return stat{}, false
	}
	rest := strings.Fields(string(text[end+1:])) // from field 3, the state
	if len(rest) < 20 {
		return stat{}, false
	}
	st := stat{name: string(text[open+1 : end]), state: rest[0][0]}
	st.parent, _ = strconv.Atoi(rest[1])
	st.group, _ = strconv.Atoi(rest[2])
	st.start, err = strconv.ParseInt(rest[19], 10, 64)
	return st, err == nil
}

// childrenOf lists the children of a process, by the kernel's own list where it keeps one.
func childrenOf(pid int) []int {
	tasks := fmt.Sprintf("/proc/%d/task", pid)
	entries, err := os.ReadDir(tasks)
	var children []int
	for _, e := range entries {
		var text []byte
		if text, err = os.ReadFile(tasks + "/" + e.Name() + "/children"); err != nil {
			break
		}
		for _, field := range strings.Fields(string(text)) {
			if n, err := strconv.Atoi(field); err == nil {
				children = append(children, n)
			}
		}
	}
	if err == nil {
		return children
	}
	children = nil
	for _, p := range processes() {
		if st, ok := statOf(p); ok && st.parent == pid {
			children = append(children, p)
		}
	}
	return children
}

func processes() []int {
	proc, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer proc.Close()
	names, _ := proc.Readdirnames(-1)
	var pids []int
	for _, name := range names {
		if n, err := strconv.Atoi(name); err == nil {
			pids = append(pids, n)
		}
	}
	return pids
}

// anyMarked reports that a process carries the mark.
func anyMarked(mark string) bool {
	s := &supervisor{outMark: mark}
	for _, pid := range processes() {
		if s.markOf(pid) != 0 {
			return true
		}
	}
	return false
}
