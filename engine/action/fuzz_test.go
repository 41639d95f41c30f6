package action

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/engine"
)

// lines is a journal of four attempts, two of which have ended, and where each line begins and ends.
func lines() (text []byte, at [][2]int) {
	for _, e := range []entry{
		{Begun: &birth{Attempt: 1, Fence: 2, Pid: 100, Boot: "b", From: 5, To: 6}},
		{Ended: &report{Attempt: 1, Fence: 2, Outcome: engine.OutcomeFailed, Exited: true, Exit: 3, EndedAt: noon, Outputs: map[string]string{"x": `00000000 {"ended":{"attempt":2}}`}}},
		{Begun: &birth{Attempt: 2, Fence: 1, Pid: 101, Boot: "b", From: 7, To: 9}},
		{Ended: &report{Attempt: 3, Fence: 7, Outcome: engine.OutcomeSucceeded, Exited: true, EndedAt: noon}},
		{Ended: &report{Attempt: 4, Fence: 1, Outcome: engine.OutcomeLost, Signal: "killed", Message: leaseMessage, EndedAt: noon}},
	} {
		from := len(text)
		text = appendLine(text, e)
		at = append(at, [2]int{from, len(text)})
	}
	return text, at
}

// Whatever lies in the file: nothing panics, what is believed carries a right checksum, the rest is put aside, and a second reading
// finds the same and nothing more to put aside.
func FuzzJournalReader(f *testing.F) {
	text, at := lines()
	f.Add([]byte{})
	f.Add([]byte("\n\n"))
	f.Add(text)
	f.Add(text[:len(text)-1])
	f.Add(text[at[1][0]+9 : at[3][1]])
	f.Add(append(make([]byte, 4096), text...))
	f.Add(append(bytes.Clone(text), make([]byte, 512)...))
	f.Add(bytes.Replace(text, []byte("\n"), []byte("\x0a\x0a"), 1))
	f.Add(bytes.Replace(text, []byte("\n"), nil, 1))
	f.Add([]byte("00000000 {}\n0000000000000000 {\n {\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		entries, bad := parseJournal(text)
		for _, e := range entries {
			doc := appendLine(nil, e)
			again, ok := parseLine(bytes.TrimSuffix(doc, []byte("\n")))
			require.True(t, ok)
			require.Equal(t, appendLine(nil, again), doc)
		}
		dir := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(dir, journalFile), text, 0o600))
		now := noon.Add(time.Hour)
		j, orphans := openAt(t, dir, now)
		known := map[int64]string{}
		for id := range j.ended {
			r, ok := j.find(id)
			require.True(t, ok)
			known[id] = string(r.Outcome) + r.Message + r.Signal
		}
		for _, b := range orphans {
			require.Empty(t, known[b.Attempt], "an attempt has ended or not")
		}
		aside, err := os.ReadFile(filepath.Join(dir, quarantine))
		if len(bad) == 0 {
			require.ErrorIs(t, err, fs.ErrNotExist)
		} else {
			require.NoError(t, err)
			require.Equal(t, bad, aside)
		}
		require.NoError(t, j.file.Close()) // killed

		j, orphans = openAt(t, dir, now)
		require.Empty(t, orphans)
		require.Len(t, j.ended, len(known))
		for id, want := range known {
			r, ok := j.find(id)
			require.True(t, ok)
			require.Equal(t, want, string(r.Outcome)+r.Message+r.Signal)
		}
		again, _ := os.ReadFile(filepath.Join(dir, quarantine))
		require.Equal(t, aside, again)
		require.NoError(t, j.close(now))
	})
}

// Damage to one place of a journal, of up to four bytes or of what is left of the file, costs the lines that it touches and no others.
func FuzzJournalDamage(f *testing.F) {
	text, at := lines()
	f.Add(uint16(0), []byte{0})
	f.Add(uint16(at[0][1]-1), []byte{'x'}) // a break
	f.Add(uint16(at[3][1]-1), []byte{' ', '0'})
	f.Add(uint16(at[1][0]+20), []byte{'\n'})
	f.Add(uint16(at[4][0]), []byte("\n\n\n\n"))
	f.Add(uint16(at[2][0]), []byte{})
	f.Fuzz(func(t *testing.T, place uint16, with []byte) {
		from := int(place) % len(text)
		damaged := bytes.Clone(text)
		to := len(text)
		if len(with) == 0 {
			damaged = damaged[:from]
		} else {
			to = from + copy(damaged[from:], with[:min(len(with), 4)])
		}
		if bytes.Equal(damaged, text) {
			return
		}
		entries, bad := parseJournal(damaged)
		found := map[string]bool{}
		for _, e := range entries {
			found[string(appendLine(nil, e))] = true
		}
		for _, l := range at {
			line := string(text[l[0]:l[1]])
			hit := from < l[1] && l[0] < to && !bytes.Equal(damaged[min(l[0], len(damaged)):min(l[1], len(damaged))], []byte(line))
			if hit {
				require.False(t, found[line], "a damaged line is not believed: %q", line)
			} else {
				require.True(t, found[line], "an undamaged one is: %q", line)
			}
			delete(found, line)
		}
		require.Empty(t, found, "nothing is made up")
		if len(with) > 0 {
			require.NotEmpty(t, bad)
		}
	})
}

