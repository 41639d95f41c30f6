//go:build linux

package store_test

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/gob"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/engine/fault/effort"
	"github.com/almanac-sched/almanac/store"
	"github.com/almanac-sched/almanac/store/powerloss"
	"github.com/pressly/goose/v3"
	"github.com/stretchr/testify/require"
)

// More power losses than a run of the tests has time for:
//
//	go test ./store -run PowerLoss -v -timeout 2h -powerloss.rounds 200 -powerloss.losses 400 -powerloss.seed 1000
//
// A loss that a recovery does not survive is saved with all that led to it, and repeated by
//
//	go test ./store -run PowerLossUnderWork -v -powerloss.replay FILE
var (
	lossSeed   = flag.Uint64("powerloss.seed", 1, "the first `seed`: of the work, and of what is lost")
	lossRounds = flag.Int("powerloss.rounds", 3, "how much work is recorded, a seed each")
	lossEach   = flag.Int("powerloss.losses", 40, "losses at random operations of a recording, beside those before and after every sync")
	lossReplay = flag.String("powerloss.replay", "", "repeat the loss in this `file`, and no other")
)

func init() { store.OnSync(powerloss.Synced) }

// A trial is a loss of power in the course of some recorded work.
type trial struct {
	Recording *powerloss.Recording
	Course    course
	At        int // operations before the power goes
	Loss      powerloss.Loss
}

// survive makes the image of the trial and holds what a server finds on it against the course. disk is at the trial's operation.
func (t trial) survive(disk *powerloss.Disk, scratch string) error {
	image := disk.Lose(t.Loss)
	garbage := powerloss.NewRand(t.Loss.Seed)
	for name := range image.Files {
		if strings.HasSuffix(name, "-shm") {
			image.Files[name] = make([]byte, 32<<10) // whatever memory the dead process shared
			garbage.Read(image.Files[name])
		}
	}
	root, err := os.MkdirTemp(scratch, "image")
	if err != nil {
		return err
	}
	if err := image.WriteTo(root); err != nil {
		return err
	}
	done, err := powerloss.Unsynced(root)
	if err != nil {
		return err
	}
	err = t.recover(filepath.Join(root, "data"))
	return errors.Join(err, done(), os.RemoveAll(root))
}

// acknowledged is how many of the course's writes must be there: all up to the last that was acknowledged.
func (t trial) acknowledged() (n int) {
	for _, op := range t.Recording.Ops[:t.At] {
		if op.Kind == powerloss.Note {
			n = max(n, 1+slices.Index(t.Course.Order, op.Text))
		}
	}
	return n
}

// recover opens the directory twice, as two servers would, one after the other.
func (t trial) recover(dir string) error {
	first, err := t.open(dir, true)
	if err != nil {
		return err
	}
	again, err := t.open(dir, false)
	if err != nil {
		return fmt.Errorf("the second time: %w", err)
	}
	if first != again {
		return errors.New("the second recovery changed rows")
	}
	db, err := store.Open(context.Background(), store.Config{Dir: dir})
	if err != nil {
		return err
	}
	write := db.Write(context.Background(), func(tx engine.Tx) error { return tx.Record(engine.EventRow{At: day, Kind: "after"}) })
	return errors.Join(write, db.VerifyChain(context.Background()), db.Close())
}

// open opens the store, and says what is wrong with what it finds.
func (t trial) open(dir string, compare bool) (found [sha256.Size]byte, err error) {
	db, err := store.Open(context.Background(), store.Config{Dir: dir})
	if err != nil {
		return found, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if err := errors.Join(db.VerifyChain(context.Background()), db.CheckPages()); err != nil {
		return found, err
	}
	beside, err := sql.Open("sqlite", filepath.Join(dir, "almanac.db"))
	if err != nil {
		return found, err
	}
	defer func() { err = errors.Join(err, beside.Close()) }()
	all, err := rows(beside)
	if err != nil {
		return found, err
	}
	found = sha256.Sum256(all)
	if !compare {
		return found, nil
	}
	for _, check := range []struct{ pragma, want string }{{"integrity_check", "[ok]"}, {"foreign_key_check", "[]"}} {
		if got, err := texted(beside, "PRAGMA "+check.pragma); err != nil || fmt.Sprint(got) != check.want {
			return found, fmt.Errorf("%s says %q: %w", check.pragma, got, err)
		}
	}
	there, err := marks(beside)
	if err != nil {
		return found, err
	}
	acknowledged := t.acknowledged()
	switch {
	case len(there) < acknowledged:
		return found, fmt.Errorf("%d writes are there, and the write %s in place %d was acknowledged", len(there), t.Course.Order[acknowledged-1], acknowledged)
	case len(there) > len(t.Course.Order) || !slices.Equal(there, t.Course.Order[:len(there)]):
		return found, fmt.Errorf("the writes there are not the first %d", len(there))
	case found != t.Course.Rows[len(there)]:
		return found, fmt.Errorf("the rows are not those after %d whole writes", len(there))
	}
	return found, nil
}

// scratch is a directory in memory where there is one: what is lost here is lost by us, and no disk has to be waited for.
func scratch(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "powerloss")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(dir)) })
	return dir
}

