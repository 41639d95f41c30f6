package storetest

import (
	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/engine"
)

var versionCases = []testCase{
	{"versions of a job, newest first, a page at a time", func(w *world) {
		first := w.ids["A"] + 1
		var ids []int64
		w.write(func(tx engine.Tx) {
			for _, text := range []string{"second", "third", ""} {
				id := w.reserve(tx, 1)
				ids = append(ids, id)
				require.NoError(w, tx.PutVersion(engine.VersionRow{ID: id, Job: w.ids["A"], Definition: []byte(text), Folder: "/f", CreatedAt: at("01:00").UTC()}))
			}
		})
		w.read(func(v engine.View) {
			page := func(before int64, limit int) (got []int64) {
				rows, err := v.Versions(w.ids["A"], before, limit)
				require.NoError(w, err)
				for _, r := range rows {
					require.Equal(w, w.ids["A"], r.Job)
					got = append(got, r.ID)
				}
				return got
			}
			require.Equal(w, []int64{ids[2], ids[1], ids[0], first}, page(0, 10))
			require.Equal(w, []int64{ids[2], ids[1]}, page(0, 2))
			require.Equal(w, []int64{ids[0], first}, page(ids[1], 2))
			require.Empty(w, page(first, 2))
			rows, err := v.Versions(w.ids["A"], 0, 2)
			require.NoError(w, err)
			require.Equal(w, engine.VersionRow{ID: ids[1], Job: w.ids["A"], Definition: []byte("third"), Folder: "/f", CreatedAt: at("01:00").UTC()}, rows[1])
			rows, err = v.Versions(1<<40, 0, 2)
			require.NoError(w, err)
			require.Empty(w, rows)
		})
	}},
}
