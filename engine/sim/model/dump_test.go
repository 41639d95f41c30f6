package model_test

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/engine/invariant"
)

// words is a value as text; times show their offset. A list of nothing is one, whether it was ever made or cut to a limit of none.
func words(v any) string {
	text, err := json.Marshal(sameEmpty(v))
	if err != nil {
		return err.Error()
	}
	return string(text)
}

func sameEmpty(v any) any {
	if several, ok := v.([]any); ok {
		same := make([]any, len(several))
		for n, one := range several {
			same[n] = sameEmpty(one)
		}
		return same
	}
	if list := reflect.ValueOf(v); list.Kind() == reflect.Slice && list.Len() == 0 {
		return []any{}
	}
	return v
}

func TestAListOfNothingIsAListOfNothing(t *testing.T) {
	require.Equal(t, words([]engine.WatchRow(nil)), words(make([]engine.WatchRow, 3)[:0]))
	require.Equal(t, words([]any{1, []engine.Wait(nil)}), words([]any{1, []engine.Wait{}}))
	require.NotEqual(t, words([]engine.Wait{}), words([]engine.Wait{{}}))
}

// far is after everything.
var far = noon.AddDate(100, 0, 0)

// dump is all that a view shows, a line for each answer; ids are below highest.
func dump(v invariant.Source, highest int64) (lines []string) {
	show := func(what string, result any, err error) {
		text := kind(err)
		if err == nil {
			text = words(result)
		}
		lines = append(lines, what+" "+text)
	}
	at, err := v.Clock()
	show("clock", at, err)
	n, err := v.Revision()
	show("revision", n, err)
	jobs, err := v.Jobs()
	show("jobs", jobs, err)
	instances, err := v.InstancesAfter(math.MinInt64, noon, "", 0, math.MaxInt32)
	show("instances", len(instances), err)
	for _, i := range instances {
		id := i.ID
		show("instance", i, nil)
		same, err := v.Instance(id)
		show("by id", same.Name(), err)
		found, err := v.Find(i.Job, i.Key, i.PlanTime)
		show("found", found.ID, err)
		held, err := v.Held(id)
		show("held", held, err)
		waits, err := v.Waits(id)
		show("waits", waits, err)
		for n := range waits {
			facts, err := v.Facts(&waits[n])
			show("facts", facts, err)
		}
		steps, err := v.Steps(id)
		show("steps", steps, err)
		attempts, err := v.Attempts(id)
		show("attempts", attempts, err)
		of, _, err := v.HistoryOf(id)
		show("events", of, err)
		outbox, err := v.OutboxOf(id)
		show("outbox", outbox, err)
		later, err := v.LaterDue(&i, noon)
		show("a later one is due", later, err)
		waiting, err := v.WaitingFor(&i)
		show("waiting for it", idsOf(waiting), err)
	}
	for _, id := range jobIDs {
		versions, err := v.VersionsOf(id)
		show(fmt.Sprint("versions of job ", id), versions, err)
		waiting, err := v.Waiting(id)
		show("waiting", idsOf(waiting), err)
		between, err := v.Between(id, noon.Add(-time.Hour), noon.Add(time.Hour), 5)
		show("between", idsOf(between), err)
		active, err := v.Active(id)
		show("active", idsOf(active), err)
		n, err := v.ActiveCount(id)
		show("active", n, err)
		for _, key := range keys {
			i, err := v.FindKey(id, key)
			show("with the key "+key, i.ID, err)
		}
	}
	dumpAlerts(v, instances, show)
	all, err := v.Between(0, time.Time{}, time.Time{}, 7)
	show("the first of all", idsOf(all), err)
	for _, state := range engine.States {
		in, err := v.InState(state, noon.Add(-24*time.Hour), time.Time{}, 5)
		show("in state "+string(state), idsOf(in), err)
	}
	due, err := v.Due(far, 1000)
	show("due", idsOf(due), err)
	agenda, err := v.Agenda()
	show("agenda", agenda, err)
	for _, pool := range slices.Concat(agenda.Pools, []string{"no such pool"}) {
		queued, err := v.Queued(pool, 1000)
		show("queued in "+pool, idsOf(queued), err)
	}
	running, err := v.Running()
	show("running", idsOf(running), err)
	live, err := v.Live()
	show("live", live, err)
	for id := int64(99); id < highest; id++ {
		row, err := v.Outbox(id)
		show("outbox", row, err)
	}
	left, err := v.LeftOver(1000)
	show("left over", left, err)
	numbers, events, err := v.HistoryAfter(0, math.MaxInt32)
	show("events", numbers, err)
	for n := range events {
		show("event", events[n], nil)
	}
	owed, err := v.OutboxDue(far, 1000)
	show("outbox due", owed, err)
	operations, err := v.OpenOperations()
	show("operations under way", operations, err)
	operations, err = v.Operations(0, 3)
	show("operations", operations, err)
	for _, o := range operations {
		list, err := v.OperationTargets(o.ID)
		show("its list", string(list), err)
	}
	for _, name := range zoneNames {
		rules, err := v.ZoneRules(name)
		show("zone "+name, rules, err)
	}
	for _, name := range leaseNames {
		row, err := v.Lease(name)
		show("lease "+name, row, err)
	}
	return lines
}

func idsOf(list []engine.Instance) []int64 {
	found := []int64{}
	for _, i := range list {
		found = append(found, i.ID)
	}
	return found
}