// A survey counts trials and keeps the ones that failed.
type survey struct {
	t       *testing.T
	scratch string
	trials  int
	passed  int // over, see lossShare
	lost    int // changes that were in the balance
	failed  []string
	enough  int // failures after which it stops; 0 is 1
}

func newSurvey(t *testing.T) *survey { return &survey{t: t, scratch: scratch(t)} }

func (s *survey) full() bool { return len(s.failed) >= max(1, s.enough) }

// try loses power at the moment to which the disk was played.
func (s *survey) try(base trial, disk *powerloss.Disk, l powerloss.Loss) {
	if s.passed++; s.full() || s.enough == 0 && s.passed%lossShare != 0 {
		return
	}
	base.At, base.Loss = disk.At(), l
	s.trials++
	s.lost += disk.Pending()
	err := base.survive(disk, s.scratch)
	if err == nil {
		return
	}
	s.failed = append(s.failed, fmt.Sprintf("power lost after operation %d of %d (%v): %v: %v",
		disk.At(), len(base.Recording.Ops), base.Recording.Ops[max(0, disk.At()-1)], l, err))
	if s.enough == 0 {
		s.failed[0] += "\nrepeat with -powerloss.replay " + base.save(s.t)
	}
}

func (t trial) save(test *testing.T) string {
	f, err := os.CreateTemp("", "powerloss-*.trial")
	require.NoError(test, err)
	require.NoError(test, errors.Join(gob.NewEncoder(f).Encode(t), f.Close()))
	return f.Name()
}

// walk loses power before and after every sync of the recording, and at so many moments between; at each in some way. With every it
// does so at every operation too.
func (s *survey) walk(base trial, between int, every bool) {
	ops := base.Recording.Ops
	r := powerloss.NewRand(*lossSeed)
	at := map[int]int{}
	for n, op := range ops {
		if op.Kind == powerloss.Sync || op.Kind == powerloss.SyncDir {
			at[n], at[n+1] = 1, 1
		}
	}
	for range between {
		at[r.Intn(len(ops)+1)]++
	}
	disk := powerloss.NewDisk(base.Recording)
	for n := range len(ops) + 1 {
		if n > 0 {
			disk.Play(ops[n-1])
		}
		if every {
			at[n]++
		}
		for range at[n] {
			s.try(base, disk, powerloss.Loss{Mode: powerloss.Modes[r.Intn(len(powerloss.Modes))], Seed: r.Uint64(), Sector: []int{512, 4096}[r.Intn(2)]})
		}
	}
}

func (s *survey) nothingLost() {
	s.t.Helper()
	s.t.Logf("%d power losses, with %d changes in the balance", s.trials, s.lost)
	require.Empty(s.t, strings.Join(s.failed, "\n"))
	require.NotZero(s.t, s.lost)
	require.Empty(s.t, powerloss.Open())
}

// recorded does some work in an empty data directory.
func recorded(t *testing.T, list []job, writers int, faults powerloss.Faults) trial {
	t.Helper()
	root := scratch(t)
	require.NoError(t, os.Mkdir(filepath.Join(root, "data"), 0o700))
	return recordedBelow(t, root, list, writers, faults)
}

func recordedBelow(t *testing.T, root string, list []job, writers int, faults powerloss.Faults) trial {
	t.Helper()
	r, err := powerloss.Record(root, faults)
	require.NoError(t, err)
	dir := filepath.Join(root, "data")
	for part := range slices.Chunk(list, 48) { // a server, and one that finds what that has left
		doWork(t, dir, part, writers, r)
	}
	recording, err := r.Stop()
	require.NoError(t, err)
	return trial{Recording: recording, Course: follow(t, dir, list)}
}

