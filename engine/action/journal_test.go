package action

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/almanac-sched/almanac/engine"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// logTo is a log that a test reads.
func logTo(w *bytes.Buffer) *slog.Logger { return slog.New(slog.NewTextHandler(w, nil)) }

func openAt(t require.TestingT, dir string, now time.Time) (*journal, []birth) {
	root, err := os.OpenRoot(dir)
	require.NoError(t, err)
	j, orphans, err := openJournal(root, now, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	return j, orphans
}

func exitOf(attempt int64, code int) *report {
	return &report{Attempt: attempt, Outcome: engine.OutcomeFailed, Exited: true, Exit: code, EndedAt: noon, Outputs: map[string]string{"line": "a\nb"}}
}

func TestJournalKeepsEndsAndNamesOrphans(t *testing.T) {
	dir := t.TempDir()
	j, orphans := openAt(t, dir, noon)
	require.Empty(t, orphans)
	for id := range int64(3) {
		require.NoError(t, j.begin(birth{Attempt: id + 1, Pid: 100 + int(id), Boot: "b", From: 5, To: 6}))
	}
	require.NoError(t, j.end(exitOf(2, 42), noon))
	require.NoError(t, j.file.Close()) // killed

	j, orphans = openAt(t, dir, noon)
	pids := map[int64]int{}
	for _, b := range orphans {
		pids[b.Attempt] = b.Pid
	}
	require.Equal(t, map[int64]int{1: 100, 3: 102}, pids)
	r, ok := j.find(2)
	require.True(t, ok)
	require.Equal(t, exitOf(2, 42), r)
	_, ok = j.find(1)
	require.False(t, ok)
	require.NoError(t, j.close(noon))

	_, orphans = openAt(t, dir, noon)
	require.Empty(t, orphans, "an orphan is named once")
}

// Wherever the file is torn, every whole line before the tear is believed, the rest is put aside, and appending goes on cleanly.
func TestJournalTornAnywhere(t *testing.T) {
	whole := t.TempDir()
	j, _ := openAt(t, whole, noon)
	var ends []int64 // offsets after each line
	for id := range int64(4) {
		require.NoError(t, j.begin(birth{Attempt: id + 1, Pid: 1, Boot: "b"}))
		require.NoError(t, j.end(exitOf(id+1, int(id)), noon))
		ends = append(ends, j.size)
	}
	text, err := os.ReadFile(filepath.Join(whole, journalFile))
	require.NoError(t, err)
	rapid.Check(t, func(t *rapid.T) {
		cut := rapid.IntRange(0, len(text)).Draw(t, "cut")
		dir, err := os.MkdirTemp(whole, "torn")
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(dir, journalFile), text[:cut], 0o600))
		j, _ := openAt(t, dir, noon)
		for i, end := range ends {
			r, ok := j.find(int64(i) + 1)
			require.Equal(t, int64(cut) >= end, ok, "outcome %d with the file cut at %d", i+1, cut)
			if ok {
				require.Equal(t, i, r.Exit)
			}
		}
		bad, err := os.ReadFile(filepath.Join(dir, quarantine))
		if cut > 0 && text[cut-1] != '\n' {
			require.NoError(t, err)
			require.True(t, bytes.HasSuffix(text[:cut], bytes.TrimSuffix(bad, []byte("\n"))), "what was torn is kept for a look")
		} else {
			require.ErrorIs(t, err, os.ErrNotExist)
		}
		require.NoError(t, j.end(exitOf(9, 9), noon))
		require.NoError(t, j.file.Close())
		j, _ = openAt(t, dir, noon)
		_, ok := j.find(9)
		require.True(t, ok)
	})
}

func TestJournalFlippedBitIsNotBelieved(t *testing.T) {
	dir := t.TempDir()
	j, _ := openAt(t, dir, noon)
	for id := range int64(3) {
		require.NoError(t, j.end(exitOf(id+1, 10), noon))
	}
	path := filepath.Join(dir, journalFile)
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	lines := bytes.SplitAfter(text, []byte("\n"))
	at := bytes.Index(lines[1], []byte(`"exit":10`)) + len(`"exit":1`)
	lines[1][at] = '1'
	require.NoError(t, os.WriteFile(path, bytes.Join(lines, nil), 0o600))

	j, _ = openAt(t, dir, noon)
	for id, want := range map[int64]bool{1: true, 2: false, 3: true} {
		_, ok := j.find(id)
		require.Equal(t, want, ok, id)
	}
	bad, err := os.ReadFile(filepath.Join(dir, quarantine))
	require.NoError(t, err)
	require.Equal(t, lines[1], bad)
}

