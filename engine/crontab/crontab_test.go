package crontab_test

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/almanac-sched/almanac/engine/crontab"
	"github.com/almanac-sched/almanac/engine/spec"
	"github.com/almanac-sched/almanac/recurrence"
)

var update = flag.Bool("update", false, "write the reports and the jobs anew; read the difference")

// Each case of testdata/crontabs.txtar is a crontab, what the report says of it, and the jobs that came of it.
func TestCrontabs(t *testing.T) {
	archive, err := txtar.ParseFile("testdata/crontabs.txtar")
	require.NoError(t, err)
	sections := map[string]string{}
	for _, f := range archive.Files {
		sections[f.Name] = string(f.Data)
	}
	cases := 0
	for _, f := range archive.Files {
		of, ok := strings.CutSuffix(f.Name, " crontab")
		if !ok {
			continue
		}
		cases++
		t.Run(of, func(t *testing.T) {
			out := crontab.Workflow(string(f.Data), crontab.Options{Name: of, TimeZone: "Europe/Berlin", WithUser: strings.HasPrefix(of, "system")})
			var report strings.Builder
			for _, n := range out.Notes {
				fmt.Fprintln(&report, n)
			}
			if *update {
				for i := range archive.Files {
					switch archive.Files[i].Name {
					case of + " report":
						archive.Files[i].Data = []byte(report.String())
					case of + " jobs":
						archive.Files[i].Data = []byte(jobs(t, out))
					}
				}
				require.NoError(t, os.WriteFile("testdata/crontabs.txtar", txtar.Format(archive), 0o644))
				return
			}
			require.Equal(t, sections[of+" report"], report.String())
			require.Equal(t, sections[of+" jobs"], jobs(t, out))
		})
	}
	require.NotZero(t, cases)
}

// jobs says in lines what a workflow file makes.
func jobs(t require.TestingT, out *crontab.Imported) string {
	if out.Text == nil {
		return ""
	}
	w, problems := spec.Decode("w.yaml", out.Text, spec.Options{})
	require.False(t, problems.HasErrors(), "%v\n%s", problems, out.Text)
	require.Len(t, w.Jobs, out.Jobs)
	var b strings.Builder
	for _, j := range w.Jobs {
		require.Equal(t, "skip", string(j.Misfire))
		fmt.Fprintf(&b, "%s | %s | %s | %q", j.Name, cmp.Or(j.When.Cron, j.When.String()), j.When.Location, string(j.Steps[0].Action.Shell.Command))
		if len(j.Env) > 0 {
			fmt.Fprintf(&b, " | %v", j.Env)
		}
		if j.Description != "" {
			fmt.Fprintf(&b, " | %s", j.Description)
		}
		b.WriteString("\n")
	}
	return b.String()
}

// The days of a line are those of crontab(5), which are counted here by hand: where one of the two fields
// begins with *, both must match, else either.
func TestTheDaysOfALineAreThoseOfCron(t *testing.T) {
	fields := []string{"*", "*/1", "*/2", "*/3,5", "1-7", "13", "*,2", "5,*", "1,15", "2-6/2"}
	start := time.Date(2026, 7, 1, 0, 0, 0, 0, time.UTC)
	has := func(field string, low, n int) bool {
		for _, part := range strings.Split(field, ",") {
			base, stepText, stepped := strings.Cut(part, "/")
			step := 1
			if stepped {
				step = int(stepText[0] - '0')
			}
			from, to := low, 99
			if first, last, ranged := strings.Cut(base, "-"); ranged {
				from, to = int(first[0]-'0'), int(last[0]-'0')
			} else if base != "*" {
				fmt.Sscan(base, &from)
				to = from
			}
			if n >= from && n <= to && (n-from)%step == 0 {
				return true
			}
		}
		return false
	}
	for _, dom := range fields {
		for _, dow := range append([]string{"0", "1-5", "0-6", "*/7"}, fields...) {
			if strings.Contains(dow, "13") || strings.Contains(dow, "15") || dow == "1-7" {
				continue // no weekday
			}
			for _, hour := range []string{"9", "*"} {
				line := "30 " + hour + " " + dom + " * " + dow
				out := crontab.Workflow(line+" true\n", crontab.Options{Name: "c", TimeZone: "UTC"})
				w, problems := spec.Decode("c.yaml", out.Text, spec.Options{})
				require.False(t, problems.HasErrors(), "%s: %v", line, problems)
				table, err := w.Jobs[0].When.Compile(recurrence.Created(start.AddDate(0, 0, -1)))
				require.NoError(t, err)
				var want []string
				for day := start; day.Month() < 10; day = day.AddDate(0, 0, 1) {
					a, b := has(dom, 1, day.Day()), has(dow, 0, int(day.Weekday()))
					due := a || b
					if dom[0] == '*' || dow[0] == '*' {
						due = a && b
					}
					for h := range 24 {
						if due && (hour == "*" || h == 9) {
							want = append(want, day.Add(time.Duration(h)*time.Hour+30*time.Minute).Format(time.RFC3339))
						}
					}
				}
				var got []string
				for _, at := range table.Between(start, start.AddDate(0, 3, 0)) {
					got = append(got, at.Format(time.RFC3339))
				}
				require.Equal(t, want, got, "%s\n%s", line, out.Text)
			}
		}
	}
}

// Whatever a crontab holds: no panic, and a file that can be read or none.
func TestAnyCrontab(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		line := rapid.OneOf(
			rapid.String(),
			rapid.Custom(func(t *rapid.T) string {
				return strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"*", "*/5", "7", "1-7", "0", "MON", "L", "61", "@daily", "@reboot", "\\%", "%", "FOO=bar", "#", "${{", "'"}), 1, 9).Draw(t, "words"), " ")
			}),
		)
		text := strings.Join(rapid.SliceOfN(line, 0, 5).Draw(t, "lines"), "\n")
		out := crontab.Workflow(text, crontab.Options{Name: "c", WithUser: rapid.Bool().Draw(t, "user")})
		jobs(t, out)
	})
}
