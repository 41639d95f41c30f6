package spec_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/engine/spec"
)

var update = flag.Bool("update", false, "write the golden files anew")

// golden compares a text with the file kept for it.
func golden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(got), 0o644))
		return
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, string(want), got)
}

func lines(problems spec.Problems) string {
	if len(problems) == 0 {
		return ""
	}
	return problems.Error() + "\n"
}

// Each kind of mistake has a file; the problems that it must give stand beside it. Those in shape are refused by the JSON Schema too
// (schema_test.go), those in meaning are not, and those in yaml are no document that a schema could look at.
func TestBadFiles(t *testing.T) {
	files, err := filepath.Glob("testdata/*/*.bad.yaml")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".bad.yaml"), func(t *testing.T) {
			data, err := os.ReadFile(file)
			require.NoError(t, err)
			w, problems := spec.Decode(filepath.Base(file), data, spec.Options{Files: fstest.MapFS{}})
			require.Nil(t, w)
			require.True(t, problems.HasErrors())
			golden(t, strings.TrimSuffix(file, ".yaml")+".txt", lines(problems))
		})
	}
}

// A good file loads; its warnings and the definitions of its jobs are kept.
func TestGoodFiles(t *testing.T) {
	files, err := filepath.Glob("testdata/good/*.good.yaml")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".good.yaml"), func(t *testing.T) {
			data, err := os.ReadFile(file)
			require.NoError(t, err)
			w, problems := spec.Decode(filepath.Base(file), data, spec.Options{Folder: "/jobs"})
			require.NoError(t, problems.Err())
			var b strings.Builder
			b.WriteString(lines(problems))
			for _, job := range w.Jobs {
				b.WriteString(string(job.Definition) + "\n")
				again, err := spec.DecodeJob(job.Definition, job.Folder)
				require.NoError(t, err)
				require.Equal(t, job, again)
			}
			golden(t, strings.TrimSuffix(file, ".yaml")+".txt", b.String())
		})
	}
}

// Whole folders: what only several jobs together can get wrong.
func TestFolders(t *testing.T) {
	folders, err := filepath.Glob("testdata/folders/*")
	require.NoError(t, err)
	for _, folder := range folders {
		t.Run(filepath.Base(folder), func(t *testing.T) {
			_, problems := spec.Load(os.DirFS(folder), "jobs")
			golden(t, filepath.Join(folder, "problems.txt"), lines(problems))
		})
	}
}
