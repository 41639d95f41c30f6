//go:build planted

package fault

import (
	"os"
	"sync/atomic"
)

// Enabled says that this program was built with the tag planted.
const Enabled = true

var planted atomic.Int64

func init() {
	name := os.Getenv("ALMANAC_PLANTED")
	b, known := Find(name) // None for ""
	if name != "" && !known {
		panic("ALMANAC_PLANTED=" + name + ": there is no such bug")
	}
	planted.Store(int64(b))
}

// Planted reports whether the bug is planted.
func Planted(b Bug) bool { return Bug(planted.Load()) == b }

// Use plants a bug, instead of the one before.
func Use(b Bug) { planted.Store(int64(b)) }
