// Package action answers one question: how is one attempt carried out?
//
// A Runner is the engine's port to the outside world. It sends HTTP requests, and messages to Azure's storage queues and Service Bus, in
// this process, through one guarded client, and runs shell commands through a supervisor: a second, small process of the same binary
// (Supervise) that outlives the server. The server may be killed and started again at any moment; the children run on, and the next server
// is told how they ended.
//
//	server ── Runner ──┬── HTTP client, AMQP ── guard ── network
//	                   └── unix socket ── supervisor ── child process groups
//	                                          └── journal, logs (files in the data directory)
//
// What the two processes share lies in the data directory: run/ holds the socket, the lock, the journal of exits and the files that steps
// write their outputs to; logs/ holds one file per attempt, which the children write to without a pipe in between. An outcome is
// appended to the journal before it is reported, so that it survives both processes, and synced as it is reported, so that it survives the machine; what
// no journal knows is reported as unknown and never guessed.
//
// Where another server may take an instance over, an attempt has a lease (engine.Attempt.Until), and nobody but the runner can keep its end: 10 s
// before it the process group gets TERM, 2 s before it KILL, with whatever carries the attempt's mark; a HTTP request is broken off. Such
// an attempt is lost, whatever its exit, and so is one that would begin within the last 10 s. The term is kept by the machine's own clock, which nobody
// sets, and by the supervisor alone when the server is dead. What it cannot do: end a child while it is itself stopped, or a process that
// left both its group and its environment behind. Those the fence has to stop ($ALMANAC_FENCE).
//
// Unix only. On Linux the supervisor is a subreaper, finds processes that left their group, and keeps the logs of endless writers small by
// punching holes; elsewhere such a writer is ended.
package action
