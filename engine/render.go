package engine

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/almanac-sched/almanac/recurrence"
)

// A Scope holds the values that the texts of one attempt may name.
type Scope struct {
	PlanTime time.Time // in the job's zone, which decides what planDay is
	Workflow string
	Job      string
	Instance string
	Attempt  int
	Now      time.Time
	Params   map[string]string
	Secret   func(name string) (string, error)     // nil: there are no secrets
	Outputs  func(step, key string) (string, bool) // nil: there are no outputs
	Item     func() (string, error)                // nil: the step runs once
	Calendar *recurrence.Calendar                  // for offsets in work days; nil refuses them

	Window func() (from, to time.Time) // asked for only by a text that names it; required then
}

// maxRendered is the greatest length of a rendered text in bytes.
const maxRendered = 1 << 20

// Render replaces the substitutions in one pass: what a parameter, a secret or an output holds is never looked at again.
func (t Text) Render(s Scope) (string, error) {
	if !strings.Contains(string(t), opening) {
		if len(t) > maxRendered {
			return "", fmt.Errorf("the text has %d bytes; at most %d are allowed", len(t), maxRendered)
		}
		return string(t), nil
	}
	var b strings.Builder
	for _, p := range t.parts() {
		value := p.literal
		switch {
		case p.wrong != nil:
			return "", p.wrong
		case p.substitution:
			var err error
			if value, err = s.value(p.reference); err != nil {
				return "", fmt.Errorf("${{ %s }}: %w", p.reference, err)
			}
			if strings.IndexByte(value, 0) >= 0 {
				return "", fmt.Errorf("${{ %s }}: its value holds a NUL byte, which no process and no request can take", p.reference)
			}
		}
		if b.Len()+len(value) > maxRendered {
			return "", fmt.Errorf("the rendered text is longer than %d bytes", maxRendered)
		}
		b.WriteString(value)
	}
	return b.String(), nil
}

func (s Scope) value(r Reference) (string, error) {
	switch r.Kind {
	case RefParam:
		if v, ok := s.Params[r.Name]; ok {
			return v, nil
		}
		return "", errors.New("the parameter has no value")
	case RefSecret:
		if s.Secret == nil {
			return "", errors.New("no secrets can be read here")
		}
		v, err := s.Secret(r.Name)
		if err != nil {
			return "", fmt.Errorf("read the secret: %w", err)
		}
		return v, nil
	case RefOutput:
		if s.Outputs != nil {
			if v, ok := s.Outputs(r.Step, r.Name); ok {
				return v, nil
			}
		}
		return "", fmt.Errorf("the step %s has written no output %s", r.Step, r.Name)
	case RefItem:
		if s.Item == nil {
			return "", errors.New("the step does not run once for each item of a list")
		}
		return s.Item()
	case RefIdentity:
		switch r.Name {
		case "workflow":
			return s.Workflow, nil
		case "job":
			return s.Job, nil
		case "instance":
			return s.Instance, nil
		default:
			return strconv.Itoa(s.Attempt), nil
		}
	default:
		return s.time(r)
	}
}

// time renders a name that is a time, or a day of the plan time's zone.
func (s Scope) time(r Reference) (string, error) {
	t, zone := s.PlanTime, s.PlanTime.Location()
	switch r.Name {
	case "planDay", "dataDay":
		d := recurrence.DateOf(t)
		if r.Name == "dataDay" {
			d = d.AddDays(-1)
		}
		if err := s.moveDay(&d, r.offset); err != nil {
			return "", err
		}
		return formatDay(d, zone, r.format), nil
	case "windowStart":
		t, _ = s.Window()
	case "windowEnd":
		_, t = s.Window()
	case "now":
		t = s.Now
	}
	t = t.In(zone)
	switch r.offset.unit {
	case "":
	case "h", "m", "s":
		unit := map[string]time.Duration{"h": time.Hour, "m": time.Minute, "s": time.Second}[r.offset.unit]
		t = t.Add(time.Duration(r.offset.n) * unit)
	default:
		d := recurrence.DateOf(t)
		if err := s.moveDay(&d, r.offset); err != nil {
			return "", err
		}
		t = time.Date(d.Year, d.Month, d.Day, t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), zone)
	}
	if t.Year() < 1 || t.Year() > 9999 {
		return "", fmt.Errorf("the year %d is out of range", t.Year())
	}
	return formatTime(t, t, r.format), nil
}

