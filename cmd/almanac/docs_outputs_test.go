package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// shownCommand is a command line of a page, which may go on behind a backslash, with what it prints.
var shownCommand = regexp.MustCompile("(?m)^\\$ almanac ((?:.*\\\\\n)*.*)\n((?:[^$`\n].*\n|\n)*)")

// What the pages show of commands that need nothing but the examples is what these print, on any day and in
// any zone. A line … stands for lines that are left out; -update writes what has none of these anew.
func TestOutputsInTheDocsAreReal(t *testing.T) {
	t.Chdir("../..")
	folder := t.TempDir()
	examples, edited := filepath.Join(folder, "examples"), filepath.Join(folder, "edited")
	for _, to := range []string{examples, edited} {
		require.NoError(t, os.CopyFS(to, os.DirFS("examples")))
		require.NoError(t, os.RemoveAll(filepath.Join(to, "testdata")))
	}
	retail := filepath.Join(edited, "retail.yaml")
	text, err := os.ReadFile(retail)
	require.NoError(t, err)
	without := strings.Replace(string(text), "hours: [2, 5, 15]", "hours: [2, 5]", 1)
	require.NotEqual(t, string(text), without, "orders of the edited copy lost its 15:00")
	require.NoError(t, os.WriteFile(retail, []byte(without), 0o600))

	for page, least := range map[string]int{"README.md": 2, "docs/simulate.md": 2} {
		text, err := os.ReadFile(page)
		require.NoError(t, err)
		ran := 0
		for _, m := range shownCommand.FindAllStringSubmatch(string(text), -1) {
			args := shellWords(m[1])
			real := map[string]string{"examples": examples, "edited": edited}
			if !strings.Contains(m[1], "--tz job") || len(args) < 2 || real[args[1]] == "" && args[1] != "diff" {
				continue // it needs a server, or the pages of commands
			}
			ran++
			for i, arg := range args {
				if real[arg] != "" {
					args[i] = real[arg]
				}
			}
			var out, errs bytes.Buffer
			run(context.Background(), args, strings.NewReader(""), &out, &errs, nil)
			got := out.String()
			for name, path := range real {
				got = strings.ReplaceAll(got, path, name)
			}
			if *update && !strings.Contains(m[2], "…\n") {
				shown := strings.Replace(m[0], m[2], got, 1)
				text = bytes.Replace(text, []byte(m[0]), []byte(shown), 1)
				continue
			}
			for _, part := range strings.Split("\n"+m[2], "\n…\n") {
				_, after, found := strings.Cut(got, strings.TrimPrefix(part, "\n"))
				require.True(t, found, "%s: %s\n%s\n\nis not what it prints, or out of turn %s", page, m[1], part, errs.String())
				got = after
			}
		}
		require.GreaterOrEqual(t, ran, least, "%s: the commands are looked for", page)
		if *update {
			require.NoError(t, os.WriteFile(page, text, 0o600))
		}
	}
}

// shellWords splits a command line into words; quotes keep words together.
func shellWords(line string) (words []string) {
	line = strings.ReplaceAll(line, "\\\n", " ")
	for _, m := range regexp.MustCompile(`(?:[^\s'"]|'[^']*'|"[^"]*")+`).FindAllString(line, -1) {
		words = append(words, strings.NewReplacer("'", "", `"`, "").Replace(m))
	}
	return words
}
