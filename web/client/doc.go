// Package client answers one question: how does a Go program speak to an Almanac server?
//
// The types and operations are generated from the server's own description, web/openapi.json. Beside them it has what a description does not say: how a
// refusal becomes an error, and how a stream that is cut off goes on. It needs nothing but the standard library.
//
//	c := client.New("http://10.0.0.5:8080", token)
//	page, err := c.ListInstances(ctx, client.ListInstancesParams{Workflow: "retail"})
package client
