package engine_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/engine/fault/effort"
	"github.com/almanac-sched/almanac/engine/spec"
)

// Each line is an instance that was due at 02:00 with a deadline of an hour, and what there is to say of it.
func TestAnAlertIsDecidedOnOneInstance(t *testing.T) {
	clock := func(text string) time.Time {
		if text == "" {
			return time.Time{}
		}
		at, err := time.Parse("15:04", text)
		require.NoError(t, err)
		return at
	}
	for _, c := range []struct {
		name                     string
		state                    engine.State
		reason                   engine.ReasonCode
		now, started, ended, est string
		kind                     engine.AlertKind
		over                     bool
		next                     string
	}{
		{"in time: looked at again when what is left has passed", engine.Waiting, "", "02:00", "", "", "02:30", "", false, "02:30"},
		{"in time by a hair: not before a second has passed", engine.Running, "", "02:59", "02:00", "", "03:00", "", false, "02:59"},
		{"never sooner than its deadline is late enough", engine.Running, "", "02:30", "02:00", "", "02:10", "", false, "03:00"},
		{"known to be late", engine.Waiting, "", "02:00", "", "", "03:01", engine.AlertWillBeLate, false, ""},
		{"runs, and is known to be late", engine.Running, "", "02:20", "02:10", "", "03:01", engine.AlertWillBeLate, false, ""},
		{"has not started", engine.Waiting, "", "03:00", "", "", "", engine.AlertNeverStarted, false, ""},
		{"started after its deadline, before anybody looked", engine.Running, "", "04:00", "03:30", "", "", engine.AlertNeverStarted, false, ""},
		{"still runs", engine.Running, "", "03:00", "02:59", "", "", engine.AlertStillRunning, false, ""},
		{"ended in time", engine.Succeeded, "", "04:00", "02:00", "03:00", "", "", true, ""},
		{"ended late, before anybody looked", engine.Succeeded, "", "04:00", "02:00", "03:01", "", engine.AlertEndedLate, true, ""},
		{"skipped in time", engine.Skipped, engine.ReasonOffCalendar, "04:00", "", "02:00", "", "", true, ""},
		{"failed", engine.Failed, engine.ReasonStepFailed, "02:10", "02:00", "02:10", "", engine.AlertFailed, false, ""},
		{"lost", engine.Lost, engine.ReasonLost, "02:10", "02:00", "", "", engine.AlertLost, false, ""},
		{"waited too long", engine.Cancelled, engine.ReasonWaitTimeout, "02:10", "", "02:10", "", engine.AlertCancelled, false, ""},
		{"missed", engine.Cancelled, engine.ReasonMisfire, "02:10", "", "02:10", "", engine.AlertCancelled, false, ""},
		{"its upstream failed", engine.Cancelled, engine.ReasonUpstreamFail, "02:10", "", "02:10", "", engine.AlertCancelled, false, ""},
		{"cancelled by a person", engine.Cancelled, engine.ReasonPerson, "02:10", "", "02:10", "", "", true, ""},
		{"another of its job runs: so its policy", engine.Cancelled, engine.ReasonOverlap, "02:10", "", "02:10", "", "", true, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			i := engine.Instance{State: c.state, Reason: engine.Reason{Code: c.reason}, StartedAt: clock(c.started), EndedAt: clock(c.ended)}
			v := engine.JudgeAlert(clock(c.now), &engine.Watched{Instance: &i, Deadline: clock("03:00"), Ends: clock(c.est)})
			require.Equal(t, c.kind, v.Kind)
			require.Equal(t, c.over, v.Over)
			require.Equal(t, clock(c.next), v.Next.Truncate(time.Minute))
			require.True(t, v.Next.IsZero() || v.Next.After(clock(c.now)), "it looks again later, not at once")
		})
	}
}

