package storetest

import (
	"github.com/almanac-sched/almanac/engine"
	"github.com/stretchr/testify/require"
)

var dayCases = []testCase{
	{"what days say of instances is listed by plan time, of every kind, of a range that is open at its end", func(w *world) {
		p := w.plan("A", "01:00", "02:00", "03:00", "04:00")
		w.plan("B", "02:00")
		w.run(p[0].ID, engine.Succeed, "06:00")
		w.run(p[1].ID, engine.Fail, "06:00")
		w.apply(p[1].ID, engine.Rerun, "07:00")
		w.run(p[1].ID, engine.Succeed, "08:00")
		manual := w.planned("A", "02:30")
		manual.Kind, manual.Key = engine.Manual, "by hand"
		w.insert(manual)
		w.read(func(v engine.View) {
			spans, err := v.Spans(w.ids["A"], at("01:00"), at("04:00"), 10)
			require.NoError(w, err)
			states, times, once := []engine.State{}, []string{}, []bool{}
			for _, s := range spans {
				states, times, once = append(states, s.State), append(times, s.PlanTime.In(shanghai).Format("15:04")), append(once, s.Once)
			}
			require.Equal(w, []string{"01:00", "02:00", "02:30", "03:00"}, times)
			require.Equal(w, []engine.State{engine.Succeeded, engine.Succeeded, engine.Waiting, engine.Waiting}, states)
			require.Equal(w, []bool{true, true, false, false}, once, "the others did not run yet")
			require.Equal(w, []bool{false, false, true, false},
				[]bool{spans[0].Keyed, spans[1].Keyed, spans[2].Keyed, spans[3].Keyed})
			require.Equal(w, []int{1, 2, 1, 1}, []int{spans[0].Run, spans[1].Run, spans[2].Run, spans[3].Run})
			require.True(w, spans[1].StartedAt.Equal(w.get(p[1].ID).StartedAt), "of the run that counts")
			first := w.get(p[0].ID)
			require.True(w, first.StartedAt.Equal(spans[0].StartedAt))
			require.True(w, first.EndedAt.Equal(spans[0].EndedAt))
			require.True(w, spans[3].StartedAt.IsZero())
			require.True(w, spans[3].EndedAt.IsZero())

			spans, err = v.Spans(w.ids["A"], at("01:00"), at("04:00"), 2)
			require.NoError(w, err)
			require.Len(w, spans, 2)
			spans, err = v.Spans(w.ids["C"], at("01:00"), at("04:00"), 2)
			require.NoError(w, err)
			require.Empty(w, spans)
		})
	}},
}
