package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/store"
	"github.com/almanac-sched/almanac/web"
	api "github.com/almanac-sched/almanac/web/client"
)

// directory looks at the directory itself; false when there is nothing more to look at.
func (d *diagnosis) directory() bool {
	info, err := os.Stat(d.dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		d.wrong("directory", "name the data directory of a server with --data, or start one: almanac serve FOLDER --data "+d.dir, "%s does not exist", d.dir)
		return false
	case err != nil:
		d.wrong("directory", "run this as the user that the server runs as", "%v", err)
		return false
	case !info.IsDir():
		d.wrong("directory", "name a directory with --data", "%s is a file", d.dir)
		return false
	}
	var open, closed []string
	look := func(name string) {
		path := filepath.Join(d.dir, name)
		info, err := os.Lstat(path)
		if err != nil {
			return
		}
		if info.Mode().Perm()&0o077 != 0 {
			open = append(open, path)
		}
		if unix.Access(path, unix.R_OK|unix.W_OK) != nil {
			closed = append(closed, path)
		}
	}
	for _, name := range []string{"", "almanac.db", "almanac.db-wal", "almanac.db-shm", "lock", "head", "run", "logs", "server.json"} {
		look(name)
	}
	if len(closed) > 0 {
		d.wrong("permissions", fmt.Sprintf("as root: chown -R USER %s, where USER is whom the server runs as; or run this as that user", d.dir),
			"this user may not read and write %s", strings.Join(closed, ", "))
	}
	if len(open) > 0 {
		d.doubt("permissions", "chmod -R go-rwx "+d.dir, "others may reach %s", strings.Join(open, ", "))
	}
	if len(open)+len(closed) == 0 {
		d.well("permissions", "this user's alone")
	}
	return true
}

// fileSystems names the usual ones by their magic number; what is not here is shown as a number.
var fileSystems = map[uint32]string{
	0xef53: "ext4", 0x58465342: "xfs", 0x9123683e: "btrfs", 0x2fc12fc1: "zfs", 0x01021994: "tmpfs", 0x794c7630: "overlayfs", 0xf2f52010: "f2fs",
	0x6969: "NFS", 0x517b: "SMB", 0xff534d42: "CIFS", 0xfe534d42: "SMB2", 0x01021997: "9P", 0x65735546: "FUSE",
}

func (d *diagnosis) fileSystem() {
	var s unix.Statfs_t
	if err := unix.Statfs(d.dir, &s); err != nil {
		d.wrong("file system", "check the mount", "%v", err)
		return
	}
	kind := fileSystems[uint32(s.Type)]
	if kind == "" {
		kind = fmt.Sprintf("of the kind %#x", uint32(s.Type))
	}
	switch {
	case uint64(s.Flags)&mountedReadOnly != 0: //nolint:unconvert // other types elsewhere
		d.wrong("file system", "find out why (the system's log; errors of the disk make Linux do that), then: mount -o remount,rw", "%s, mounted read-only", kind)
	case slices.Contains([]string{"NFS", "SMB", "CIFS", "SMB2", "9P"}, kind):
		d.wrong("file system", "move the data directory to a local disk: its locks cannot be trusted there", "%s, on another machine", kind)
	case kind == "tmpfs" || kind == "overlayfs":
		d.doubt("file system", "put the data directory on a disk, or on a volume of the container", "%s: what is in it is gone with the machine or the container", kind)
	case kind == "FUSE":
		d.doubt("file system", "make sure that it honours fsync and locks, or use a local disk", "%s: what it promises is not known", kind)
	default:
		d.well("file system", "%s", kind)
	}
}

func (d *diagnosis) space() {
	var s unix.Statfs_t
	if unix.Statfs(d.dir, &s) != nil {
		return // said already
	}
	if detail, low := diskLow(d.dir)(); low {
		d.wrong("free space", "free some space, or move the data directory: until then nothing starts, and what runs goes on", "%s", detail)
	} else {
		d.well("free space", "%d MiB", uint64(s.Bavail)*uint64(s.Bsize)>>20) //nolint:unconvert // signed elsewhere
	}
	if s.Files > 0 && uint64(s.Ffree) < max(1000, s.Files/100) { //nolint:unconvert // signed elsewhere
		d.wrong("free inodes", "remove files there, or move the data directory", "%d of %d are free: no log can be made without one", s.Ffree, s.Files)
	}
	info, err := os.Stat(filepath.Join(d.dir, "ballast"))
	switch {
	case err == nil && info.Size() >= diskBallast:
		d.well("ballast", "%d MiB are set aside for the day the disk is full", info.Size()>>20)
	default:
		if _, err := os.Stat(filepath.Join(d.dir, "almanac.db")); err == nil {
			d.doubt("ballast", "free some space: the server makes it again by itself", "nothing is set aside: the disk was full, or no server has run here yet")
		}
	}
}

