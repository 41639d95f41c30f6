package store_test

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/base64"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/store"
	"github.com/stretchr/testify/require"
)

var kindsOf = []engine.Kind{engine.Scheduled, engine.Manual, engine.Backfill}

// listed is a database with instances in every state and of every kind, and what is in it.
func listed(f *testing.F) (*store.DB, []engine.Instance) {
	db := open(f, f.TempDir())
	ids := jobs(f, db, 4)
	var stored []engine.Instance
	require.NoError(f, db.Write(context.Background(), func(tx engine.Tx) error {
		stored = nil
		for n := range 90 {
			id, err := tx.Reserve(1)
			if err != nil {
				return err
			}
			i := engine.Instance{
				ID: id, Job: ids[n%len(ids)], Version: ids[n%len(ids)] + 1, Kind: kindsOf[n%len(kindsOf)], PlanTime: day.Add(time.Duration(n/7) * time.Hour),
				NotBefore: day, State: engine.Waiting, Gate: engine.GateTime, Reason: engine.Reason{Code: engine.ReasonPlanned}, Priority: 5,
			}
			if i.Kind != engine.Scheduled {
				i.Key = fmt.Sprintf("key-%d", n)
			} else {
				i.PlanTime = i.PlanTime.Add(time.Duration(n) * time.Minute)
			}
			inserted, err := tx.InsertInstances(func(yield func(*engine.Instance, []engine.Wait) bool) { yield(&i, nil) })
			if err != nil || inserted != 1 {
				return fmt.Errorf("%d inserted: %w", inserted, err)
			}
			if err := brought(tx, &i, engine.States[n%len(engine.States)]); err != nil {
				return err
			}
			if i, err = tx.Instance(id); err != nil {
				return err
			}
			stored = append(stored, i)
		}
		return nil
	}))
	return db, stored
}

// FuzzList: whatever the filter and the cursor, a list is refused in words, or is that part of what is stored which the filter says and which
// lies behind the cursor, newest first.
func FuzzList(f *testing.F) {
	db, stored := listed(f)
	f.Add("w", "", uint16(0), "", int64(0), int64(0), "", 10)
	f.Add("w", "job-00001", uint16(3), "scheduled", day.UnixMilli(), day.Add(5*time.Hour).UnixMilli(), "", 1)
	f.Add("", "", uint16(0xff), "manual", int64(0), day.UnixMilli(), base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil, "%d.%d", day.Add(3*time.Hour).UnixMilli(), 40)), 1000)
	f.Add("", "gone", uint16(1<<9), "odd", int64(-1)<<60, int64(1)<<60, "no cursor", -5)
	f.Add("w", "", uint16(2), "", int64(0), int64(0), base64.RawURLEncoding.EncodeToString([]byte("-9223372036854775808.9223372036854775807")), 0)
	f.Fuzz(func(t *testing.T, workflow, job string, states uint16, kind string, from, to int64, cursor string, limit int) {
		filter := store.InstanceFilter{Workflow: workflow, Job: job, Kind: engine.Kind(kind)}
		for n, s := range engine.States {
			if states>>n&1 != 0 {
				filter.States = append(filter.States, s)
			}
		}
		if states>>9&1 != 0 {
			filter.States = append(filter.States, engine.State(kind))
		}
		for _, at := range []struct {
			ms int64
			to *time.Time
		}{{from, &filter.From}, {to, &filter.To}} {
			if at.ms != 0 {
				*at.to = time.UnixMilli(at.ms)
			}
		}
		page, next, err := db.Instances(context.Background(), filter, cursor, limit)
		if err != nil {
			require.True(t, errors.Is(err, engine.ErrInvalid) || errors.Is(err, engine.ErrNotFound), "%v", err)
			require.Empty(t, page)
			return
		}
		if next != "" {
			require.NotEqual(t, cursor, next)
		}
		found := map[int64]bool{}
		for n, i := range page {
			require.True(t, passes(filter, i), "%+v", i)
			require.False(t, found[i.ID], "twice")
			found[i.ID] = true
			if n > 0 {
				before := page[n-1]
				require.True(t, i.PlanTime.Before(before.PlanTime) || i.PlanTime.Equal(before.PlanTime) && i.ID < before.ID, "newest first")
			}
		}
		if cursor != "" || next != "" {
			return
		}
		var want []int64
		for _, i := range stored {
			if passes(filter, i) {
				want = append(want, i.ID)
			}
		}
		require.Len(t, page, len(want), "it says that there are no more")
		for _, id := range want {
			require.True(t, found[id], "%d is missing", id)
		}
	})
}

