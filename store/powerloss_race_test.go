//go:build linux && race

package store_test

// lossShare: of so many losses one is tried. The race detector makes SQLite, which is translated to Go, some thirty times slower.
const lossShare = 25
