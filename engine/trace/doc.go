// Package trace answers one question: how does the work look as OpenTelemetry traces?
//
// A chain of instances is one trace: an instance's span is the child of the upstream instance that released it, which is the one that ended last, at or after
// the instance's own time; the others that it waited for are links. What waited for nothing but its time begins a trace. Attempts are children of their
// instance. All ids are computed from the rows, so that every server, and the same server after a crash, says the same.
//
// Nothing waits for the collector: spans are queued, and what does not fit, or is not taken, is counted and lost.
package trace
