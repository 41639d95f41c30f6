package sim_test

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/engine/fault/effort"
	"github.com/almanac-sched/almanac/engine/sim"
)

// A second opinion on simulated worlds: their rows and what their witness saw are held against their definitions by chronocheck, which shares no code with
// the planner, the engine or the simulator. The worlds are calm, since a clock that jumps or a server that is paused is late by right; what operators do
// to them is not: they edit, remove, bring back, disable, trigger, cancel and confirm.
func TestChronocheckAgrees(t *testing.T) {
	checker := filepath.Join(t.TempDir(), "chronocheck")
	out, err := exec.Command("go", "build", "-o", checker, "../../cmd/chronocheck").CombinedOutput()
	require.NoError(t, err, "%s", out)
	for seed := uint64(1); seed <= uint64(effort.Of(3, 12)); seed++ {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			keep := t.TempDir()
			r := sim.Run(seed, sim.Options{Days: 1, Calm: true, NoRestore: true, Store: "sqlite", Keep: keep, Quiet: true})
			require.Nil(t, r.Violation)
			out, err := exec.Command(checker, "--data", filepath.Join(keep, "data"), "--witness", filepath.Join(keep, "witness"),
				"--nemesis", filepath.Join(keep, "nemesis"), "--epsilon", "90s").CombinedOutput()
			require.NoError(t, err, "%s", out)
		})
	}
}
