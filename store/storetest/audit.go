package storetest

import (
	"time"

	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/engine"
)

// did records that somebody did something.
func (w *world) did(clock, actor, kind string) {
	w.write(func(tx engine.Tx) {
		require.NoError(w, tx.Record(engine.EventRow{At: at(clock), Kind: kind, Actor: actor, Reason: engine.Reason{Code: engine.ReasonPerson, Actor: actor}}))
	})
}

var auditCases = []testCase{
	{"what somebody did, newest first, a page at a time", func(w *world) {
		w.did("01:00", "Ann", "trigger")
		w.did("02:00", "bob", "operation")
		w.did("03:00", "", "clock-jump")
		w.did("04:00", "", "load")
		w.did("05:00", "ann (local)", "token-created")
		all := engine.AuditFilter{}
		ask := func(f engine.AuditFilter, before int64, limit int) (kinds []string, next int64) {
			w.read(func(v engine.View) {
				lines, n, err := v.Audit(f, before, limit)
				require.NoError(w, err)
				for i := range lines {
					require.True(w, i == 0 || lines[i].ID < lines[i-1].ID)
					kinds = append(kinds, lines[i].Kind)
				}
				next = n
			})
			return kinds, next
		}
		kinds := func(f engine.AuditFilter) []string {
			list, next := ask(f, 0, 10)
			require.Zero(w, next)
			return list
		}
		require.Equal(w, []string{"token-created", "load", "operation", "trigger"}, kinds(all), "what nobody did is not among them")
		require.Equal(w, []string{"token-created", "trigger"}, kinds(engine.AuditFilter{Actor: "ann"}))
		require.Equal(w, []string{"load", "trigger"}, kinds(engine.AuditFilter{Kinds: []string{"load", "trigger", "tri"}}))
		require.Empty(w, kinds(engine.AuditFilter{Kinds: []string{"clock-jump"}}))
		require.Equal(w, []string{"load", "operation"}, kinds(engine.AuditFilter{From: at("02:00"), To: at("05:00")}))
		require.Equal(w, []string{"trigger"}, kinds(engine.AuditFilter{To: at("02:00")}))
		require.Empty(w, kinds(engine.AuditFilter{From: at("06:00")}))
		require.Empty(w, kinds(engine.AuditFilter{To: at("00:30")}))

		page, next := ask(all, 0, 3)
		require.Equal(w, []string{"token-created", "load", "operation"}, page)
		page, next = ask(all, next, 3)
		require.Equal(w, []string{"trigger"}, page)
		require.Zero(w, next)
	}},
	{"so many lines are looked at, and no more", func(w *world) {
		w.did("01:00", "ann", "trigger")
		record := func(n int, e engine.EventRow) {
			w.write(func(tx engine.Tx) {
				e.At = at("02:00")
				for range n {
					require.NoError(w, tx.Record(e))
				}
			})
		}
		ann := engine.AuditFilter{Actor: "ann"}
		record(engine.AuditLooked+10, engine.EventRow{Kind: "start"})
		record(engine.AuditLooked-1, engine.EventRow{Kind: "trigger", Actor: "bob"})
		w.read(func(v engine.View) {
			lines, next, err := v.Audit(ann, 0, 10)
			require.NoError(w, err)
			require.Len(w, lines, 1, "what nobody did is not looked at")
			require.Zero(w, next)
		})
		record(1, engine.EventRow{Kind: "trigger", Actor: "bob"})
		w.read(func(v engine.View) {
			lines, next, err := v.Audit(ann, 0, 10)
			require.NoError(w, err)
			require.Empty(w, lines)
			require.Positive(w, next)
			lines, next, err = v.Audit(ann, next, 10)
			require.NoError(w, err)
			require.Len(w, lines, 1)
			require.Zero(w, next)
			lines, _, err = v.Audit(engine.AuditFilter{To: at("01:30")}, 0, 10)
			require.NoError(w, err)
			require.Len(w, lines, 1, "a time is found without looking at what is after it")
		})
	}},
	{"leases by the beginning of their names", func(w *world) {
		w.write(func(tx engine.Tx) {
			for _, name := range []string{"server/b", "planner", "server/a", "serves"} {
				_, ok, err := tx.Acquire(name, "h-"+name, at("01:00"), at("02:00"))
				w.yes(ok, err)
			}
		})
		w.read(func(v engine.View) {
			list, err := v.Leases("server/")
			require.NoError(w, err)
			require.Equal(w, []engine.NamedLease{
				{Name: "server/a", LeaseRow: engine.LeaseRow{Holder: "h-server/a", Epoch: 1, Until: at("02:00").UTC()}},
				{Name: "server/b", LeaseRow: engine.LeaseRow{Holder: "h-server/b", Epoch: 1, Until: at("02:00").UTC()}},
			}, list)
		})
	}},
	{"how far back the rows go", func(w *world) {
		kept := func(before time.Time, limit int) (k engine.Kept) {
			w.read(func(v engine.View) {
				var err error
				k, err = v.Kept(before, limit)
				require.NoError(w, err)
			})
			return k
		}
		require.Zero(w, kept(at("3 00:00"), 10))
		p := w.plan("A", "01:00", "02:00", "03:00", "04:00")
		for n, end := range []string{"02:30", "01:30", "03:30"} {
			w.apply(p[n].ID, engine.Start, "01:00")
			w.apply(p[n].ID, engine.Succeed, end)
		}
		k := kept(at("03:00"), 10)
		require.Equal(w, 2, k.Due)
		require.True(w, at("01:30").Equal(k.Oldest))
		require.Equal(w, int64(1), k.FirstEvent)
		require.GreaterOrEqual(w, k.LastEvent, int64(6))
		require.False(w, k.FirstAt.IsZero())
		require.Equal(w, 1, kept(at("3 00:00"), 1).Due)
	}},
}
