package store_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/store"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// failCalls makes system calls of this process fail from now on, on the given file descriptors or, without any, on all. It needs no right that a test
// does not have, and nothing takes it back: it is for a child.
func failCalls(errno unix.Errno, fds []int, calls ...int) error {
	const (
		load, equal, done = unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, unix.BPF_RET | unix.BPF_K
		allow, fail       = 0x7fff0000, 0x00050000
		number, argument  = 0, 16 // offsets in seccomp_data
	)
	program := []unix.SockFilter{{Code: load, K: number}}
	// Each call jumps to the test of its descriptor, which lies behind the list and an allow.
	for n, call := range calls {
		program = append(program, unix.SockFilter{Code: equal, Jt: uint8(len(calls) - n), K: uint32(call)})
	}
	program = append(program, unix.SockFilter{Code: done, K: allow})
	if len(fds) > 0 {
		program = append(program, unix.SockFilter{Code: load, K: argument})
		for n, fd := range fds {
			program = append(program, unix.SockFilter{Code: equal, Jt: uint8(len(fds) - n), K: uint32(fd)})
		}
		program = append(program, unix.SockFilter{Code: done, K: allow})
	}
	program = append(program, unix.SockFilter{Code: done, K: fail | uint32(errno)})
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("give up privileges: %w", err)
	}
	const setFilter, allThreads = 1, 1
	filter := unix.SockFprog{Len: uint16(len(program)), Filter: &program[0]}
	if _, _, e := unix.Syscall(unix.SYS_SECCOMP, setFilter, allThreads, uintptr(unsafe.Pointer(&filter))); e != 0 {
		return fmt.Errorf("filter system calls: %w", e)
	}
	return nil
}

// openFiles lists the descriptors that this process has of a file.
func openFiles(path string) (fds []int, err error) {
	entries, err := os.ReadDir("/proc/self/fd")
	for _, e := range entries {
		if target, err := os.Readlink("/proc/self/fd/" + e.Name()); err == nil && target == path {
			fd, err := strconv.Atoi(e.Name())
			if err != nil {
				return nil, err
			}
			fds = append(fds, fd)
		}
	}
	return fds, err
}

func init() {
	childModes["sync"] = writeUntilASyncFails
	childModes["copy"] = writeUntilACheckpointFails
	childModes["no room"] = writeWithoutRoom
	childModes["refused room"] = writeRefusedRoom
	childModes["read only"] = openWhereNothingCanBeWritten
}

// writeUntilASyncFails: after the first fsync that failed nothing more is written, although later ones would report success.
func writeUntilASyncFails(dir string) error {
	db, err := store.Open(context.Background(), store.Config{Dir: dir})
	if err != nil {
		return err
	}
	for range 3 {
		if _, err := putInstance(db); err != nil {
			return err
		}
	}
	if err := failCalls(unix.EIO, nil, unix.SYS_FSYNC, unix.SYS_FDATASYNC); err != nil {
		return err
	}
	if _, err := putInstance(db); err == nil || errors.Is(err, engine.ErrUnavailable) {
		return fmt.Errorf("a commit whose sync failed: %v", err)
	}
	return failedForGood(db)
}

// failedForGood: it says why, writes nothing any more, and still reads.
func failedForGood(db *store.DB) error {
	var u *store.UnusableError
	if !errors.As(db.Failed(), &u) || !strings.Contains(u.Hint, "start again") {
		return fmt.Errorf("Failed says %v", db.Failed())
	}
	if _, err := putInstance(db); !errors.Is(err, db.Failed()) {
		return fmt.Errorf("after that it wrote: %v", err)
	}
	if _, err := running(db); err != nil {
		return fmt.Errorf("after that it does not read: %w", err)
	}
	return db.Close()
}

// writeUntilACheckpointFails: the log is synced, and the file that it is copied back to is not. What was acknowledged is in the log, which must stay.
func writeUntilACheckpointFails(dir string) error {
	db, err := store.Open(context.Background(), store.Config{Dir: dir})
	if err != nil {
		return err
	}
	if _, err := putInstance(db); err != nil {
		return err
	}
	fds, err := openFiles(filepath.Join(dir, "almanac.db"))
	if err != nil || len(fds) == 0 {
		return fmt.Errorf("descriptors of the database: %v: %w", fds, err)
	}
	if err := failCalls(unix.EIO, fds, unix.SYS_FSYNC, unix.SYS_FDATASYNC); err != nil {
		return err
	}
	for n := 0; db.Failed() == nil; n++ {
		if _, err := putInstance(db); err != nil && db.Failed() == nil {
			return fmt.Errorf("write %d: %w", n, err)
		}
		if n > 500 {
			return errors.New("the log was never copied back")
		}
		big := engine.EventRow{Kind: "load", Actor: strings.Repeat("x", 100_000)}
		if err := db.Write(context.Background(), func(tx engine.Tx) error { return tx.Record(big) }); err != nil && db.Failed() == nil {
			return err
		}
	}
	fmt.Println(count(db))
	return failedForGood(db)
}

