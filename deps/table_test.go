package deps_test

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/almanac-sched/almanac/deps"
	"github.com/stretchr/testify/require"
)

// scenario is one case of testdata/*.txt; testdata/README.txt explains the form.
type scenario struct {
	name, file   string
	line         int
	a, b         string
	edge         string
	zone, on     string
	rows         []string
	orphans      string
	says, refuse string
	lookedIn     string
}

// TestTables checks every case of testdata/*.txt.
func TestTables(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	require.NoError(t, err)
	total := 0
	for _, file := range files {
		if filepath.Base(file) == "README.txt" || filepath.Base(file) == "periods.txt" {
			continue
		}
		scenarios, err := readScenarios(file)
		require.NoError(t, err)
		total += len(scenarios)
		for _, s := range scenarios {
			t.Run(strings.TrimSuffix(filepath.Base(file), ".txt")+"/"+s.name, s.check)
		}
	}
	require.Greater(t, total, 100, "the tables were not read")
}

func readScenarios(file string) ([]scenario, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var out []scenario
	lines := bufio.NewScanner(f)
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSpace(lines.Text())
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if name, ok := strings.CutPrefix(line, "case "); ok {
			s := scenario{name: name, file: file, line: n, zone: "UTC", on: "2026-09-01"}
			out = append(out, s)
			continue
		}
		if len(out) == 0 {
			return nil, fmt.Errorf("%s:%d: no case yet", file, n)
		}
		s := &out[len(out)-1]
		key, value, _ := strings.Cut(line, ": ")
		switch key {
		case "A":
			s.a = value
		case "B":
			s.b = value
		case "edge":
			s.edge = value
		case "zone":
			s.zone = value
		case "on":
			s.on = value
		case "orphans":
			s.orphans = value
		case "says":
			s.says = value
		case "refused":
			s.refuse = value
		case "looked in":
			s.lookedIn = value
		default:
			if !strings.Contains(line, "<-") {
				return nil, fmt.Errorf("%s:%d: not understood: %s", file, n, line)
			}
			s.rows = append(s.rows, s.on+"\x00"+line)
		}
	}
	return out, lines.Err()
}

func (s scenario) check(t *testing.T) {
	where := fmt.Sprintf("%s:%d", s.file, s.line)
	edge, err := parseEdge(s.edge)
	require.NoError(t, err, where)
	a, err := parseSchedule(s.a, s.zone)
	require.NoError(t, err, where)
	b := a
	if !edge.Self {
		b, err = parseSchedule(s.b, s.zone)
		require.NoError(t, err, where)
	}
	binder, err := edge.Compile(a.job("A"), b.job("B"))
	if s.refuse != "" {
		var refused *deps.RefusedError
		require.ErrorAs(t, err, &refused, where)
		field, words, _ := strings.Cut(s.refuse, ": ")
		require.Equal(t, field, refused.Field, where)
		require.Contains(t, refused.Reason, words, where)
		return
	}
	require.NoError(t, err, where)
	require.True(t, len(s.rows) > 0 || s.orphans != "" || s.says != "", "%s: a case that checks nothing", where)
	if s.says != "" {
		require.Equal(t, s.says, binder.Describe(), where)
	}
	for _, row := range s.rows {
		on, row, _ := strings.Cut(row, "\x00")
		s.checkRow(t, where, on, row, a, b, binder)
	}
	if s.orphans != "" {
		from, to := s.day(a.loc, s.on)
		want, err := expectTimes(s.orphans, s.on, b)
		require.NoError(t, err, where)
		require.Equal(t, human(want), human(binder.Orphans(from, to)), "%s: orphans", where)
	}
}

func (s scenario) day(loc *time.Location, on string) (from, to time.Time) {
	noon, err := time.ParseInLocation("2006-01-02 15", on+" 12", loc)
	if err != nil {
		panic(err)
	}
	return walkDay(noon)
}

// checkRow reads "3:00 <- 0:00, 1:00 | interval-back [| any]". The left side is
// a time of A, or "each" for all of that day.
func (s scenario) checkRow(t *testing.T, where, on, row string, a, b *schedule, binder *deps.Binder) {
	left, right, _ := strings.Cut(row, "<-")
	cells := strings.Split(right, "|")
	require.GreaterOrEqual(t, len(cells), 2, "%s: %s: no reason given", where, row)
	want, err := expectTimes(cells[0], on, b)
	require.NoError(t, err, "%s: %s", where, row)
	from, to := s.day(a.loc, on)
	due := a.between(from, to)
	if left = strings.TrimSpace(left); left != "each" {
		due, err = expectTimes(left, on, a)
		require.NoError(t, err, "%s: %s", where, row)
	}
	require.NotEmpty(t, due, "%s: %s: A has no plan time that day", where, row)
	for _, at := range due {
		got := binder.Bind(at)
		require.Equal(t, human(want), human(all(got)), "%s: %s at %s", where, row, at)
		require.Equal(t, strings.TrimSpace(cells[1]), got.Reason.String(), "%s: %s at %s", where, row, at)
		sel := "all"
		if len(cells) > 2 {
			sel = strings.TrimSpace(cells[2])
		}
		require.Equal(t, sel, got.Select.String(), "%s: %s at %s", where, row, at)
		if s.lookedIn != "" {
			require.Equal(t, s.lookedIn, got.Window.String(), "%s: %s at %s", where, row, at)
		}
	}
}

