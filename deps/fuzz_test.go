package deps_test

import (
	"crypto/sha256"
	"testing"
	"time"

	"github.com/almanac-sched/almanac/deps"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// The bytes of the first three targets are what the properties of the same name draw from: the fuzzer looks for schedules and edges that rapid's
// own luck does not find.

func FuzzPairing(f *testing.F) {
	draws(f)
	f.Fuzz(rapid.MakeFuzz(pairsLiterally))
}

func FuzzBind(f *testing.F) {
	draws(f)
	f.Fuzz(rapid.MakeFuzz(liesInItsWindow))
}

func FuzzFindCycle(f *testing.F) {
	draws(f)
	f.Fuzz(rapid.MakeFuzz(func(t *rapid.T) { agreesWithFollowing(t) }))
}

// draws are bytes for a property to draw from: as if rapid had drawn them at random, the same each time.
func draws(f *testing.F) {
	for seed := range byte(16) {
		var b []byte
		for n := range byte(128) {
			sum := sha256.Sum256([]byte{seed, n})
			b = append(b, sum[:]...)
		}
		f.Add(b)
	}
}

// FuzzPeriodOfCron looks for text that makes us panic, or of which we say a period that is none.
func FuzzPeriodOfCron(f *testing.F) {
	for _, text := range []string{"0 2 * * *", "*/15 * * * *", "0 */3 * * *", "0 2,5 * * *", "0 0 * * 1", "0 0 1 * *", "0 0 1 1 *", "@daily", "@every 1h30m",
		"CRON_TZ=Asia/Tokyo 0 1 * * *", "0 0 31 2 *", "", "* * * *", "*/99999999999999999999 * * * *"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := deps.PeriodOfCron(text)
		if err != nil {
			return
		}
		require.True(t, p.Class >= deps.Minute && p.Class <= deps.Year || p == deps.Period{}, "%q: %v", text, p)
		require.GreaterOrEqual(t, p.Every, time.Duration(0), "%q: %v", text, p)
		require.NotEmpty(t, p.String())
	})
}
