package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/deps"
	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/store"
)

func TestEachKindOfErrorHasItsExitStatus(t *testing.T) {
	for _, c := range []struct {
		err  error
		want int
	}{
		{nil, exitDone},
		{errors.New("anything"), exitFailed},
		{&failedError{"1 of 2 instances did not end well"}, exitFailed},
		{usagef("--slots is 0"), exitUsage},
		{fmt.Errorf("plan: %w", &invalidError{"3 errors in pipelines"}), exitInvalid},
		{fmt.Errorf("job x/y: %w", engine.ErrNotFound), exitNotFound},
		{&answerError{Status: 400}, exitUsage},
		{&answerError{Status: 401}, exitNotPermitted},
		{&answerError{Status: 403}, exitNotPermitted},
		{&answerError{Status: 404}, exitNotFound},
		{&answerError{Status: 409}, exitFailed},
		{&answerError{Status: 422}, exitUsage},
		{&answerError{Status: 500}, exitFailed},
		{errors.Join(errors.New("first"), &store.UnusableError{Dir: "d", Op: "open", Err: store.ErrLocked}), exitUnusable},
	} {
		require.Equal(t, c.want, exitCode(c.err), "%v", c.err)
	}
	require.Len(t, exitMeanings, exitUnusable+1)
}

func TestTimesOfTheCommandLine(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	require.NoError(t, err)
	santiago, err := time.LoadLocation("America/Santiago")
	require.NoError(t, err)
	for _, c := range []struct {
		text string
		zone *time.Location
		want string // "" is refused
	}{
		{"2026-10-01T06:00", berlin, "2026-10-01T06:00:00+02:00"},
		{"2026-10-01 06:00:30", berlin, "2026-10-01T06:00:30+02:00"},
		{"2026-10-01", berlin, "2026-10-01T00:00:00+02:00"},
		{"2026-10-01T06:00:00+08:00", berlin, "2026-10-01T00:00:00+02:00"},
		{"2026-10-01 06:00:00Z", berlin, "2026-10-01T08:00:00+02:00"},
		{"2026-10-01T06:00:00.250", berlin, "2026-10-01T06:00:00.250+02:00"},
		{"2026-03-29T02:30", berlin, ""},                          // clocks are put forward over it
		{"2026-10-25T02:30", berlin, "2026-10-25T02:30:00+02:00"}, // twice: the first
		{"2026-09-06", santiago, "2026-09-06T01:00:00-03:00"},     // a day without a midnight
		{"2026-02-30", berlin, ""},
		{"6 o'clock", berlin, ""},
		{"", berlin, ""},
	} {
		got, err := instant("--from", c.text, c.zone)
		if c.want == "" {
			require.Error(t, err, c.text)
			require.Equal(t, exitUsage, exitCode(err))
			continue
		}
		require.NoError(t, err, c.text)
		require.Equal(t, c.want, stamp(got), c.text)
	}
}

func TestNamesOfInstances(t *testing.T) {
	ref, at, err := parseName("retail/orders@2026-10-01T06:00")
	require.NoError(t, err)
	require.Equal(t, engine.JobRef{Workflow: "retail", Job: "orders"}, ref)
	require.Equal(t, "2026-10-01T06:00", at)
	for _, bad := range []string{"", "retail", "retail/orders", "retail/orders@", "/orders@x", "retail/@x", "a/b/c@x", "orders@2026-10-01"} {
		_, _, err := parseName(bad)
		require.Equal(t, exitUsage, exitCode(err), bad)
	}
}

func TestWaitsInWords(t *testing.T) {
	hour := func(day, h int) time.Time { return time.Date(2026, 10, day, h, 0, 0, 0, time.UTC) }
	hours := func(from, to int) (times []time.Time) {
		for h := from; h <= to; h++ {
			times = append(times, hour(1, h))
		}
		return times
	}
	job := func(workflow, name string) *engine.Job { return &engine.Job{Workflow: workflow, Name: name} }
	down := job("retail", "report")
	for _, c := range []struct {
		upstream *engine.Job
		binding  deps.Binding
		missing  engine.OnMissing
		want     string
	}{
		{job("retail", "orders"), deps.Binding{Reason: deps.IntervalBack, Times: hours(6, 15)}, "", "orders 06:00…15:00 (10), interval-back"},
		{job("retail", "orders"), deps.Binding{Reason: deps.OneToOne, Times: hours(2, 2)}, "", "orders 02:00, one-to-one"},
		{job("retail", "orders"), deps.Binding{Reason: deps.NaturalDay, Times: hours(2, 3)}, "", "orders 02:00, 03:00, natural-day"},
		{job("finance", "ledger"), deps.Binding{Reason: deps.PreviousCycle, Times: []time.Time{hour(1, 2).AddDate(0, 0, -1)}}, "",
			"finance/ledger 09-30 02:00, previous-cycle"},
		{job("retail", "orders"), deps.Binding{Reason: deps.NaturalDay, Times: hours(2, 4), Select: deps.Select{Kind: deps.SelectAny}}, "",
			"any of orders 02:00…04:00 (3), natural-day"},
		{job("retail", "orders"), deps.Binding{Reason: deps.NaturalDay, Times: hours(2, 4), Select: deps.Select{Kind: deps.SelectCount, N: 2}}, "",
			"2 of orders 02:00…04:00 (3), natural-day"},
		{job("retail", "orders"), deps.Binding{Reason: deps.NaturalDay, Ranges: [][]time.Time{hours(2, 2), hours(5, 7)}}, "",
			"orders 02:00, 05:00…07:00 (3), natural-day"},
		{job("retail", "orders"), deps.Binding{Reason: deps.NoneInWindow}, engine.MissingRun, "orders: none-in-window, so it runs directly"},
		{job("retail", "orders"), deps.Binding{Reason: deps.NoneInWindow}, engine.MissingCancel, "orders: none-in-window, so it is cancelled"},
		{down, deps.Binding{Reason: deps.SelfPrevious, Times: []time.Time{hour(1, 2)}}, "", "itself 02:00, self"},
	} {
		part := engine.JobPlan{Job: down, Times: []time.Time{hour(1, 15)}}
		d := engine.DependencyPlan{Upstream: c.upstream, Dependency: &engine.Dependency{OnMissing: c.missing}, Bindings: []deps.Binding{c.binding}}
		require.Equal(t, c.want, waitWords(engine.PlannedInstance{JobPlan: &part, N: 0}, &d, viewer{}))
	}
}

