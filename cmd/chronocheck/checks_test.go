package main

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestCleanWorldHasNoViolation(t *testing.T) {
	w, _ := cleanWorld(t)
	plot := filepath.Join(t.TempDir(), "plot.svg")
	status, out, errs := w.look("--json", "--svg", plot)
	require.Equal(t, exitGood, status, "%s%s", out, errs)
	var r report
	require.NoError(t, json.Unmarshal([]byte(out), &r))
	require.Equal(t, "kept", r.Verdict)
	for _, tally := range r.Checks {
		require.NotZero(t, tally.Checked, "%s %s looked at nothing", tally.ID, tally.Name)
		require.Zero(t, tally.Violations)
	}
	drawn, err := os.ReadFile(plot)
	require.NoError(t, err)
	for d := xml.NewDecoder(strings.NewReader(string(drawn))); ; {
		if _, err := d.Token(); err == io.EOF {
			break
		} else {
			require.NoError(t, err)
		}
	}
	for _, word := range []string{`class="good"`, `class="run"`, `class="down"`, "w/load"} {
		require.Contains(t, string(drawn), word)
	}
	require.NotContains(t, string(drawn), `class="bad"`)
}

// twice is a statement that records an instance again, under another id.
func twice(id int64, changes string) string {
	return fmt.Sprintf(`INSERT INTO instance (id, job, version, kind, key, plan_time, plan_offset, state, gate, reason, fence, owner, dry_run, frozen, not_before, priority, pool,
		confirmed, started_at, ended_at, wake) SELECT 9000 + id, job, version, kind, key, %s, plan_offset, state, gate, reason, fence, owner, dry_run, frozen, not_before, priority,
		pool, confirmed, started_at, ended_at, wake FROM instance WHERE id = %d`, changes, id)
}

// again records a second attempt of an instance.
func (w *world) again(instance int64, job string, begin, end time.Time, outcome string) {
	w.attempt(instance, job, "", 2, begin, end, outcome, 0)
}

