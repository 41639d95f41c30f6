package action

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"syscall"
	"time"
)

// readyVariable names the file descriptor on which a starting supervisor tells the server that it listens.
const readyVariable = "ALMANAC_SUPERVISOR_READY"

const (
	linger       = 2 * time.Second // how long a supervisor with nothing to do waits for a server
	lockPatience = 5 * time.Second // for a predecessor that is about to end
)

// Supervise is the whole life of a supervisor process on the data directory dir. It returns nil when no server has been connected and no
// child alive for a short while, or when another supervisor serves the directory. When ctx ends, or SIGTERM arrives, it ends its
// children first; what they were doing is recorded as lost, since nobody asked them to stop.
//
// It needs the process for itself: it changes its umask, its working directory and how it treats signals and children of children.
func Supervise(ctx context.Context, dir, version string, log *slog.Logger) error {
	debug.SetGCPercent(400) // a collection waits, spinning, for a fork that is under way: the fewer the better, and the heap is small
	runtime.GOMAXPROCS(4)   // however many cores there are: a fork and a wait each block one, the rest is little work
	dir, err := filepath.Abs(dir)
	if err != nil {
		return fmt.Errorf("find the data directory: %w", err)
	}
	ready := inheritedReady()
	defer ready.Close()
	syscall.Umask(0o077)
	if err := os.Chdir("/"); err != nil {
		return fmt.Errorf("leave the working directory: %w", err)
	}
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGTERM)
	defer stop()
	// Caught and forgotten rather than ignored: what a process ignores its children ignore too.
	unheard := make(chan os.Signal, 1)
	signal.Notify(unheard, syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGPIPE)
	defer signal.Stop(unheard)

	run := filepath.Join(dir, runFolder)
	if _, err := os.Stat(dir); err != nil { // gone: it is not made again, empty
		return fmt.Errorf("find the data directory: %w", err)
	}
	if err := makePrivate(filepath.Join(run, outputFolder)); err != nil {
		return err
	}
	lock, err := takeLock(run)
	if err != nil || lock == nil {
		return err
	}
	defer lock.Close()
	s, err := newSupervisor(dir, version, log)
	if err != nil {
		return err
	}
	listener, err := listen(run)
	if err != nil {
		return err
	}
	log.Info("supervisor listens", "dir", dir, "pid", os.Getpid(), "version", version)
	_, _ = ready.Write([]byte{1})
	ready.Close()
	go debug.FreeOSMemory() // what the rest of the binary set up for itself is not needed here
	err = s.serve(ctx, listener)
	log.Info("supervisor ends", "pid", os.Getpid())
	return err
}

// inheritedReady returns the pipe that the server gave, nil when there is none, and keeps it from the children.
func inheritedReady() *os.File {
	if os.Getenv(readyVariable) != "3" {
		return nil
	}
	os.Unsetenv(readyVariable)
	syscall.CloseOnExec(3)
	return os.NewFile(3, "ready")
}

// takeLock makes this the only supervisor of a directory. It returns nil without an error when another one is and answers. The lock
// file stays; the kernel frees the lock with the process, however that dies.
func takeLock(run string) (*os.File, error) {
	f, err := os.OpenFile(filepath.Join(run, lockFile), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open the supervisor's lock: %w", err)
	}
	for deadline := time.Now().Add(lockPatience); ; {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			return f, nil
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) && !errors.Is(err, syscall.EINTR) {
			f.Close()
			return nil, fmt.Errorf("take the supervisor's lock: %w", err)
		}
		if c, err := dial(run); err == nil {
			c.Close()
			f.Close()
			return nil, nil
		}
		if time.Now().After(deadline) {
			f.Close()
			return nil, errors.New("another supervisor holds the lock and does not answer")
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// listen opens the socket. The caller holds the lock, so that a file of that name is a dead supervisor's.
func listen(run string) (*net.UnixListener, error) {
	path, forget, err := reachable(run)
	if err != nil {
		return nil, err
	}
	defer forget()
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("remove an old socket: %w", err)
	}
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		return nil, fmt.Errorf("listen for servers: %w", err)
	}
	l.SetUnlinkOnClose(false)
	return l, nil
}
