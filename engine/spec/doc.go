// Package spec answers one question: what does a workflow file say?
//
// It turns the bytes of YAML or JSON files into engine values and back, with the position of everything that is wrong. The rules are those
// of `definition.md`; what a recurrence may say is `recurrence.md` §1, what a dependency may say is `dependencies.md` §7.
//
// One table of shapes (shapes.go) names every member that a file may hold. The strict decoder, its messages and the JSON Schema for
// editors are all driven by it, so they cannot drift apart. A file passes through four stages, each of which reports all that it finds:
// bytes to nodes (document.go), nodes to values of the right shape (value.go), values to engine types (workflow.go, job.go and their
// neighbours), and, over all files at once, the lint between jobs (lint.go).
//
// Encoding is the way back: Job.Definition is the canonical form of one job with everything that it inherits, so two jobs are the same
// version exactly when these bytes are equal.
//
// # Azure jobs
//
// The properties of an Azure Scheduler job work unchanged as the value of a job. A value is taken for one when it has a member
// `properties`, or when it holds no members but startTime, action, recurrence, state and status, its action's type is one of Azure's, and
// the action holds no members but Azure's. Inside it, null, {} and [] are as if absent, words are read in any case, and `status` is
// ignored with a note. Everywhere else null and empty collections are errors, but for a job {} whose members are all in `defaults`, and
// for a calendar without weekdays that are worked, workDays: [].
package spec