func TestPowerLossUnderWork(t *testing.T) {
	if *lossReplay != "" {
		replayed(t)
		return
	}
	s := newSurvey(t)
	for n := range *lossRounds {
		seed := *lossSeed + uint64(n)
		writers := []int{1, 4, 12}[seed%3]
		s.walk(recorded(t, workload(seed, 72), writers, powerloss.Faults{}), *lossEach, false)
		if s.full() {
			t.Logf("seed %d, %d writers", seed, writers)
			break
		}
	}
	s.nothingLost()
}

// replayed repeats what an earlier run saved.
func replayed(t *testing.T) {
	f, err := os.Open(*lossReplay)
	require.NoError(t, err)
	defer f.Close()
	var base trial
	require.NoError(t, gob.NewDecoder(f).Decode(&base))
	disk := powerloss.NewDisk(base.Recording)
	for _, op := range base.Recording.Ops[:base.At] {
		disk.Play(op)
	}
	require.NoError(t, base.survive(disk, scratch(t)), "%v after operation %d", base.Loss, base.At)
}

// Every operation of a first start: in a directory that is there, and in one that the store makes.
func TestPowerLossWhileADatabaseIsMade(t *testing.T) {
	s := newSurvey(t)
	s.walk(recorded(t, workload(*lossSeed, 1), 1, powerloss.Faults{}), 0, true)
	s.nothingLost()
}

func TestPowerLossWhileADataDirectoryIsMade(t *testing.T) {
	s := newSurvey(t)
	s.walk(recordedBelow(t, scratch(t), workload(*lossSeed, 1), 1, powerloss.Faults{}), *lossEach, false)
	s.nothingLost()
}

// The power goes again while a server recovers from a power loss, and while it does its first work.
func TestPowerLossWhileItRecovers(t *testing.T) {
	s := newSurvey(t)
	list := workload(*lossSeed, 50)
	base := recorded(t, list[:40], 4, powerloss.Faults{})
	disk := powerloss.NewDisk(base.Recording)
	r := powerloss.NewRand(*lossSeed)
	for n, op := range base.Recording.Ops {
		disk.Play(op)
		if n < len(base.Recording.Ops)/3 || r.Intn(len(base.Recording.Ops)) > 8 || disk.Pending() == 0 {
			continue
		}
		root := scratch(t)
		require.NoError(t, disk.Lose(powerloss.Loss{Mode: powerloss.Tear, Seed: r.Uint64()}).WriteTo(root))
		rec, err := powerloss.Record(root, powerloss.Faults{})
		require.NoError(t, err)
		dir := filepath.Join(root, "data")
		doWork(t, dir, list[40:], 2, rec)
		recording, err := rec.Stop()
		require.NoError(t, err)
		after := trial{Recording: recording, Course: follow(t, dir, list)}
		s.walk(after, 10, false)
	}
	s.nothingLost()
}

// The log grows until the store copies it back of itself.
func TestPowerLossWhileALongLogIsCopied(t *testing.T) {
	s := newSurvey(t)
	list := workload(*lossSeed, 48)
	for n := 2; n < len(list); n++ {
		if list[n].seed%17 == 0 {
			list[n].seed++ // nobody else copies it, see doWork
		}
		list[n].do = func(tx engine.Tx, r *powerloss.Rand, at time.Time) error {
			id, err := tx.Reserve(1)
			if err != nil {
				return err
			}
			definition := make([]byte, 300_000)
			r.Read(definition)
			return tx.PutVersion(engine.VersionRow{ID: id, Job: jobID(0), Definition: definition, CreatedAt: at})
		}
	}
	base := recorded(t, list, 2, powerloss.Faults{})
	last := slices.IndexFunc(base.Recording.Ops, func(op powerloss.Op) bool { return op.Text == base.Course.Order[len(list)-1] })
	file := 0 // a renamed file keeps its number
	require.True(t, slices.ContainsFunc(base.Recording.Ops[:last], func(op powerloss.Op) bool {
		if op.To == "data/almanac.db" {
			file = op.File
		}
		return op.Kind == powerloss.Sync && op.File == file && file != 0
	}), "it was copied back while the work went on")
	s.walk(base, 5, false)
	s.nothingLost()
}