func count(db *store.DB) int {
	list, err := running(db)
	if err != nil {
		return -1
	}
	return len(list)
}

func TestAfterASyncThatFailedNothingIsWritten(t *testing.T) {
	for _, mode := range []string{"sync", "copy"} {
		t.Run(mode, func(t *testing.T) {
			dir := t.TempDir()
			c := child(t, mode, dir)
			text, err := c.CombinedOutput()
			require.NoError(t, err, string(text))
			info, err := os.Stat(filepath.Join(dir, "almanac.db-wal"))
			require.NoError(t, err, "the log is still there for the next server")
			require.Positive(t, info.Size())
			db := open(t, dir)
			require.NoError(t, db.VerifyChain(context.Background()))
			list, err := running(db)
			require.NoError(t, err)
			if mode == "copy" {
				want, err := strconv.Atoi(strings.TrimSpace(string(text)))
				require.NoError(t, err)
				require.Len(t, list, want)
			}
			require.GreaterOrEqual(t, len(list), 3, "what was acknowledged before")
			_, err = putInstance(db)
			require.NoError(t, err)
		})
	}
}

const smallBallast = 4 << 20

// writeWithoutRoom: the disk fills up under a server; the ballast lets it go on for a while, and when there is room again it is made anew.
func writeWithoutRoom(dir string) error {
	if err := unix.Mount("none", dir, "tmpfs", 0, "size=24m"); err != nil {
		return errNoMount
	}
	data := filepath.Join(dir, "data")
	cfg := store.Config{Dir: data, Ballast: smallBallast}
	db, err := store.Open(context.Background(), cfg)
	if err != nil {
		return err
	}
	ballast := filepath.Join(data, "ballast")
	if err := eventually(func() bool { return size(ballast) == smallBallast }); err != nil {
		return fmt.Errorf("the ballast: %w", err)
	}
	// Somebody else fills it to the last byte.
	filler, err := os.Create(filepath.Join(dir, "filler"))
	if err != nil {
		return err
	}
	block := make([]byte, 4096)
	for err == nil {
		_, err = filler.Write(block)
	}
	written, refused := 0, 0
	for written < 50 {
		switch _, err := putInstance(db); {
		case err == nil:
			written++
		case !errors.Is(err, engine.ErrUnavailable):
			return fmt.Errorf("a full disk is no reason to end: %w", err)
		default:
			if refused++; refused > 5 {
				return fmt.Errorf("the ballast did not help: %w", err)
			}
		}
	}
	if refused == 0 || size(ballast) >= 0 {
		return fmt.Errorf("the disk was not full: %d refused, a ballast of %d bytes", refused, size(ballast))
	}
	// Without any room at all it says so, and stays as it was.
	for err = nil; err == nil; {
		err = db.Write(context.Background(), func(tx engine.Tx) error {
			return tx.Record(engine.EventRow{Kind: "load", Actor: strings.Repeat("x", 100_000)})
		})
	}
	if !errors.Is(err, engine.ErrUnavailable) || db.Failed() != nil {
		return fmt.Errorf("a full disk: %w, %w", err, db.Failed())
	}
	if n := count(db); n != written {
		return fmt.Errorf("%d instances of %d are there", n, written)
	}
	if _, err := store.Open(context.Background(), store.Config{Dir: filepath.Join(dir, "second")}); err == nil || !strings.Contains(err.Error(), "free some space") {
		return fmt.Errorf("a new directory on a full disk: %w", err)
	}
	// There is room again, and it goes on by itself.
	if err := errors.Join(filler.Close(), os.Remove(filler.Name())); err != nil {
		return err
	}
	for range 100 {
		if _, err := putInstance(db); err != nil {
			return fmt.Errorf("with room again: %w", err)
		}
		written++
	}
	if err := eventually(func() bool { return size(ballast) == smallBallast }); err != nil {
		return fmt.Errorf("the ballast again: %w", err)
	}
	if err := db.Close(); err != nil {
		return err
	}
	if db, err = store.Open(context.Background(), cfg); err != nil {
		return err
	}
	if n := count(db); n != written {
		return fmt.Errorf("%d instances of %d are there", n, written)
	}
	return errors.Join(db.VerifyChain(context.Background()), db.Close())
}

var errNoMount = errors.New("this process may not mount")

func size(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return -1
	}
	return info.Size()
}

func eventually(done func() bool) error {
	for deadline := time.Now().Add(time.Minute); !done(); <-time.After(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			return errors.New("waited too long")
		}
	}
	return nil
}

