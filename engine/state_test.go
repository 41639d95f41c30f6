package engine_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/engine"
)

// The whole table: what each event does to each state; a dash is refused.
func TestStateTable(t *testing.T) {
	const table = `
event    waiting    running    lost       succeeded  forced     failed     skipped    cancelled
start    running    -          -          -          -          -          -          -
succeed  -          succeeded  -          -          -          -          -          -
fail     -          failed     failed     -          -          -          -          -
lose     -          lost       -          -          -          -          -          -
cancel   cancelled  cancelled  cancelled  -          -          -          -          -
skip     skipped    -          -          -          -          skipped    -          skipped
force    forced     -          forced     -          -          forced     -          forced
rerun    -          -          waiting    waiting    waiting    waiting    waiting    waiting
`
	rows := fields(table)
	require.Len(t, rows, len(engine.Events)+1)
	for _, row := range rows[1:] {
		for i, want := range row[1:] {
			from, event := engine.State(rows[0][i+1]), engine.Event(row[0])
			to, err := from.On(event)
			if want == "-" {
				var illegal *engine.IllegalError
				require.ErrorAs(t, err, &illegal, "%s of %s", event, from)
				require.Equal(t, from, to)
				continue
			}
			require.NoError(t, err, "%s of %s", event, from)
			require.Equal(t, engine.State(want), to, "%s of %s", event, from)
		}
	}
}

// An ended instance changes only by an act of a person: rerun, force and skip.
func TestEndedIsFinalButForPersons(t *testing.T) {
	for _, s := range engine.States {
		for _, e := range []engine.Event{engine.Start, engine.Succeed, engine.Fail, engine.Lose, engine.Cancel} {
			if _, err := s.On(e); s.Ended() {
				require.Error(t, err, "%s of %s", e, s)
			}
		}
		require.Equal(t, s.Ended(), s.Satisfies() || s.CountsAsFailed(), s)
		require.False(t, s.Satisfies() && s.CountsAsFailed(), s)
	}
}