var plants = []struct {
	name  string
	check string
	also  []string // checks that see it too
	plant func(w *world, c *cast)
	want  string // of the line that says it
}{
	{"a due time is forgotten", "C1", nil, func(w *world, c *cast) {
		w.do(`DELETE FROM instance WHERE id = %d`, c.beat[15])
	}, "C1  w/beat@2026-03-02T12:15:00Z: due by version"},
	{"the plan stands still", "C1", nil, func(w *world, c *cast) {
		w.do(`DELETE FROM instance WHERE job = %d AND plan_time >= %d`, w.jobs["beat"], ms(minute(9)))
		w.do(`UPDATE plan_mark SET planned_to = %d WHERE job = %d`, ms(minute(9)), w.jobs["beat"])
		w.do(`DELETE FROM attempt WHERE instance IN (%d, %d)`, c.beat[9], c.beat[10])
		w.events = slices.DeleteFunc(w.events, func(e worldEvent) bool { return e.instance == c.beat[9] || e.instance == c.beat[10] })
		slices.Reverse(w.rows[len(w.rows)-3:]) // attempts before the instances that they are of
	}, "C1  w/beat@2026-03-02T12:09:00Z: 1 due times from here on have no instance: its plan is written up to 2026-03-02T12:09:00Z"},
	{"an instance is recorded twice", "C2", nil, func(w *world, c *cast) {
		w.schema = strings.Replace(w.schema, "UNIQUE (job, plan_time, key),", "", 1)
		w.do("%s", twice(c.beat[15], "plan_time"))
	}, "C2  w/beat@2026-03-02T12:15:00Z"},
	{"an instance nobody asked for", "C2", nil, func(w *world, c *cast) {
		w.do("%s", twice(c.beat[15], "plan_time + 30000"))
	}, "C2  w/beat@2026-03-02T12:15:30Z (instance 90"},
	{"a trigger's key is used twice", "C2", nil, func(w *world, c *cast) {
		w.do("%s", twice(c.manual, "plan_time + 1"))
		w.do(`UPDATE instance SET state = 'waiting', gate = 'time', not_before = %d, started_at = NULL, ended_at = NULL, wake = 1 WHERE id > 9000`, ms(minute(12)))
	}, "the key deploy-1 was used before"},
	{"planned with an old version", "C2", nil, func(w *world, c *cast) {
		w.do(`INSERT INTO job_version (id, job, definition, folder, created_at) SELECT 8000, job, definition, folder, %d FROM job_version WHERE job = %d`, ms(minute(14)), w.jobs["beat"])
		w.do(`UPDATE job SET version = 8000 WHERE id = %d`, w.jobs["beat"])
		w.do(`UPDATE instance SET version = 8000 WHERE job = %d AND plan_time > %d`, w.jobs["beat"], ms(minute(14)))
	}, "C2  w/beat@2026-03-02T12:14:00Z"},
	{"an outcome is overwritten", "C3", []string{"C4", "C11"}, func(w *world, c *cast) {
		w.do(`UPDATE instance SET state = 'failed' WHERE id = %d`, c.load[1])
		w.do(`UPDATE instance SET state = 'succeeded' WHERE id = %d`, c.check[2])
	}, "its history ends succeeded, and its row is failed"},
	{"an end is left without a person", "C3", nil, func(w *world, c *cast) {
		w.event(minute(8), c.missed, "skip", "cancelled", "skipped")
		w.do(`UPDATE instance SET state = 'skipped', reason = '{"code":"person","actor":"ann"}' WHERE id = %d`, c.missed)
	}, "changed the outcome cancelled, and no person did it"},
	{"an arrow that does not exist", "C3", nil, func(w *world, c *cast) {
		w.event(minute(8), c.quiet, "succeed", "skipped", "succeeded")
		w.event(minute(8.1), c.quiet, "skip", "succeeded", "skipped")
	}, "which no rule allows"},
	{"an attempt without an outcome", "C3", []string{"C4", "C9"}, func(w *world, c *cast) {
		w.do(`UPDATE attempt SET outcome = NULL, ended_at = NULL, exit = NULL WHERE id = %d`, c.loadAttempt[1])
	}, "its attempt 1 (row"},
	{"nobody looks at what is due", "C3", nil, func(w *world, c *cast) {
		w.do(`UPDATE instance SET state = 'waiting', gate = 'time', started_at = NULL, ended_at = NULL, fence = 0 WHERE id = %d`, c.beat[8])
		w.events = slices.DeleteFunc(w.events, func(e worldEvent) bool { return e.instance == c.beat[8] })
	}, "C3  w/beat@2026-03-02T12:08:00Z"},
	{"an error action nobody delivers", "C11", nil, func(w *world, c *cast) {
		w.do(`UPDATE outbox SET state = 'pending', ended_at = NULL, attempts = 0 WHERE id = %d`, c.outbox)
		w.do(`DELETE FROM attempt WHERE id = %d`, c.delivery)
	}, "and nobody delivers it"},
	{"a wake-up is lost", "C3", nil, func(w *world, c *cast) {
		w.do(`DELETE FROM attempt WHERE instance = %d`, c.check[3])
		w.do(`UPDATE instance SET state = 'waiting', gate = 'dependency', started_at = NULL, ended_at = NULL, fence = 0 WHERE id = %d`, c.check[3])
		w.events = slices.DeleteFunc(w.events, func(e worldEvent) bool { return e.instance == c.check[3] })
		w.witness = slices.DeleteFunc(w.witness, func(s string) bool { return strings.Contains(s, fmt.Sprintf(" %d ", c.check[3])) })
	}, "everything that it waits for has ended well, and it still waits for it"},
	{"a ring that nobody tells of", "C3", []string{"C6"}, func(w *world, c *cast) {
		for _, id := range []int64{c.load[3], c.check[3]} {
			w.do(`DELETE FROM attempt WHERE instance = %d`, id)
			w.do(`UPDATE instance SET state = 'waiting', gate = 'dependency', started_at = NULL, ended_at = NULL, fence = 0 WHERE id = %d`, id)
			w.events = slices.DeleteFunc(w.events, func(e worldEvent) bool { return e.instance == id })
			w.witness = slices.DeleteFunc(w.witness, func(s string) bool { return strings.Contains(s, fmt.Sprintf(" %d ", id)) })
		}
		w.do(`INSERT INTO wait SELECT %d, n, dependency, %d, key, first_time, first_offset, last_time, last_offset, times, rule, selects, window_from, window_from_offset, window_to,
			window_to_offset, closed, on_missing, on_failed, ended, timeout, bound FROM wait WHERE instance = %d`, c.load[3], w.jobs["check"], c.check[3])
	}, "it waits for w/check@2026-03-02T12:03:00Z, which waits for it in a ring"},
	{"a history whose row is gone", "C3", nil, func(w *world, c *cast) {
		w.event(minute(8), 7777, "cancel", "waiting", "cancelled")
	}, "instance 7777 has a history of 1 events, and no row"},
	{"an attempt whose instance is gone", "C3", nil, func(w *world, c *cast) {
		w.do(`UPDATE attempt SET instance = 7777 WHERE instance = %d`, c.beat[3])
		w.do(`UPDATE instance SET state = 'skipped', reason = '{"code":"person","actor":"ann"}', started_at = NULL WHERE id = %d`, c.beat[3])
		w.events = slices.DeleteFunc(w.events, func(e worldEvent) bool { return e.instance == c.beat[3] })
		w.event(minute(3), c.beat[3], "skip", "waiting", "skipped")
	}, "is of instance 7777, which has no row"},
	{"succeeded, and never done", "C4", []string{"C12"}, func(w *world, c *cast) {
		w.replace(fmt.Sprintf("end %d 1 - ", c.load[1]), "")
		delete(w.logs, c.loadAttempt[1])
	}, "is recorded as succeeded, and has no witness of an end"},
	{"another exit status", "C4", nil, func(w *world, c *cast) {
		w.do(`UPDATE attempt SET exit = 4 WHERE instance = %d AND action = 'main'`, c.check[2])
	}, "is recorded with exit 4, and ended with 3 by its witness"},
	{"ran without a record", "C4", nil, func(w *world, c *cast) {
		w.witness = append(w.witness, fmt.Sprintf("begin %d 1 - 1 - %d", c.missed, minute(4).UnixNano()))
	}, "was never started by the record; the instance is cancelled"},
	{"succeeded without its step", "C4", nil, func(w *world, c *cast) {
		w.do(`DELETE FROM attempt WHERE instance = %d`, c.beat[3])
	}, `no attempt of its step "" is`},
	{"one attempt began twice", "C5", nil, func(w *world, c *cast) {
		w.witness = append(w.witness, fmt.Sprintf("begin %d 1 - 1 - %d", c.load[1], minute(1).Add(200*time.Millisecond).UnixNano()))
	}, `attempt 1 of step "" began 2 times under one record`},
	{"held, and started again", "C5", nil, func(w *world, c *cast) {
		w.do(`UPDATE attempt SET outcome = 'lost', exit = NULL WHERE id = %d`, c.loadAttempt[3])
		w.again(c.load[3], "load", minute(3).Add(1200*time.Millisecond), minute(3).Add(1300*time.Millisecond), "succeeded")
		w.do(`UPDATE instance SET ended_at = %d WHERE id = %d`, ms(minute(3).Add(1300*time.Millisecond)), c.load[3])
		for n := range w.events {
			if e := &w.events[n]; e.instance == c.load[3] && e.kind == "succeed" {
				e.at = minute(3).Add(1050 * time.Millisecond)
			}
		}
		w.replace(fmt.Sprintf("begin %d 1", c.check[3]), fmt.Sprintf("begin %d 1 - 1 - %d", c.check[3], minute(3).Add(1400*time.Millisecond).UnixNano()))
	}, "onLost: hold: attempt 1 of step \"\" was lost, and attempt 2 was started without a person"},
	{"two attempts at once", "C5", []string{"C9"}, func(w *world, c *cast) {
		w.again(c.load[2], "load", minute(2).Add(500*time.Millisecond), minute(2).Add(900*time.Millisecond), "succeeded")
	}, "ran at once, and the older was not given up: it is succeeded"},
	{"a fence from the future", "C5", nil, func(w *world, c *cast) {
		w.do(`UPDATE attempt SET fence = 0 WHERE id = %d`, c.loadAttempt[1])
	}, "ran under the fence 1, and was recorded under 0"},
	{"started before its upstream ended", "C6", nil, func(w *world, c *cast) {
		for n := range w.events {
			if e := &w.events[n]; e.instance == c.check[1] && e.kind == "start" {
				e.at = minute(1).Add(500 * time.Millisecond)
			}
		}
	}, "C6  w/check@2026-03-02T12:01:00Z"},
	{"began before its upstream ended, by the witnesses", "C6", nil, func(w *world, c *cast) {
		w.replace(fmt.Sprintf("begin %d 1", c.check[1]), fmt.Sprintf("begin %d 1 - 1 - %d", c.check[1], minute(1).Add(700*time.Millisecond).UnixNano()))
	}, "it began 0.300 s before w/load@2026-03-02T12:01:00Z ended, by their witnesses"},
	{"another dependency set", "C6", nil, func(w *world, c *cast) {
		w.do(`UPDATE wait SET first_time = first_time - 60000, times = 2 WHERE instance = %d`, c.check[3])
	}, "recorded are 2 from 2026-03-02T12:02:00Z to 2026-03-02T12:03:00Z, and the rules say 1 from"},
	{"a dependency is forgotten", "C6", nil, func(w *world, c *cast) {
		w.do(`DELETE FROM wait WHERE instance = %d`, c.check[3])
	}, "nothing is recorded, and the rules say 1 from"},
	{"let run at once, and rerun since", "C6", nil, func(w *world, c *cast) {
		for n := range w.events {
			if e := &w.events[n]; e.instance == c.check[1] {
				e.at = minute(0.5).Add(time.Duration(n) * time.Millisecond)
			}
		}
		w.person(minute(0.1), c.check[1], "run-now", "", "", "dependencies and plan time are not waited for")
		w.person(minute(0.2), c.check[1], "cancel", "waiting", "cancelled", "")
		w.person(minute(0.3), c.check[1], "rerun", "cancelled", "waiting", "runs again from the start")
	}, "it started before what it waits for: w/load@2026-03-02T12:01:00Z was waiting"},
	{"detached from another than what is missing", "C6", nil, func(w *world, c *cast) {
		w.person(minute(2), c.check[3], "detach", "", "", "does not wait for w/load@2026-03-02T12:02:00Z: not today")
		w.do(`UPDATE wait SET first_time = NULL, last_time = NULL, times = 0, rule = 'detached' WHERE instance = %d`, c.check[3])
	}, "recorded are none, and the rules say 1 from"},
	{"waits in a backfill that is over", "C3", nil, func(w *world, c *cast) {
		w.do(`UPDATE instance SET kind = 'backfill', key = 'bf-1', state = 'waiting', gate = 'dependency', reason = '{"code":"upstream"}', started_at = NULL, ended_at = NULL, fence = 0 WHERE id = %d`, c.manual)
		w.do(`DELETE FROM attempt WHERE instance = %d`, c.manual)
		w.do(`INSERT INTO backfill (id, key, job, from_time, to_time, state, reason, options, actor, created_at, ended_at) VALUES (7000, 'bf-1', %d, 0, 1, 'ended', '{}', '{}', '', 1, 2)`, w.jobs["load"])
		w.events = slices.DeleteFunc(w.events, func(e worldEvent) bool { return e.instance == c.manual })
		w.witness = slices.DeleteFunc(w.witness, func(s string) bool { return strings.Contains(s, fmt.Sprintf(" %d ", c.manual)) })
		w.acks = nil
	}, "it waits in the backfill bf-1, which is ended"},
	{"a late start", "C7", nil, func(w *world, c *cast) {
		late := minute(9).Add(8 * time.Second)
		w.do(`UPDATE instance SET started_at = %d, ended_at = %[1]d WHERE id = %d`, ms(late), c.beat[9])
		w.do(`UPDATE attempt SET started_at = %d, ended_at = %[1]d WHERE instance = %d`, ms(late), c.beat[9])
		for n := range w.events {
			if w.events[n].instance == c.beat[9] {
				w.events[n].at = late
			}
		}
	}, "it started 8.000 s after nothing stood in its way any more"},
	{"skipped for no reason of its own", "C8", nil, func(w *world, c *cast) {
		w.do(`UPDATE instance SET reason = '{"code":"overlap"}' WHERE id = %d`, c.missed)
	}, `cancelled for the reason "overlap", and overlap is queue`},
	{"missed, and not by much", "C8", nil, func(w *world, c *cast) {
		w.do(`UPDATE instance SET ended_at = %d WHERE id = %d`, ms(minute(4.5)), c.missed)
	}, `cancelled for the reason "misfire", and it was 30000 ms late`},
	{"a day off that is none", "C8", nil, func(w *world, c *cast) {
		w.do(`UPDATE instance SET dry_run = 1 WHERE id = %d`, c.beat[15])
	}, "it is marked as a dry run, and its day is not off"},
	{"more at once than may", "C9", nil, func(w *world, c *cast) {
		for n := range w.events {
			if e := &w.events[n]; e.instance == c.load[1] && e.kind == "succeed" {
				e.at = minute(2).Add(60 * time.Millisecond)
			} else if e.instance == c.check[1] {
				e.at = e.at.Add(time.Minute)
			}
		}
	}, "2 instances of its job ran, and concurrency is 1"},
	{"a pool that is too full", "C9", nil, func(w *world, c *cast) {
		w.do(`UPDATE attempt SET ended_at = ended_at + 60000 WHERE id = %d`, c.loadAttempt[2])
	}, "2 attempts lived: pool p allows 1"},
	{"an acknowledged trigger is gone", "C10", nil, func(w *world, c *cast) {
		w.acks = append(w.acks, `{"at":1,"command":"trigger","job":"w/load","instance":6666}`)
	}, "trigger of instance 6666 was acknowledged, and there is no such instance"},
	{"an acknowledged cancellation has no trace", "C10", nil, func(w *world, c *cast) {
		w.acks = append(w.acks, fmt.Sprintf(`{"at":1,"command":"cancel","instance":%d}`, c.load[2]))
	}, "cancel was acknowledged, and it is succeeded without a trace of it"},
	{"an acknowledged definition is gone", "C10", nil, func(w *world, c *cast) {
		w.acks = append(w.acks, `{"at":1,"command":"load","job":"w/other"}`)
	}, "w/other: its load was acknowledged, and there is no such job"},
	{"a failure nobody is told", "C11", nil, func(w *world, c *cast) {
		w.do(`DELETE FROM attempt WHERE id = %d`, c.delivery)
		w.do(`DELETE FROM outbox WHERE id = %d`, c.outbox)
	}, "it failed 1 times for good, and 0 error actions are recorded"},
	{"told too often", "C11", nil, func(w *world, c *cast) {
		w.do(`INSERT INTO attempt (id, instance, job, step, number, action, outbox, fence, pool, started_at, outcome, ended_at) SELECT 9001, instance, job, step, 2, action, outbox, fence, pool,
			started_at, outcome, ended_at FROM attempt WHERE id = %d`, c.delivery)
	}, "its error action was tried 2 times, of which 0 were lost; its retries allow 1"},
	{"a log lacks a line", "C12", nil, func(w *world, c *cast) {
		w.logs[c.loadAttempt[1]] = fmt.Sprintf("almanac-mark %d 1 - 1\n", c.load[1])
	}, "printed 2 marked lines; 1 are not in its log"},
}

