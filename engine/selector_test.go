package engine_test

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/engine"
)

func TestSelectorsThatAreWrongSayWhereAndWhatWouldBeRight(t *testing.T) {
	for text, want := range map[string]string{
		"":                             "the selector is empty; write for example job:orders date:yesterday state:failed",
		"orders":                       `column 1: "orders" is no term; did you mean job:orders?`,
		"retail/orders":                `column 1: "retail/orders" is no term; did you mean job:retail/orders, or retail/orders@ and a plan time?`,
		"job:x stat:failed":            "column 7: there is no term stat:; did you mean state:?",
		"job:x zzzz:1":                 "column 7: there is no term zzzz:; there are job, workflow, date, time, state, gate, kind, tag, id, backfill",
		"state:faild":                  `column 1: there is no state "faild"; did you mean failed?`,
		"gate:door":                    `column 1: there is no gate "door"; there are time, dependency, confirm, frozen, concurrency, slot, disk`,
		"kind:manuel":                  `column 1: there is no kind "manuel"; did you mean manual?`,
		"id:x":                         `column 1: "x" is no id of an instance`,
		"job:":                         "column 1: job: lacks a value",
		"job:a/b/c":                    `column 1: "a/b/c" is no job; write job:NAME or job:WORKFLOW/NAME`,
		"job:[":                        `column 1: "[" is no pattern: * stands for any characters, ? for one`,
		"date:2026-02-30":              `column 1: "2026-02-30" is no day; write 2026-11-01, 2026-11-01..07, 2026-11-01..2026-12-02, yesterday, today or tomorrow`,
		"date:2026-11-07..01":          "column 1: 2026-11-07..01 ends before it begins",
		"date:today..yesterday":        "column 1: today..yesterday ends before it begins",
		"date:2026-11-01..":            `column 1: "" is no day; write 2026-11-01, 2026-11-01..07, 2026-11-01..2026-12-02, yesterday, today or tomorrow`,
		"time:06:00":                   `column 1: "06:00" is no range of times; write time:02:00..05:30, time:2026-11-01T02:00..2026-11-01T05:30 or time:today`,
		"time:25:00..26:00":            `column 1: "25:00" is no time; write 2026-11-01T06:00 (in the job's zone) or 2026-11-01T06:00:00+08:00`,
		"w/a@soon":                     `column 1: "soon" is no time; write 2026-11-01T06:00 (in the job's zone) or 2026-11-01T06:00:00+08:00`,
		"+0":                           `column 1: "+0" counts no hops; write +2 (two downstream), 2+ (two upstream), + or *+ (all)`,
		"state:faild,waiting date:now": "column 1: there is no state \"faild\"; did you mean failed?\ninvalid: column 21: \"now\" is no day; write 2026-11-01, 2026-11-01..07, 2026-11-01..2026-12-02, yesterday, today or tomorrow",
	} {
		_, err := engine.ParseSelector(text)
		require.EqualError(t, err, "invalid: "+want, text)
		require.ErrorIs(t, err, engine.ErrInvalid)
	}
}

// night is two days of three jobs, in a zone whose day begins at 16:00 UTC: a chain whose last job waits for the whole day of the first.
const night = `workflow: w
timeZone: Asia/Shanghai
defaults: {startTime: "2026-08-01T00:00:00+08:00", concurrency: 9}
jobs:
  dwd_orders: {tags: [finance], recurrence: {frequency: day, schedule: {hours: [2, 14]}}, action: {type: shell, command: "true"}}
  dwd_stores: {recurrence: {frequency: day, schedule: {hours: [3]}}, action: {type: shell, command: "true"}}
  report: {tags: [finance, mail], recurrence: {frequency: day, schedule: {hours: [8]}}, dependsOn: [dwd_orders, dwd_stores], action: {type: shell, command: "true"}}
  letter: {recurrence: {frequency: day, schedule: {hours: [9]}}, dependsOn: [report], action: {type: shell, command: "true"}}
`

// choose lists what a selector chooses, by job and local plan time.
func (d *desk) choose(e *engine.Engine, selector string) (names []string, err error) {
	d.Helper()
	list, err := e.Select(d.Context(), selector, d.now)
	for i := range list {
		names = append(names, list[i].Ref.Job+"@"+list[i].PlanTime.Format("02T15"))
	}
	return names, err
}

