package invariant

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/almanac-sched/almanac/engine"
)

// Options say how much is checked, and what the rows themselves do not say.
type Options struct {
	// Decode reads a stored definition; it is that of engine.Config, and required.
	Decode func(definition []byte, folder string) (*engine.Job, error)
	// Now is the latest time at which a server may have written. Without it nothing that depends on the time is checked: I7, all of Settled, and
	// what retention may have touched.
	Now time.Time
	// Retention is how long ended instances are kept; zero is the engine's default of 60 days.
	Retention time.Duration
	// PlanAhead is how long before it begins a natural day is planned; zero is the engine's default of 2 hours.
	PlanAhead time.Duration
	// Since bounds the check to instances that are open or have a plan time from it on, and to the history from it on; zero is everything.
	Since time.Time
	// Settled says that a healthy server has had Grace (default a minute) to look at everything: then nothing may be overdue.
	Settled bool
	Grace   time.Duration
	// Slots is how many attempts may live at once; 0 is not known.
	Slots int

	// Patience is how long a live server is given to look at what was due in the snapshot; 0 looks once more at once.
	Patience time.Duration

	Page int // rows of one query; default 500
	Most int // violations that are kept in the report; default 100. All are counted.
}

// A Violation is one thing that must not be so.
type Violation struct {
	Invariant string `json:"invariant"` // I1 to I15
	Instance  int64  `json:"instance,string,omitempty"`
	Job       string `json:"job,omitempty"` // workflow/job
	Words     string `json:"words"`
}

// String is the violation in one line.
func (v Violation) String() string {
	where := v.Job
	if v.Instance != 0 {
		where = fmt.Sprintf("%s (instance %d)", v.Job, v.Instance)
	}
	if where == "" {
		return v.Invariant + ": " + v.Words
	}
	return v.Invariant + ": " + where + ": " + v.Words
}

// A Report is what a check has read and found.
type Report struct {
	Jobs      int `json:"jobs"`
	Versions  int `json:"versions"`
	Instances int `json:"instances"`
	Waits     int `json:"waits"`
	Attempts  int `json:"attempts"`
	Outbox    int `json:"outbox"`
	Events    int `json:"events"`

	Checked    map[string]int `json:"checked"`    // how often each invariant was looked at
	NotChecked map[string]int `json:"notChecked"` // and how often it could not be
	Found      int            `json:"found"`      // violations
	Violations []Violation    `json:"violations"` // the first of them
}

// Invariants lists the names in their order.
var Invariants = []string{"I1", "I2", "I3", "I4", "I5", "I6", "I7", "I8", "I9", "I10", "I11", "I12", "I13", "I14", "I15"}

// Check reads the rows once, in one snapshot, and reports what does not hold. A server that writes meanwhile changes nothing of what is checked. The error
// is about reading; violations are in the report.
func Check(ctx context.Context, rows Reader, o Options) (Report, error) {
	if o.Decode == nil {
		return Report{}, errors.New("check the invariants: Options.Decode is required")
	}
	if o.Retention <= 0 {
		o.Retention = 60 * 24 * time.Hour
	}
	if o.PlanAhead <= 0 {
		o.PlanAhead = 2 * time.Hour
	}
	if o.Grace <= 0 {
		o.Grace = time.Minute
	}
	if o.Page <= 0 {
		o.Page = 500
	}
	if o.Most <= 0 {
		o.Most = 100
	}
	c := &check{
		o: o, rows: rows, versions: map[int64]*engine.Job{}, broken: map[int64]bool{}, jobs: map[int64]*jobRows{}, pasts: map[int64][]change{}, defines: map[int64][]define{}, born: map[int64]int64{},
		report: Report{Checked: map[string]int{}, NotChecked: map[string]int{}, Violations: []Violation{}},
	}
	if err := c.snapshot(ctx, func() error { return c.all(ctx) }); err != nil {
		return c.report, fmt.Errorf("check the invariants: %w", err)
	}
	if err := c.overdueStill(ctx); err != nil {
		return c.report, fmt.Errorf("check once more what is due: %w", err)
	}
	return c.report, nil
}

// A check is one run over the rows.
type check struct {
	o      Options
	rows   Reader
	report Report
	s      Source // the snapshot

	versions map[int64]*engine.Job
	broken   map[int64]bool // versions that cannot be decoded
	jobs     map[int64]*jobRows
	order    []int64            // of jobs
	pasts    map[int64][]change // of upstream instances looked up lately
	loads    []load             // changes of the definitions
	defines  map[int64][]define // and of each job
	rules    time.Time          // when the rules of a time zone last changed; zero is never
	born     map[int64]int64    // the event that made a version, where the history tells
	jumped   bool               // the clock of a server did
	pruned   bool               // retention has removed history
	retained bool               // and instances
	removed  time.Time          // no event behind it was
	kept     time.Time          // an instance with a plan time before it may be gone; zero when none is
	last     int64              // the newest event when the check began
	lanes    lanes
	overdue  overdue
}

// jobRows is what is known of one job.
type jobRows struct {
	row      engine.JobRow
	versions []engine.VersionRow
	running  int  // when the check began
	planned  bool // the walk has come by
}

func (c *check) all(ctx context.Context) error {
	if err := c.page(ctx, c.begin); err != nil {
		return err
	}
	if err := c.readLoads(ctx); err != nil {
		return err
	}
	if err := c.walk(ctx); err != nil {
		return err
	}
	if err := c.history(ctx); err != nil {
		return err
	}
	return c.page(ctx, c.whole)
}

