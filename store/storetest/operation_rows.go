package storetest

import (
	"github.com/almanac-sched/almanac/engine"
	"github.com/stretchr/testify/require"
)

func (w *world) operations(list func(v engine.View) ([]engine.OperationRow, error)) (rows []engine.OperationRow) {
	w.Helper()
	w.read(func(v engine.View) {
		var err error
		rows, err = list(v)
		require.NoError(w, err)
	})
	return rows
}

func (w *world) openOperations() []engine.OperationRow {
	w.Helper()
	return w.operations(func(v engine.View) ([]engine.OperationRow, error) { return v.OpenOperations() })
}

func (w *world) targets(id int64) (list []byte) {
	w.Helper()
	w.read(func(v engine.View) {
		var err error
		list, err = v.OperationTargets(id)
		require.NoError(w, err)
	})
	return list
}

func (w *world) begin(id int64, total int) engine.OperationRow {
	w.Helper()
	row := engine.OperationRow{
		ID: id, Stage: engine.OperationChanging, Total: total, Digest: "d", Actor: "ana", At: at("05:00").UTC(),
		Order: engine.OperationOrder{
			Operation: engine.OperateBoost, Selector: "job:a", Options: engine.OperationOptions{Priority: 9}, Note: "soon",
		},
	}
	w.write(func(tx engine.Tx) { require.NoError(w, tx.BeginOperation(row, []byte{byte(id), 0, 1})) })
	return row
}

var operationRowCases = []testCase{
	{"operations under way are listed by id with their lists, and what is not there is not found", func(w *world) {
		require.Empty(w, w.openOperations())
		two, one := w.begin(8, 3), w.begin(7, 5)
		require.Equal(w, []engine.OperationRow{one, two}, w.openOperations())
		require.Equal(w, []byte{7, 0, 1}, w.targets(7))
		require.Empty(w, w.targets(9))
		w.read(func(v engine.View) {
			row, err := v.Operation(8)
			require.NoError(w, err)
			require.Equal(w, two, row)
			_, err = v.Operation(9)
			require.ErrorIs(w, err, engine.ErrNotFound)
		})
		newest := func(before int64, limit int) []engine.OperationRow {
			return w.operations(func(v engine.View) ([]engine.OperationRow, error) { return v.Operations(before, limit) })
		}
		require.Equal(w, []engine.OperationRow{two, one}, newest(0, 9))
		require.Equal(w, []engine.OperationRow{two}, newest(0, 1))
		require.Equal(w, []engine.OperationRow{one}, newest(8, 9))
	}},
	{"how far an operation is, and at its end the list goes", func(w *world) {
		row := w.begin(7, 5)
		row.Done, row.Outcome = 3, engine.OperationOutcome{
			Counts: map[engine.Effect]int{engine.EffectChanged: 2}, MovedOn: 1,
			Refusals: []engine.Refusal{{Instance: "w/A@x", Why: "it is running", Hint: "wait"}},
		}
		w.write(func(tx engine.Tx) {
			before, err := tx.OpenOperations()
			require.NoError(w, err)
			require.Zero(w, before[0].Done)
			require.NoError(w, tx.SetOperation(row))
			after, err := tx.OpenOperations()
			require.NoError(w, err)
			require.Equal(w, []engine.OperationRow{row}, after, "a transaction sees what it wrote")
		})
		require.Equal(w, []engine.OperationRow{row}, w.openOperations())
		require.NotEmpty(w, w.targets(7))
		row.Stage, row.EndedAt = engine.OperationEnded, at("06:00").UTC()
		w.write(func(tx engine.Tx) { require.NoError(w, tx.SetOperation(row)) })
		require.Empty(w, w.openOperations())
		require.Empty(w, w.targets(7))
		w.read(func(v engine.View) {
			is, err := v.Operation(7)
			require.NoError(w, err)
			require.Equal(w, row, is)
		})
	}},
	{"retention removes an operation that ended before its time, and none under way", func(w *world) {
		row := w.begin(7, 5)
		w.begin(8, 5)
		row.Stage, row.EndedAt = engine.OperationEnded, at("06:00").UTC()
		w.write(func(tx engine.Tx) { require.NoError(w, tx.SetOperation(row)) })
		left := func(before string) (ids []int64) {
			w.write(func(tx engine.Tx) {
				_, _, err := tx.Prune(at(before), 9)
				require.NoError(w, err)
			})
			for _, row := range w.operations(func(v engine.View) ([]engine.OperationRow, error) { return v.Operations(0, 9) }) {
				ids = append(ids, row.ID)
			}
			return ids
		}
		require.Equal(w, []int64{8, 7}, left("06:00"))
		require.Equal(w, []int64{8}, left("06:01"))
	}},
	{"an operation that cannot be is refused", func(w *world) {
		good := w.begin(7, 5)
		refused := func(why string, change func(row *engine.OperationRow)) {
			row := good
			row.ID = 9
			change(&row)
			err := w.store.Write(w.ctx, func(tx engine.Tx) error { return tx.BeginOperation(row, []byte{1}) })
			require.Error(w, err, why)
		}
		refused("without an end", func(row *engine.OperationRow) { row.Stage = engine.OperationEnded })
		refused("more done than there is", func(row *engine.OperationRow) { row.Done = 6 })
		refused("of nothing", func(row *engine.OperationRow) { row.Total = 0 })
		refused("the same again", func(row *engine.OperationRow) { row.ID = 7 })
		refused("of nobody", func(row *engine.OperationRow) { row.Actor = "" })
	}},
}
