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

// zoneLine says on whose clocks an example is told.
var zoneLine = regexp.MustCompile(`(?m)^timeZone: (\S+)$`)

// Each example is planned for a day that shows what it is for: the 3rd of a month that is a Monday, a last work day, the first day of a
// traditional job, a day off. The plans are golden files: the sources' own worked examples print exactly the sources' edges.
func TestExamplesArePlanned(t *testing.T) {
	days := map[string][]string{
		"dataarts-discrete-hours": {"2026-08-03", "2026-08-04"},
		"dataarts-nearest":        {"2026-08-03"},
		"retail":                  {"2026-09-30", "2026-10-01"},
		"finance-traditional":     {"2026-08-01", "2026-08-02", "2026-09-01"},
		"chain":                   {"2026-10-30", "2026-11-01"},
		"unreliable":              {"2026-08-03"},
		"heartbeat":               {"2026-08-03"},
		"sensors":                 {"2026-08-03"},
	}
	files, err := filepath.Glob("../../examples/*.yaml")
	require.NoError(t, err)
	require.Len(t, files, len(days), "each example has its days here")
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".yaml")
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		zone := "UTC"
		if m := zoneLine.FindSubmatch(text); m != nil {
			zone = string(m[1])
		}
		folder := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(folder, name+".yaml"), text, 0o600))
		require.NotEmpty(t, days[name], name)
		for _, day := range days[name] {
			t.Run(name+"/"+day, func(t *testing.T) {
				var out, errs bytes.Buffer
				status := run(context.Background(), []string{"plan", folder, "--date", day, "--tz", zone}, strings.NewReader(""), &out, &errs, nil)
				require.Zero(t, status, errs.String())
				golden := filepath.Join("../../examples/testdata", name+"."+day+".txt")
				if *update {
					require.NoError(t, os.MkdirAll(filepath.Dir(golden), 0o755))
					require.NoError(t, os.WriteFile(golden, out.Bytes(), 0o644))
				}
				want, err := os.ReadFile(golden)
				require.NoError(t, err)
				require.Equal(t, string(want), out.String())
			})
		}
	}
}
