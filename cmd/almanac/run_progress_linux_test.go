package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// newTerminal opens a terminal: what is printed on it is read from the first file.
func newTerminal(t *testing.T) (read, printed *os.File) {
	t.Helper()
	read, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	require.NoError(t, err)
	t.Cleanup(func() { _ = read.Close() })
	require.NoError(t, unix.IoctlSetPointerInt(int(read.Fd()), unix.TIOCSPTLCK, 0))
	n, err := unix.IoctlGetInt(int(read.Fd()), unix.TIOCGPTN)
	require.NoError(t, err)
	printed, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	require.NoError(t, err)
	return read, printed
}

// With -o json the document alone is on standard output. Who sits at a terminal sees how far it is,
// and a program that reads standard error as well finds nothing there.
func TestARunWithADocumentShowsHowFarItIs(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	folder := filepath.Join(dir, "work")
	require.NoError(t, os.Mkdir(folder, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "work.yaml"), []byte(
		"workflow: work\njobs:\n  a: {cron: \"0 * * * *\", action: {type: none}}\n"), 0o644))
	day := func(data string, more ...string) *exec.Cmd {
		args := append([]string{"run", folder, "--date", "2026-03-01", "-o", "json", "--data", filepath.Join(dir, data)}, more...)
		c := exec.Command(builtProgram(t), args...)
		c.Env = append(os.Environ(), "TERM=xterm")
		return c
	}
	for _, more := range [][]string{nil, {"--quiet"}} {
		c := day(fmt.Sprintf("seen%d", len(more)), more...)
		read, printed := newTerminal(t)
		var out, shown bytes.Buffer
		c.Stdout, c.Stderr = &out, printed
		done := make(chan struct{})
		go func() {
			defer close(done)
			_, _ = io.Copy(&shown, read) // ends with an error when nobody has the terminal open
		}()
		require.NoError(t, c.Run(), out.String())
		require.NoError(t, printed.Close())
		<-done
		require.True(t, json.Valid(out.Bytes()), out.String())
		if more == nil {
			require.Contains(t, shown.String(), "24")
		} else {
			require.Empty(t, shown.String())
		}
	}

	var out, said bytes.Buffer
	c := day("read")
	c.Stdout, c.Stderr = &out, &said
	require.NoError(t, c.Run(), said.String())
	require.True(t, json.Valid(out.Bytes()), out.String())
	require.Empty(t, said.String())
}
