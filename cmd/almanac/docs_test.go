package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// commandLineDocs is docs/cli.md: the help of every command, from the commands themselves.
func commandLineDocs() string {
	var b strings.Builder
	b.WriteString("# The command line\n\nMade from the commands' own help by `make golden`; do not edit.\n\n## Exit status\n\n| status | meaning |\n|---|---|\n")
	for code, meaning := range exitMeanings {
		fmt.Fprintf(&b, "| %d | %s |\n", code, meaning)
	}
	b.WriteString(`
## How a command finds the server

The first of these that names one. The command line goes before the environment, and both before what is kept.

1. ` + "`--server`" + `, or ` + "`--context`" + ` with a name that ` + "`almanac context add`" + ` gave, or ` + "`--data`" + `;
2. ` + "`ALMANAC_SERVER`" + `, then ` + "`ALMANAC_CONTEXT`" + `, then ` + "`ALMANAC_DATA`" + `;
3. the context in use (` + "`almanac context use`" + `);
4. the data directory ` + "`./.almanac`" + `.

The token is ` + "`--token`" + `, then that of the context's token file, then ` + "`ALMANAC_TOKEN`" + `.

A data directory stands for the server that runs on it: its ` + "`server.json`" + ` names the address and holds a token for this start alone, readable by the same
user only. Without one, ` + "`ps`, `logs`, `explain` and `simulate`" + ` read the data directory itself.

## How results are printed

Times stand on the clock of this machine, and always with their offset; ` + "`--tz`" + ` chooses another zone, or ` + "`job`" + `, the zone of each job. A time that was
printed can be pasted. On a terminal, or where ` + "`COLUMNS`" + ` says how wide it is, no table is wider: what does not stand beside its row stands below it.
What a program reads has no line broken, and ` + "`-o json`" + ` keeps each time in the zone of its job.
`)
	a := &app{env: map[string]string{}}
	var each func(c *cobra.Command)
	each = func(c *cobra.Command) {
		if c.Hidden || c.Name() == "help" {
			return
		}
		fmt.Fprintf(&b, "\n## %s\n\n```text\n%s```\n", c.CommandPath(), helpText(c))
		if c.Name() == "completion" {
			return // one page for four shells is enough
		}
		for _, sub := range c.Commands() {
			each(sub)
		}
	}
	each(a.root())
	return b.String()
}

func TestDocsUpToDate(t *testing.T) {
	golden(t, filepath.Join("..", "..", "docs", "cli.md"), commandLineDocs())
}

// golden compares with a file, or rewrites it under -update.
func golden(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(got), 0o644))
		return
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err, "make golden writes it")
	require.Equal(t, string(want), got, "%s is stale: make golden rewrites it", path)
}

func TestEveryCommandExplainsItself(t *testing.T) {
	a := &app{env: map[string]string{}}
	var each func(c *cobra.Command)
	each = func(c *cobra.Command) {
		if c.Hidden || c.Name() == "completion" || c.Name() == "help" {
			return
		}
		t.Run(c.CommandPath(), func(t *testing.T) {
			require.NotEmpty(t, c.Short)
			require.NotEmpty(t, c.Long)
			require.NotEmpty(t, c.Example, "an example says more than a usage line")
			var out, errs bytes.Buffer
			args := append(strings.Fields(c.CommandPath())[1:], "--help")
			require.Zero(t, run(context.Background(), args, strings.NewReader(""), &out, &errs, nil))
			require.Contains(t, out.String(), "EXIT STATUS\n  0  done\n")
			require.Empty(t, errs.String())
			for _, line := range strings.Split(out.String(), "\n") {
				require.LessOrEqual(t, len([]rune(line)), helpColumns, "a line of help that does not fit: %s", line)
			}
		})
		for _, sub := range c.Commands() {
			each(sub)
		}
	}
	each(a.root())
}