// moveDay moves a day by calendar. A day that the month reached does not have becomes the month's last.
func (s Scope) moveDay(d *recurrence.Date, o textOffset) error {
	switch o.unit {
	case "w":
		*d = d.AddDays(7 * o.n)
	case "d":
		*d = d.AddDays(o.n)
	case "wd":
		if s.Calendar == nil {
			return errors.New("an offset in work days needs a calendar on the job")
		}
		moved, ok := s.Calendar.AddWorkDays(*d, o.n)
		if !ok {
			return fmt.Errorf("the calendar %s has no such work day", s.Calendar.Name)
		}
		*d = moved
	case "y", "M":
		months := o.n
		if o.unit == "y" {
			months *= 12
		}
		first := time.Date(d.Year, d.Month+time.Month(months), 1, 0, 0, 0, 0, time.UTC)
		last := first.AddDate(0, 1, -1).Day()
		*d = recurrence.Date{Year: first.Year(), Month: first.Month(), Day: min(d.Day, last)}
	}
	if d.Year < 1 || d.Year > 9999 {
		return fmt.Errorf("the year %d is out of range", d.Year)
	}
	return nil
}

func formatDay(d recurrence.Date, zone *time.Location, f textFormat) string {
	if f == nil || f[0] == "iso" {
		return d.String()
	}
	// The letters show the day's nominal beginning, 00:00, even where the clocks skip it; its instant is the first that exists.
	return formatTime(time.Date(d.Year, d.Month, d.Day, 0, 0, 0, 0, time.UTC), recurrence.DayStart(d, zone), f)
}

// formatTime writes the wall clock of local; the instant gives unix time and the zone's offset.
func formatTime(local, instant time.Time, f textFormat) string {
	if f == nil {
		return local.Format("2006-01-02T15:04:05.999Z07:00")
	}
	var b strings.Builder
	for _, group := range f {
		switch group {
		case "iso":
			b.WriteString(local.Format("2006-01-02T15:04:05.999Z07:00"))
		case "unix":
			b.WriteString(strconv.FormatInt(instant.Unix(), 10))
		case "H":
			b.WriteString(strconv.Itoa(local.Hour()))
		case "SSS":
			fmt.Fprintf(&b, "%03d", local.Nanosecond()/int(time.Millisecond))
		case "XXX":
			b.WriteString(instant.Format(formatGroups[group]))
		default:
			if layout, ok := formatGroups[group]; ok {
				b.WriteString(local.Format(layout))
			} else {
				b.WriteString(group)
			}
		}
	}
	return b.String()
}

// Render returns a copy of the action in which every text is rendered. The error names the field that could not be.
func (a Action) Render(s Scope) (Action, error) {
	r := renderer{scope: s}
	if a.Shell != nil {
		shell := *a.Shell
		shell.Command = r.text("command", shell.Command)
		shell.Args = slices.Clone(shell.Args)
		for i := range shell.Args {
			shell.Args[i] = r.text(fmt.Sprintf("args[%d]", i), shell.Args[i])
		}
		shell.Env = r.texts("env", shell.Env)
		a.Shell = &shell
	}
	if a.HTTP != nil {
		a.HTTP = r.http(*a.HTTP)
	}
	if q := a.Queue; q != nil {
		a.Queue = &StorageQueue{Account: r.text("storageAccount", q.Account), Queue: r.text("queueName", q.Queue), SAS: r.text("sasToken", q.SAS),
			Message: r.text("message", q.Message), URI: r.text("queueUri", q.URI)}
	}
	if a.Bus != nil {
		a.Bus = r.bus(*a.Bus)
	}
	if a.SQL != nil {
		a.SQL = r.sql(*a.SQL)
	}
	if a.Probe != nil {
		a.Probe = r.probe(*a.Probe)
	}
	return a, r.err
}

