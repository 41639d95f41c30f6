package main

import (
	"fmt"
	"io"
	"os"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/spf13/cobra"
	"golang.org/x/term"
)

// A viewer is who reads what a command prints: on which clock, and in how many columns.
type viewer struct {
	zone    *time.Location // nil leaves each time on the clock of its own job
	columns int            // 0 breaks no line
}

// own is the word for the clock of each job itself.
const ownZone = "job"

// viewerOf is who reads what this process prints: on the clock of this machine, as wide as the terminal or as COLUMNS says. What a program reads
// has no line broken.
func (a *app) viewerOf() viewer {
	v := viewer{zone: time.Local}
	if n, err := strconv.Atoi(a.env["COLUMNS"]); err == nil && n > 0 {
		v.columns = n
	} else if f, ok := a.stdout.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		if width, _, err := term.GetSize(int(f.Fd())); err == nil {
			v.columns = width
		}
	}
	return v
}

// A zoneFlag is --tz.
type zoneFlag struct{ of *viewer }

func (z zoneFlag) Type() string   { return "zone" }
func (z zoneFlag) String() string { return "" }
func (z zoneFlag) Set(name string) error {
	switch name {
	case ownZone:
		z.of.zone = nil
		return nil
	case "local":
		z.of.zone = time.Local
		return nil
	}
	zone, err := time.LoadLocation(name)
	if err != nil || name == "" {
		return fmt.Errorf("there is no time zone %q; write one such as Europe/Berlin, or UTC, local or job", name)
	}
	z.of.zone = zone
	return nil
}

// addZone adds --tz.
func (a *app) addZone(c *cobra.Command) {
	c.Flags().Var(zoneFlag{&a.view}, "tz",
		"print times in this zone, such as Europe/Berlin; job is the zone of each job (default that of this machine)")
	zones := []string{"UTC", "local", ownZone}
	_ = c.RegisterFlagCompletionFunc("tz", cobra.FixedCompletions(zones, cobra.ShellCompDirectiveNoFileComp)) // fails only for an unknown flag
}

// in is the time on the viewer's clock.
func (v viewer) in(t time.Time) time.Time {
	if v.zone == nil || t.IsZero() {
		return t
	}
	return t.In(v.zone)
}

// clock prints a time for people: to the minute when it lies on one, with its offset. The command line reads it back.
func (v viewer) clock(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	layout := "2006-01-02 15:04"
	switch {
	case t.Nanosecond() != 0:
		layout += ":05.000"
	case t.Second() != 0:
		layout += ":05"
	}
	return v.in(t).Format(layout + " -07:00")
}

// moment prints when something happened, to the second.
func (v viewer) moment(t time.Time) string { return v.clock(t.Truncate(time.Second)) }

// table prints rows under a header. Where they do not fit, the last columns that fit badly stand below their row.
func (v viewer) table(w io.Writer, header []string, rows [][]string, styles map[string]func(string) string) error {
	if v.columns > 0 && tableWidth(header, rows, len(header)) > v.columns {
		return v.narrowTable(w, header, rows, styles)
	}
	return writeTable(w, header, rows, styles)
}

const (
	columnGap   = 2
	foldIndent  = 4  // of what stands below its row
	leastColumn = 30 // of a last column whose lines are broken
)

// widthOf is the widest line of a column, its title included.
func widthOf(header []string, rows [][]string, n int) int {
	wide := text.StringWidthWithoutEscSequences(header[n])
	for _, row := range rows {
		for line := range strings.SplitSeq(row[n], "\n") {
			wide = max(wide, text.StringWidthWithoutEscSequences(line))
		}
	}
	return wide
}

// widestWord is what the lines of a column cannot be narrower than.
func widestWord(rows [][]string, n int) int {
	wide := 0
	for _, row := range rows {
		for word := range strings.FieldsSeq(row[n]) {
			wide = max(wide, text.StringWidthWithoutEscSequences(word))
		}
	}
	return wide
}