// Whatever is wrong is found, by the check whose business it is, and by no other that has no business with it.
func TestPlantedViolationsAreFound(t *testing.T) {
	seen := map[string]bool{}
	for _, p := range plants {
		seen[p.check] = true
		t.Run(p.check+" "+p.name, func(t *testing.T) {
			w, c := cleanWorld(t)
			p.plant(w, c)
			status, out, errs := w.look()
			require.Equal(t, exitViolations, status, "%s%s", out, errs)
			require.Contains(t, out, p.want)
			var r report
			status, out, _ = w.lookAgain("--json")
			require.Equal(t, exitViolations, status)
			require.NoError(t, json.Unmarshal([]byte(out), &r))
			for _, v := range r.Found {
				require.Contains(t, append(p.also, p.check), v.Check, "%+v", v)
			}
		})
	}
	for n := range checkNames {
		require.True(t, seen[fmt.Sprintf("C%d", n+1)], "no violation of C%d is planted", n+1)
	}
}

// person records what a person did to an instance.
func (w *world) person(at time.Time, instance int64, kind, from, to, detail string) {
	w.events = append(w.events, worldEvent{at: at, instance: instance, kind: kind, from: from, to: to, reason: `person","detail":"` + detail + `","actor":"ann`, actor: "ann"})
}