func TestJournalForgetsWhatWasAcknowledged(t *testing.T) {
	dir := t.TempDir()
	j, _ := openAt(t, dir, noon)
	now := noon
	const n = 20_000
	for id := range int64(n) {
		now = now.Add(time.Millisecond)
		require.NoError(t, j.begin(birth{Attempt: id + 1, Pid: 1, Boot: "b"}))
		require.NoError(t, j.end(exitOf(id+1, 1), now))
		if id != 7 {
			j.ack([]int64{id + 1}, now)
		}
		_, ok := j.find(id + 1)
		require.True(t, ok, "for %s an acknowledged outcome can still be asked for", ackDelay)
	}
	require.Less(t, j.size, int64(16<<20), "the file is bounded by what is recent")
	j.ack(nil, now.Add(2*ackDelay))
	require.Len(t, j.ended, 1)
	require.NoError(t, j.close(now.Add(2*ackDelay)))

	j, _ = openAt(t, dir, now)
	_, ok := j.find(8)
	require.True(t, ok, "what nobody acknowledged stays")
	require.Less(t, j.size, int64(1000))
	require.NoError(t, j.close(now))
	j, _ = openAt(t, dir, now.Add(outcomeAge))
	require.Empty(t, j.ended, "but not for ever")
}

func TestJournalOnAFullDisk(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_RDWR, 0)
	if errors.Is(err, os.ErrNotExist) {
		return // not a Linux system
	}
	require.NoError(t, err)
	dir := t.TempDir()
	j, _ := openAt(t, dir, noon)
	real := j.file
	j.file = full
	require.ErrorContains(t, j.begin(birth{Attempt: 1}), "no space left")
	require.ErrorContains(t, j.end(exitOf(1, 3), noon), "no space left")
	r, ok := j.find(1)
	require.True(t, ok, "kept in memory")
	require.Equal(t, 3, r.Exit)
	j.file = real
	require.NoError(t, j.close(noon))
	j, _ = openAt(t, dir, noon)
	_, ok = j.find(1)
	require.True(t, ok, "and written as soon as there is room")
}

func TestOutputLines(t *testing.T) {
	for _, c := range []struct {
		text, complaint string
		want            map[string]string
	}{
		{"", "", nil},
		{"\n\n", "", nil},
		{"a=1", "", map[string]string{"a": "1"}},
		{"a=1\r\n", "", map[string]string{"a": "1\r"}},
		{"=1\n", "output line 1 is not name=value", nil},
		{"\na b=1\n", "output line 2 is not name=value", nil},
		{"ä=1\nb=\xff\n", "output line 1 is not name=value", map[string]string{"b": "\uFFFD"}},
	} {
		got, complaint := parseOutputs(c.text)
		require.Equal(t, c.want, got, "%q", c.text)
		require.Equal(t, c.complaint, complaint, "%q", c.text)
	}
	rapid.Check(t, func(t *rapid.T) {
		got, _ := parseOutputs(rapid.String().Draw(t, "text"))
		for name := range got {
			require.Regexp(t, `^[A-Za-z_][A-Za-z0-9_]*$`, name)
		}
	})
}

func TestGuardJudgesAddresses(t *testing.T) {
	plain, loop, private := guard(Config{}), guard(Config{AllowLoopback: true}), guard(Config{AllowPrivate: true})
	for _, c := range []struct {
		address              string
		plain, loop, private bool
	}{
		{"93.184.216.34:80", true, true, true},
		{"93.184.216.34:8443", true, true, true},
		{"[2606:4700::1111]:443", true, true, true},
		{"127.0.0.1:80", false, true, false},
		{"127.8.8.8:80", false, true, false},
		{"[::1]:80", false, true, false},
		{"[::ffff:127.0.0.1]:80", false, true, false},
		{"10.1.2.3:80", false, false, true},
		{"172.31.255.255:80", false, false, true},
		{"192.168.0.1:80", false, false, true},
		{"[fd12::1]:80", false, false, true},
		{"[::ffff:10.0.0.1]:80", false, false, true},
		{"100.64.0.1:80", false, false, false},
		{"0.0.0.0:80", false, false, false},
		{"[::]:80", false, false, false},
		{"169.254.169.254:80", false, false, false},
		{"[::ffff:169.254.169.254]:80", false, false, false},
		{"[fe80::1]:80", false, false, false},
		{"[fe80::1%eth0]:80", false, false, false},
		{"[fd00:ec2::254]:80", false, false, false},
		{"168.63.129.16:80", false, false, false},
		{"224.0.0.1:80", false, false, false},
		{"[ff02::1]:80", false, false, false},
		{"255.255.255.255:80", false, false, false},
		{"[64:ff9b::7f00:1]:80", false, false, false},
		{"[2002:7f00:1::]:80", false, false, false},
		{"192.0.2.1:80", false, false, false},
		{"/var/run/docker.sock", false, false, false},
	} {
		network := "tcp4"
		if c.address[0] == '[' {
			network = "tcp6"
		}
		for name, judge := range map[string]struct {
			allow bool
			err   error
		}{"by default": {c.plain, plain(network, c.address, nil)}, "with loopback": {c.loop, loop(network, c.address, nil)}, "with private": {c.private, private(network, c.address, nil)}} {
			require.Equal(t, judge.allow, judge.err == nil, fmt.Sprintf("%s %s: %v", c.address, name, judge.err))
		}
	}
	require.Error(t, plain("unix", "/run/x.sock", nil))
}
