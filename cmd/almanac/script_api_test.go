package main

import (
	"os"

	"github.com/rogpeppe/go-internal/testscript"
)

// address VARIABLE TOKEN DIR keeps the address of the server of the data directory, and the token of its start.
func addressCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: address VARIABLE TOKEN DIR")
	}
	f, ok := readServerFile(ts.MkAbs(args[2]))
	if !ok {
		ts.Fatalf("no server in %s", args[2])
	}
	ts.Setenv(args[0], f.Address)
	ts.Setenv(args[1], f.Token)
}

// secret FILE TEXT writes a file that holds a secret.
func secretCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: secret FILE TEXT")
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(args[1]+"\n"), 0o600))
}