// processes looks at who has the directory: server, supervisor, and what they left behind.
func (d *diagnosis) processes(ctx context.Context) {
	holder := holderOf(filepath.Join(d.dir, "lock"))
	f, known := readServerFile(d.dir)
	switch {
	case known && f.alive() && f.answers(ctx):
		d.server = true
		if why := f.notReady(ctx); why != "" {
			d.wrong("server", "see its log; while it waits for the disk or for a lock it goes on by itself once that is gone", "process %d at %s is not ready: %s", f.PID, f.Address, why)
			d.aspects(ctx, f)
		} else {
			d.well("server", "process %d answers at %s", f.PID, f.Address)
		}
	case holder != 0:
		d.wrong("server", fmt.Sprintf("look at the process: it hangs, is stopped, or is still starting; kill %d ends it, and what runs goes on", holder),
			"process %d has the directory and does not answer", holder)
	case known:
		d.doubt("server", "start it again: what ran is taken over", "none runs; the last one, process %d, did not end by itself", f.PID)
	default:
		d.well("server", "none runs")
	}
	if holder != 0 {
		d.well("lock", "held by process %d", holder)
	} else {
		d.well("lock", "free")
	}
	marked := markedProcesses(d.dir)
	if supervisor := holderOf(filepath.Join(d.dir, "run", "supervisor.lock")); supervisor != 0 {
		d.well("supervisor", "process %d looks after what runs: %d processes of attempts", supervisor, len(marked))
	} else if len(marked) > 0 {
		d.wrong("left behind", fmt.Sprintf("see what they do and end them by hand: kill %s; their attempts are lost, and onLost decides", strings.Join(marked, " ")),
			"the processes %s belong to attempts, and no supervisor looks after them", strings.Join(marked, ", "))
	} else {
		d.well("supervisor", "none runs, and nothing was left behind")
	}
}

// holderOf returns the process that has locked a file, 0 when nobody has or it cannot be told. It asks the kernel and takes no lock itself: a server that
// starts meanwhile must not be refused because somebody looked.
func holderOf(path string) int {
	var want unix.Stat_t
	if unix.Stat(path, &want) != nil {
		return 0
	}
	f, err := os.Open("/proc/locks")
	if err != nil {
		return 0
	}
	defer f.Close()
	inode := fmt.Sprintf(":%d", want.Ino)
	for lines := bufio.NewScanner(f); lines.Scan(); {
		// 1: FLOCK  ADVISORY  WRITE 1234 fe:00:5678 0 EOF
		fields := strings.Fields(lines.Text())
		if len(fields) < 6 || fields[1] != "FLOCK" || !strings.HasSuffix(fields[5], inode) {
			continue
		}
		if pid, err := strconv.Atoi(fields[4]); err == nil {
			return pid
		}
	}
	return 0
}

// markedProcesses lists the processes that attempts of this directory started: their environment names a file in it.
func markedProcesses(dir string) (pids []string) {
	mark := []byte("\x00ALMANAC_OUTPUT=" + filepath.Join(dir, "run") + "/")
	folders, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		return nil
	}
	for _, path := range folders {
		if environ, err := os.ReadFile(path); err == nil && bytes.Contains(append([]byte{0}, environ...), mark) {
			pids = append(pids, filepath.Base(filepath.Dir(path)))
		}
	}
	return pids
}

// aspects names each thing that is not as it should be of a server that is not ready.
func (d *diagnosis) aspects(ctx context.Context, f serverFile) {
	status, err := f.status(ctx)
	if err != nil {
		return // notReady has said so
	}
	for _, aspect := range status.Aspects {
		if !aspect.OK {
			d.wrong("server: "+aspect.Aspect, remedies[aspect.Aspect], "%s", aspect.Detail)
		}
	}
}

// remedies are what to do about each aspect of a server that is not as it should be.
var remedies = map[string]string{
	string(engine.AspectStart):       "wait: it is starting",
	string(engine.AspectStore):       "see what else is found here of the disk and the database; a lock that another program holds goes with that program",
	string(engine.AspectLoop):        "keep what kill -QUIT PID prints of the process and report it; start it again: what runs is taken over",
	string(engine.AspectLease):       "see whether the machine or the store is overloaded; the server takes its lease again by itself",
	string(engine.AspectSupervisor):  "see the log of the server for why its supervisor is not reached",
	string(engine.AspectDisk):        "free some space: it goes on by itself",
	string(engine.AspectPlanner):     "see the log of the server; start it again when it is silent",
	string(engine.AspectClock):       "see why the clock was set; it settles by itself",
	string(engine.AspectDefinitions): "mend the files that the detail names, and load them: almanac reload",
	string(engine.AspectReady):       "start the server again: it looks at everything anew; and report it, for it must not happen",
}

// status asks the server of the file for its own.
func (f serverFile) status(ctx context.Context) (status web.Status, err error) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	err = f.client("").do(ctx, api.NewStatusRequest(), &status)
	return status, err
}

