package engine

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Of what is recorded of a plan time, that tells which goes on, or ended last; what was cancelled tells only where nothing else does.
func TestARepeatTellsHowItsPlanTimeStands(t *testing.T) {
	ended := func(s State, hour int) Record {
		return Record{State: s, EndedAt: time.Date(2026, 11, 21, hour, 0, 0, 0, time.UTC)}
	}
	waits := Record{State: Waiting}
	for name, c := range map[string]struct{ tells, other Record }{
		"a backfill that failed after a success":         {ended(Failed, 9), ended(Succeeded, 6)},
		"a rerun that succeeded after a failed backfill": {ended(Succeeded, 10), ended(Failed, 9)},
		"a repeat that waits after a failure":            {waits, ended(Failed, 6)},
		"a repeat that waits after a success":            {waits, ended(Succeeded, 6)},
		"a success, with a repeat that was cancelled":    {ended(Succeeded, 6), ended(Cancelled, 9)},
		"a failure, with a repeat that was cancelled":    {ended(Failed, 6), ended(Cancelled, 9)},
		"the later of two failures":                      {ended(Failed, 9), ended(Failed, 6)},
	} {
		require.True(t, tells(&c.tells, &c.other), name)
		require.False(t, tells(&c.other, &c.tells), name)
	}
}
