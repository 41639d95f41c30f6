//go:build planted

package store_test

import (
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/engine/fault"
)

// The bugs of the store that no simulation can see, because no server of it asks for that, fail the conformance suite:
//
//	go test -tags planted ./store -run Planted
func TestPlantedBugsFailTheConformanceSuite(t *testing.T) {
	if fault.Planted(fault.None) {
		for _, bug := range []fault.Bug{fault.None, fault.StoreOnce, fault.StoreMark, fault.StoreRollback, fault.StoreLease, fault.StoreCursor} {
			suite := exec.Command(os.Args[0], "-test.run=^TestConformance$")
			suite.Env = append(os.Environ(), "ALMANAC_PLANTED="+bug.String())
			out, err := suite.CombinedOutput()
			if bug == fault.None {
				require.NoError(t, err, "%s", out)
			} else {
				require.Error(t, err, "%s is not found", bug)
			}
		}
	}
}
