// Package web answers one question: who may ask the server what, and in which words is it answered?
//
// It is the REST API below /api/v1 with the two probes /livez and /readyz. Every route is a line of one table (routes.go) with the permission
// that it needs; a route without one keeps New from returning, and nothing can be mounted beside the table. The package reads through small
// ports declared in ports.go and acts through Control: it knows neither the database nor how an attempt is carried out.
//
// With Config.Azure it also serves the REST API of Azure Scheduler below /subscriptions, which package web/azure answers: in that service's words,
// refusals too, and under the same table, guard and limits.
//
// The web UI is one document with its scripts and styles, built from the sources in ui and embedded from dist. Its pages are public, as they hold no data:
// what they show is asked for with the token of whoever looks.
//
// Nothing is answered before a bearer token has been checked, but the closed list of public routes. What is refused is refused as problem
// details (RFC 9457) with a stable code. The description of the API (OpenAPI 3.1) is generated from the code that serves it.
//
// # Limits
//
// A body is at most 1 MiB of JSON, at most 32 levels deep and without duplicate or unknown members. A page holds at most 500 rows, a part of
// a log at most 16 MiB. A principal makes at most Limits.PerSecond requests a second after a burst of Limits.Burst; the one after that is
// answered 429 with Retry-After. NewServer adds the time limits of connections.
package web
