// Package store answers one question: the rows: what is stored, and how does it change?
//
// It implements the port engine.Store on SQLite: one data directory, one file, one process that writes. A write is a function that one
// goroutine runs, together with whatever else is waiting, in one transaction; the callers are answered when the commit is on disk. Reads run
// on snapshots beside it.
//
// What can be derived is not stored: slots, readiness and "late" are queries. Three things are kept because they make a cost independent of
// history: when a waiting instance must be looked at (wake), the one upstream instance whose end would change the verdict on it (watch), and
// which jobs wait for which (job_upstream). Wake and watch are written in the transaction that decided them, so no wake-up is lost.
//
// The package never calls the clock and invents no time. Ids come from one sequence row, by Reserve. Times are milliseconds in UTC; where
// people read a time in its zone the offset stands beside it.
package store