// tableWidth is how wide the first columns of a table are.
func tableWidth(header []string, rows [][]string, columns int) int {
	wide := 0
	for n := range columns {
		wide += widthOf(header, rows, n) + columnGap
	}
	return wide - columnGap
}

// narrowTable prints a table that is too wide: the last column that fits in part has its lines broken, and what does not fit at all stands below
// its row, each cell behind its title.
func (v viewer) narrowTable(w io.Writer, header []string, rows [][]string, styles map[string]func(string) string) error {
	head := len(header)
	for head > 1 {
		before := tableWidth(header, rows, head-1)
		if tableWidth(header, rows, head) <= v.columns || head == len(header) && before+columnGap+max(leastColumn, widestWord(rows, head-1)) <= v.columns {
			break
		}
		head--
	}
	if head == len(header) {
		rest := v.columns - tableWidth(header, rows, head-1) - columnGap
		broken := make([][]string, len(rows))
		for n, row := range rows {
			broken[n] = append(append([]string{}, row[:head-1]...), wrapLines(row[head-1], rest))
		}
		return writeTable(w, header, broken, styles)
	}
	short := make([][]string, len(rows))
	below := make([][]string, len(rows))
	for n, row := range rows {
		short[n] = row[:head]
		for k := head; k < len(row); k++ {
			if row[k] == "" || row[k] == "-" {
				continue
			}
			cell := printable(row[k])
			if dress := styles[header[k]]; dress != nil {
				cell = dress(cell)
			}
			if header[k] != "" {
				cell = header[k] + ": " + cell
			}
			for line := range strings.SplitSeq(wrapLines(cell, v.columns-foldIndent), "\n") {
				below[n] = append(below[n], strings.Repeat(" ", foldIndent)+line)
			}
		}
	}
	var b strings.Builder
	if err := writeTable(&b, header[:head], short, styles); err != nil {
		return err
	}
	return interleave(w, strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n"), short, below)
}

// interleave prints the lines of a table, the header first, and below the lines of each row those that belong to it.
func interleave(w io.Writer, lines []string, rows, below [][]string) error {
	var b strings.Builder
	b.WriteString(lines[0] + "\n")
	at := 1
	for n, row := range rows {
		high := 1
		for _, cell := range row {
			high = max(high, 1+strings.Count(cell, "\n"))
		}
		for ; high > 0 && at < len(lines); high, at = high-1, at+1 {
			b.WriteString(lines[at] + "\n")
		}
		for _, line := range below[n] {
			b.WriteString(line + "\n")
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// wrapLines breaks the lines of a text between words; a word that is wider than a line stays whole.
func wrapLines(words string, columns int) string {
	var lines []string
	for line := range strings.SplitSeq(words, "\n") {
		lines = append(lines, wrapLine(line, columns)...)
	}
	return strings.Join(lines, "\n")
}

func wrapLine(line string, columns int) []string {
	if text.StringWidthWithoutEscSequences(line) <= columns {
		return []string{line}
	}
	var lines []string
	current := ""
	for word := range strings.FieldsSeq(line) {
		switch {
		case current == "":
			current = word
		case text.StringWidthWithoutEscSequences(current)+1+text.StringWidthWithoutEscSequences(word) > columns:
			lines, current = append(lines, current), word
		default:
			current += " " + word
		}
	}
	return append(lines, current)
}

// titled is a word, moved in or not, with a gap behind it.
var titled = regexp.MustCompile(`^ *[^ ]+ {2,}|^ +`)

// prose prints a sentence, with its lines broken where the viewer's end. What stands behind a word and a gap goes on below itself.
func (v viewer) prose(w io.Writer, format string, args ...any) error {
	for line := range strings.SplitSeq(fmt.Sprintf(format, args...), "\n") {
		if v.columns > 0 {
			lead := ""
			if m := titled.FindString(line); m != "" {
				lead, line = m, line[len(m):]
			}
			line = lead + strings.Join(wrapLine(line, v.columns-len(lead)), "\n"+strings.Repeat(" ", len(lead)))
		}
		if _, err := fmt.Fprintln(w, line); err != nil {
			return err
		}
	}
	return nil
}
