package azure

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/engine/spec"
	"github.com/almanac-sched/almanac/recurrence"
)

// The limits of the service on one job (`azure-scheduler.md` §4).
const (
	MaxJobChars    = 16_000
	MaxURIChars    = 2_048
	MaxBodyChars   = 8_192
	MaxHeaders     = 50
	MaxHeaderChars = 4_096
	monthsAhead    = 18
	shortestRetry  = 15 * time.Second
	shortestFree   = time.Hour
	longestRetry   = 18 * 31 * 24 * time.Hour
)

// Limits are what a job of a collection is held to besides its own form.
type Limits struct {
	Now          time.Time            // what "18 months ahead" counts from
	Free         bool                 // the Free plan: no HTTP authentication, no retry within an hour
	MaxFrequency recurrence.Frequency // with MaxInterval the collection's maxRecurrence; zero is none
	MaxInterval  int
}

// A Target says what becomes of properties that are translated.
type Target struct {
	Workflow string
	Job      string
	Limits   *Limits // nil: those of a workflow file alone
	// Source says where the secret of that name comes from; nil is an environment variable, EnvName.
	Source func(name string) engine.SecretSource
	// SecretName is what the definition calls the secret of that name; nil is the same.
	SecretName func(name string) string
	// Import takes jobs as the service gave them away: secrets that are missing are referred to all the same, and a job that is completed
	// or faulted is disabled.
	Import bool
}

// A Translation is a job of the service as an engine.Job.
type Translation struct {
	Job     *engine.Job
	Secrets []Secret // taken out; the definition refers to them
}

// Translate makes a job of a document. Its definition holds references in the place of secrets, due times that pass while it runs or while
// the server is down are dropped (overlap and misfire skip), and its hours are UTC.
func (d *Document) Translate(t Target) (*Translation, Mistakes) {
	p, secrets, mistakes := d.prepare(t)
	if len(mistakes) > 0 {
		return nil, mistakes
	}
	source := t.Source
	if source == nil {
		source = func(name string) engine.SecretSource {
			return engine.SecretSource{Env: EnvName(t.Workflow, t.Job, name)}
		}
	}
	var sources ordered
	for _, s := range secrets {
		var from ordered
		where := source(s.Name)
		from.putText("file", where.File)
		from.putText("env", where.Env)
		from.putText("resource", where.Resource)
		sources.put(s.Name, from)
	}
	job := fileJob(p)
	if p.When().AtOnce && !t.Import {
		job.put("atOnce", true)
	}
	file := ordered{{"workflow", t.Workflow}, {"defaults", fileDefaults()}}
	file.putObject("secrets", sources)
	file.put("jobs", ordered{{t.Job, job}})
	text, err := file.MarshalJSON()
	if err != nil {
		return nil, Mistakes{{Message: err.Error()}}
	}
	w, problems := spec.Decode("job", text, spec.Options{Made: true})
	if problems.HasErrors() {
		for _, problem := range problems {
			if problem.Severity == spec.Error {
				mistakes.add(d.at("properties"), "%s", problem.Message)
			}
		}
		return nil, mistakes
	}
	if too := d.tooFast(&w.Jobs[0].When, t.Limits); too != nil {
		return nil, Mistakes{*too}
	}
	return &Translation{Job: w.Jobs[0], Secrets: secrets}, nil
}

