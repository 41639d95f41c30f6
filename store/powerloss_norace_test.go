//go:build linux && !race

package store_test

import "github.com/almanac-sched/almanac/engine/fault/effort"

// lossShare: every loss is tried, or of so many one.
var lossShare = effort.Of(10, 1)