// What persons did to an instance is no violation: run at once it waits for nothing, and not for what it was detached from; the ids of attempts tell
// nothing of their order; what was due of a disabled job is held until it is enabled.
func TestPersonsMay(t *testing.T) {
	w, c := cleanWorld(t)
	for n := range w.events {
		if e := &w.events[n]; e.instance == c.check[1] {
			e.at = minute(0.5).Add(time.Duration(n) * time.Millisecond)
		}
	}
	w.person(minute(0.1), c.check[1], "run-now", "", "", "dependencies and plan time are not waited for")
	w.person(minute(2), c.check[3], "detach", "", "", "does not wait for w/load@2026-03-02T12:03:00Z: not today")
	w.do(`UPDATE wait SET first_time = NULL, last_time = NULL, times = 0, rule = 'detached', on_missing = 'wait' WHERE instance = %d`, c.check[3])
	status, out, errs := w.look()
	require.Equal(t, exitGood, status, "%s%s", out, errs)
}

// A log that says that it was cut may lack lines.
func TestCutLogMayLackLines(t *testing.T) {
	w, c := cleanWorld(t)
	w.logs[c.loadAttempt[1]] = "\n--- almanac: 99 bytes left out here ---\n"
	status, out, _ := w.look()
	require.Equal(t, exitGood, status, out)
}

