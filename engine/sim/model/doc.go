// Package model answers one question: what would the rows be, if a store were nothing but maps and sorted lists?
//
// It is an engine.Store in memory, written from the contracts of the ports as plainly as is fast enough. The simulator runs on it, and the real
// store is compared with it, operation by operation: where the two differ, one of them is wrong. It keeps what the schema of the store enforces
// too (checks, unique keys, references), so that a program that writes an impossible row fails here as it would there.
package model