// prepare judges the document and returns its properties with references in the place of secrets.
func (d *Document) prepare(t Target) (*Properties, []Secret, Mistakes) {
	p := d.Properties.clone()
	var mistakes Mistakes
	if p.State == StateCompleted || p.State == StateFaulted {
		if !t.Import {
			mistakes.add(d.at("properties.state"), "The state of a job cannot be set to '%s'; it must be Enabled or Disabled.", p.State)
		}
		p.State = StateDisabled
	}
	var secrets []Secret
	for _, s := range p.slots() {
		if *s.value == "" && s.need == needed && !t.Import {
			mistakes.add(d.at(s.path), "The required property '%s' is missing.", s.path[strings.LastIndexByte(s.path, '.')+1:])
		}
		if *s.value == "" && !t.Import {
			continue
		}
		name := s.name
		if t.SecretName != nil {
			name = t.SecretName(name)
		}
		secrets = append(secrets, Secret{Name: name, Path: s.path, Value: *s.value})
		*s.value = "${{ secrets." + name + " }}"
	}
	mistakes = append(mistakes, d.certificates()...)
	if t.Limits != nil {
		mistakes = append(mistakes, d.hold(t.Limits)...)
		if t.Limits.Free {
			p.retryHourly()
		}
	}
	when := p.When()
	for _, wrong := range when.Validate() {
		mistakes.add(d.at(whenPath(wrong.Field)), "The recurrence is not valid: %s.", strings.TrimSuffix(wrong.Message, "."))
	}
	return p, secrets, mistakes
}

// retryHourly gives the retries that say no interval that of the Free plan: the service's default of 30 seconds is shorter than the plan allows.
func (p *Properties) retryHourly() {
	if p.Action.RetryPolicy == nil { // also for the error action, which has the action's when it has none
		p.Action.RetryPolicy = &RetryPolicy{RetryType: RetryFixed}
	}
	for _, a := range p.actions() {
		if r := a.RetryPolicy; r != nil && r.RetryType == RetryFixed && r.RetryInterval == nil {
			r.RetryInterval = Lasting(shortestFree)
		}
	}
}

// whenPath is the member that a path of package recurrence means.
func whenPath(path string) string {
	switch first, _, _ := strings.Cut(path, "."); first {
	case "startTime":
		return "properties.startTime"
	case "recurrence":
		return "properties.recurrence"
	default:
		return "properties.recurrence." + path
	}
}

// certificates refuses a client certificate that cannot be read.
func (d *Document) certificates() Mistakes {
	var mistakes Mistakes
	actions := d.Properties.actions()
	for _, path := range slices.Sorted(maps.Keys(actions)) {
		a := actions[path]
		if a.Request == nil || a.Request.Authentication == nil || a.Request.Authentication.PFX == "" || a.Request.Authentication.Type != AuthCertificate {
			continue
		}
		if _, err := ReadCertificate(a.Request.Authentication.PFX, a.Request.Authentication.Password); err != nil {
			mistakes.add(d.at(path+".request.authentication.pfx"), "The client certificate cannot be read: %s.", err)
		}
	}
	return mistakes
}

// actions are the action and the error action by their paths.
func (p *Properties) actions() map[string]*Action {
	m := map[string]*Action{"properties.action": p.Action}
	if p.Action.ErrorAction != nil {
		m["properties.action.errorAction"] = p.Action.ErrorAction
	}
	return m
}

// hold judges what depends on the clock and the plan, and the sizes.
func (d *Document) hold(l *Limits) Mistakes {
	var m Mistakes
	p := d.Properties
	if d.chars > MaxJobChars {
		m.add("", "The size of the job definition is %d characters; it must be at most %d.", d.chars, MaxJobChars)
	}
	if p.StartTime != nil && p.StartTime.After(l.Now.AddDate(0, monthsAhead, 0)) {
		m.add(d.at("properties.startTime"), "The start time '%s' is more than %d months ahead.", p.StartTime, monthsAhead)
	}
	actions := p.actions()
	for _, path := range slices.Sorted(maps.Keys(actions)) {
		a := actions[path]
		if q := a.Request; q != nil {
			m = append(m, d.holdRequest(path+".request", q, l.Free)...)
		}
		least, words := shortestRetry, "15 seconds"
		if l.Free {
			least, words = shortestFree, "1 hour in a job collection of the Free plan"
		}
		if r := a.RetryPolicy; r != nil && r.RetryType == RetryFixed && r.RetryInterval != nil && r.RetryInterval.Length < least {
			m.add(d.at(path+".retryPolicy.retryInterval"), "The retry interval '%s' is out of range; it must be at least %s.", r.RetryInterval.Text, words)
		}
	}
	return m
}

