// Package invariant answers one question: do the rows keep what reliability.md promises?
//
// Check reads a store once, in pages of one snapshot each, and holds what it finds against the invariants I1 to I15 as far as rows alone can
// show them. It changes nothing, and needs no more memory than the definitions and one page. What cannot be judged, because retention has
// removed it or a definition cannot be read any more, is not judged and never guessed.
//
// The rules, in the words that rows can be asked about:
//
//	I1   one instance for each plan time of each version, in every window that the watermark has passed, and no scheduled one besides
//	I2   states move along the transition table only, the last event is the state, and what has ended has no attempt that lives
//	I3   what runs has an owner, a fence and a lease, nothing else has; the fences of a step's attempts only grow
//	I4   at the event that started an instance, its recorded dependencies were satisfied
//	I5   never were more instances of a job running than its concurrency allows; live attempts keep to their pool and to the slots
//	I6   a lost attempt of a job with onLost: hold is not followed by another one unless a person asked; success has a successful attempt of each step
//	I7   what waits waits for something that will wake it
//	I8   each failure of a job with an errorAction has its outbox row, and each row counts its attempts
//	I9   a trigger, a confirmation and a request to cancel are visible in the instance that they name
//	I10  what did not run says why, with a reason that its job's policies allow
//	I11  the plan times of a job grow strictly and lie in their range, and so do those of the rule that makes them
//	I12  no cycle of instances waits without saying so
//	I13  an instance is made of what its pinned version says
//	I14  nothing is gone that has not ended or that something waits for, and nothing is left over of what is gone
//	I15  a server that takes over finds each running instance in a state that asks for nothing but going on
package invariant
