package crontab_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/almanac-sched/almanac/engine/crontab"
	"github.com/almanac-sched/almanac/engine/spec"
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
		fmt.Fprintf(&b, "%s | %s | %s | %q", j.Name, j.When.Cron, j.When.Location, string(j.Steps[0].Action.Shell.Command))
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
