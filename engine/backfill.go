package engine

import (
	"fmt"
	"strings"
	"time"

	"github.com/almanac-sched/almanac/recurrence"
)

// A BackfillRow is a backfill as stored: what a person had run again, or for the first time, of days that have passed.
//
// Its instances are of the kind Backfill with its Key, and stand in its lane: until the lane looks at one, it sleeps behind the gate time and nothing
// makes it due, so that a hundred thousand of them cost a turn of the loop nothing. The order of their ids is the order of their turn.
type BackfillRow struct {
	ID        int64
	Key       string // of its plan, and of its instances
	Job       int64  // row id of the first job that was asked for
	From, To  time.Time
	Stage     BackfillStage
	Reason    Reason // why it stands there
	Options   BackfillOptions
	Actor     string
	CreatedAt time.Time
	ResumedAt time.Time // when a person last let it go on; zero when nobody did
	EndedAt   time.Time // zero while it is open
	Written   int       // instances of it that are in the rows, while they are not real
}

// BackfillStage is where a backfill stands.
type BackfillStage string

// The stages of a backfill. The first five are open. It is ended or cancelled when its last instance has ended.
//
// A large backfill is written in many short transactions. Until the last of them its instances are in the rows and are not real: no list and no count
// has them, nothing wakes them, and nothing starts them.
const (
	BackfillApplying    BackfillStage = "applying"    // its instances are being written
	BackfillWithdrawing BackfillStage = "withdrawing" // what was written of them is being taken away; it ends as cancelled

	BackfillRunning    BackfillStage = "running"
	BackfillPaused     BackfillStage = "paused"     // nothing more starts
	BackfillCancelling BackfillStage = "cancelling" // what waits is being cancelled
	BackfillEnded      BackfillStage = "ended"
	BackfillCancelled  BackfillStage = "cancelled"
)

// BackfillStages lists every stage, open ones first.
var BackfillStages = []BackfillStage{BackfillApplying, BackfillWithdrawing, BackfillRunning, BackfillPaused, BackfillCancelling, BackfillEnded, BackfillCancelled}

// Open reports whether a backfill in this stage may still have instances that have not ended.
func (s BackfillStage) Open() bool { return s != BackfillEnded && s != BackfillCancelled }

// Real reports whether the instances of a backfill in this stage are real.
func (s BackfillStage) Real() bool { return s != BackfillApplying && s != BackfillWithdrawing }

// BackfillOptions is how a backfill is carried out, and what it is made of.
type BackfillOptions struct {
	Jobs          []BackfillPart `json:"jobs"`
	Instances     int            `json:"instances"`
	Fingerprint   string         `json:"fingerprint"`        // of the plan
	Parallel      int            `json:"parallel,omitempty"` // instances of it that run at once; 0 is as many as the share lets
	Floor         int            `json:"floor,omitempty"`    // slots of each server that it gets when it has work; 0 is 1
	Cap           int            `json:"cap,omitempty"`      // slots of each server that it takes at most; 0 is a quarter of them
	Window        *LaneWindow    `json:"window,omitempty"`
	ByDay         bool           `json:"byDay,omitempty"`
	StopOnFailure bool           `json:"stopOnFailure,omitempty"`
	Descending    bool           `json:"descending,omitempty"`
	IgnoreMissing bool           `json:"ignoreMissing,omitempty"`
	Steps         []string       `json:"steps,omitempty"`    // of the jobs that were asked for; none is all
	Priority      int            `json:"priority,omitempty"` // 0 is two below that of each job
	Note          string         `json:"note,omitempty"`
	CancelRunning bool           `json:"cancelRunning,omitempty"` // the cancellation is of what runs too
	Withdrawn     bool           `json:"withdrawn,omitempty"`     // before its instances were real: it has none
	Order         *BackfillOrder `json:"order,omitempty"`         // while it is being applied
	Moving        *LaneMove      `json:"moving,omitempty"`        // while its instances get another priority
}

// A LaneMove is what giving all that waits of a backfill another priority goes on with.
type LaneMove struct {
	From int64 `json:"from"` // id of the first instance that has not got it
}

// A BackfillOrder is what applying a backfill goes on with after a crash.
type BackfillOrder struct {
	Request BackfillRequest `json:"request"`
	At      time.Time       `json:"at"`    // of the plan
	First   int64           `json:"first"` // id of the first instance
}

// A BackfillPart is what a backfill holds of one job.
type BackfillPart struct {
	Job       int64  `json:"id"`
	Ref       JobRef `json:"job"`
	Version   int64  `json:"version"`
	Asked     bool   `json:"asked,omitempty"` // named, not found along the dependencies
	Instances int    `json:"instances"`
	Times     string `json:"times"` // a digest of its plan times, see TimesDigest
}

// A LaneWindow is a part of each day in which instances of a backfill may start: from From on, before To, both since midnight by the clock. One that
// ends before it begins goes past midnight.
type LaneWindow struct {
	From time.Duration `json:"from"`
	To   time.Duration `json:"to"`
	Zone string        `json:"zone"`
}

