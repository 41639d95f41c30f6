package web

import "net/http"

// A Read is a route that answers GET.
type Read struct {
	ID      string // of the operation
	Pattern string // with {name} for one segment of the path
}

// Reads lists every route that answers GET, in the order of the table: whoever measures them knows that none is left out.
func Reads() []Read {
	var list []Read
	for _, rt := range table() {
		if rt.Method == http.MethodGet {
			list = append(list, Read{rt.ID, rt.Pattern})
		}
	}
	return list
}
