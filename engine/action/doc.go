// Package action answers one question: how is one attempt carried out?
//
// A Runner is the engine's port to the outside world. It sends HTTP requests in this process, through one guarded client, and runs shell
// commands through a supervisor: a second, small process of the same binary (Supervise) that outlives the server. The server may be
// killed and started again at any moment; the children run on, and the next server is told how they ended.
//
//	server ── Runner ──┬── HTTP client ── network
//	                   └── unix socket ── supervisor ── child process groups
//	                                          └── journal, logs (files in the data directory)
//
// What the two processes share lies in the data directory: run/ holds the socket, the lock, the journal of exits and the files that steps
// write their outputs to; logs/ holds one file per attempt, which the children write to without a pipe in between. An outcome is
// appended to the journal before it is reported, so that it survives both processes; what no journal knows is reported as unknown and
// never guessed.
//
// Unix only. On Linux the supervisor is a subreaper, finds processes that left their group, and keeps the logs of endless writers small by
// punching holes; elsewhere such a writer is ended.
package action