// The outputs of a child are read from a file that the child wrote: it may hold anything.
func FuzzOutputs(f *testing.F) {
	f.Add("a=1\nb=2\n")
	f.Add("=\n==\n a=1\n\xff=1\na\x00b=\xff\r\n")
	f.Add("a=" + string(bytes.Repeat([]byte("x"), outputLimit)) + "\nb=1\n")
	f.Fuzz(func(t *testing.T, text string) {
		outputs, complaint := parseOutputs(text)
		size := 0
		for name, value := range outputs {
			require.True(t, validName(name))
			require.NotContains(t, value, "\n")
			size += len(name)
		}
		require.LessOrEqual(t, size, outputLimit)
		if len(text) > outputLimit {
			require.Contains(t, complaint, "ignored")
		}
		var e entry
		line := appendLine(nil, entry{Ended: &report{Attempt: 1, Outputs: outputs, Message: complaint}})
		require.Equal(t, 1, bytes.Count(line, []byte("\n")), "whatever a child writes, its outcome is one line")
		e, ok := parseLine(bytes.TrimSuffix(line, []byte("\n")))
		require.True(t, ok)
		require.Equal(t, len(outputs), len(e.Ended.Outputs))
		_, _, hidden := parseAfter(bytes.TrimSuffix(line, []byte("\n")))
		require.False(t, hidden, "and holds no other")
	})
}

func TestADamagedRecordCostsItsAttemptAndNoOther(t *testing.T) {
	dir := t.TempDir()
	text, at := lines()
	text[at[3][0]+30] ^= 4
	require.NoError(t, os.WriteFile(filepath.Join(dir, journalFile), text, 0o600))
	root, err := os.OpenRoot(dir)
	require.NoError(t, err)
	var words bytes.Buffer
	j, orphans, err := openJournal(root, noon, logTo(&words))
	require.NoError(t, err)
	require.Len(t, orphans, 1)
	for id, want := range map[int64]bool{1: true, 2: false, 3: false, 4: true} {
		_, ok := j.find(id)
		require.Equal(t, want, ok, "attempt %d", id)
	}
	aside, err := os.ReadFile(filepath.Join(dir, quarantine))
	require.NoError(t, err)
	require.Equal(t, text[at[3][0]:at[3][1]], aside)
	require.Contains(t, words.String(), "damaged lines of the journal put aside")

	// One that is damaged while the supervisor runs is found when it is asked for, and put aside when the journal is written anew.
	_, err = j.file.WriteAt([]byte("?"), j.ended[4].at+12)
	if err != nil { // opened for appending only
		var w *os.File
		w, err = os.OpenFile(filepath.Join(dir, journalFile), os.O_WRONLY, 0)
		require.NoError(t, err)
		_, err = w.WriteAt([]byte("?"), j.ended[4].at+12)
		require.NoError(t, err)
		require.NoError(t, w.Close())
	}
	_, ok := j.find(4)
	require.False(t, ok)
	require.NoError(t, j.compact())
	more, err := os.ReadFile(filepath.Join(dir, quarantine))
	require.NoError(t, err)
	require.Greater(t, len(more), len(aside))
	_, ok = j.find(1)
	require.True(t, ok)
}

// After a sync that failed the old file is not trusted any more: what it held is in a new one.
func TestAFailedSyncBeginsANewJournal(t *testing.T) {
	dir := t.TempDir()
	var words bytes.Buffer
	j, _ := openAt(t, dir, noon)
	j.log = logTo(&words)
	require.NoError(t, j.end(exitOf(1, 42), noon))
	old := j.file
	j.afterFailedSync(old, errors.New("input/output error"))
	require.NotEqual(t, old, j.file)
	require.Contains(t, words.String(), "could not be synced")
	r, ok := j.find(1)
	require.True(t, ok)
	require.Equal(t, 42, r.Exit)
	now := j.file
	j.afterFailedSync(old, errors.New("it was closed"))
	require.Equal(t, now, j.file, "a file that has been replaced is nobody's concern")
}

func TestOutcomesThatComeTogetherShareASync(t *testing.T) {
	j, _ := openAt(t, t.TempDir(), noon)
	over := make(chan struct{})
	go func() {
		defer close(over)
		j.keepSynced()
	}()
	for id := range int64(1000) {
		require.NoError(t, j.end(exitOf(id+1, 1), noon))
		j.wantSync()
	}
	require.Eventually(t, func() bool { return len(j.due) == 0 }, time.Minute, time.Millisecond, "all are synced in a few turns")
	require.NoError(t, j.close(noon))
	j.wantSync()
	<-over
}
