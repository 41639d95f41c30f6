// Package metrics answers one question: what may a monitoring system know of the server, as figures?
//
// What is now (gauges) is read from the rows when it is asked for, at most once a second; what has happened (counters, histograms) is counted from what
// the engine says that it committed. Nothing decides by any of it. No label has values that grow with the work, but for workflow, which is
// left out unless it is asked for, and then capped.
package metrics
