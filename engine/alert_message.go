package engine

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
)

// An AlertMessage is what one delivery says. It is written when it is decided on, and not changed any more once it was sent, so that a repeated delivery
// says the same.
type AlertMessage struct {
	ID       string         `json:"id"`                 // of the delivery: the same whenever it is repeated
	Incident string         `json:"incident,omitempty"` // none of a test
	Class    AlertClass     `json:"class"`
	Kind     AlertKind      `json:"kind,omitempty"`
	Title    string         `json:"title"`
	Text     string         `json:"text"`
	Root     *AlertInstance `json:"root,omitempty"`
	Reason   string         `json:"reason,omitempty"`
	Counts   map[string]int `json:"counts,omitempty"`  // members by kind
	Members  []AlertMember  `json:"members,omitempty"` // at most 100, those in trouble before blocked ones
	OpenedAt time.Time      `json:"openedAt,omitzero"`
	At       time.Time      `json:"at"`
	Acked    string         `json:"acknowledgedBy,omitempty"`
	Attempt  string         `json:"attempt,omitempty"` // the last of the root, whose output says more
	Log      []string       `json:"log,omitempty"`     // the last lines of its output, put in when the message is sent
	Link     string         `json:"link,omitempty"`    // to the incident's page, where the server knows its own address; put in like Log
}

// An AlertInstance names an instance in a message.
type AlertInstance struct {
	ID       string    `json:"id"`
	Workflow string    `json:"workflow"`
	Job      string    `json:"job"`
	PlanTime time.Time `json:"planTime"`
}

func alertInstance(id int64, ref JobRef, planTime time.Time) *AlertInstance {
	return &AlertInstance{ID: fmt.Sprint(id), Workflow: ref.Workflow, Job: ref.Job, PlanTime: planTime}
}

// Name is workflow/job@plan time.
func (i *AlertInstance) Name() string {
	return i.Workflow + "/" + i.Job + "@" + PlanTimeText(i.PlanTime)
}

// An AlertMember is a member of the incident.
type AlertMember struct {
	AlertInstance
	Kind AlertKind `json:"kind"`
}

// MembersNamed is how many members a message or an answer names; the others are in the counts.
const MembersNamed = 100

// alertWords begins the sentence of each kind.
var alertWords = map[AlertKind]string{
	AlertNeverStarted: "had not started at its deadline", AlertWillBeLate: "will be late", AlertStillRunning: "still ran at its deadline",
	AlertEndedLate: "ended after its deadline", AlertFailed: "failed", AlertLost: "has an unknown outcome", AlertCancelled: "was cancelled",
	AlertRoot: "holds up others", AlertBlocked: "is blocked",
}

// Words is the kind as the end of a sentence that begins with an instance.
func (k AlertKind) Words() string { return alertWords[k] }

// tell writes the messages about what has come into an incident, or about its growth.
func (a *alerting) tell(inc *touchedIncident, all int) error {
	if a.rules.Notifier == nil {
		inc.row.Told = all
		return nil
	}
	sent, err := a.tx.Deliveries(inc.row.ID)
	if err != nil {
		return err
	}
	told := map[string]int{} // the heaviest class of each sink
	for _, d := range sent {
		told[d.Sink] = max(told[d.Sink], d.Class.weight())
	}
	slices.SortStableFunc(inc.troubles, func(a, b trouble) int { return cmp.Compare(b.class.weight(), a.class.weight()) })
	var text *AlertMessage
	for _, tr := range inc.troubles {
		for _, rule := range a.rulesOf(tr.jobs, tr.class) {
			if told[rule.Sink] >= tr.class.weight() {
				continue
			}
			quiet, err := a.tooSoon(rule, inc.row.Cause, tr.class)
			if err != nil {
				return err
			}
			if quiet {
				continue
			}
			if text, err = a.deliver(inc, rule.Sink, tr.class, text); err != nil {
				return err
			}
			told[rule.Sink] = tr.class.weight()
			inc.row.Told = all
		}
	}
	if inc.fresh {
		inc.row.Told = all
	}
	if inc.grown && len(inc.troubles) == 0 && all > inc.row.Told && inc.row.Acked.IsZero() {
		inc.row.Told = all
		return a.tellAgain(inc, ClassUpdate)
	}
	return nil
}

// tellAgain tells those who know of an incident how it goes on.
func (a *alerting) tellAgain(inc *touchedIncident, class AlertClass) error {
	sent, err := a.tx.Deliveries(inc.row.ID)
	if err != nil {
		return err
	}
	unwanted := map[string]bool{}
	if class == ClassRecovery {
		if unwanted, err = a.unwanted(inc, class); err != nil {
			return err
		}
	}
	var text *AlertMessage
	for _, d := range sent {
		if unwanted[d.Sink] {
			continue
		}
		unwanted[d.Sink] = true // once
		if text, err = a.deliver(inc, d.Sink, class, text); err != nil {
			return err
		}
	}
	return nil
}