// wide is a root and so many jobs that wait for it, in chains of ten, each with a deadline of its own.
func wide(jobs int) string {
	var b strings.Builder
	b.WriteString("workflow: w\ndefaults: {startTime: \"2026-08-01T00:00:00Z\", action: {type: none}}\njobs:\n  root: {cron: \"0 2 * * *\", action: {type: shell, command: x}}\n")
	for n := range jobs {
		upstream := "root"
		if n%10 > 0 {
			upstream = fmt.Sprintf("j%d", n-1)
		}
		fmt.Fprintf(&b, "  j%d: {cron: \"0 3 * * *\", dependsOn: [%s], deadline: PT2H}\n", n, upstream)
	}
	return b.String()
}

const toldOps = "sinks: {ops: {type: slack, url: \"https://hooks.example/x\"}}\ndefault: ops\n"

// One root with 500 descendants, all of them blocked and later late: one message, and one when it is over.
func TestOneRootOfFiveHundredIsOneMessage(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		s := &scenario{t: t, dir: dir, actions: parseActions(t, "root#1 1m exit 1"), sections: map[string]string{
			"w.yaml": wide(500), "alerts": toldOps, "quiet": "", "script": `
start 2026-08-03T00:00:00Z
until 2026-08-03T08:00:00Z
incidents
rerun w/root@2026-08-03T02:00:00Z
until 2026-08-03T09:00:00Z
incidents
`}}
		require.Equal(t, `03 00:00:00 loaded: 501 added, 0 changed, 0 removed, 0 replaced by 0
03 02:01:00 ! ops #1 failure: w/root 2026-08-03 02:00 +00:00 failed (500 blocked)
03 08:00:00 incident of job/, failed, open: failed 1 of 1 never-started 500 of 500
03 08:00:01 ! ops #2 recovery: over: w/root 2026-08-03 02:00 +00:00 failed (501 in trouble)
03 09:00:00 incident of job/, failed, closed: failed 0 of 1 never-started 0 of 500
03 09:00:00 server killed
`, s.play())
	})
}

// errCrash is the death of a server.
var errCrash = errors.New("killed")

// A mortal is a Store whose server dies with its n-th write: before or after it was made.
type mortal struct {
	engine.Store
	writes atomic.Int64
	last   int64
	after  bool
	dead   atomic.Bool
}

func (m *mortal) Write(ctx context.Context, fn func(tx engine.Tx) error) error {
	if m.dead.Load() {
		return errCrash
	}
	if m.writes.Add(1) < m.last {
		return m.Store.Write(ctx, fn)
	}
	if m.after {
		if err := m.Store.Write(ctx, fn); err != nil {
			return err
		}
	}
	m.dead.Store(true)
	return errCrash
}

// A server that dies with any of its writes, before or after it: the next one loses no message, and what is repeated has the id that it had.
func TestACrashBetweenAnyTwoWritesLosesNoMessage(t *testing.T) {
	const writes = 30 // of the first server: more than it makes until it has told of the failure
	for n := 0; n < 2*writes; n += effort.Of(5, 1) {
		dir := t.TempDir()
		synctest.Test(t, func(t *testing.T) {
			s := &scenario{t: t, dir: dir, actions: parseActions(t, "root 5s exit 1"), sections: map[string]string{
				"w.yaml": wide(3), "alerts": toldOps, "quiet": "", "script": `
start 2026-08-03T01:59:50Z
until 2026-08-03T02:05:00Z
force w/root@2026-08-03T02:00:00Z
until 2026-08-03T02:10:00Z
`}}
			s.mortal = func(store engine.Store) engine.Store {
				return &mortal{Store: store, last: int64(n/2 + 2), after: n%2 == 1} // the first is what loads the definitions
			}
			messages := map[string]string{}
			timeline := s.play()
			for line := range strings.Lines(timeline) {
				if _, message, told := strings.Cut(strings.TrimSpace(line), " ! ops "); told {
					id, text, _ := strings.Cut(message, " ")
					require.True(t, messages[id] == "" || messages[id] == text, "the same id is the same message")
					messages[id] = text
				}
			}
			var texts []string
			for _, text := range messages {
				texts = append(texts, text)
			}
			require.ElementsMatch(t, []string{
				"failure: w/root 2026-08-03 02:00 +00:00 failed (3 blocked)", "recovery: over: w/root 2026-08-03 02:00 +00:00 failed (3 blocked)",
			}, texts, "write %d, after it: %v\n%s", n/2+2, n%2 == 1, timeline)
		})
	}
}

