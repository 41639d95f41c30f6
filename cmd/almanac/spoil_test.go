package main

import (
	"database/sql"

	"github.com/rogpeppe/go-internal/testscript"
)

// spoil FILE STATEMENT changes a database behind the back of the program.
func spoilCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: spoil FILE STATEMENT")
	}
	db, err := sql.Open("sqlite", "file:"+ts.MkAbs(args[0])+"?_pragma=ignore_check_constraints(1)")
	ts.Check(err)
	_, err = db.Exec(args[1])
	ts.Check(err)
	ts.Check(db.Close())
}