// unwanted finds the sinks that the root's job names and does not tell of the class.
func (a *alerting) unwanted(inc *touchedIncident, class AlertClass) (map[string]bool, error) {
	sinks := map[string]bool{}
	members, err := a.tx.Members(inc.row.ID, 1)
	if err != nil || len(members) == 0 {
		return sinks, err
	}
	d := a.defs.lookup(members[0].Ref)
	if d == nil {
		return sinks, nil
	}
	wanted := a.rulesOf([]*Job{d.job}, class)
	for _, rule := range a.rulesOf([]*Job{d.job}, "") {
		if !slices.ContainsFunc(wanted, func(w Notify) bool { return w.Sink == rule.Sink }) {
			sinks[rule.Sink] = true
		}
	}
	return sinks, nil
}

// takes reports whether the line is about messages of the class.
func (n *Notify) takes(class AlertClass) bool {
	return class == "" || len(n.Kinds) == 0 || slices.Contains(n.Kinds, class)
}

// rulesOf lists whom the jobs tell of a class, each sink once; "" is of anything.
func (a *alerting) rulesOf(jobs []*Job, class AlertClass) (rules []Notify) {
	for _, j := range jobs {
		list := j.Notify
		if list == nil {
			list = a.rules.Default
		}
		for _, n := range list {
			if n.takes(class) && !slices.ContainsFunc(rules, func(r Notify) bool { return r.Sink == n.Sink }) {
				rules = append(rules, n)
			}
		}
	}
	return rules
}

// tooSoon reports whether the sink has heard of the cause too short a while ago.
func (a *alerting) tooSoon(rule Notify, cause string, class AlertClass) (bool, error) {
	if rule.Interval <= 0 {
		return false, nil
	}
	last, err := a.tx.LastTold(rule.Sink, cause, class)
	return err == nil && !last.IsZero() && a.now.Sub(last) < rule.Interval, wrap(err, "look up what %s was told", rule.Sink)
}

// deliver writes one message. Its text is made once for all sinks.
func (a *alerting) deliver(inc *touchedIncident, sink string, class AlertClass, text *AlertMessage) (*AlertMessage, error) {
	if text == nil || text.Class != class {
		var err error
		if text, err = a.message(inc, class); err != nil {
			return nil, fmt.Errorf("write the message about incident %d: %w", inc.row.ID, err)
		}
	}
	id, err := a.newID()
	if err != nil {
		return nil, err
	}
	row := DeliveryRow{
		ID: id, Incident: inc.row.ID, Cause: inc.row.Cause, Sink: sink, Class: class, NotBefore: text.At, State: OutboxPending, CreatedAt: text.At,
	}
	if inc.held {
		row.NotBefore = text.At.Add(heldFor)
	}
	return text, putMessage(a.tx, row, *text)
}

// heldFor is how long the first messages about an incident wait at most until it is counted what it holds up. They are written before, so that no crash
// loses them.
const heldFor = 10 * time.Second

// sendHeld lets the messages of an incident go that wait for it to be counted, with what is known now, and reports whether there were any.
func (a *alerting) sendHeld(inc *touchedIncident) (some bool, err error) {
	sent, err := a.tx.Deliveries(inc.row.ID)
	if err != nil {
		return false, err
	}
	var text *AlertMessage
	for _, row := range sent {
		if row.State != OutboxPending || row.Attempts > 0 || !row.NotBefore.After(a.now) {
			continue
		}
		if text == nil || text.Class != row.Class {
			if text, err = a.message(inc, row.Class); err != nil {
				return false, fmt.Errorf("write the message about incident %d: %w", inc.row.ID, err)
			}
		}
		m := *text
		m.At, row.NotBefore, some = row.CreatedAt, a.now, true
		if err := putMessage(a.tx, row, m); err != nil {
			return false, err
		}
	}
	return some, nil
}

// putMessage writes a message for a sink.
func putMessage(tx Tx, row DeliveryRow, m AlertMessage) error {
	m.ID = fmt.Sprint(row.ID)
	body, err := json.Marshal(m)
	if err != nil {
		return fmt.Errorf("write a message for %s: %w", row.Sink, err)
	}
	row.Body = body
	return tx.PutDelivery(row)
}

