package main

import (
	"bytes"
	"os"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/almanac-sched/almanac/engine/action/actiontest"
)

// address VARIABLE HOST TOKEN DIR keeps the address of the server of the data directory, its host and port, and the token of its start.
func addressCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 4 {
		ts.Fatalf("usage: address VARIABLE HOST TOKEN DIR")
	}
	f, ok := readServerFile(ts.MkAbs(args[3]))
	if !ok {
		ts.Fatalf("no server in %s", args[3])
	}
	ts.Setenv(args[0], f.Address)
	ts.Setenv(args[1], strings.TrimPrefix(f.Address, "http://"))
	ts.Setenv(args[2], f.Token)
}

// free VARIABLE keeps an address at which a server can listen, and listen again after it has been killed: no connection takes its port meanwhile.
func freeCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: free VARIABLE")
	}
	address, _ := actiontest.FreeAddress(ts)
	ts.Setenv(args[0], address)
}

// secret FILE TEXT writes a file that holds a secret.
func secretCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: secret FILE TEXT")
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(args[1]+"\n"), 0o600))
}

// private FILE wants a file that its owner alone can read and write.
func privateCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: private FILE")
	}
	info, err := os.Stat(ts.MkAbs(args[0]))
	ts.Check(err)
	if info.Mode().Perm() != 0o600 {
		ts.Fatalf("%s is %s", args[0], info.Mode())
	}
}

// lines FILE N waits until the file has as many lines.
func linesCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 || len(args[1]) != 1 {
		ts.Fatalf("usage: lines FILE N")
	}
	poll(ts, args[1]+" lines in "+args[0], func() bool {
		data, err := os.ReadFile(ts.MkAbs(args[0]))
		return err == nil && bytes.Count(data, []byte("\n")) >= int(args[1][0]-'0')
	})
}
