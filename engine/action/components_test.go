package action_test

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// component finds a program that a test speaks to: where the variable says, else in the usual places. Without it the test cannot say anything: where
// components are required that is a failure.
func component(t *testing.T, variable, install string, places ...string) string {
	t.Helper()
	if path := os.Getenv(variable); path != "" {
		require.FileExists(t, path, variable)
		return path
	}
	for _, place := range places {
		if path, err := exec.LookPath(os.ExpandEnv(place)); err == nil {
			return path
		}
	}
	words := fmt.Sprintf("not found: %s; %s, or say in %s where it is", strings.Join(places, ", "), install, variable)
	if os.Getenv("ALMANAC_TEST_COMPONENTS") == "required" {
		require.FailNow(t, words)
	}
	t.Skip(words)
	return ""
}

// launch runs a program for as long as the test, in a process group of its own, and waits until it listens.
func launch(t *testing.T, address string, cmd *exec.Cmd) {
	t.Helper()
	words, err := os.Create(filepath.Join(t.TempDir(), filepath.Base(cmd.Path)+".log"))
	require.NoError(t, err)
	defer words.Close()
	cmd.Stdout, cmd.Stderr = words, words
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	require.NoError(t, cmd.Start())
	ended := make(chan struct{})
	go func() {
		_ = cmd.Wait()
		close(ended)
	}()
	t.Cleanup(func() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM)
		select {
		case <-ended:
		case <-time.After(patience):
		}
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		<-ended
	})
	up := func() bool {
		conn, err := net.DialTimeout("tcp", address, time.Second)
		if err == nil {
			conn.Close()
		}
		return err == nil
	}
	for deadline := time.Now().Add(3 * patience); !up(); {
		over := time.Now().After(deadline)
		select {
		case <-ended:
			over = true
		case <-time.After(20 * time.Millisecond):
		}
		if over {
			said, _ := os.ReadFile(words.Name())
			require.FailNow(t, "it does not listen", "%s: %s", cmd, said)
		}
	}
}

// freePort is a loopback port that nobody listened on a moment ago.
func freePort(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

func local(port int) string { return fmt.Sprintf("127.0.0.1:%d", port) }
