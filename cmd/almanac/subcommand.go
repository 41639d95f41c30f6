package main

import (
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/almanac-sched/almanac/engine"
)

// listWords are the two words for a list. Every command that lists things takes either.
var listWords = []string{"ls", "list"}

// lists marks a command that prints a list itself: `almanac jobs ls` is `almanac jobs`.
func lists(c *cobra.Command) { c.Annotations["list"] = "itself" }

// commandLine makes of what was typed what the command tree understands: the word ls behind a command that lists things is
// left out, and the name of a command that does not exist is an error that names the nearest one.
func commandLine(root *cobra.Command, args []string) ([]string, error) {
	if len(args) > 0 && (args[0] == cobra.ShellCompRequestCmd || args[0] == cobra.ShellCompNoDescRequestCmd) {
		return args, nil // a shell asks; the command is made when the tree is executed
	}
	if len(args) > 0 && args[0] == "help" { // almanac help plan is almanac plan --help
		args = append(slices.Clone(args[1:]), "--help")
	}
	c, rest, err := root.Find(args)
	if err != nil {
		c, rest = root, args
	}
	at := slices.IndexFunc(rest, func(word string) bool { return !strings.HasPrefix(word, "-") })
	switch {
	case at < 0:
		return args, nil
	case c.Annotations["list"] != "" && at == 0 && slices.Contains(listWords, rest[0]):
		before := args[:len(args)-len(rest)]
		return append(slices.Clone(before), rest[1:]...), nil
	case at == 0 && c.Runnable() && c.HasAvailableSubCommands() && strings.Contains(c.Use, "FOLDER") && missingFolder(c, rest[0]):
		return args, unknownCommand(c, rest[0])
	case c.Runnable() || !c.HasAvailableSubCommands() || at > 0 && c != root:
		return args, nil
	}
	return args, unknownCommand(c, rest[at])
}

// missingFolder reports whether a word is no folder, and nearly the name of a command.
func missingFolder(c *cobra.Command, word string) bool {
	if engine.Nearest(word, commandNames(c)) == "" {
		return false
	}
	_, err := os.Stat(word)
	return errors.Is(err, fs.ErrNotExist)
}

func commandNames(c *cobra.Command) (names []string) {
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() {
			names = append(append(names, sub.Name()), sub.Aliases...)
		}
	}
	return names
}

// unknownCommand says which command was probably meant.
func unknownCommand(c *cobra.Command, word string) error {
	if near := engine.Nearest(word, commandNames(c)); near != "" {
		return usagef("unknown command %q for %s; did you mean %s %s?", word, c.CommandPath(), c.CommandPath(), near)
	}
	return usagef("unknown command %q for %s", word, c.CommandPath())
}

// wantsJSON reports whether a command line asks for JSON. It is read before the flags are, so that a mistake in them is told
// in the form that was asked for.
func wantsJSON(root *cobra.Command, args []string) bool {
	c, rest, err := root.Find(args)
	if err != nil {
		c, rest = root, args
	}
	if c.Runnable() { // else it is a command that there is not
		flag := c.Flags().Lookup("output")
		if flag == nil {
			return false
		}
		if _, form := flag.Value.(*choice); !form {
			return false // the file that backfill plan writes
		}
	}
	asked := false
	for n, word := range rest {
		name, value, joined := strings.Cut(word, "=")
		switch {
		case word == "--":
			return asked
		case name == "-o" || name == "--output":
			if !joined && n+1 < len(rest) {
				value = rest[n+1]
			}
			asked = value == "json"
		case strings.HasPrefix(word, "-o"):
			asked = word == "-ojson"
		}
	}
	return asked
}