// openWhereNothingCanBeWritten: a server says so and changes nothing; a reader reads, and does not pass over what is in the log alone.
func openWhereNothingCanBeWritten(dir string) error {
	if err := unix.Mount("none", dir, "tmpfs", 0, "size=24m"); err != nil {
		return errNoMount
	}
	ctx, data := context.Background(), filepath.Join(dir, "data")
	db, err := store.Open(ctx, store.Config{Dir: data})
	if err != nil {
		return err
	}
	if _, err := putInstance(db); err != nil {
		return err
	}
	// Another directory is as a kill would leave this one.
	killed := filepath.Join(dir, "killed")
	if err := os.CopyFS(killed, os.DirFS(data)); err != nil {
		return err
	}
	if err := errors.Join(os.Remove(filepath.Join(killed, "almanac.db-shm")), db.Close(), unix.Mount("none", dir, "", unix.MS_REMOUNT|unix.MS_RDONLY, "")); err != nil {
		return err
	}
	var u *store.UnusableError
	if _, err := store.Open(ctx, store.Config{Dir: data}); !errors.As(err, &u) || !errors.Is(err, unix.EROFS) || !strings.Contains(u.Hint, "mounted read-only") {
		return fmt.Errorf("a server: %w", err)
	}
	if _, err := store.Open(ctx, store.Config{Dir: filepath.Join(dir, "new")}); !errors.As(err, &u) || !strings.Contains(u.Hint, "mounted read-only") {
		return fmt.Errorf("a new server: %w", err)
	}
	look, err := store.Open(ctx, store.Config{Dir: data, ReadOnly: true})
	if err != nil {
		return fmt.Errorf("a reader: %w", err)
	}
	if n := count(look); n != 1 {
		return fmt.Errorf("a reader sees %d instances", n)
	}
	if look, err := store.Open(ctx, store.Config{Dir: killed, ReadOnly: true}); err == nil {
		if n := count(look); n != 1 {
			return fmt.Errorf("a reader passes over the log: %d instances", n)
		}
	}
	return look.Close()
}

func TestWhereNothingCanBeWritten(t *testing.T) {
	dir := t.TempDir()
	c := child(t, "read only", dir)
	ownMounts(c)
	text, err := c.CombinedOutput()
	if notMounted(err, text) {
		t.Log("mounting is not permitted here; TestADirectoryThatCannotBeWritten needs none")
		return
	}
	require.NoError(t, err, string(text))
}

// ownMounts gives a child mounts of its own, which end with it, and for who is not root a user space of its own.
func ownMounts(c *exec.Cmd) {
	c.SysProcAttr = &syscall.SysProcAttr{Unshareflags: unix.CLONE_NEWNS}
	if os.Getuid() != 0 {
		c.SysProcAttr.Cloneflags |= unix.CLONE_NEWUSER
		c.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}}
		c.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}}
	}
}

func notMounted(err error, text []byte) bool {
	return err != nil && (errors.Is(err, unix.EPERM) || strings.Contains(string(text), errNoMount.Error()))
}

func TestAFullDisk(t *testing.T) {
	dir := t.TempDir()
	c := child(t, "no room", dir)
	ownMounts(c)
	text, err := c.CombinedOutput()
	if notMounted(err, text) {
		t.Log("mounting is not permitted here: TestWritesThatFindNoRoom, which needs none, is all there is")
		return
	}
	require.NoError(t, err, string(text))
	require.Empty(t, names(t, dir), "the mount was the child's own")
}

// writeRefusedRoom: no write finds room from some moment on. Nothing is half there, nothing ends, and the ballast is given up.
func writeRefusedRoom(dir string) error {
	db, err := store.Open(context.Background(), store.Config{Dir: dir, Ballast: smallBallast})
	if err != nil {
		return err
	}
	for range 3 {
		if _, err := putInstance(db); err != nil {
			return err
		}
	}
	if err := eventually(func() bool { return size(filepath.Join(dir, "ballast")) == smallBallast }); err != nil {
		return err
	}
	if err := failCalls(unix.ENOSPC, nil, unix.SYS_PWRITE64, unix.SYS_FALLOCATE); err != nil {
		return err
	}
	for range 5 {
		if _, err := putInstance(db); !errors.Is(err, engine.ErrUnavailable) || !errors.Is(err, engine.ErrFull) {
			return fmt.Errorf("a write that finds no room: %w", err)
		}
	}
	if n := count(db); n != 3 || db.Failed() != nil {
		return fmt.Errorf("%d instances are there: %w", n, db.Failed())
	}
	if size(filepath.Join(dir, "ballast")) >= 0 {
		return errors.New("the ballast is still there")
	}
	return nil // and ends without a Close, as by a kill
}

func TestWritesThatFindNoRoom(t *testing.T) {
	dir := t.TempDir()
	text, err := child(t, "refused room", dir).CombinedOutput()
	require.NoError(t, err, string(text))
	db := open(t, dir)
	require.Equal(t, 3, count(db))
	require.NoError(t, db.VerifyChain(context.Background()))
	_, err = putInstance(db)
	require.NoError(t, err)
}
