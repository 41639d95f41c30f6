package storetest

import (
	"time"

	"github.com/almanac-sched/almanac/engine"
	"github.com/stretchr/testify/require"
)

var jobCases = []testCase{
	{"ids are consecutive and given once", func(w *world) {
		w.write(func(tx engine.Tx) {
			first := w.reserve(tx, 10)
			require.Positive(w, first)
			require.Equal(w, first+10, w.reserve(tx, 1))
			require.Equal(w, first+11, w.reserve(tx, 1))
		})
	}},
	{"jobs are listed by workflow and name, removed ones too", func(w *world) {
		w.write(func(tx engine.Tx) {
			require.NoError(w, tx.PutJob(engine.JobRow{ID: w.reserve(tx, 1), Ref: engine.JobRef{Workflow: "a", Job: "z"}, Removed: true}))
			require.NoError(w, tx.PutJob(engine.JobRow{ID: w.reserve(tx, 1), Ref: engine.JobRef{Workflow: "x", Job: "a"}}))
		})
		w.read(func(v engine.View) {
			jobs, err := v.Jobs()
			require.NoError(w, err)
			var names []string
			for _, j := range jobs {
				names = append(names, j.Ref.String())
			}
			require.Equal(w, []string{"a/z", "w/A", "w/B", "w/C", "w/D", "x/a"}, names)
			require.True(w, jobs[0].Removed)
		})
	}},
	{"what uses up a count is what ran or will, also when retention has removed it", func(w *world) {
		p := w.plan("A", "01:00", "02:00", "03:00", "04:00", "05:00")
		counted := func(to, until string) (n int) {
			w.read(func(v engine.View) {
				var err error
				n, err = v.Counted(w.ids["A"], at("00:00"), at(to), at(until))
				require.NoError(w, err)
			})
			return n
		}
		require.Equal(w, 5, counted("06:00", "07:00"))
		require.Equal(w, 2, counted("03:00", "07:00"))
		w.apply(p[0].ID, engine.Start, "01:00")
		w.apply(p[0].ID, engine.Succeed, "01:10")
		w.apply(p[1].ID, engine.Cancel, "02:00") // it never ran
		w.apply(p[2].ID, engine.Start, "03:00")
		w.apply(p[2].ID, engine.Cancel, "03:10") // it did
		w.apply(p[4].ID, engine.Cancel, "03:20") // ahead
		require.Equal(w, 3, counted("06:00", "07:00"))
		require.Zero(w, counted("03:00", "07:00"), "01:00, and 02:00 not; 05:00 is yet to come and does not count")
		require.Equal(w, 1, counted("03:00", "05:00"), "05:00 is not asked for")
		require.Equal(w, 1, counted("03:00", "02:00"), "what is before is not less")
		n, _ := w.prune("05:30", 100)
		require.Positive(w, n)
		require.Equal(w, 3, counted("06:00", "07:00"), "01:00 and 03:00 are gone, 04:00 waits")
		w.write(func(tx engine.Tx) {
			require.NoError(w, tx.PutJob(engine.JobRow{ID: w.ids["A"], Ref: ref("A"), Version: w.ids["A"] + 1, CreatedAt: at("03:30").UTC()}))
		})
		n = 0
		w.read(func(v engine.View) {
			var err error
			n, err = v.Counted(w.ids["A"], at("03:30"), at("06:00"), at("07:00"))
			require.NoError(w, err)
		})
		require.Equal(w, 1, n, "another job of the same name begins anew")
	}},
	{"a job comes back as it was put, and is replaced by its id", func(w *world) {
		j := engine.JobRow{
			ID: w.ids["A"], Ref: ref("A"), Version: 99, CreatedAt: at("01:00").UTC(), Disabled: true, Removed: true, PlannedTo: at("3 00:00"),
			RowsTo: at("2 00:00").UTC(), CountFrom: at("2 01:00").UTC(), Counted: -3,
		}
		w.write(func(tx engine.Tx) { require.NoError(w, tx.PutJob(j)) })
		w.read(func(v engine.View) {
			jobs, err := v.Jobs()
			require.NoError(w, err)
			require.Len(w, jobs, 4)
			want := j
			want.Revision, err = v.Revision() // that of its put: nothing was put since
			require.NoError(w, err)
			w.same(want, jobs[0])
		})
		j.PlannedTo, j.RowsTo = time.Time{}, time.Time{}
		w.write(func(tx engine.Tx) { require.NoError(w, tx.PutJob(j)) })
		w.read(func(v engine.View) {
			jobs, err := v.Jobs()
			require.NoError(w, err)
			require.True(w, jobs[0].PlannedTo.IsZero())
			require.True(w, jobs[0].RowsTo.IsZero())
			require.Greater(w, jobs[0].Revision, jobs[1].Revision)
		})
	}},
	{"a version comes back as it was put", func(w *world) {
		version := engine.VersionRow{Job: w.ids["A"], Definition: []byte(`{"a":"\u0000ü"}`), Folder: "/srv/a b", CreatedAt: at("01:00").UTC()}
		w.write(func(tx engine.Tx) {
			version.ID = w.reserve(tx, 1)
			require.NoError(w, tx.PutVersion(version))
		})
		w.read(func(v engine.View) {
			got, err := v.Version(version.ID)
			require.NoError(w, err)
			w.same(version, got)
			_, err = v.Version(1 << 40)
			require.ErrorIs(w, err, engine.ErrNotFound)
		})
	}},
	{"a version is immutable", func(w *world) {
		require.Error(w, w.store.Write(w.ctx, func(tx engine.Tx) error {
			return tx.PutVersion(engine.VersionRow{ID: w.ids["A"] + 1, Job: w.ids["A"], Definition: []byte("other")})
		}))
		w.read(func(v engine.View) {
			got, err := v.Version(w.ids["A"] + 1)
			require.NoError(w, err)
			require.Equal(w, "A", string(got.Definition))
		})
	}},
	{"the watermark moves only from where the caller believes it to be", func(w *world) {
		set := func(from, to time.Time) (ok bool) {
			w.write(func(tx engine.Tx) {
				var err error
				ok, err = tx.SetPlannedTo(w.ids["A"], from, to)
				require.NoError(w, err)
			})
			return ok
		}
		require.False(w, set(at("00:00"), at("3 00:00")), "it is nowhere yet")
		require.True(w, set(time.Time{}, at("3 00:00")))
		require.False(w, set(time.Time{}, at("4 00:00")))
		require.False(w, set(at("2 00:00"), at("4 00:00")))
		require.True(w, set(at("3 00:00").UTC(), at("4 00:00")), "the same instant in another zone")
		w.read(func(v engine.View) {
			jobs, err := v.Jobs()
			require.NoError(w, err)
			require.Equal(w, at("4 00:00").Format(time.RFC3339), jobs[0].PlannedTo.Format(time.RFC3339))
		})
	}},
}
