// Package sim answers one question: does a whole installation of Almanac keep its promises when everything around it fails?
//
// A seed makes a world: servers, runners, a network between them, one store, workflows, an operator, and the faults that all of them suffer. One
// goroutine drives it over a virtual clock, event by event, with engine.Step as the only way in which a server moves. Nothing in a world reads a clock
// or a random source but the seed's own, so that the same seed is the same world, byte for byte of its log.
//
// A world first lives through chaos, then everything is healed and progress is demanded. What must hold at every moment is checked as it is committed,
// by a Ledger that knows the rules and not the engine; what must hold at the end is read back from the rows.
package sim
