// Package history answers one question: does a request cost more because the server has a long past?
//
// Make fills a data directory with so many ended instances, and Requests has the worst parameters of every route that answers GET. A route of the server's
// table that is not in it is an error, so that a new one is measured too.
package history