func passes(f store.InstanceFilter, i engine.Instance) bool {
	return (f.Workflow == "" || f.Workflow == i.Ref.Workflow) && (f.Job == "" || f.Job == i.Ref.Job) && (f.Kind == "" || f.Kind == i.Kind) &&
		(len(f.States) == 0 || slices.Contains(f.States, i.State)) && (f.From.IsZero() || !i.PlanTime.Before(f.From)) && (f.To.IsZero() || i.PlanTime.Before(f.To))
}

// FuzzHistory: whatever one row of the history is changed to, the change is found, and no reader panics.
func FuzzHistory(f *testing.F) {
	dir := f.TempDir()
	db := open(f, dir)
	insertPlan(f, db, jobs(f, db, 2), 40)
	require.NoError(f, db.Write(context.Background(), func(tx engine.Tx) error {
		list, err := tx.Due(day.AddDate(0, 0, 1), 12)
		for n := range list {
			err = errors.Join(err, brought(tx, &list[n], engine.States[n%len(engine.States)]))
		}
		return errors.Join(err, tx.Record(engine.EventRow{At: day, Kind: "load", Actor: "a person", Reason: engine.Reason{Code: engine.ReasonPerson, Detail: "words"}}))
	}))
	last, err := db.LastEvent(context.Background())
	require.NoError(f, err)
	raw, err := sql.Open("sqlite", "file:"+filepath.Join(dir, "almanac.db")+"?_pragma=busy_timeout(10000)&_pragma=ignore_check_constraints(1)&_pragma=synchronous(OFF)")
	require.NoError(f, err)
	raw.SetMaxOpenConns(1)
	f.Cleanup(func() { require.NoError(f, raw.Close()) })
	for _, trigger := range []string{"event_is_final", "event_is_kept"} {
		_, err = raw.Exec("DROP TRIGGER " + trigger)
		require.NoError(f, err)
	}
	columns := []string{"at", "kind", "instance", "job", "from_state", "to_state", "reason", "actor", "hash"}
	numbers := []string{"at", "instance", "job"}
	f.Add(uint16(0), uint8(0), []byte(nil), int64(1))
	f.Add(uint16(3), uint8(6), []byte(`{"code":"odd"}`), int64(0))
	f.Add(uint16(5), uint8(6), []byte(`{"code":`), int64(0))
	f.Add(uint16(9), uint8(8), bytes.Repeat([]byte{0}, 32), int64(0))
	f.Add(uint16(9), uint8(8), []byte("short"), int64(0))
	f.Add(uint16(2), uint8(7), []byte("somebody else\x00\xff"), int64(0))
	f.Add(uint16(65535), uint8(4), []byte("no state"), int64(0))
	f.Add(uint16(1), uint8(2), []byte(nil), int64(0))
	f.Fuzz(func(t *testing.T, row uint16, column uint8, text []byte, number int64) {
		name := columns[int(column)%len(columns)]
		id := 1 + int64(row)%last
		var value any = string(text)
		switch {
		case slices.Contains(numbers, name):
			value = number
		case name == "hash":
			value = append([]byte{}, text...)
		}
		_, err := raw.Exec("CREATE TEMP TABLE before AS SELECT * FROM main.event WHERE id = ?", id)
		require.NoError(t, err)
		_, err = raw.Exec("UPDATE main.event SET "+name+" = ? WHERE id = ?", value, id)
		require.NoError(t, err)
		var changed bool
		// NULL and 0 are the same instance and job: none.
		require.NoError(t, raw.QueryRow("SELECT coalesce(CAST(a."+name+" AS BLOB), CAST(0 AS BLOB)) <> coalesce(CAST(b."+name+" AS BLOB), CAST(0 AS BLOB)) FROM main.event a, temp.before b WHERE a.id = b.id").
			Scan(&changed))
		verdict := db.VerifyChain(context.Background())
		_, _ = db.Events(context.Background(), id-1, 0, 5)
		_, _ = db.EventsBefore(context.Background(), 0, 0, 50)
		_, err = raw.Exec("UPDATE main.event SET "+name+" = (SELECT "+name+" FROM temp.before) WHERE id = ?", id)
		require.NoError(t, err)
		_, err = raw.Exec("DROP TABLE temp.before")
		require.NoError(t, err)
		if !changed {
			require.NoError(t, verdict)
			return
		}
		var chain *store.ChainError
		require.True(t, errors.As(verdict, &chain), "event %d, %s changed to %q: %v", id, name, value, verdict)
		require.LessOrEqual(t, chain.Event, id+1)
		require.GreaterOrEqual(t, chain.Event, id)
		require.NoError(t, db.VerifyChain(context.Background()), "it is as it was again")
	})
}