// The schema of each version before this one, filled with what this version writes and that one could hold, is brought up to date.
func TestPowerLossWhileTheSchemaIsBroughtUpToDate(t *testing.T) {
	scripts, err := os.ReadDir("migrations")
	require.NoError(t, err)
	require.Greater(t, len(scripts), 1)
	list := workload(*lossSeed, 30)
	now := recorded(t, list, 1, powerloss.Faults{})
	disk := powerloss.NewDisk(now.Recording)
	for _, op := range now.Recording.Ops {
		disk.Play(op)
	}
	s := newSurvey(t)
	for version := 1; version < len(scripts); version++ {
		root := scratch(t)
		require.NoError(t, disk.Lose(powerloss.Loss{Mode: powerloss.Keep}).WriteTo(root))
		dir := filepath.Join(root, "data")
		require.NoError(t, os.Rename(filepath.Join(dir, "almanac.db"), filepath.Join(root, "now.db")))
		require.NoError(t, os.Remove(filepath.Join(dir, "almanac.db-pages"))) // which that version did not have
		older(t, filepath.Join(dir, "almanac.db"), filepath.Join(root, "now.db"), int64(version))

		r, err := powerloss.Record(root, powerloss.Faults{})
		require.NoError(t, err)
		db, err := store.Open(context.Background(), store.Config{Dir: dir})
		require.NoError(t, err)
		require.NoError(t, db.Close())
		recording, err := r.Stop()
		require.NoError(t, err)
		want, err := sql.Open("sqlite", filepath.Join(dir, "almanac.db"))
		require.NoError(t, err)
		all, err := rows(want)
		require.NoError(t, err)
		there, err := marks(want)
		require.NoError(t, err)
		require.NoError(t, want.Close())
		require.Greater(t, len(there), 20)

		// Every write was acknowledged by the older version; no other rows will do.
		c := course{Order: there, Rows: make([][sha256.Size]byte, len(there)+1)}
		c.Rows[len(there)] = sha256.Sum256(all)
		for _, name := range there {
			recording.Ops = slices.Insert(recording.Ops, 0, powerloss.Op{Kind: powerloss.Note, Text: name})
		}
		for n := range recording.Ops {
			recording.Ops[n].Since += len(there)
		}
		// Each script writes once more for every version that it follows: of the older ones the cuts are drawn, beside those at each sync.
		latest := version >= len(scripts)-2
		s.walk(trial{Recording: recording, Course: c}, 10, latest)
	}
	s.nothingLost()
}

// older makes a database of an earlier schema from the rows of one of today's: of each table the columns that it had.
func older(t *testing.T, path, now string, version int64) {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+path+"?_pragma=journal_mode(WAL)")
	require.NoError(t, err)
	db.SetMaxOpenConns(1)
	_, err = db.Exec("PRAGMA application_id = 0x616c6d6e")
	require.NoError(t, err)
	p, err := goose.NewProvider(goose.DialectSQLite3, db, os.DirFS("migrations"), goose.WithDisableGlobalRegistry(true))
	require.NoError(t, err)
	_, err = p.UpTo(context.Background(), version)
	require.NoError(t, err)
	_, err = db.Exec("ATTACH ? AS now", now)
	require.NoError(t, err)
	tables, err := texted(db, `SELECT name FROM main.sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE 'goose_%'`)
	require.NoError(t, err)
	for _, table := range tables {
		columns, err := texted(db, fmt.Sprintf("SELECT name FROM pragma_table_info('%s', 'main') INTERSECT SELECT name FROM pragma_table_info('%s', 'now')", table, table))
		require.NoError(t, err)
		what, names := "now."+table, strings.Join(columns, ", ")
		if table == "sequence" {
			what += " WHERE name = 'id'" // what came with later schemas comes again
		}
		_, err = db.Exec(fmt.Sprintf("INSERT OR REPLACE INTO main.%s (%s) SELECT %s FROM %s", table, names, names, what))
		require.NoError(t, err, table)
	}
	require.NoError(t, db.Close())
}

// What would lose acknowledged writes is found by the same survey: it can fail.
func TestPowerLossFindsADiskThatLies(t *testing.T) {
	for _, c := range []struct {
		what string
		lies func(name string) bool
	}{
		{"no sync counts, as with synchronous=OFF", func(string) bool { return true }},
		{"syncs of the log do not count", func(name string) bool { return name == "data/almanac.db-wal" }},
		{"syncs of the file do not count when the log is copied back", func(name string) bool { return name == "data/almanac.db" }},
		{"syncs of the new file do not count before it gets its name", func(name string) bool { return strings.HasPrefix(name, "data/almanac.db.new") }},
		{"syncs of the directory do not count", func(name string) bool { return name == "data" }},
	} {
		t.Run(c.what, func(t *testing.T) {
			s := newSurvey(t)
			s.enough = 1
			s.walk(recorded(t, workload(*lossSeed, effort.Of(20, 40)), 1, powerloss.Faults{LoseSync: c.lies}), 100, false)
			require.NotEmpty(t, s.failed, "after %d losses", s.trials)
			t.Logf("found by loss %d: %s", s.trials, s.failed[0])
		})
	}
}