// http renders the texts of a request.
func (r *renderer) http(h HTTP) *HTTP {
	h.URI = r.text("uri", h.URI)
	h.Headers = r.texts("headers", h.Headers)
	h.Body = r.text("body", h.Body)
	if h.Basic != nil {
		h.Basic = &BasicAuth{Username: r.text("username", h.Basic.Username), Password: r.text("password", h.Basic.Password)}
	}
	if c := h.Certificate; c != nil {
		h.Certificate = &ClientCertificate{PFX: r.text("pfx", c.PFX), Password: r.text("password", c.Password)}
	}
	if o := h.OAuth; o != nil {
		h.OAuth = &OAuth{Tenant: r.text("tenant", o.Tenant), Audience: r.text("audience", o.Audience), ClientID: r.text("clientId", o.ClientID),
			Secret: r.text("secret", o.Secret)}
	}
	return &h
}

// sql renders the texts of a statement on a database.
func (r *renderer) sql(s SQL) *SQL {
	s.Connection = r.text("connection", s.Connection)
	s.Statement = r.text("statement", s.Statement)
	s.Args = slices.Clone(s.Args)
	for i := range s.Args {
		s.Args[i] = r.text(fmt.Sprintf("args[%d]", i), s.Args[i])
	}
	return &s
}

// probe renders the texts of what a step waits for.
func (r *renderer) probe(p Probe) *Probe {
	if p.HTTP != nil {
		p.HTTP = r.http(*p.HTTP)
	}
	if p.SQL != nil {
		p.SQL = r.sql(*p.SQL)
	}
	if p.File != nil {
		file := *p.File
		file.Path = r.text("file", file.Path)
		p.File = &file
	}
	return &p
}

// bus renders the texts of a message to the Service Bus, under the names that a file has for them.
func (r *renderer) bus(b ServiceBus) *ServiceBus {
	p := &b.Brokered
	for _, field := range []struct {
		name string
		text *Text
	}{
		{"namespace", &b.Namespace}, {"queueName or topicPath", &b.Entity}, {"sasKeyName", &b.KeyName}, {"sasKey", &b.Key}, {"message", &b.Message},
		{"contentType", &p.ContentType}, {"correlationId", &p.CorrelationID}, {"label", &p.Label}, {"messageId", &p.MessageID}, {"partitionKey", &p.PartitionKey},
		{"replyTo", &p.ReplyTo}, {"replyToSessionId", &p.ReplyToSessionID}, {"sessionId", &p.SessionID}, {"to", &p.To}, {"viaPartitionKey", &p.ViaPartitionKey},
		{"scheduledEnqueueTimeUtc", &p.ScheduledEnqueue},
	} {
		*field.text = r.text(field.name, *field.text)
	}
	b.Custom = r.texts("customMessageProperties", b.Custom)
	return &b
}

// renderer renders many texts and keeps the first error.
type renderer struct {
	scope Scope
	err   error
}

func (r *renderer) text(field string, t Text) Text {
	if r.err != nil {
		return ""
	}
	rendered, err := t.Render(r.scope)
	if err != nil {
		r.err = fmt.Errorf("%s: %w", field, err)
	}
	return Text(rendered)
}

func (r *renderer) texts(field string, m map[string]Text) map[string]Text {
	m = maps.Clone(m)
	for _, name := range slices.Sorted(maps.Keys(m)) {
		m[name] = r.text(field+" "+name, m[name])
	}
	return m
}
