package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// A definition is what a stored job version says, as far as the checks need it.
type definition struct {
	location   *time.Location
	calendar   *calendar // nil: none
	disabled   bool
	manual     bool
	start, end time.Time // zero: none
	atOnce     bool      // due when it was created too, beside the schedule of its rule
	rule       *ruleDef
	cron       string
	at         []time.Time
	gap        string // shift or skip
	overlapDST string // first, last or both
	off        string // dryRun, drop, previous or next

	period        string // override; "" infers
	spread        time.Duration
	misfire       string
	misfireWindow time.Duration
	dependsOn     []dependencyDef
	concurrency   int
	overlap       string
	waitTimeout   time.Duration
	confirm       bool
	steps         map[string]*actionDef // "" is the only one of a job with an action
	errorAction   *actionDef
	pool          string
	slots         int
	deadline      time.Duration
	onLost        string
	env           map[string]string
}

// A ruleDef is the recurrence object. Unknown members are refused: what they mean is not known here.
type ruleDef struct {
	Frequency string       `json:"frequency"`
	Interval  int64        `json:"interval"`
	Count     int64        `json:"count"`
	EndTime   string       `json:"endTime"`
	Schedule  *scheduleDef `json:"schedule"`
}

type scheduleDef struct {
	Minutes            []int           `json:"minutes"`
	Hours              []int           `json:"hours"`
	WeekDays           []string        `json:"weekDays"`
	MonthDays          []int           `json:"monthDays"`
	WorkDays           []int           `json:"workDays"`
	MonthlyOccurrences []occurrenceDef `json:"monthlyOccurrences"`
}

type occurrenceDef struct {
	Day        string `json:"day"`
	Occurrence int    `json:"occurrence"`
}

type dependencyDef struct {
	Job             string     `json:"job"`
	Policy          string     `json:"policy"`
	Previous        int        `json:"previous"`
	Rule            string     `json:"rule"`
	Select          string     `json:"select"`
	Window          *windowDef `json:"window"`
	Hours           []int      `json:"hours"`
	OnMissing       string     `json:"onMissing"`
	OnFailed        string     `json:"onFailed"`
	WaitPreviousEnd bool       `json:"waitPreviousEnd"`
	Timeout         string     `json:"timeout"`
}

type windowDef struct {
	From   string `json:"from"`
	To     string `json:"to"`
	Closed string `json:"closed"`
}

type actionDef struct {
	Type        string            `json:"type"`
	Command     string            `json:"command"`
	Script      string            `json:"script"`
	Args        []string          `json:"args"`
	Env         map[string]string `json:"env"`
	Timeout     string            `json:"timeout"`
	When        string            `json:"when"`
	OnFailure   string            `json:"onFailure"`
	ForEach     json.RawMessage   `json:"forEach"`
	RetryPolicy *struct {
		RetryType  string `json:"retryType"`
		RetryCount int    `json:"retryCount"`
	} `json:"retryPolicy"`
}

// retries is how often a failed action is tried again.
func (a *actionDef) retries() int {
	if a.RetryPolicy == nil || a.RetryPolicy.RetryType == "none" {
		return 0
	}
	return a.RetryPolicy.RetryCount
}

type calendarDef struct {
	WorkDays []string `json:"workDays"`
	Off      []string `json:"off"`
	On       []string `json:"on"`
}

type document struct {
	TimeZone  string                     `json:"timeZone"`
	Calendars map[string]calendarDef     `json:"calendars"`
	Jobs      map[string]json.RawMessage `json:"jobs"`
}

type jobDef struct {
	State      string          `json:"state"`
	StartTime  string          `json:"startTime"`
	AtOnce     bool            `json:"atOnce"`
	EndTime    string          `json:"endTime"`
	Recurrence json.RawMessage `json:"recurrence"`
	Cron       string          `json:"cron"`
	At         []string        `json:"at"`
	Trigger    json.RawMessage `json:"trigger"`
	DST        struct {
		Gap     string `json:"gap"`
		Overlap string `json:"overlap"`
	} `json:"dst"`
	Calendar      string                `json:"calendar"`
	OffCalendar   string                `json:"offCalendar"`
	Period        string                `json:"period"`
	Spread        string                `json:"spread"`
	Misfire       string                `json:"misfire"`
	MisfireWindow string                `json:"misfireWindow"`
	DependsOn     []dependencyDef       `json:"dependsOn"`
	Concurrency   int                   `json:"concurrency"`
	Overlap       string                `json:"overlap"`
	WaitTimeout   string                `json:"waitTimeout"`
	Confirm       bool                  `json:"confirm"`
	Action        *actionDef            `json:"action"`
	Steps         map[string]*actionDef `json:"steps"`
	ErrorAction   *actionDef            `json:"errorAction"`
	Pool          string                `json:"pool"`
	Slots         int                   `json:"slots"`
	Deadline      string                `json:"deadline"`
	OnLost        string                `json:"onLost"`
	Env           map[string]string     `json:"env"`
}