// Two servers on one store see the same trouble, and write one incident and one message of it.
func TestTwoServersWriteOneIncident(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		s := &scenario{t: t, dir: dir, actions: parseActions(t, "a 1m exit 1"), sections: map[string]string{
			"w.yaml": "workflow: w\njobs:\n  a: {cron: \"*/10 * * * *\", startTime: \"2026-08-01T00:00:00Z\", notify: ops, deadline: PT5M, action: {type: shell, command: x}}\n",
			"alerts": toldOps, "quiet": "", "script": "",
		}}
		s.play()
		s.again(func() {
			s.until("2026-08-03T00:00:00Z")
			s.shared = true
			s.start()
			first := s.stop
			firstDone := s.done
			s.start()
			s.until("2026-08-03T02:00:00Z")
			first()
			<-firstDone
		})
		told := 0
		for line := range strings.Lines(s.lines.String()) {
			if strings.Contains(line, "! ops") {
				told++
			}
		}
		require.Equal(t, 2, told, "%s", s.lines.String()) // when it began, and that it has grown an hour later
	})
}

// The interval between two messages about one cause is kept, whatever comes to be over between them.
func TestNotifyKeepsItsInterval(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		s := &scenario{t: t, dir: dir, actions: parseActions(t, "a 1m exit 1\na#2 1s ok"), sections: map[string]string{
			"w.yaml": `workflow: w
notify: [{sink: ops, interval: PT2H, kinds: [failure]}]
jobs:
  a: {cron: "*/30 * * * *", startTime: "2026-08-01T00:00:00Z", retryPolicy: {retryType: none}, action: {type: shell, command: x}}
`, "alerts": toldOps, "quiet": "", "script": `
start 2026-08-03T00:00:00Z
until 2026-08-03T00:35:00Z
rerun w/a@2026-08-03T00:30:00Z
until 2026-08-03T01:05:00Z
rerun w/a@2026-08-03T01:00:00Z
until 2026-08-03T02:25:00Z
incidents
`}}
		timeline := s.play()
		require.Equal(t, 1, strings.Count(timeline, "! ops"), timeline)
		require.Equal(t, 2, strings.Count(timeline, "closed"), timeline)
	})
}

func TestAcknowledgingAndTestingRefuseWhatCannotBe(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		s := &scenario{t: t, dir: dir, sections: map[string]string{"w.yaml": wide(1), "alerts": toldOps, "script": "start 2026-08-03T00:00:00Z"}}
		s.play()
		s.again(func() {
			s.start()
			_, err := s.engine.AckIncident(t.Context(), 12345, "ann", "", time.Now())
			require.ErrorIs(t, err, engine.ErrNotFound)
			_, err = s.engine.Incident(t.Context(), 12345)
			require.ErrorIs(t, err, engine.ErrNotFound)
			_, err = s.engine.TestSink(t.Context(), "nobody", "ann", "", time.Now())
			require.ErrorIs(t, err, engine.ErrNotFound)
			require.ErrorContains(t, err, "it has ops")
			row, err := s.engine.TestSink(t.Context(), "ops", "ann", "hello", time.Now())
			require.NoError(t, err)
			synctest.Wait()
			row, err = s.engine.Delivery(t.Context(), row.ID)
			require.NoError(t, err)
			require.Equal(t, engine.OutboxDelivered, row.State)
		})
	})
}

func TestUnknownSinksAreNamedWithTheirPlace(t *testing.T) {
	w, problems := spec.Decode("w.yaml", []byte("jobs:\n  a: {notify: [opps, {sink: mail}], action: {type: none}, trigger: manual}\n"), spec.Options{})
	require.NoError(t, problems.Err())
	found := spec.UnknownSinks([]*engine.Workflow{w}, []string{"mail", "ops"})
	require.Len(t, found, 1)
	require.Contains(t, found[0].String(), `w.yaml:2:7: the job a tells "opps", and the server has no sink of that name (did you mean "ops"?)`)
}
