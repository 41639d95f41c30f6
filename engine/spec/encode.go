package spec

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/almanac-sched/almanac/deps"
	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/recurrence"
)

// members is an object of a definition. json.Marshal writes its keys in order, which makes the bytes canonical.
type members map[string]any

// put adds a member unless it has its default.
func put[T comparable](m members, name string, value, absent T) {
	if value != absent {
		m[name] = value
	}
}

func putList[T any](m members, name string, list []T) {
	if len(list) > 0 {
		m[name] = list
	}
}

func putDuration(m members, name string, value, absent time.Duration) {
	if value != absent {
		m[name] = FormatDuration(value)
	}
}

// encode writes the canonical definition of a job: a workflow document that holds it alone, with everything that it inherits, in a normal
// form, without what has its default. Decoding it gives the same job.
func encode(job *engine.Job) []byte {
	doc := members{"workflow": job.Workflow, "jobs": members{job.Name: jobMembers(job)}}
	put(doc, "timeZone", zoneName(job.When.Location), "UTC")
	if c := job.When.Calendar; c != nil {
		doc["calendars"] = members{c.Name: calendarMembers(c)}
	}
	return marshal(doc)
}

// marshal writes JSON that is also YAML: control characters and byte order marks, which YAML refuses or changes, are escaped.
func marshal(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic("stuck, this is a bug: a definition is made of texts, numbers and flags: " + err.Error())
	}
	plain := bytes.TrimSuffix(b.Bytes(), []byte{'\n'})
	if !bytes.ContainsFunc(plain, unsafeInYAML) {
		return plain
	}
	var escaped bytes.Buffer
	for _, r := range string(plain) {
		if unsafeInYAML(r) {
			fmt.Fprintf(&escaped, `\u%04x`, r)
			continue
		}
		escaped.WriteRune(r)
	}
	return escaped.Bytes()
}

func unsafeInYAML(r rune) bool {
	return r >= 0x7f && r <= 0x9f || r == 0xfeff || r == 0xfffe || r == 0xffff
}

func zoneName(loc *time.Location) string {
	if loc == nil {
		return "UTC"
	}
	return loc.String()
}

func calendarMembers(c *recurrence.Calendar) members {
	days := []string{}
	for day := time.Sunday; day <= time.Saturday; day++ {
		if c.WorkDays[day] {
			days = append(days, weekdayWord(day))
		}
	}
	m := members{"workDays": days}
	for name, list := range map[string][]recurrence.DateRange{"off": c.Off, "on": c.On} {
		texts := make([]string, len(list))
		for i, r := range list {
			texts[i] = r.From.String()
			if r.To != r.From {
				texts[i] += ".." + r.To.String()
			}
		}
		putList(m, name, texts)
	}
	return m
}

func weekdayWord(day time.Weekday) string { return weekdayType.words[(int(day)+6)%7] }

func jobMembers(job *engine.Job) members {
	m := members{}
	put(m, "description", job.Description, "")
	putList(m, "tags", job.Tags)
	if job.Disabled {
		m["state"] = "disabled"
	}
	whenMembersOf(m, job)
	putDuration(m, "spread", job.Spread, 0)
	put(m, "misfire", job.Misfire, engine.MisfireRunAll)
	putDuration(m, "misfireWindow", job.MisfireWindow, defaultMisfireWindow)
	var list []members
	for i := range job.DependsOn {
		list = append(list, dependencyMembers(job, &job.DependsOn[i]))
	}
	putList(m, "dependsOn", list)
	put(m, "concurrency", job.Concurrency, 1)
	put(m, "overlap", job.Overlap, engine.OverlapQueue)
	putDuration(m, "waitTimeout", job.WaitTimeout, defaultWaitTimeout)
	put(m, "confirm", job.Confirm, false)
	doMembersOf(m, job)
	put(m, "priority", job.Priority, defaultPriority)
	put(m, "pool", job.Pool, "")
	put(m, "slots", job.Slots, 1)
	putDuration(m, "deadline", job.Deadline, 0)
	if job.Notify != nil {
		list := []members{}
		for _, n := range job.Notify {
			list = append(list, notifyMembers(n))
		}
		m["notify"] = list
	}
	put(m, "onLost", job.OnLost, engine.LostRetry)
	if len(job.Env) > 0 {
		m["env"] = job.Env
	}
	if len(job.Params) > 0 {
		params := members{}
		for _, p := range job.Params {
			params[p.Name] = paramMembers(p)
		}
		m["params"] = params
	}
	if len(job.Secrets) > 0 {
		secrets := members{}
		for name, s := range job.Secrets {
			source := members{}
			put(source, "env", s.Env, "")
			put(source, "file", s.File, "")
			put(source, "resource", s.Resource, "")
			secrets[name] = source
		}
		m["secrets"] = secrets
	}
	return m
}

