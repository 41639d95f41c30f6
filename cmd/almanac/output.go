package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

// writeTable prints rows under a header, aligned for wide characters too, without lines and without blanks at the end of a line. Cells are made
// safe for a terminal; a style, by column title, may dress a cell after that.
func writeTable(w io.Writer, header []string, rows [][]string, styles map[string]func(string) string) error {
	t := table.NewWriter()
	var columns []table.ColumnConfig
	for i, title := range header {
		if dress := styles[title]; dress != nil {
			columns = append(columns, table.ColumnConfig{Number: i + 1, Transformer: func(cell any) string { return dress(fmt.Sprint(cell)) }})
		}
	}
	t.SetColumnConfigs(columns)
	style := table.StyleDefault
	style.Options = table.OptionsNoBordersAndSeparators
	style.Box.PaddingLeft, style.Box.PaddingRight = "", "  "
	style.Format.Header = text.FormatUpper
	t.SetStyle(style)
	t.SuppressTrailingSpaces()
	t.AppendHeader(tableRow(header))
	for _, row := range rows {
		t.AppendRow(tableRow(row))
	}
	_, err := fmt.Fprintln(w, t.Render())
	return err
}

func tableRow(cells []string) table.Row {
	row := make(table.Row, len(cells))
	for i, cell := range cells {
		row[i] = printable(cell)
	}
	return row
}

// printable makes text from elsewhere safe for a terminal: control characters other than line breaks become visible.
func printable(s string) string {
	if !strings.ContainsFunc(s, isControl) {
		return s
	}
	return strings.Map(func(r rune) rune {
		if isControl(r) {
			return '\uFFFD'
		}
		return r
	}, s)
}

func isControl(r rune) bool {
	switch {
	case r == '\n':
		return false
	case r < 0x20, r >= 0x7f && r < 0xa0:
		return true
	case r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069: // they change the order in which a line is read
		return true
	}
	return false
}

// A list is how every list is printed as JSON, as the API answers it. Next is where it goes on, for a list that was cut.
type list[T any] struct {
	Items []T    `json:"items"`
	Next  string `json:"next,omitempty"`
}

// listOf is a list that is whole.
func listOf[T any](items []T) list[T] {
	if items == nil {
		items = []T{}
	}
	return list[T]{Items: items}
}

// writeJSON prints a value as indented JSON.
func writeJSON(w io.Writer, value any) error {
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	return encoder.Encode(value)
}

// duration prints a length of time in at most two units, for people.
func duration(d time.Duration) string {
	switch {
	case d < 0:
		return "-" + duration(-d)
	case d < time.Second:
		return fmt.Sprintf("%dms", d.Milliseconds())
	case d < time.Minute:
		return fmt.Sprintf("%.1fs", d.Seconds())
	case d < time.Hour:
		return fmt.Sprintf("%dm%02ds", int(d.Minutes()), int(d.Seconds())%60)
	case d < 48*time.Hour:
		return fmt.Sprintf("%dh%02dm", int(d.Hours()), int(d.Minutes())%60)
	}
	return fmt.Sprintf("%dd%02dh", int(d.Hours())/24, int(d.Hours())%24)
}

// count prints a number with its noun: "1 job", "3 jobs".
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
