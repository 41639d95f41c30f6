//go:build unix

// Package actiontest answers one question: does the program that an action speaks to take it?
//
// It starts the real one (Azurite, RabbitMQ, a database) on loopback for as long as a test, with folders and ports of its own, and makes the certificates that
// their TLS needs.
package actiontest

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// patience is how long a program may take for what it is asked, on a slow machine.
const patience = time.Minute

// A Component is a program that tests speak to and that may not be there.
type Component struct {
	Name, Variable string   // the variable of the environment that says where it is
	Install        string   // the command that brings it
	places         []string // where it usually is; variables of the environment are replaced, and * is any name
}

// The components of the tests.
var (
	Azure = Component{"Azurite", "ALMANAC_TEST_AZURITE", "npm install --prefix ~/.cache/almanac-ci/azurite-3.35.0 azurite@3.35.0",
		[]string{"azurite-queue", "$HOME/.cache/almanac-ci/azurite-3.35.0/node_modules/.bin/azurite-queue"}}
	RabbitMQ = Component{"RabbitMQ", "ALMANAC_TEST_RABBITMQ", "sudo apt-get install rabbitmq-server",
		[]string{"/usr/lib/rabbitmq/bin/rabbitmq-server", "/opt/homebrew/sbin/rabbitmq-server"}}
	PortMapper = Component{"Erlang's port mapper", "ALMANAC_TEST_EPMD", "sudo apt-get install rabbitmq-server", []string{"epmd"}}
	PostgreSQL = Component{"PostgreSQL", "ALMANAC_TEST_POSTGRES", "sudo apt-get install postgresql",
		[]string{"postgres", "/usr/lib/postgresql/*/bin/postgres"}}
	MariaDB = Component{"MariaDB", "ALMANAC_TEST_MARIADB", "sudo apt-get install mariadb-server", []string{"mariadbd", "/usr/sbin/mariadbd"}}
	Setsid  = Component{"setsid", "ALMANAC_TEST_SETSID", "sudo apt-get install util-linux", []string{"setsid"}}
	Base64  = Component{"base64", "ALMANAC_TEST_BASE64", "sudo apt-get install coreutils", []string{"base64"}}
	// MariaDBInstall comes with the server.
	MariaDBInstall = Component{"mariadb-install-db", "ALMANAC_TEST_MARIADB_INSTALL", "sudo apt-get install mariadb-server",
		[]string{"mariadb-install-db"}}
)

// Program finds a component: where its variable says, else in the usual places. Without it the test
// cannot say anything and is skipped, which `make test` tells at its end; where
// ALMANAC_TEST_COMPONENTS is "required", as in CI, that is a failure.
func Program(t *testing.T, c Component) string {
	t.Helper()
	if path := os.Getenv(c.Variable); path != "" {
		require.FileExists(t, path, c.Variable)
		return path
	}
	for _, place := range c.places {
		place = os.ExpandEnv(place)
		if found, _ := filepath.Glob(place); len(found) > 0 {
			place = found[len(found)-1]
		}
		if path, err := exec.LookPath(place); err == nil {
			return path
		}
	}
	words := fmt.Sprintf("%s is not here: %s (or say in %s where it is)", c.Name, c.Install, c.Variable)
	if os.Getenv("ALMANAC_TEST_COMPONENTS") == "required" {
		require.FailNow(t, words)
	}
	t.Skip(words)
	return ""
}

// Launch runs a program for as long as the test, in a process group of its own, and waits until it listens at the address.
func Launch(t *testing.T, address string, cmd *exec.Cmd) {
	t.Helper()
	words, err := os.Create(filepath.Join(t.TempDir(), filepath.Base(cmd.Path)+".log"))
	require.NoError(t, err)
	defer words.Close()
	cmd.Stdout, cmd.Stderr = words, words
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = new(syscall.SysProcAttr)
	}
	cmd.SysProcAttr.Setpgid = true
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
	for deadline := time.Now().Add(patience); !up(); {
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

// Ports below those that systems give to whoever asks for any. One that was given and let go of may be given again, to this test or to a connection of
// another, before the program that it is for has taken it.
const firstPort, ports = 10_000, 22_000

// addresses counts those that this process was told.
var addresses atomic.Int64

// FreeAddress is a loopback address, and its port, that nobody listened on a moment ago, and that is told no second time. Processes that test at the same
// time look in different places.
func FreeAddress(t interface{ Fatalf(string, ...any) }) (address, port string) {
	for range ports {
		port = strconv.FormatInt(firstPort+(int64(os.Getpid())*61+addresses.Add(1))%ports, 10)
		address = net.JoinHostPort("127.0.0.1", port)
		if l, err := net.Listen("tcp", address); err == nil {
			_ = l.Close()
			return address, port
		}
	}
	t.Fatalf("no port is free")
	return "", ""
}