func paramMembers(p engine.Param) members {
	m := members{"type": p.Type}
	if p.Default != nil {
		m["default"] = *p.Default
	}
	put(m, "required", p.Required, false)
	putList(m, "enum", p.Enum)
	put(m, "description", p.Description, "")
	put(m, "pattern", p.Pattern, "")
	put(m, "secret", p.Secret, false)
	if p.Min != nil {
		m["min"] = json.RawMessage(strconv.FormatFloat(*p.Min, 'f', -1, 64))
	}
	if p.Max != nil {
		m["max"] = json.RawMessage(strconv.FormatFloat(*p.Max, 'f', -1, 64))
	}
	return m
}

// whenMembersOf writes what decides when the job is due. Times are in the job's zone, with their offset.
func whenMembersOf(m members, job *engine.Job) {
	w := &job.When
	putTime(m, "startTime", w.Start)
	putTime(m, "endTime", w.End)
	put(m, "atOnce", w.AtOnce, false)
	put(m, "cron", w.Cron, "")
	if w.Manual {
		m["trigger"] = "manual"
		if job.Webhook != nil {
			m["trigger"] = webhookMembers(job.Webhook)
		}
	}
	at := make([]string, len(w.At))
	for i, t := range w.At {
		at[i] = formatTime(t)
	}
	putList(m, "at", at)
	if w.Rule != nil {
		m["recurrence"] = ruleMembers(w.Rule)
	}
	dst := members{}
	put(dst, "gap", w.Gap.String(), recurrence.GapShift.String())
	put(dst, "overlap", w.Overlap.String(), recurrence.OverlapFirst.String())
	if len(dst) > 0 {
		m["dst"] = dst
	}
	if w.Calendar != nil {
		m["calendar"] = w.Calendar.Name
		put(m, "offCalendar", w.OffCalendar.String(), recurrence.OffDryRun.String())
	}
	if job.Period != inferredPeriod(w) {
		m["period"] = job.Period.Class.String()
	}
}

func putTime(m members, name string, t time.Time) {
	if !t.IsZero() {
		m[name] = formatTime(t)
	}
}

// formatTime writes a time with its offset, or in UTC where that is no whole number of minutes, as local mean time was.
func formatTime(t time.Time) string {
	if _, offset := t.Zone(); offset%60 != 0 {
		t = t.UTC()
	}
	return t.Format(time.RFC3339Nano)
}

func ruleMembers(r *recurrence.Rule) members {
	m := members{"frequency": r.Frequency.String()}
	put(m, "interval", r.Interval, 1)
	put(m, "count", r.Count, 0)
	putTime(m, "endTime", r.End)
	s := members{}
	putList(s, "minutes", r.Schedule.Minutes)
	putList(s, "hours", r.Schedule.Hours)
	putList(s, "monthDays", r.Schedule.MonthDays)
	putList(s, "workDays", r.Schedule.WorkDays)
	var days []string
	for _, day := range r.Schedule.WeekDays {
		days = append(days, weekdayWord(day))
	}
	putList(s, "weekDays", days)
	var occurrences []members
	for _, o := range r.Schedule.MonthlyOccurrences {
		entry := members{"day": weekdayWord(o.Day)}
		put(entry, "occurrence", o.Occurrence, 0)
		occurrences = append(occurrences, entry)
	}
	putList(s, "monthlyOccurrences", occurrences)
	if len(s) > 0 {
		m["schedule"] = s
	}
	return m
}

