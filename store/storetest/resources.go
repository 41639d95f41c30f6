package storetest

import (
	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/engine"
)

var resourceCases = []testCase{
	{"jobs put since a revision, by workflow and name", func(w *world) {
		var before int64
		names := func(revision int64) (names []string) {
			w.read(func(v engine.View) {
				jobs, err := v.JobsSince(revision)
				require.NoError(w, err)
				for _, j := range jobs {
					names = append(names, j.Ref.String())
				}
			})
			return names
		}
		require.Equal(w, []string{"w/A", "w/B", "w/C", "w/D"}, names(0))
		w.read(func(v engine.View) {
			revision, err := v.Revision()
			require.NoError(w, err)
			before = revision
		})
		require.Empty(w, names(before))
		w.write(func(tx engine.Tx) {
			require.NoError(w, tx.PutJob(engine.JobRow{ID: w.ids["C"], Ref: ref("C"), Source: "azure"}))
			require.NoError(w, tx.PutJob(engine.JobRow{ID: w.ids["A"], Ref: ref("A"), Removed: true}))
		})
		require.Equal(w, []string{"w/A", "w/C"}, names(before))
		require.Equal(w, []string{"w/A"}, names(before+1), "each put is a revision of its own")
		w.read(func(v engine.View) {
			job, err := v.JobByRef(ref("C"))
			require.NoError(w, err)
			require.Equal(w, "azure", job.Source)
			_, err = v.JobByRef(ref("nobody"))
			require.ErrorIs(w, err, engine.ErrNotFound)
		})
	}},
	{"dependents are the jobs that ever waited, but the job itself", func(w *world) {
		w.insert(w.planned("C", "02:00"), w.on("B", "01:00", "01:00"))
		w.insert(w.planned("A", "02:00"), w.on("B", "01:00", "01:00"))
		w.insert(w.planned("B", "02:00"), w.on("B", "01:00", "01:00"))
		w.read(func(v engine.View) {
			jobs, err := v.Dependents(w.ids["B"])
			require.NoError(w, err)
			require.Len(w, jobs, 2)
			require.Equal(w, []engine.JobRef{ref("A"), ref("C")}, []engine.JobRef{jobs[0].Ref, jobs[1].Ref})
			pairs, err := v.Upstreams()
			require.NoError(w, err)
			require.Equal(w, []engine.JobPair{{Job: w.ids["A"], Upstream: w.ids["B"]}, {Job: w.ids["B"], Upstream: w.ids["B"]}, {Job: w.ids["C"], Upstream: w.ids["B"]}}, pairs)
			jobs, err = v.Dependents(w.ids["A"])
			require.NoError(w, err)
			require.Empty(w, jobs)
		})
	}},
	{"a resource comes back as it was put, is replaced by its key, and goes", func(w *world) {
		r := engine.ResourceRow{Kind: "job", Key: "s/g/c/j", ID: 7, Job: w.ids["A"], Body: []byte(`{"a":"\u0000ü"}`)}
		w.write(func(tx engine.Tx) {
			require.NoError(w, tx.PutResource(r))
			require.NoError(w, tx.PutResource(engine.ResourceRow{Kind: "collection", Key: r.Key, Body: []byte("other")}))
		})
		w.read(func(v engine.View) {
			got, err := v.Resource("job", r.Key)
			require.NoError(w, err)
			require.Equal(w, r, got)
			_, err = v.Resource("job", "s/g/c")
			require.ErrorIs(w, err, engine.ErrNotFound)
		})
		r.Body, r.Job = []byte{}, 0
		w.write(func(tx engine.Tx) { require.NoError(w, tx.PutResource(r)) })
		w.read(func(v engine.View) {
			got, err := v.Resource("job", r.Key)
			require.NoError(w, err)
			require.Equal(w, r, got)
		})
		w.write(func(tx engine.Tx) {
			ok, err := tx.DeleteResource("job", r.Key)
			require.NoError(w, err)
			require.True(w, ok)
			ok, err = tx.DeleteResource("job", r.Key)
			require.NoError(w, err)
			require.False(w, ok)
			_, err = tx.Resource("collection", r.Key)
			require.NoError(w, err)
		})
	}},
	{"resources are listed by key, below a prefix and behind a key", func(w *world) {
		w.write(func(tx engine.Tx) {
			for _, key := range []string{"s/g/c/b", "s/g/c/a", "s/g/ca/z", "s/g/c", "s/g/c/\U0010FFFF", "s/g/c/B", "t"} {
				require.NoError(w, tx.PutResource(engine.ResourceRow{Kind: "job", Key: key}))
			}
			require.NoError(w, tx.PutResource(engine.ResourceRow{Kind: "other", Key: "s/g/c/0"}))
		})
		keys := func(prefix, after string, limit int) (keys []string) {
			w.read(func(v engine.View) {
				rows, err := v.Resources("job", prefix, after, limit)
				require.NoError(w, err)
				for _, r := range rows {
					keys = append(keys, r.Key)
				}
			})
			return keys
		}
		require.Equal(w, []string{"s/g/c/B", "s/g/c/a", "s/g/c/b", "s/g/c/\U0010FFFF"}, keys("s/g/c/", "", 10))
		require.Equal(w, []string{"s/g/c/b"}, keys("s/g/c/", "s/g/c/a", 1))
		require.Equal(w, []string{"s/g/c", "s/g/c/B"}, keys("", "", 2))
		require.Empty(w, keys("u", "", 10))
	}},
}