func TestWhatSelectorsChoose(t *testing.T) {
	d := newDesk(t)
	shanghai, err := time.LoadLocation("Asia/Shanghai")
	require.NoError(t, err)
	d.now = time.Date(2026, 8, 1, 0, 1, 0, 0, shanghai)
	e, h := d.server("a", d.db, false)
	d.load(e, night)
	for hour := range 47 {
		d.now = time.Date(2026, 8, 1, hour, 1, 0, 0, shanghai)
		d.step(e)
		for _, a := range h.started {
			r := engine.Result{Attempt: a.ID, Outcome: engine.OutcomeSucceeded, StartedAt: d.now, EndedAt: d.now}
			if a.Ref.Job == "dwd_stores" && hour > 24 {
				r.Outcome = engine.OutcomeFailed
			}
			h.done[a.ID](r)
		}
		h.started = nil
		d.step(e)
	}
	// It is the second of August, 22:01.
	for selector, want := range map[string][]string{
		"job:dwd_* date:today":                      {"dwd_orders@02T02", "dwd_stores@02T03", "dwd_orders@02T14"},
		"job:w/report,letter date:yesterday":        {"report@01T08", "letter@01T09"},
		"workflow:w date:2026-08-01 -job:dwd_*":     {"report@01T08", "letter@01T09"},
		"tag:finance -tag:mail date:2026-08-01..02": {"dwd_orders@01T02", "dwd_orders@01T14", "dwd_orders@02T02", "dwd_orders@02T14"},
		"tag:mail date:2026-08-01..2026-08-02":      {"report@01T08", "report@02T08"},
		"date:yesterday,today job:dwd_stores":       {"dwd_stores@01T03", "dwd_stores@02T03"},
		"job:dwd_stores time:yesterday..today":      {"dwd_stores@01T03", "dwd_stores@02T03"},
		"job:dwd_stores time:2026-08-01":            {"dwd_stores@01T03"},
		"date:today time:02:00..03:00":              {"dwd_orders@02T02", "dwd_stores@02T03"},
		"date:yesterday..today time:22:00..02:30":   {"dwd_orders@01T02", "dwd_orders@02T02"},
		"time:2026-08-01T09:00..2026-08-02T02:00":   {"letter@01T09", "dwd_orders@01T14", "dwd_orders@02T02"},
		"state:failed":                                        {"dwd_stores@02T03"},
		"state:failed,waiting -date:tomorrow":                 {"dwd_stores@02T03", "report@02T08", "letter@02T09"},
		"state:waiting gate:dependency -date:tomorrow":        {"report@02T08", "letter@02T09"},
		"-state:succeeded date:today":                         {"dwd_stores@02T03", "report@02T08", "letter@02T09"},
		"kind:scheduled date:today job:letter":                {"letter@02T09"},
		"w/report@2026-08-01T08:00":                           {"report@01T08"},
		"w/report@2026-08-01T00:00:00Z":                       {"report@01T08"},
		"w/report@2026-08-01T08:00 w/letter@2026-08-02T09:00": {"report@01T08", "letter@02T09"},
		"w/report@2026-08-01T08:00 +":                         {"report@01T08", "letter@01T09"},
		"w/letter@2026-08-02T09:00 1+":                        {"report@02T08", "letter@02T09"},
		"w/letter@2026-08-02T09:00 *+":                        {"dwd_orders@02T02", "dwd_stores@02T03", "report@02T08", "letter@02T09", "dwd_orders@02T14"},
		"state:failed +1":                                     {"dwd_stores@02T03", "report@02T08"},
		"state:failed +*":                                     {"dwd_stores@02T03", "report@02T08", "letter@02T09"},
	} {
		got, err := d.choose(e, selector)
		require.NoError(t, err, selector)
		require.Equal(t, want, got, selector)
	}
	for selector, want := range map[string]string{
		"job:dwd_order date:today":             "not found: job:dwd_order leaves none of 4 jobs; did you mean job:dwd_orders?",
		"tag:nobody date:today":                "not found: tag:nobody leaves none of 4 jobs",
		"job:report date:2026-07-01":           "not found: nothing matches: date:2026-07-01 leaves none; 1 job chosen, with no instance there",
		"job:report date:2026-09-01":           "not found: nothing matches: date:2026-09-01 leaves none; 1 job chosen, with no instance there; the plan is written up to 2026-08-04 00:00 +08:00",
		"job:report date:today state:failed":   "not found: nothing matches: state:failed leaves none of 1 instance",
		"date:today time:20:00..21:00 job:r*":  "not found: nothing matches: time:20:00..21:00 leaves none of 1 instance",
		"job:report":                           "invalid: the selector does not say when; add date:, time: with instants, backfill:, or state: with states other than succeeded",
		"job:report state:succeeded":           "invalid: the selector does not say when; add date:, time: with instants, backfill:, or state: with states other than succeeded",
		"id:999999,888888":                     "not found: there is no instance 999999\nnot found: there is no instance 888888",
		"w/reprt@2026-08-01T08:00":             "not found: there is no job w/reprt; did you mean w/report?",
		"w/report@2026-08-01T07:00":            "not found: no instance w/report@2026-08-01T07:00:00+08:00 is recorded",
		"w/report@2026-08-01T08:00 job:letter": "not found: the terms about jobs leave none of 1 instance",
	} {
		_, err := d.choose(e, selector)
		require.EqualError(t, err, want, selector)
		require.True(t, errors.Is(err, engine.ErrNotFound) || errors.Is(err, engine.ErrInvalid))
	}
}