// all gives the plan times of a binding, whatever its shape.
func all(b deps.Binding) []time.Time {
	out := b.Times
	for _, r := range b.Ranges {
		out = append(out, r...)
	}
	return out
}

func human(times []time.Time) []string {
	out := []string{}
	for _, t := range times {
		out = append(out, t.UTC().Format("2006-01-02 15:04Z"))
	}
	return out
}

// expectTimes reads "none", or a list of times and ranges of s's plan times:
// "3:00", "yesterday 23:45", "2026-04-15 12:00", "0:00..15:00 (16)", "1:30b" for
// the second pass of a fold.
func expectTimes(text, on string, s *schedule) ([]time.Time, error) {
	text = strings.TrimSpace(text)
	if text == "none" {
		return nil, nil
	}
	var out []time.Time
	for _, part := range strings.Split(text, ",") {
		part = strings.TrimSpace(part)
		part, count, counted := strings.Cut(part, " (")
		low, high, ranged := strings.Cut(part, "..")
		from, err := s.planTime(low, on)
		if err != nil {
			return nil, err
		}
		to := from
		if ranged {
			if to, err = s.planTime(high, on); err != nil {
				return nil, err
			}
		}
		times := s.between(from, to.Add(time.Minute))
		if counted && strconv.Itoa(len(times))+")" != count {
			return nil, fmt.Errorf("%s holds %d plan times, not (%s", part, len(times), count)
		}
		out = append(out, times...)
	}
	return out, nil
}

// planTime reads a time and makes sure the schedule has it.
func (s *schedule) planTime(text, on string) (time.Time, error) {
	text, second := strings.CutSuffix(strings.TrimSpace(text), "b")
	clock := text
	if d, c, dated := strings.Cut(text, " "); dated {
		clock = c
		if d == "yesterday" {
			noon, _ := time.Parse(time.DateOnly, on)
			d = noon.AddDate(0, 0, -1).Format(time.DateOnly)
		}
		on = d
	}
	noon, err := time.ParseInLocation("2006-01-02 15", on+" 12", s.loc)
	if err != nil {
		return noon, err
	}
	var found []time.Time
	for _, t := range s.day(noon) {
		if t.Hour()*60+t.Minute() == mustMinute(clock) {
			found = append(found, t)
		}
	}
	switch {
	case len(found) == 2 && second:
		return found[1], nil
	case len(found) > 0 && !second:
		return found[0], nil
	}
	return noon, fmt.Errorf("%s %s is not a plan time of that job", on, clock)
}

// parseEdge reads "traditional; previous 2; nearest; self; select any; hours 2 5;
// window -PT24H PT0S right".
func parseEdge(text string) (deps.Edge, error) {
	var e deps.Edge
	var err error
	for _, part := range strings.Split(text, ";") {
		f := strings.Fields(part)
		if len(f) == 0 {
			continue
		}
		switch f[0] {
		case "traditional", "natural":
			e.Policy, err = deps.ParsePolicy(f[0])
		case "nearest":
			e.Nearest = true
		case "self":
			e.Self = true
		case "previous":
			e.Previous, err = strconv.Atoi(f[1])
		case "select":
			e.Select, err = deps.ParseSelect(f[1])
		case "hours":
			for _, h := range f[1:] {
				e.Hours = append(e.Hours, mustMinute(h)/60)
			}
		case "window":
			w := &deps.ExplicitWindow{}
			w.From, w.To = mustOffset(f[1]), mustOffset(f[2])
			if len(f) > 3 {
				w.Closed, err = deps.ParseClosed(f[3])
			}
			e.Window = w
		default:
			err = errors.New("unknown edge field " + f[0])
		}
		if err != nil {
			return e, err
		}
	}
	return e, nil
}

// mustOffset reads the forms the tables use: P1Y2M3D, PT24H30M, with a sign.
func mustOffset(text string) deps.Offset {
	sign := 1
	if rest, ok := strings.CutPrefix(text, "-"); ok {
		sign, text = -1, rest
	}
	date, clock, timed := strings.Cut(strings.TrimPrefix(text, "P"), "T")
	var o deps.Offset
	number := ""
	for _, c := range date {
		n, _ := strconv.Atoi(number)
		switch c {
		case 'Y':
			o.Years, number = sign*n, ""
		case 'M':
			o.Months, number = sign*n, ""
		case 'D':
			o.Days, number = sign*n, ""
		default:
			number += string(c)
		}
	}
	if timed {
		d, err := time.ParseDuration(strings.ToLower(clock))
		if err != nil {
			panic(err)
		}
		o.Duration = time.Duration(sign) * d
	}
	return o
}
