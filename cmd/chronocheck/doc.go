// Chronocheck answers one question: was everything that was promised also done?
//
// It reads what a server has recorded, what its actions have written down themselves, and what was done to the server meanwhile, and holds the
// three against each other and against its own reading of the rules (`reliability.md` §2). It shares no code with the server: two programs that agree
// by having the same mistake would prove nothing. So it is written the slow way, by walking each minute of the local calendar, and what it does
// not understand it counts as not checked.
package main
