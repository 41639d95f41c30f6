package main

import (
	"io"
	"net/http"

	"github.com/rogpeppe/go-internal/testscript"
)

// fetch DIR PATH asks the server of the data directory, with its own token, and puts the answer on the standard output. ! fetch asks without a token.
func fetchCommand(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: [!] fetch DIR PATH")
	}
	_, err := ts.Stdout().Write(fetched(ts, neg, args))
	ts.Check(err)
}

func fetched(ts *testscript.TestScript, neg bool, args []string) []byte {
	f, ok := readServerFile(ts.MkAbs(args[0]))
	if !ok {
		ts.Fatalf("no server in %s", args[0])
	}
	request, err := http.NewRequest(http.MethodGet, f.Address+args[1], nil)
	ts.Check(err)
	if !neg {
		request.Header.Set("Authorization", "Bearer "+f.Token)
	}
	response, err := http.DefaultClient.Do(request)
	ts.Check(err)
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	ts.Check(err)
	return answer
}
