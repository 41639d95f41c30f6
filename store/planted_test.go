//go:build planted

package store_test

import (
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/engine/fault"
)

// The conformance suite finds the bugs of the store that hardly a simulation comes by, and is content
// without one:
//
//	go test -tags planted ./store -run Planted -v
func TestPlantedBugsFailTheConformanceSuite(t *testing.T) {
	if !fault.Planted(fault.None) {
		return // one is planted here: this is the suite
	}
	for bug := range fault.Count {
		if bug != fault.None && !bug.BySuite() {
			continue
		}
		suite := exec.Command(os.Args[0], "-test.run=^TestConformance$")
		suite.Env = append(os.Environ(), "ALMANAC_PLANTED="+bug.String())
		out, err := suite.CombinedOutput()
		if bug == fault.None {
			require.NoError(t, err, "%s", out)
			continue
		}
		require.Error(t, err, "%s is not found", bug)
		require.Contains(t, string(out), "--- FAIL: TestConformance", "%s", bug)
		t.Logf("%s is found", bug)
	}
}
