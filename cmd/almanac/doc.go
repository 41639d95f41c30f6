// Command almanac answers one question: which parts meet for what the user typed?
//
// It is the only place where all packages are known to one another, and it decides nothing: each command is one file that reads its flags, wires
// the packages and prints what they answer. app.go dispatches, exit.go holds the exit statuses, client.go speaks to a running server.
package main