func TestLengthsOfTimeInWords(t *testing.T) {
	for want, d := range map[string]time.Duration{
		"0ms": 0, "250ms": 250 * time.Millisecond, "3.2s": 3200 * time.Millisecond, "1m05s": 65 * time.Second, "26h00m": 26 * time.Hour, "3d04h": 76 * time.Hour,
		"-1.0s": -time.Second,
	} {
		require.Equal(t, want, duration(d))
	}
}

func TestTextFromElsewhereCannotSteerTheTerminal(t *testing.T) {
	require.Equal(t, "a\uFFFD[31mred\uFFFD", printable("a\x1b[31mred\x07"))
	require.Equal(t, "\uFFFDevil", printable("\u202eevil"))
	require.Equal(t, "two\nlines, 数据", printable("two\nlines, 数据"))
}

func TestTheDiskIsLowBelowEitherBound(t *testing.T) {
	const gib = 1 << 30
	for _, c := range []struct {
		free, total, own uint64
		low              bool
	}{
		{100 * gib, 1000 * gib, 0, false}, {49 * gib, 1000 * gib, 0, true}, {51 * gib, 1000 * gib, 0, false},
		{1 * gib, 8 * gib, 0, false}, {gib / 2, 8 * gib, 0, false}, {gib/2 - 1, 8 * gib, 0, true}, {0, 0, 0, true},
		{1 * gib, 8 * gib, gib / 2, false}, {1 * gib, 8 * gib, gib/2 + 1, true}, {1 * gib, 8 * gib, 2 * gib, true}, // what it has still to write is not free
	} {
		detail, low := judgeDisk(c.free, c.total, c.own)
		require.Equal(t, c.low, low, "%d of %d", c.free, c.total)
		require.Equal(t, c.low, detail != "")
	}
	_, low := diskLow(filepath.Join(t.TempDir(), "gone"))()
	require.False(t, low, "a file system that cannot be asked says so by failing writes")
}

func TestSecretsComeFromWhereTheyAreDeclared(t *testing.T) {
	a := &app{env: map[string]string{"PASSWORD": "open sesame"}}
	file := filepath.Join(t.TempDir(), "secret")
	require.NoError(t, os.WriteFile(file, []byte("from a file\n"), 0o600))
	value, err := a.secret(engine.SecretSource{Env: "PASSWORD"})
	require.NoError(t, err)
	require.Equal(t, "open sesame", value)
	value, err = a.secret(engine.SecretSource{File: file})
	require.NoError(t, err)
	require.Equal(t, "from a file", value)
	for _, missing := range []engine.SecretSource{{Env: "NOBODY"}, {File: file + ".not"}, {}} {
		_, err = a.secret(missing)
		require.Error(t, err)
	}
	require.NoError(t, os.WriteFile(file, make([]byte, secretLimit+1), 0o600))
	_, err = a.secret(engine.SecretSource{File: file})
	require.ErrorContains(t, err, "longer than")
}

func TestAServerFileIsReadByItsOwnerAlone(t *testing.T) {
	dir := t.TempDir()
	f := serverFile{Address: "http://127.0.0.1:1", PID: os.Getpid(), Token: "alm_x", StartedAt: time.Now()}
	require.NoError(t, f.write(dir))
	info, err := os.Stat(filepath.Join(dir, serverFileName))
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode())
	got, ok := readServerFile(dir)
	require.True(t, ok)
	require.True(t, got.alive())
	require.False(t, got.answers(t.Context()), "nobody listens there")

	other := f
	other.Token = "alm_y"
	other.remove(dir)
	_, ok = readServerFile(dir)
	require.True(t, ok, "a later server's file is not ours to remove")
	f.remove(dir)
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Empty(t, entries)
	require.False(t, serverFile{PID: 0}.alive())
}