func (d *Document) holdRequest(path string, q *Request, free bool) Mistakes {
	var m Mistakes
	if n := utf8.RuneCountInString(q.URI); n > MaxURIChars {
		m.add(d.at(path+".uri"), "The request URI has %d characters; it must have at most %d.", n, MaxURIChars)
	}
	if n := utf8.RuneCountInString(q.Body); n > MaxBodyChars {
		m.add(d.at(path+".body"), "The request body has %d characters; it must have at most %d.", n, MaxBodyChars)
	}
	total := 0
	for name, value := range q.Headers {
		total += utf8.RuneCountInString(name) + utf8.RuneCountInString(value)
	}
	if n := len(q.Headers); n > MaxHeaders {
		m.add(d.at(path+".headers"), "The request has %d headers; it must have at most %d.", n, MaxHeaders)
	}
	if total > MaxHeaderChars {
		m.add(d.at(path+".headers"), "The request headers have %d characters together; they must have at most %d.", total, MaxHeaderChars)
	}
	if free && q.Authentication != nil {
		m.add(d.at(path+".authentication"), "A job collection of the Free plan does not allow HTTP authentication.")
	}
	return m
}

// tooFast is the mistake of a job that recurs faster than its collection allows, judged by the shortest gap of its real occurrences.
func (d *Document) tooFast(w *recurrence.When, l *Limits) *Mistake {
	if l == nil || l.MaxFrequency == 0 || w.Rule == nil {
		return nil
	}
	least := ShortestGap(l.MaxFrequency, l.MaxInterval)
	if least <= time.Minute {
		return nil // nothing recurs faster
	}
	table, err := w.Compile(recurrence.Created(l.Now))
	if err != nil {
		return nil //nolint:nilerr // a schedule that never fires from now on is not too fast; it is judged as it is loaded
	}
	gap := table.MinGap()
	if gap == 0 || gap >= least {
		return nil
	}
	return &Mistake{Path: d.at("properties.recurrence"), Conflict: true,
		Message: fmt.Sprintf("Two executions of the job can be %s apart; the job collection's maxRecurrence allows no more than one every %d %s.", gap, max(l.MaxInterval, 1), l.MaxFrequency)}
}

// ShortestGap is the least time between two UTC occurrences that are n units apart: a month may have 28 days.
func ShortestGap(unit recurrence.Frequency, n int) time.Duration {
	const day = 24 * time.Hour
	length := map[recurrence.Frequency]time.Duration{recurrence.Minute: time.Minute, recurrence.Hour: time.Hour, recurrence.Day: day, recurrence.Week: 7 * day,
		recurrence.Month: 28 * day, recurrence.Year: 365 * day}[unit]
	return time.Duration(max(n, 1)) * length
}

// When is what the properties say about due times.
func (p *Properties) When() recurrence.When {
	w := recurrence.When{Location: time.UTC}
	if p.StartTime != nil {
		w.Start = p.StartTime.UTC().Truncate(time.Millisecond)
	}
	r := p.Recurrence
	if r == nil {
		return w
	}
	rule := &recurrence.Rule{Interval: r.Interval, Count: r.Count}
	rule.Frequency, _ = recurrence.ParseFrequency(r.Frequency) // what is not one is refused by Validate
	if r.EndTime != nil {
		rule.End = r.EndTime.UTC().Truncate(time.Millisecond)
	}
	if s := r.Schedule; s != nil {
		rule.Schedule.Minutes, rule.Schedule.Hours, rule.Schedule.MonthDays = slices.Clone(s.Minutes), slices.Clone(s.Hours), slices.Clone(s.MonthDays)
		for _, day := range s.WeekDays {
			rule.Schedule.WeekDays = append(rule.Schedule.WeekDays, weekdayOf(day))
		}
		for _, o := range s.MonthlyOccurrences {
			rule.Schedule.MonthlyOccurrences = append(rule.Schedule.MonthlyOccurrences, recurrence.MonthlyOccurrence{Day: weekdayOf(o.Day), Occurrence: o.Occurrence})
		}
	}
	w.Rule = rule
	w.AtOnce = w.Start.IsZero() && !rule.Schedule.IsZero()
	return w
}