// What is not understood is counted and not guessed.
func TestWhatIsNotUnderstoodIsNotChecked(t *testing.T) {
	w, _ := cleanWorld(t)
	w.do(`UPDATE job_version SET definition = CAST(replace(CAST(definition AS TEXT), '"cron":"* * * * *"', '"recurrence":{"frequency":"minute","moonPhase":3}') AS BLOB) WHERE job = %d`, w.jobs["beat"])
	status, out, errs := w.look()
	require.Equal(t, exitGood, status, "%s%s", out, errs)
	require.Contains(t, out, `C1 not checked, 19: schedule: json: unknown field "moonPhase"`)
}

// loads records what a load did, in the words of its event.
func (w *world) loads(at time.Time, counts string) {
	w.do(`INSERT INTO event (id, at, kind, from_state, to_state, reason, actor, hash) VALUES (%d, %d, 'load', '', '', '{"code":"person","detail":"5 jobs: %s; 0 instances planned anew"}', '', zeroblob(32))`,
		1000+w.id(), ms(at), counts)
}

// A job that was taken out of the definitions owes nothing from then on, as far as the history can tell; one that was there does.
func TestRemovedJobsOweNothing(t *testing.T) {
	w, _ := cleanWorld(t)
	w.loads(minute(0), "5 added, 0 changed, 0 removed")
	w.loads(minute(9.5), "0 added, 0 changed, 1 removed")
	w.do(`UPDATE job SET removed = 1 WHERE name = 'beat'`)
	w.do(`DELETE FROM instance WHERE job = %d AND plan_time > %d AND state = 'waiting'`, w.jobs["beat"], ms(minute(9.5)))
	status, out, errs := w.look("--now", minute(30).Format(time.RFC3339))
	require.Equal(t, exitViolations, status, "%s%s", out, errs)
	require.Contains(t, out, "C2  w/beat@2026-03-02T12:10:00Z", "it was removed before, and ran")

	w, _ = cleanWorld(t)
	w.loads(minute(0), "5 added, 0 changed, 0 removed")
	w.loads(minute(10.5), "0 added, 0 changed, 1 removed")
	w.do(`UPDATE job SET removed = 1 WHERE name = 'beat'`)
	w.do(`DELETE FROM instance WHERE job = %d AND plan_time > %d AND state = 'waiting'`, w.jobs["beat"], ms(minute(10.5)))
	status, out, errs = w.look()
	require.Equal(t, exitGood, status, "%s%s", out, errs)

	w, _ = cleanWorld(t)
	w.loads(minute(0), "5 added, 0 changed, 0 removed")
	w.loads(minute(3.5), "0 added, 0 changed, 1 removed")
	w.loads(minute(8.5), "1 added, 0 changed, 0 removed")
	status, out, errs = w.look()
	require.Equal(t, exitGood, status, "it may have been another job: %s%s", out, errs)

	w, c := cleanWorld(t)
	w.loads(minute(10.2), "0 added, 0 changed, 1 removed")
	w.loads(minute(18.5), "1 added, 0 changed, 0 removed")
	w.do(`DELETE FROM instance WHERE id = %d`, c.beat[15])
	status, out, errs = w.look()
	require.Equal(t, exitViolations, status, "%s%s", out, errs)
	require.Contains(t, out, "C1  w/beat@2026-03-02T12:15:00Z", "its neighbours show that it was there")
}

