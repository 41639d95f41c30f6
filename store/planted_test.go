//go:build planted

package store_test

import (
	"flag"
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/engine/fault"
)

var onlyBug = flag.String("planted.bug", "", "the only `bug` to be tried")

// The conformance suite finds bugs of the store that a simulation does not ask for, or asks for
// rarely:
//
//	go test -tags planted ./store -run Planted -v
func TestPlantedBugsFailTheConformanceSuite(t *testing.T) {
	if !fault.Planted(fault.None) {
		return // one is planted here: this is the suite
	}
	for bug := range fault.Count {
		if bug != fault.None && !bug.OfStore() || *onlyBug != "" && bug.String() != *onlyBug {
			continue
		}
		suite := exec.Command(os.Args[0], "-test.run=^TestConformance$")
		suite.Env = append(os.Environ(), "ALMANAC_PLANTED="+bug.String())
		out, err := suite.CombinedOutput()
		switch {
		case bug == fault.None:
			require.NoError(t, err, "%s", out)
		case err != nil:
			t.Logf("%s is found", bug)
		default:
			t.Logf("%s is not found", bug)
			require.Contains(t, foundBySimulation, bug)
		}
	}
}

// foundBySimulation are those that the suite does not find; bench/planted.md says how many seeds
// they need.
var foundBySimulation = []fault.Bug{}
