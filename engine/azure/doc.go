// Package azure answers one question: what is an Azure Scheduler job in Almanac's terms, and the other way round?
//
// It reads and writes the JSON of the service's entities (`azure-scheduler.md` §2, §3) exactly as the service did, tolerant in what it
// takes and canonical in what it gives; turns a job's properties into an engine.Job by way of the workflow file that says the same; and
// turns a job back into properties, with a list of what Azure Scheduler has no word for.
//
// Everything here is a function of its arguments: no clock, no file, no connection. What is wrong with a document is reported all at once,
// each mistake with the path of the member as the client wrote it.
package azure
