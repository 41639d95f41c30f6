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
}

// BackfillStage is where a backfill stands.
type BackfillStage string

// The stages of a backfill. The first three are open; it is ended or cancelled when its last instance has ended.
const (
	BackfillRunning    BackfillStage = "running"
	BackfillPaused     BackfillStage = "paused"     // nothing more starts
	BackfillCancelling BackfillStage = "cancelling" // what waits is being cancelled
	BackfillEnded      BackfillStage = "ended"
	BackfillCancelled  BackfillStage = "cancelled"
)

// BackfillStages lists every stage, open ones first.
var BackfillStages = []BackfillStage{BackfillRunning, BackfillPaused, BackfillCancelling, BackfillEnded, BackfillCancelled}

// Open reports whether a backfill in this stage may still have instances that have not ended.
func (s BackfillStage) Open() bool { return s != BackfillEnded && s != BackfillCancelled }

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

// BackfillView reads backfills and their instances.
type BackfillView interface {
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
	// PutBackfill inserts the backfill or replaces the row of the same ID.
	PutBackfill(BackfillRow) error
	// SetLanePriority changes the priority of every waiting instance of the backfill. It returns how many there are.
	SetLanePriority(key string, priority int) (int, error)
}