// Where the server's clock was moved, what needs it is not checked, and the rest is.
func TestMovedClock(t *testing.T) {
	w, _ := cleanWorld(t)
	w.nemesis = append(w.nemesis, fmt.Sprintf("%d clock -1h", minute(8).UnixNano()))
	status, out, errs := w.look()
	require.Equal(t, exitGood, status, "%s%s", out, errs)
	require.Contains(t, out, "C7 not checked, 28: the server's clock was moved")
	require.Contains(t, out, "C9 not checked, 18: pools and slots: the server's clock was moved")

	w, c := cleanWorld(t)
	w.nemesis = append(w.nemesis, fmt.Sprintf("%d clock -1h", minute(8).UnixNano()))
	w.do(`DELETE FROM instance WHERE id = %d`, c.beat[15])
	status, out, errs = w.look()
	require.Equal(t, exitViolations, status, "%s%s", out, errs)
}

// Without the other inputs the rows alone are checked.
func TestRowsAlone(t *testing.T) {
	w, _ := cleanWorld(t)
	w.write()
	var out, errs strings.Builder
	require.Equal(t, exitGood, run([]string{"--data", filepath.Join(w.dir, fileName), "--epsilon", "200s"}, &out, &errs), "%s%s", &out, &errs)
	for _, check := range []string{"C4", "C5", "C10", "C12"} {
		require.Contains(t, out.String(), check+" not checked")
	}
	require.Contains(t, out.String(), "rows as of 2026-03-02T12:10:00Z", "the last sign of life")
	for _, suffix := range []string{"-wal", "-shm", "-journal"} {
		require.NoFileExists(t, filepath.Join(w.dir, fileName+suffix), "reading leaves nothing behind")
	}
}

