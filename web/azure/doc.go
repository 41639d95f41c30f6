// Package azure answers one question: how does a client of Azure Scheduler find its job collections and jobs here?
//
// It is the service's REST API (`azure-scheduler.md` §1) below /subscriptions, for clients that are changed in nothing but their base address. A
// job that is put here is an ordinary job: package engine/azure translates it, engine.Edit makes it current in the transaction that keeps the
// resource, and from then on the planner, the runner and the history know no difference. What a job shows beside its definition, its state, its
// status and its history, is counted from the rows each time.
//
// # Names
//
// The jobs of a collection are the jobs of the workflow of its name when the collection is in the server's own subscription and resource group,
// and else of the workflow NAME~HASH, where HASH is the beginning of the SHA-256 of the subscription and the group. No file can have such a name. In
// the server's own subscription and group the workflows of the folder are collections too: they can be read and run, not changed.
//
// # Secrets
//
// A secret comes in and never goes out. At rest it is sealed (Vault) beside the resource; the definition of the job says where it is.
package azure