// ParseLaneWindow reads `22:00-06:00 Europe/Berlin`; without a zone it is UTC.
func ParseLaneWindow(text string) (*LaneWindow, error) {
	span, zone, _ := strings.Cut(strings.TrimSpace(text), " ")
	from, to, ok := strings.Cut(span, "-")
	w := &LaneWindow{Zone: strings.TrimSpace(zone)}
	if w.Zone == "" {
		w.Zone = "UTC"
	}
	bad := func(why string) error {
		return fmt.Errorf("%w: the window %q: %s; write 22:00-06:00 Europe/Berlin", ErrInvalid, text, why)
	}
	if !ok {
		return nil, bad("it has no end")
	}
	if w.Zone == "Local" {
		return nil, bad("Local is another zone on each machine")
	}
	if _, err := time.LoadLocation(w.Zone); err != nil {
		return nil, bad("there is no time zone " + w.Zone)
	}
	for n, part := range []string{from, to} {
		at, err := time.Parse("15:04", part)
		if err != nil && (n == 0 || part != "24:00") {
			return nil, bad(part + " is no time of day")
		}
		length := time.Duration(at.Hour())*time.Hour + time.Duration(at.Minute())*time.Minute
		if part == "24:00" {
			length = 24 * time.Hour
		}
		if n == 0 {
			w.From = length
		} else {
			w.To = length
		}
	}
	if w.From == w.To {
		return nil, bad("it is empty")
	}
	return w, nil
}

// String is the window as ParseLaneWindow reads it.
func (w *LaneWindow) String() string {
	clock := func(d time.Duration) string { return fmt.Sprintf("%02d:%02d", int(d.Hours()), int(d.Minutes())%60) }
	return clock(w.From) + "-" + clock(w.To) + " " + w.Zone
}

// Opens returns the earliest time from now on at which the window is open: now while it is.
func (w *LaneWindow) Opens(now time.Time) time.Time {
	zone, err := time.LoadLocation(w.Zone)
	if err != nil {
		return now // the machine has lost its zone: it was there when the backfill was planned
	}
	local := now.In(zone)
	since := time.Duration(local.Hour())*time.Hour + time.Duration(local.Minute())*time.Minute
	if in := since >= w.From && since < w.To; w.From < w.To && in || w.From > w.To && (since >= w.From || since < w.To) {
		return now
	}
	today := recurrence.DateOf(local)
	for n := 0; ; n++ { // at the latest tomorrow: a day may lack the hour
		if from := onClock(today.AddDays(n), w.From, zone); from.After(now) {
			return from
		}
	}
}

func onClock(day recurrence.Date, since time.Duration, zone *time.Location) time.Time {
	return time.Date(day.Year, day.Month, day.Day, 0, int(since.Minutes()), 0, 0, zone)
}

// A Record is what is known of a job at a plan time: one row of the kinds scheduled and backfill.
type Record struct {
	ID       int64
	Key      string
	PlanTime time.Time
	State    State
	Frozen   bool
	Version  int64
	EndedAt  time.Time // zero while open
}

// A Witness is what a look at the rows can be held against later: has anything of it changed since?
type Witness struct {
	Event    int64    // the newest of the history
	Next     int64    // the next id
	Pruned   int64    // grows when retention removes an instance
	Applying []string // keys of the backfills whose instances are not real, ascending
}

// A JobTime is a place of the plan: whatever stands there.
type JobTime struct {
	Job      int64
	PlanTime time.Time
}

// BackfillView reads backfills and their instances. Those that are not real are in no list and no count of any View.
type BackfillView interface {
	// UnrealBackfills lists the backfills whose instances are not real, by id.
	UnrealBackfills() ([]BackfillRow, error)
	// Unreal counts the instances of a backfill that are not real, and those of them with which something has happened: none may be.
	Unreal(key string) (written, disturbed int, err error)
	// Witness returns what a look at the rows can be held against later.
	Witness() (Witness, error)
	// MovedSince lists, in no order, the place of each instance with which something was done, or that was made, since; at most limit.
	MovedSince(w Witness, limit int) ([]JobTime, error)
	// Backfill returns the backfill of a key; ErrNotFound when there is none.
	Backfill(key string) (BackfillRow, error)
	// Backfills lists backfills with an id below before (0 is no bound), the newest first, at most limit.
	Backfills(before int64, limit int) ([]BackfillRow, error)
	// OpenBackfills lists those that have not ended, by id.
	OpenBackfills() ([]BackfillRow, error)
	// BackfillStates counts the instances of a backfill by state.
	BackfillStates(key string) (map[State]int, error)
	// BackfillInstances lists the instances of a backfill in a state and behind a gate ("" of all that do not wait) by id, at most limit.
	BackfillInstances(key string, state State, gate Gate, limit int) ([]Instance, error)
	// BackfillCount counts the instances of a backfill in a state other than waiting.
	BackfillCount(key string, state State) (int, error)
	// Asleep lists the waiting instances of a backfill that nobody has looked at yet, by id, at most limit.
	Asleep(key string, limit int) ([]Instance, error)
	// LiveInLanes counts the live attempts of backfills.
	LiveInLanes() ([]LaneLoad, error)
	// Recorded lists what is recorded of a job at plan times in [from, to], by plan time and key.
	Recorded(job int64, from, to time.Time) ([]Record, error)
}

// A LaneLoad is how many attempts of a backfill live, of one pool and one server.
type LaneLoad struct {
	Key, Pool, Owner string
	Attempts         int
}

// BackfillTx writes them.
type BackfillTx interface {
	// PutBackfill inserts the backfill or replaces the row of the same ID. What InsertInstances inserts under the key of a backfill in the stage applying
	// is not real until PutBackfill gives that a stage in which it is; the cost of that does not depend on how many there are.
	PutBackfill(BackfillRow) error
	// SetWritten says how many instances of a backfill that is being applied are written, compare-and-set: false and no change when they are not from, or
	// it is not being applied.
	SetWritten(key string, from, to int) (bool, error)
	// Withdraw deletes at most limit instances of a backfill in the stage withdrawing, with their waits, and counts them off its Written. It returns how
	// many; 0 when none is left, or the stage is another.
	Withdraw(key string, limit int) (int, error)
	// SetLanePriority changes the priority of every waiting instance of the backfill with an id in
	// [from, to). It returns how many there are.
	SetLanePriority(key string, priority int, from, to int64) (int, error)
}