func TestUnusableInputs(t *testing.T) {
	w, _ := cleanWorld(t)
	args := w.write()
	file := func(name, text string) string {
		path := filepath.Join(t.TempDir(), name)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
		return path
	}
	for what, c := range map[string]struct {
		args []string
		want string
	}{
		"no data":               {nil, "usage:"},
		"a folder of nothing":   {[]string{"--data", t.TempDir()}, "find the database"},
		"an empty file":         {[]string{"--data", file("almanac.db", "")}, "the file is empty"},
		"no database":           {[]string{"--data", file("almanac.db", strings.Repeat("no database ", 1000))}, "not a database"},
		"a witness of nonsense": {append(slices.Clone(args), "--witness", file("w", "begin 1 2\n")), `line 1, "begin 1 2"`},
		"a nemesis of nonsense": {append(slices.Clone(args), "--nemesis", file("n", "kill server\n")), "not a whole number"},
		"acks of nonsense":      {append(slices.Clone(args), "--acks", file("a", "{\n")), "acknowledgement log"},
		"a time of nonsense":    {append(slices.Clone(args), "--now", "noon"), "neither wall nor a time"},
	} {
		var out, errs strings.Builder
		require.Equal(t, exitUnusable, run(c.args, &out, &errs), what)
		require.Contains(t, errs.String(), c.want, what)
		require.Empty(t, out.String(), what)
	}
}

// A witness line that was cut off by the end of the machine says nothing.
func TestLastWitnessLineMayBeCutOff(t *testing.T) {
	path := filepath.Join(t.TempDir(), "witness")
	require.NoError(t, os.WriteFile(path, []byte("begin 7 1 - 2 - 5000000\nend 7 1 - 2 0 90"), 0o644))
	w, err := readWitnesses(path)
	require.NoError(t, err)
	r := w.runs[runID{7, 1, ""}]
	require.Len(t, r.begins, 1)
	require.Empty(t, r.ends)
}
