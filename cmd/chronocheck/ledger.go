package main

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"time"

	_ "modernc.org/sqlite" // the driver
)

// A ledger is what the server has recorded, as of one moment. Times are milliseconds since 1970, as stored.
type ledger struct {
	folder string // of the database; its logs lie in it

	jobs      map[int64]*job
	order     []*job // by workflow and name
	byName    map[string]*job
	versions  map[int64]*version
	instances []*instance // by id
	byID      map[int64]*instance
	byJob     map[*job][]*instance // by plan time
	attempts  []*attempt           // by id
	loads     []*event             // of the kind load
	pauses    []*event             // of the kind pause
	defines   map[int64][]*event   // of the kind define, by job
	jumps     []*event             // of the kind clock-jump
	noRoom    []span               // from disk-low to disk-free
	rezoned   map[int64]int64      // by job: until when other rules of its time zone were in force
	ghosts    map[int64][]*event   // events of instances that have no row
	orphans   []orphan             // attempts of instances that have no row
	outbox    []*outboxRow         // by id
	backfills map[string]string    // stages, by key

	pruned   bool  // retention has removed history
	prunedTo int64 // what ended before may be gone
	ended    int64 // the last sign of life in the rows
	latest   int64 // the time of the last event, which is earlier where the clock was set back
}

type job struct {
	id             int64
	workflow, name string
	version        int64
	created        int64
	hasCreated     bool
	disabled       bool
	removed        bool
	planned        int64
	hasPlan        bool
	revision       int64      // of the definitions when it was last put
	countedGone    int64      // runs that retention has removed
	versions       []*version // by id
	paused         []span
}

// String returns workflow/name.
func (j *job) String() string { return j.workflow + "/" + j.name }

func (j *job) location() *time.Location {
	if n := len(j.versions); n > 0 && j.versions[n-1].def != nil {
		return j.versions[n-1].def.location
	}
	return time.UTC
}

// A version is one immutable definition of a job, in force from its creation to that of the next.
type version struct {
	id      int64
	job     *job
	created int64
	def     *definition // nil when it cannot be read
	err     error
	when    *schedule // nil when it is not understood
	whenErr error
}

type instance struct {
	id         int64
	job        *job
	version    *version
	kind, key  string
	plan       int64
	planOffset int64
	state      string
	gate       string
	reason     reason
	reasonText string
	fence      int64
	dryRun     bool
	frozen     bool
	notBefore  int64
	pool       string
	confirmed  string
	cancel     string
	runNow     bool // a person has let it run without what it waits for
	touched    bool // a person has acted on it
	started    sql.NullInt64
	ended      sql.NullInt64

	waits    []wait
	steps    []stepRow
	attempts []*attempt // by number and id
	events   []*event   // by id
	outbox   []*outboxRow
}

func (i *instance) zone() *time.Location { return time.FixedZone("", int(i.planOffset)) }

func (i *instance) String() string { return i.job.String() + "@" + stamp(i.plan, i.zone()) }

// A reason is the stored why of a state.
type reason struct {
	Code   string `json:"code"`
	Detail string `json:"detail"`
	Actor  string `json:"actor"`
}

type wait struct {
	n, dependency int64
	upstream      int64
	key           string
	first, last   sql.NullInt64
	times         int64
	selects       string
	onMissing     string
	onFailed      string
	rule          string
	ended         bool
	timeout       int64
	bound         int64 // the revision of the definitions that it is of
}

type stepRow struct {
	step, state string
	attempts    int64
	notBefore   sql.NullInt64
}

type attempt struct {
	id        int64
	instance  *instance
	step      string
	number    int64
	isError   bool
	outbox    int64
	fence     int64
	owner     string
	pool      string
	started   int64
	outcome   string // "" while it lives
	ended     sql.NullInt64
	exit      sql.NullInt64
	signal    string
	status    int64
	message   string
	truncated bool
}

// An orphan is an attempt whose instance has no row.
type orphan struct{ attempt, instance int64 }