// snapshot runs fn on one snapshot of the rows.
func (c *check) snapshot(ctx context.Context, fn func() error) error {
	return c.rows.Read(ctx, func(v engine.View) error {
		s, ok := v.(Source)
		if !ok {
			return fmt.Errorf("a %T cannot list all that it holds", v)
		}
		c.s = s
		return fn()
	})
}

// page runs fn, which reads so many rows as fit into memory, unless the check was ended.
func (c *check) page(ctx context.Context, fn func() error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	clear(c.pasts)
	return fn()
}

// begin reads the definitions and where the history begins and ends.
func (c *check) begin() error {
	jobs, err := c.s.Jobs()
	if err != nil {
		return fmt.Errorf("list the jobs: %w", err)
	}
	for _, row := range jobs {
		j := &jobRows{row: row}
		if j.versions, err = c.s.VersionsOf(row.ID); err != nil {
			return fmt.Errorf("list the versions of %s: %w", row.Ref, err)
		}
		c.jobs[row.ID] = j
		c.order = append(c.order, row.ID)
		c.report.Jobs++
		c.report.Versions += len(j.versions)
		for i := range j.versions {
			c.decode(&j.versions[i])
		}
	}
	if err := c.readBackfills(); err != nil {
		return err
	}
	running, err := c.s.Running()
	if err != nil {
		return fmt.Errorf("list what runs: %w", err)
	}
	for i := range running {
		if j := c.jobs[running[i].Job]; j != nil && running[i].State == engine.Running {
			j.running++
		}
	}
	ids, events, err := c.s.HistoryAfter(0, 1)
	if err != nil {
		return fmt.Errorf("read the beginning of the history: %w", err)
	}
	// Loading definitions is an event: jobs without a history had one.
	c.pruned = len(ids) == 0 && len(jobs) > 0 || len(ids) > 0 && ids[0] > 1
	if c.o.Now.IsZero() {
		if c.pruned {
			return errors.New("retention has removed history, and Options.Now does not say how much")
		}
		return nil
	}
	// What ended before Now - Retention may be gone, with its history or without; one that a person cancelled ahead of its time ended before its plan
	// time: an instance is there at the most for what is planned ahead and the day that this ends in.
	removed, err := engine.RemovedBefore(c.s)
	if err != nil {
		return err
	}
	c.retained = !removed.IsZero()
	before := latest(removed, c.o.Now.Add(-c.o.Retention))
	c.kept = before.Add(c.o.PlanAhead + 28*time.Hour)
	// By a clock that was ahead, or a retention that was shorter, more of the history was removed. Events of one moment may stand in either order.
	c.removed = c.o.Now
	if len(events) > 0 {
		c.removed = latest(before, events[0].At.Add(time.Minute))
	}
	return nil
}

// decode reads a definition, once.
func (c *check) decode(row *engine.VersionRow) *engine.Job {
	if job := c.versions[row.ID]; job != nil || c.broken[row.ID] {
		return job
	}
	job, err := c.o.Decode(row.Definition, row.Folder)
	if err != nil {
		c.broken[row.ID] = true // an older or a newer program's; the engine cancels its instances, which is no violation
		return nil
	}
	c.versions[row.ID] = job
	return job
}

// found adds a violation.
func (c *check) found(invariant string, i *engine.Instance, format string, args ...any) {
	c.report.Found++
	if len(c.report.Violations) >= c.o.Most {
		return
	}
	v := Violation{Invariant: invariant, Words: fmt.Sprintf(format, args...)}
	if i != nil {
		v.Instance, v.Job = i.ID, i.Name()
	}
	c.report.Violations = append(c.report.Violations, v)
}

// foundJob adds a violation of a job.
func (c *check) foundJob(invariant string, j *jobRows, format string, args ...any) {
	c.report.Found++
	if len(c.report.Violations) < c.o.Most {
		c.report.Violations = append(c.report.Violations, Violation{Invariant: invariant, Job: j.row.Ref.String(), Words: fmt.Sprintf(format, args...)})
	}
}

func (c *check) looked(invariant string)  { c.report.Checked[invariant]++ }
func (c *check) skipped(invariant string) { c.report.NotChecked[invariant]++ }

// must counts a look, and a violation when what must be so is not; the words say what is so instead.
func (c *check) must(holds bool, invariant string, i *engine.Instance, format string, args ...any) {
	c.looked(invariant)
	if !holds {
		c.found(invariant, i, format, args...)
	}
}

const form = "2006-01-02 15:04:05.999 -07:00"

// Meanings says in a few words what each invariant is about.
var Meanings = map[string]string{
	"I1":  "one instance for each due time, and none besides",
	"I2":  "states move as they may, and what has ended stays ended",
	"I3":  "what runs has an owner, a fence and a lease",
	"I4":  "nothing started before what it waits for",
	"I5":  "no more runs at once than may",
	"I6":  "success was one, and what is lost was not repeated unasked",
	"I7":  "what waits will be looked at",
	"I8":  "each failure has its error action",
	"I9":  "what a person asked for is recorded",
	"I10": "what did not run says why",
	"I11": "plan times grow",
	"I12": "no circle of instances waits in silence",
	"I13": "an instance is what its version says",
	"I14": "nothing is gone that is needed, and nothing left over",
	"I15": "a restart changes nothing that is settled",
}