func dependencyMembers(job *engine.Job, x *engine.Dependency) members {
	e := &x.Edge
	m := members{"job": x.Job.String()}
	if x.Job.Workflow == job.Workflow {
		m["job"] = x.Job.Job
	}
	if e.Self {
		m["job"] = selfWord
	}
	if e.Policy == deps.Traditional {
		m["policy"] = e.Policy.String()
	}
	put(m, "previous", e.Previous, 0)
	if e.Nearest {
		m["rule"] = "nearest"
	}
	if e.Select != (deps.Select{}) {
		m["select"] = e.Select.String()
	}
	if w := e.Window; w != nil {
		window := members{"from": formatOffset(w.From), "to": formatOffset(w.To)}
		put(window, "closed", w.Closed.String(), deps.Left.String())
		m["window"] = window
	}
	putList(m, "hours", e.Hours)
	if x.OnMissingStated {
		m["onMissing"] = x.OnMissing
	}
	put(m, "onFailed", x.OnFailed, engine.FailedWait)
	put(m, "waitPreviousEnd", x.WaitPreviousEnd, false)
	putDuration(m, "timeout", x.Timeout, 0)
	return m
}

// doMembersOf writes the action or the steps, each with the retries and the timeout that hold for it.
func doMembersOf(m members, job *engine.Job) {
	if len(job.Steps) == 1 && job.Steps[0].Name == "" {
		a := &job.Steps[0].Action
		m["action"] = actionMembers(a, job.Workflow)
		triesOf(m, a, false)
	} else {
		steps := members{}
		for i := range job.Steps {
			steps[job.Steps[i].Name] = stepMembers(&job.Steps[i], job.Workflow)
		}
		m["steps"] = steps
	}
	if a := job.ErrorAction; a != nil {
		e := actionMembers(a, job.Workflow)
		triesOf(e, a, true)
		m["errorAction"] = e
	}
}

func stepMembers(s *engine.Step, workflow string) members {
	m := actionMembers(&s.Action, workflow)
	forEachMembers(s.ForEach, m)
	triesOf(m, &s.Action, false)
	putList(m, "needs", s.Needs)
	put(m, "when", s.When, "")
	put(m, "onFailure", s.OnFailure, engine.StepFail)
	return m
}

// triesOf writes the retryPolicy, left out where it is none by default, and the timeout. An error action would inherit one, so that none is
// written too; nor must it inherit the timeout that a job of Azure's types has by default.
func triesOf(m members, a *engine.Action, inherits bool) {
	p := a.Retry
	if p.Type != engine.RetryNone || isAzure(a.Type) || inherits && a.Type != engine.ActionNone {
		retry := members{"retryType": p.Type}
		if p.Type != engine.RetryNone {
			retry["retryInterval"], retry["retryCount"] = FormatDuration(p.Interval), p.Count
			putList(retry, "on", p.On)
		}
		m["retryPolicy"] = retry
	}
	absent := time.Duration(0)
	if isAzure(a.Type) && !inherits {
		absent = defaultAzureTimeout
	}
	putDuration(m, "timeout", a.Timeout, absent)
}

func actionMembers(a *engine.Action, workflow string) members {
	m := members{"type": a.Type}
	if s := a.Shell; s != nil {
		put(m, "command", s.Command, "")
		put(m, "script", s.Script, "")
		putList(m, "args", s.Args)
		if len(s.Env) > 0 {
			m["env"] = s.Env
		}
		put(m, "dir", s.Dir, "")
	}
	if h := a.HTTP; h != nil {
		m["request"] = requestMembers(h)
		putList(m, "expect", h.Expect)
		if len(h.Outputs) > 0 {
			m["outputs"] = h.Outputs
		}
	}
	if a.Queue != nil {
		m["queueMessage"] = queueMembers(a.Queue)
		put(m, "queueUri", a.Queue.URI, "")
	}
	if a.Bus != nil {
		m[messageMembers[a.Type]] = busMembers(a.Bus, a.Type)
	}
	switch {
	case a.SQL != nil:
		sqlMembers(a.SQL, m)
	case a.Probe != nil:
		probeMembers(a.Probe, m)
	case a.Call != nil:
		callMembers(a.Call, m, workflow)
	}
	return m
}

func requestMembers(h *engine.HTTP) members {
	request := members{"method": h.Method, "uri": h.URI}
	if len(h.Headers) > 0 {
		request["headers"] = h.Headers
	}
	put(request, "body", h.Body, "")
	if auth := authenticationMembers(h); auth != nil {
		request["authentication"] = auth
	}
	return request
}
