//go:build linux && !race

package store_test

// lossShare: every loss is tried.
const lossShare = 1