type event struct {
	id       int64
	at       int64
	kind     string
	instance int64
	job      int64
	from, to string
	reason   reason
	actor    string
}

type outboxRow struct {
	id, instance int64
	kind, state  string
	notBefore    int64
	attempts     int64
	created      int64
	deliveries   []*attempt
}

const fileName = "almanac.db"

// readLedger reads a data directory, or a database file, in one consistent snapshot. A database that nobody has open is read as it lies, without locks, so that
// not even SQLite's own files are made beside it.
func readLedger(path string) (*ledger, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("find the database: %w", err)
	}
	if info.IsDir() {
		path = filepath.Join(path, fileName)
		if info, err = os.Stat(path); err != nil {
			return nil, fmt.Errorf("find the database: %w", err)
		}
	}
	if info.Size() == 0 {
		return nil, fmt.Errorf("read %s: the file is empty", path)
	}
	var l *ledger
	if alone(path) {
		l, err = readRows(path, "mode=ro&immutable=1")
		if after, e := os.Stat(path); err == nil && e == nil && alone(path) && after.Size() == info.Size() && after.ModTime().Equal(info.ModTime()) {
			return l, nil
		}
	}
	// Somebody has it open, or has opened it meanwhile.
	if l, err = readRows(path, "mode=ro"); err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	return l, nil
}

// alone reports whether no process has the database open: whoever does has its index of the log beside it.
func alone(path string) bool {
	for _, suffix := range []string{"-wal", "-shm"} {
		if _, err := os.Stat(path + suffix); !errors.Is(err, os.ErrNotExist) {
			return false
		}
	}
	return true
}

func readRows(path, mode string) (*ledger, error) {
	ctx := context.Background()
	dsn := "file:" + (&url.URL{Path: path}).EscapedPath() + "?" + mode + "&_pragma=busy_timeout(10000)&_pragma=query_only(1)"
	db, err := sql.Open("sqlite", dsn)
	if err != nil {
		return nil, err
	}
	defer db.Close()
	tx, err := db.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return nil, err
	}
	defer func() { _ = tx.Rollback() }() // nothing was written
	l := &ledger{
		folder: filepath.Dir(path), jobs: map[int64]*job{}, byName: map[string]*job{}, versions: map[int64]*version{}, byID: map[int64]*instance{},
		byJob: map[*job][]*instance{}, rezoned: map[int64]int64{}, defines: map[int64][]*event{}, ghosts: map[int64][]*event{}, backfills: map[string]string{},
	}
	rows := &rowReader{ctx: ctx, tx: tx}
	for _, read := range []func(*rowReader) error{
		l.readJobs, l.readPauses, l.readVersions, l.readInstances, l.readWaits, l.readSteps, l.readAttempts, l.readEvents, l.readOutbox,
	} {
		if err := read(rows); err != nil {
			return nil, err
		}
	}
	l.measure()
	return l, nil
}

// measure finds the last sign of life and how far retention has come.
func (l *ledger) measure() {
	for _, i := range l.instances {
		l.ended = max(l.ended, i.started.Int64, i.ended.Int64)
	}
	for _, a := range l.attempts {
		l.ended = max(l.ended, a.started, a.ended.Int64)
	}
	for _, v := range l.versions {
		l.ended = max(l.ended, v.created)
	}
	if l.pruned && l.prunedTo == 0 {
		l.prunedTo = l.ended // not an event is left to tell
	}
	for _, list := range l.ghosts {
		for _, e := range list {
			if l.pruned && isEnded(e.to) {
				l.prunedTo = max(l.prunedTo, e.at)
			}
		}
	}
}

// retained reports whether an instance of that plan time must still be there. The margin covers what ended before its plan time.
func (l *ledger) retained(plan int64) bool { return !l.pruned || plan > l.prunedTo+2*dayMS }

// parseReason reads a stored reason; one that cannot be read has no code.
func parseReason(text string) (r reason) {
	if json.Unmarshal([]byte(text), &r) != nil {
		return reason{}
	}
	return r
}
