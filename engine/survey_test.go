package engine_test

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/store"
)

// mostWork is how many statements and rows one write transaction may be, whatever waits: what the store takes for one.
const mostWork = 4000

// behind is a root that fails, so many jobs that wait for it each minute of the day, or for one that does.
func behind(jobs int) string {
	var b strings.Builder
	b.WriteString("workflow: w\ndefaults: {startTime: \"2026-08-01T00:00:00Z\", action: {type: none}}\n" +
		"jobs:\n  root: {cron: \"1 2 * * *\", action: {type: shell, command: x}}\n  j0: {cron: \"* * * * *\", dependsOn: [root]}\n")
	for n := range jobs - 1 {
		fmt.Fprintf(&b, "  j%d: {cron: \"* * * * *\", dependsOn: [j0]}\n", n+1)
	}
	return b.String()
}

// A root fails, 10,000 wait behind it, and the server is killed every 20 seconds: no write transaction is proportional to what waits, each start is ready,
// and in the end it is counted and told what is held up.
func TestNothingInAWriteIsProportionalToWhatWaits(t *testing.T) {
	for _, jobs := range []int{1, 7} {
		dir := t.TempDir()
		synctest.Test(t, func(t *testing.T) {
			var on atomic.Bool
			var most, writes atomic.Int64
			s := &scenario{t: t, dir: dir, actions: parseActions(t, "root 1s exit 1"), sections: map[string]string{
				"w.yaml": behind(jobs), "alerts": toldOps, "quiet": "",
			}}
			db, err := store.Open(t.Context(), store.Config{Dir: dir, Clock: time.Now, Watch: func() func() time.Duration {
				began := time.Now()
				return func() time.Duration { return time.Since(began) }
			}, Held: func(_ time.Duration, work int) {
				if on.Load() {
					writes.Add(1)
					most.Store(max(most.Load(), int64(work)))
				}
			}})
			require.NoError(t, err)
			s.db = db
			s.until("2026-08-02T23:59:00Z")
			s.start()
			s.until("2026-08-03T02:00:50Z")
			on.Store(true)
			for n := range 9 {
				s.kill()
				s.start()
				s.until(fmt.Sprintf("2026-08-03T02:%02d:%02dZ", 1+n/3, 10+n%3*20))
				synctest.Wait()
				select {
				case <-s.engine.Ready():
				default:
					require.Fail(t, "the server is not ready")
				}
			}
			open, err := s.engine.Incidents(t.Context(), true, 0, 10)
			require.NoError(t, err)
			require.Len(t, open, 1)
			require.Equal(t, min(jobs*1440, engine.BlockedCounted), open[0].Blocked)
			s.kill()
			require.NoError(t, db.Close())
			require.Contains(t, s.lines.String(), fmt.Sprintf("w/root 2026-08-03 02:01 +00:00 failed (%d", open[0].Blocked),
				"the first message says how many")
			require.LessOrEqual(t, most.Load(), int64(mostWork), "with %d behind it, in %d writes", open[0].Blocked, writes.Load())
			t.Logf("%d behind: the largest of %d writes was of %d statements and rows", open[0].Blocked, writes.Load(), most.Load())
		})
	}
}
