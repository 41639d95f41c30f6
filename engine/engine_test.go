package engine_test

import (
	"strings"
	"time"
)

// fields splits a table into rows of words, without empty lines.
func fields(table string) [][]string {
	var rows [][]string
	for line := range strings.Lines(table) {
		if words := strings.Fields(line); len(words) > 0 {
			rows = append(rows, words)
		}
	}
	return rows
}

// clock reads "03 08:15" as a minute of August 2026, UTC.
func clock(text string) time.Time {
	at, err := time.Parse("2006-01-02 15:04", "2026-08-"+text)
	if err != nil {
		panic(err)
	}
	return at
}
