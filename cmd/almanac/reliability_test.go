package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// docs/reliability.md says of each failure which test holds against it: each of the 36 is there, and each test that it names exists.
func TestEachFailureNamesATestThatExists(t *testing.T) {
	page, err := os.ReadFile("../../docs/reliability.md")
	require.NoError(t, err)
	tests := testNames(t)
	for n := 1; n <= 36; n++ {
		row := regexp.MustCompile(fmt.Sprintf(`(?m)^\| F%d \| .*$`, n)).FindString(string(page))
		require.NotEmpty(t, row, "F%d has no row", n)
		cells := strings.Split(row, " | ")
		require.Len(t, cells, 4, row)
		named := regexp.MustCompile("`(?:Test|Fuzz)[A-Za-z0-9]+`|scenario `[a-z-]+`").FindAllString(cells[3], -1)
		require.NotEmpty(t, named, "F%d names no test", n)
	}
	for _, m := range regexp.MustCompile("`((?:Test|Fuzz)[A-Za-z0-9]+)`").FindAllStringSubmatch(string(page), -1) {
		require.True(t, tests[m[1]], "docs/reliability.md names %s, and there is no such test", m[1])
	}
	for _, m := range regexp.MustCompile("scenario `([a-z-]+)`").FindAllStringSubmatch(string(page), -1) {
		require.FileExists(t, filepath.Join("..", "..", "engine", "testdata", "scenarios", m[1]+".txtar"))
	}
}

func testNames(t *testing.T) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	declared := regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)[A-Za-z0-9]+)\(`)
	require.NoError(t, filepath.WalkDir("../..", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		for _, m := range declared.FindAllSubmatch(text, -1) {
			names[string(m[1])] = true
		}
		return err
	}))
	return names
}