// readDefinition reads the canonical definition of a job: a JSON document of a workflow that holds this job alone. Absent members have the
// defaults of `definition.md`.
func readDefinition(text []byte, j *job) (*definition, error) {
	var doc document
	if err := json.Unmarshal(text, &doc); err != nil {
		return nil, fmt.Errorf("a definition that is no JSON: %w", err)
	}
	raw, ok := doc.Jobs[j.name]
	if !ok || len(doc.Jobs) != 1 {
		return nil, fmt.Errorf("a definition that holds %d jobs and not %s alone", len(doc.Jobs), j.name)
	}
	var m jobDef
	if err := json.Unmarshal(raw, &m); err != nil {
		return nil, fmt.Errorf("a definition that cannot be read: %w", err)
	}
	d := &definition{
		disabled: m.State == "disabled", manual: len(m.Trigger) > 0, cron: m.Cron, atOnce: m.AtOnce,
		gap: or(m.DST.Gap, "shift"), overlapDST: or(m.DST.Overlap, "first"), off: or(m.OffCalendar, "dryRun"),
		period: m.Period, misfire: or(m.Misfire, "runAll"), dependsOn: m.DependsOn, concurrency: max(1, m.Concurrency),
		overlap: or(m.Overlap, "queue"), confirm: m.Confirm, steps: m.Steps, errorAction: m.ErrorAction, pool: m.Pool, slots: max(1, m.Slots),
		onLost: or(m.OnLost, "retry"), env: m.Env,
	}
	if m.Action != nil {
		d.steps = map[string]*actionDef{"": m.Action}
	}
	var errs []error
	keep := func(err error) { errs = append(errs, err) }
	var err error
	d.location, err = time.LoadLocation(doc.TimeZone)
	keep(err)
	for _, t := range []struct {
		to   *time.Time
		text string
	}{{&d.start, m.StartTime}, {&d.end, m.EndTime}} {
		*t.to, err = parseTime(t.text)
		keep(err)
	}
	for _, t := range []struct {
		to     *time.Duration
		text   string
		absent time.Duration
	}{
		{&d.spread, m.Spread, 0}, {&d.misfireWindow, m.MisfireWindow, 24 * time.Hour}, {&d.waitTimeout, m.WaitTimeout, 60 * 24 * time.Hour},
		{&d.deadline, m.Deadline, 0},
	} {
		*t.to, err = parseLength(t.text, t.absent)
		keep(err)
	}
	for _, text := range m.At {
		t, err := parseTime(text)
		keep(err)
		d.at = append(d.at, t)
	}
	if len(m.Recurrence) > 0 {
		d.rule = &ruleDef{}
		strict := json.NewDecoder(bytes.NewReader(m.Recurrence))
		strict.DisallowUnknownFields()
		keep(strict.Decode(d.rule))
	}
	if m.Calendar != "" {
		def, known := doc.Calendars[m.Calendar]
		if !known {
			keep(fmt.Errorf("no calendar %q", m.Calendar))
		}
		d.calendar, err = newCalendar(def)
		keep(err)
	}
	return d, errors.Join(errs...)
}

func or(text, absent string) string {
	if text == "" {
		return absent
	}
	return text
}

// mentions reports whether anything that the step is given has the text in it.
func (d *definition) mentions(a *actionDef, text string) bool {
	given := append([]string{a.Command, a.Script}, a.Args...)
	for _, env := range []map[string]string{a.Env, d.env} {
		for _, value := range env {
			given = append(given, value)
		}
	}
	return slices.ContainsFunc(given, func(s string) bool { return strings.Contains(s, text) })
}

func parseTime(text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	return time.Parse(time.RFC3339Nano, text)
}

// stepOf is the definition of the step that an attempt or a row belongs to; that of an item of a list, named step[n], is its step's.
func (d *definition) stepOf(name string) *actionDef {
	if step := d.steps[name]; step != nil {
		return step
	}
	base, _, item := strings.Cut(name, "[")
	if step := d.steps[base]; item && step != nil && len(step.ForEach) > 0 {
		return step
	}
	return nil
}