// notReady returns why the server of the file does not do its work, "" when it does.
func (f serverFile) notReady(ctx context.Context) string {
	status, err := f.status(ctx)
	switch {
	case err != nil:
		return err.Error()
	case status.Ready:
		return ""
	}
	return status.NotReady
}

// isReady reports whether the server of the file says that it is.
func (f serverFile) isReady(ctx context.Context) bool { return f.answers(ctx) && f.notReady(ctx) == "" }

func (d *diagnosis) clock() {
	t := now()
	built := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	if t.Before(built) {
		d.wrong("clock", "set it, and keep it by NTP", "%s is before this program was made", t.Format(time.RFC3339))
		return
	}
	if known, synchronised := clockState(); known && !synchronised {
		d.doubt("clock", "start a time service, such as chrony or systemd-timesyncd: due times are by this clock", "%s; the kernel says that nobody keeps it", t.Format(time.RFC3339))
		return
	}
	d.well("clock", "%s", t.Format(time.RFC3339))
}

func (d *diagnosis) zones() {
	d.well("time zones", "those of this program (%s): a system's own, or ZONEINFO, go before; system: %s", runtime.Version(), systemZones())
}

// systemZones is the version of the time zone rules that the system has.
func systemZones() string {
	for _, path := range []string{"/usr/share/zoneinfo/tzdata.zi", "/usr/share/zoneinfo/+VERSION", "/usr/share/zoneinfo/version"} {
		f, err := os.Open(path)
		if err != nil {
			continue
		}
		line, _ := bufio.NewReader(f).ReadString('\n')
		f.Close()
		if line = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(line), "# version ")); line != "" {
			return line
		}
	}
	if _, err := os.Stat("/usr/share/zoneinfo"); err == nil {
		return "of a version that it does not say"
	}
	return "none"
}

// database looks at the rows.
func (d *diagnosis) database(ctx context.Context) {
	db, err := store.Open(ctx, store.Config{Dir: d.dir, ReadOnly: true})
	var unusable *store.UnusableError
	switch {
	case errors.Is(err, store.ErrMissing):
		d.doubt("database", "start a server: almanac serve FOLDER --data "+d.dir, "there is none yet")
		return
	case errors.As(err, &unusable):
		d.wrong("database", unusable.Hint, "%v", unusable.Err)
		return
	case err != nil:
		d.wrong("database", "run this as the user that the server runs as", "%v", err)
		return
	}
	defer func() { _ = db.Close() }() // nothing was written
	version, err := db.SchemaVersion(ctx)
	if err != nil {
		d.wrong("schema", "restore a backup into an empty directory: almanac restore", "%v", err)
		return
	}
	d.well("schema", "version %d, which this program knows", version)
	if size := sizeOf(filepath.Join(d.dir, "almanac.db-wal")); size > 256<<20 {
		d.doubt("write-ahead log", "end programs that keep the database open for reading, such as the sqlite3 shell; the server then cuts it", "%d MiB: somebody reads for very long", size>>20)
	} else {
		d.well("write-ahead log", "%d MiB", max(0, size)>>20)
	}
	d.rows(ctx, db)
	d.alerts(ctx, db)
	if err := db.CheckHead(); errors.As(err, &unusable) {
		d.wrong("database", unusable.Hint, "%v", unusable.Err)
	}
	switch err := db.QuickCheck(ctx); {
	case errors.As(err, &unusable):
		d.wrong("pages", unusable.Hint, "%v", unusable.Err)
	case err != nil:
		d.wrong("pages", "try again", "%v", err)
	default:
		d.well("pages", "they fit together")
	}
}

func sizeOf(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return -1
	}
	return info.Size()
}

// rows looks at what the rows say of clock and restarts.
func (d *diagnosis) rows(ctx context.Context, db *store.DB) {
	last, err := db.EventsBefore(ctx, 0, 0, 1)
	if err == nil && len(last) > 0 && last[0].At.After(now().Add(time.Minute)) {
		d.wrong("clock", "set it: until then what is due by it is not what was due", "the last line of the history is of %s, %s ahead of the clock", last[0].At.Format(time.RFC3339),
			last[0].At.Sub(now()).Round(time.Second))
	}
	live, before := 0, 0
	booted, known := bootTime()
	err = db.EachLive(ctx, func(started time.Time) {
		live++
		if known && started.Before(booted) {
			before++
		}
	})
	switch {
	case err != nil:
		d.wrong("attempts", "restore a backup into an empty directory: almanac restore", "%v", err)
	case before > 0 && !d.server:
		d.doubt("restart", "start the server: they are lost, and onLost of their jobs decides", "the machine was started at %s, and %s from before have no end yet", booted.Format(time.RFC3339),
			count(before, "attempt"))
	default:
		d.well("attempts", "%d live", live)
	}
}
