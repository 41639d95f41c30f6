package main

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/require"
)

// narrow COLUMNS program args... runs the program on a terminal of so many columns: no line that it prints is wider. That it has printed one is checked too.
func narrowCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: narrow COLUMNS program args...")
	}
	columns, err := strconv.Atoi(args[0])
	ts.Check(err)
	ts.Setenv("COLUMNS", args[0])
	_ = ts.Exec(args[1], args[2:]...) // what is wrong may be what is printed
	ts.Setenv("COLUMNS", "")
	out := strings.TrimRight(ts.ReadFile("stdout"), "\n")
	if out == "" {
		ts.Fatalf("it has printed nothing; on standard error: %s", ts.ReadFile("stderr"))
	}
	for line := range strings.SplitSeq(out, "\n") {
		if text.StringWidthWithoutEscSequences(line) > columns {
			ts.Fatalf("wider than %d columns: %s", columns, line)
		}
	}
}

func TestATableFitsItsViewer(t *testing.T) {
	header := []string{"id", "instance", "state", "why"}
	rows := [][]string{
		{"1", "retail/orders@2026-10-01T06:00:00+08:00", "waiting", "waits for retail/stock@2026-10-01T05:00:00+08:00, which is failed"},
		{"2", "retail/stock@2026-10-01T05:00:00+08:00", "failed", ""},
		{"3", "数据/数据@2026-10-01T05:00:00+08:00", "waiting", "not due\nand late"},
	}
	for _, columns := range []int{0, 60, 72, 80, 90, 100, 200} {
		var b strings.Builder
		require.NoError(t, viewer{columns: columns}.table(&b, header, rows, nil))
		printed := strings.Fields(b.String())
		for _, row := range rows {
			for _, cell := range row {
				for _, word := range strings.Fields(cell) {
					require.Contains(t, printed, word, "nothing is cut off in %d columns", columns)
				}
			}
		}
		if columns == 0 {
			require.Len(t, strings.Split(strings.TrimSpace(b.String()), "\n"), 5, "no line is broken for a program")
			continue
		}
		for line := range strings.SplitSeq(b.String(), "\n") {
			require.LessOrEqual(t, text.StringWidthWithoutEscSequences(line), columns, line)
		}
	}
}

func TestATimeIsReadBackAsItIsPrinted(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	require.NoError(t, err)
	for _, at := range []time.Time{
		time.Date(2026, 10, 1, 6, 0, 0, 0, time.UTC), time.Date(2026, 10, 25, 0, 30, 0, 0, time.UTC), time.Date(2026, 10, 25, 1, 30, 0, 0, time.UTC),
		time.Date(2026, 10, 1, 6, 0, 30, 0, time.UTC), time.Date(2026, 10, 1, 6, 0, 30, 250e6, time.UTC),
	} {
		for _, zone := range []*time.Location{nil, time.UTC, berlin} {
			printed := viewer{zone: zone}.clock(at)
			read, err := instant("--from", printed, time.UTC)
			require.NoError(t, err, printed)
			require.True(t, at.Equal(read), printed)
			selector := selectorOf(strings.Fields("retail/orders@" + printed))
			require.NotContains(t, selector, " ", "one term, however a shell has cut it")
		}
	}
}
