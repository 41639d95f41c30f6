package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Every line of help has at most so many columns. The sentence behind the name of a command begins so far in, and that behind a flag.
const (
	helpColumns = 80
	helpIndent  = 14
	flagIndent  = 26
)

// helpText is the help of a command: what it does, how it is written, examples, flags, exit statuses.
func helpText(c *cobra.Command) string {
	var b strings.Builder
	c.InitDefaultHelpFlag()
	text := c.Long
	if text == "" {
		text = c.Short
	}
	fmt.Fprintf(&b, "%s\n\nUSAGE\n", helpProse(text))
	if c.Runnable() {
		fmt.Fprintf(&b, "  %s\n", c.UseLine())
	}
	if c.HasAvailableSubCommands() {
		fmt.Fprintf(&b, "  %s COMMAND\n\nCOMMANDS\n", c.CommandPath())
		for _, sub := range c.Commands() {
			if sub.IsAvailableCommand() {
				b.WriteString(helpEntry("  "+sub.Name(), sub.Short, helpIndent))
			}
		}
	}
	if c.HasExample() {
		fmt.Fprintf(&b, "\nEXAMPLES\n%s\n", helpExamples(c.Example))
	}
	if c.HasAvailableLocalFlags() {
		b.WriteString("\nFLAGS\n")
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if !f.Hidden {
				b.WriteString(helpFlag(f))
			}
		})
	}
	b.WriteString("\nEXIT STATUS\n")
	for _, code := range exitStatus(c) {
		b.WriteString(helpEntry(fmt.Sprintf("  %d", code), exitMeanings[code], 5))
	}
	return b.String()
}

// helpProse breaks the lines of paragraphs. Lines that are moved in stay as they are.
func helpProse(words string) string {
	var paragraphs []string
	for paragraph := range strings.SplitSeq(strings.Trim(words, "\n"), "\n\n") {
		if !strings.HasPrefix(paragraph, " ") {
			paragraph = strings.Join(wrapLine(strings.Join(strings.Fields(paragraph), " "), helpColumns), "\n")
		}
		paragraphs = append(paragraphs, paragraph)
	}
	return strings.TrimSpace(strings.Join(paragraphs, "\n\n"))
}

// helpEntry is a name with a sentence behind it, or below it when the name is long.
func helpEntry(name, words string, indent int) string {
	lead := fmt.Sprintf("%-*s", indent, name)
	if len(name) >= indent {
		lead = name + "\n" + strings.Repeat(" ", indent)
	}
	lines := wrapLine(words, helpColumns-indent)
	return strings.TrimRight(lead+strings.Join(lines, "\n"+strings.Repeat(" ", indent)), " ") + "\n"
}

// helpFlag is a flag with its value, what it means and its default.
func helpFlag(f *pflag.Flag) string {
	kind, words := pflag.UnquoteUsage(f)
	name := "      --" + f.Name
	if f.Shorthand != "" {
		name = "  -" + f.Shorthand + ", --" + f.Name
	}
	if kind != "" {
		name += " " + kind
	}
	switch f.DefValue {
	case "", "0", "false", "[]":
	default:
		if f.Value.Type() == "string" {
			words += fmt.Sprintf(" (default %q)", f.DefValue)
		} else {
			words += fmt.Sprintf(" (default %s)", f.DefValue)
		}
	}
	return helpEntry(name, words, flagIndent)
}

// helpExamples are command lines. One that is too long goes on behind a backslash, and what is said of it stands above it.
func helpExamples(text string) string {
	var lines []string
	for line := range strings.SplitSeq(text, "\n") {
		command, comment, commented := strings.Cut(line, " # ")
		if len([]rune(line)) > helpColumns && commented {
			if command = strings.TrimRight(command, " "); len([]rune(command))+len([]rune(comment))+4 <= helpColumns {
				lines = append(lines, command+"  # "+comment)
				continue
			}
			lines, line = append(lines, "  # "+comment), command
		}
		lines = append(lines, helpCommand(line)...)
	}
	return strings.Join(lines, "\n")
}

// helpCommand breaks a command line between its words, and not within quotes.
func helpCommand(line string) []string {
	if len([]rune(line)) <= helpColumns {
		return []string{line}
	}
	var lines []string
	current, quote, word := "", rune(0), ""
	indent := line[:len(line)-len(strings.TrimLeft(line, " "))]
	put := func() {
		if len([]rune(indent+current+" "+word)) > helpColumns-2 && current != "" {
			lines = append(lines, indent+current+" \\")
			current = "  " + word
		} else if current == "" {
			current = word
		} else {
			current += " " + word
		}
		word = ""
	}
	for _, r := range strings.TrimLeft(line, " ") {
		switch {
		case quote == 0 && r == ' ':
			put()
			continue
		case quote == 0 && (r == '"' || r == '\''):
			quote = r
		case r == quote:
			quote = 0
		}
		word += string(r)
	}
	put()
	return append(lines, indent+current)
}