// message says what is to be said of an incident as it stands.
func (a *alerting) message(inc *touchedIncident, class AlertClass) (*AlertMessage, error) {
	row := &inc.row
	members, err := a.tx.Members(row.ID, MembersNamed)
	if err != nil {
		return nil, err
	}
	counts, err := a.tx.MemberCounts(row.ID)
	if err != nil {
		return nil, err
	}
	m := &AlertMessage{Incident: fmt.Sprint(row.ID), Class: class, Kind: row.Kind, OpenedAt: row.Opened, At: a.now, Acked: row.AckedBy, Counts: map[string]int{}}
	for _, c := range counts {
		m.Counts[string(c.Kind)] = c.All
	}
	if row.Blocked > 0 || m.Counts[string(AlertBlocked)] > 0 {
		m.Counts[string(AlertBlocked)] = max(row.Blocked, m.Counts[string(AlertBlocked)])
	}
	for _, member := range members {
		named := alertInstance(member.Instance, member.Ref, member.PlanTime)
		if member.Instance == row.Instance {
			m.Root = named
		}
		m.Members = append(m.Members, AlertMember{AlertInstance: *named, Kind: member.Kind})
	}
	if m.Root == nil {
		if i, err := a.tx.Instance(row.Instance); err == nil {
			m.Root = alertInstance(i.ID, i.Ref, i.PlanTime)
		}
	}
	if class == ClassFailure || class == ClassDeadline {
		attempts, err := a.tx.Attempts(row.Instance)
		if err != nil {
			return nil, fmt.Errorf("list the attempts of the root: %w", err)
		}
		for n := range attempts {
			if !attempts[n].Error {
				m.Attempt = fmt.Sprint(attempts[n].ID)
			}
		}
	}
	if m.Reason = row.Reason.Describe(); row.Reason.Code == ReasonReleased {
		m.Reason = "it runs"
	}
	m.Title = m.title(row.Cause)
	m.Text = m.sentence(row, inc.end)
	return m, nil
}

// title is the message in one line.
func (m *AlertMessage) title(cause string) string {
	what := m.headline(cause)
	troubled := 0
	for kind, n := range m.Counts {
		if AlertKind(kind).Class() != "" {
			troubled += n
		}
	}
	var also []string
	if troubled > 1 {
		also = append(also, fmt.Sprintf("%d in trouble", troubled))
	}
	if n := m.Counts[string(AlertBlocked)]; n > 0 {
		also = append(also, fmt.Sprintf("%d%s blocked", n, orMore(n)))
	}
	if len(also) > 0 {
		what += " (" + strings.Join(also, ", ") + ")"
	}
	switch m.Class {
	case ClassRecovery:
		return "over: " + what
	case ClassUpdate:
		return "grown: " + what
	}
	return what
}

// headline names the root and what is wrong with it, or the first that is in trouble because of a root that is not.
func (m *AlertMessage) headline(cause string) string {
	if m.Root == nil {
		return "trouble with an instance that retention has removed"
	}
	first := AlertMember{AlertInstance: *m.Root, Kind: AlertRoot}
	for _, member := range m.Members {
		if member.Kind.Class() == "" {
			continue
		}
		if first.Kind == AlertRoot || member.ID == m.Root.ID {
			first = member
		}
	}
	switch {
	case cause == causeDown:
		return "missed while no server looked, of which the first is " + m.Root.short()
	case first.ID == m.Root.ID && first.Kind == AlertRoot:
		return m.Root.short() + " " + m.Kind.Words()
	case first.ID == m.Root.ID:
		return m.Root.short() + " " + first.Kind.Words()
	}
	return first.short() + " " + first.Kind.Words() + ", because of " + m.Root.short()
}

func (i *AlertInstance) short() string {
	return i.Workflow + "/" + i.Job + " " + i.PlanTime.Format("2006-01-02 15:04 -07:00")
}

func orMore(n int) string {
	if n >= BlockedCounted {
		return " or more"
	}
	return ""
}

// membersInText is how many members the text for people names.
const membersInText = 10

// sentence is what people read below the title.
func (m *AlertMessage) sentence(row *IncidentRow, end *Reason) string {
	lines := []string{}
	pool, ofPool := strings.CutPrefix(row.Cause, causePool)
	switch {
	case row.Cause == causeDown:
		lines = append(lines, "Times to start or to end passed while no server looked.")
	case row.Cause == causeSlots:
		lines = append(lines, "Everything else is well: the server has too few slots.")
	case row.Cause == causeDisk:
		lines = append(lines, "Nothing is started while the disk is nearly full.")
	case ofPool:
		lines = append(lines, "Everything else is well: the pool "+pool+" has too few slots.")
	case m.Root != nil && row.Kind == AlertEndedLate:
		lines = append(lines, m.Root.Name()+": "+m.Reason) // nothing is wrong any more: it has no root cause
	case m.Root != nil:
		lines = append(lines, "root: "+m.Root.Name()+": "+m.Reason)
	}
	if m.Class == ClassRecovery {
		text := "Nothing of it is left, after " + m.At.Sub(row.Opened).Round(time.Second).String() + "."
		if end != nil {
			text += " The last: " + end.Describe() + "."
		}
		return strings.Join(append(lines, text), "\n")
	}
	named := 0
	for n := range m.Members {
		member := &m.Members[n]
		if named == membersInText {
			break
		}
		if member.Kind != AlertRoot && (m.Root == nil || member.ID != m.Root.ID) {
			lines = append(lines, "- "+member.Name()+" "+member.Kind.Words())
			named++
		}
	}
	all := 0
	for kind, n := range m.Counts {
		if kind != string(AlertRoot) {
			all += n
		}
	}
	if left := all - named - 1; named == membersInText && left > 0 {
		lines = append(lines, fmt.Sprintf("- and %d%s more", left, orMore(m.Counts[string(AlertBlocked)])))
	}
	return strings.Join(lines, "\n")
}
