package spec

import (
	"fmt"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/almanac-sched/almanac/engine"
)

// The defaults of retries and of Azure's types (`definition.md`, Job: what; Azure's own).
const (
	defaultRetryInterval = 30 * time.Second
	defaultRetryCount    = 4
	longestRetryInterval = 18 * 31 * 24 * time.Hour
	shortestAzureRetry   = 15 * time.Second
	defaultAzureTimeout  = 60 * time.Second
)

// ownMembers are the members that belong to some types of action only.
var ownMembers = []struct {
	types   []string
	members []string
}{
	{[]string{engine.ActionShell}, []string{"command", "script", "env", "dir"}},
	{[]string{engine.ActionShell, engine.ActionSQL}, []string{"args"}},
	{[]string{engine.ActionShell, engine.ActionHTTP, engine.ActionHTTPS}, []string{"outputs"}},
	{[]string{engine.ActionHTTP, engine.ActionHTTPS}, []string{"request", "expect"}},
	{[]string{engine.ActionSQL}, []string{"connection", "statement"}},
	{[]string{engine.ActionWait}, []string{"interval", "http", "file", "sql"}},
	{[]string{engine.ActionJob}, []string{"job", "planTime", "params", "wait"}},
	{[]string{engine.ActionStorageQueue}, []string{"queueMessage", "queueUri"}},
	{[]string{engine.ActionServiceBusQueue}, []string{"serviceBusQueueMessage"}},
	{[]string{engine.ActionServiceBusTopic}, []string{"serviceBusTopicMessage"}},
}

func isHTTP(kind string) bool { return kind == engine.ActionHTTP || kind == engine.ActionHTTPS }

// isAzure reports the types that Azure has, whose defaults are Azure's.
func isAzure(kind string) bool { return isHTTP(kind) || messageMembers[kind] != "" }

// action reads an action but for its retries and its timeout.
func (d *decoder) action(v *value, s *textScope, label string) engine.Action {
	a := engine.Action{Type: v.field("type").str()}
	if !v.field("type").ok() {
		if v.field("command") != nil || v.field("script") != nil { // whatever the type is meant to be
			a.Shell = d.shell(v, s, label)
		}
		return a
	}
	d.only(v, label, a.Type)
	switch a.Type {
	case engine.ActionShell:
		a.Shell = d.shell(v, s, label)
	case engine.ActionHTTP, engine.ActionHTTPS:
		a.HTTP = d.http(v, s, label)
	case engine.ActionStorageQueue:
		a.Queue = d.storageQueue(v, s, label, a.Type)
	case engine.ActionServiceBusQueue, engine.ActionServiceBusTopic:
		a.Bus = d.serviceBus(v, s, label, a.Type)
	case engine.ActionSQL:
		a.SQL = d.sql(v, s, label)
	case engine.ActionWait:
		a.Probe = d.probe(v, s, label)
	case engine.ActionJob:
		a.Call = d.call(v, s, label)
	}
	return a
}

// only refuses the members of other types of action.
func (d *decoder) only(v *value, label, kind string) {
	for _, own := range ownMembers {
		if slices.Contains(own.types, kind) {
			continue
		}
		for _, member := range own.members {
			if m := v.field(member); m != nil {
				d.fail(m, "change the type to "+own.types[0], "%s is of type %s, which has no %s", label, kind, member)
			}
		}
	}
}

func (d *decoder) shell(v *value, s *textScope, label string) *engine.Shell {
	shell := &engine.Shell{Command: s.command(v.field("command")), Script: s.literal(v.field("script")), Dir: s.literal(v.field("dir"))}
	command, script := v.field("command"), v.field("script")
	switch {
	case command == nil && script == nil && !v.bad:
		d.fail(v, "write command: ...", "%s is of type shell and has neither command nor script", label)
	case command != nil && script != nil:
		d.fail(script, "leave one of the two out", "%s has both command and script", label)
	case script.ok() && shell.Script != "" && !filepath.IsLocal(shell.Script) && !d.opts.Made: // what was recorded once can be read again
		d.fail(script, "write the path of a file below the folder of this file", "the script %q is outside of the workflow's folder", shell.Script)
	case script.ok() && shell.Script != "":
		s.scripts = append(s.scripts, scriptMark{shell.Script, false, script.mark()})
	case command.ok() && shell.Dir == "" && v.field("dir") == nil:
		if path := startedFile(command.text); path != "" {
			s.scripts = append(s.scripts, scriptMark{path, true, command.mark()})
		}
	}
	for _, arg := range v.field("args").items() {
		shell.Args = append(shell.Args, s.argument(arg))
	}
	shell.Env = s.texts(fieldsOf(v.field("env")), "env")
	if outputs := v.field("outputs"); outputs != nil && outputs.fields != nil {
		d.fail(outputs, "write outputs: [name]", "the outputs of a shell action are names")
	}
	return shell
}

// plainPath is a path that a shell takes as it is written.
var plainPath = regexp.MustCompile(`^[A-Za-z0-9_.+@-]*(/[A-Za-z0-9_.+@-]+)+$`)

// startedFile is the file below the job's folder that a command begins with: its first word, where that is
// a relative path such as ./load.sh or bin/load; "" where it is anything else.
func startedFile(command string) string {
	words := strings.Fields(command)
	if len(words) == 0 || !plainPath.MatchString(words[0]) || !filepath.IsLocal(words[0]) {
		return ""
	}
	return words[0]
}

func (d *decoder) http(v *value, s *textScope, label string) *engine.HTTP {
	h := &engine.HTTP{}
	r := v.field("request")
	if r == nil && v.bad {
		return h
	}
	if r == nil {
		d.fail(v, "write request: {method: GET, uri: \"https://...\"}", "%s is of type %s and has no request", label, v.field("type").str())
		return h
	}
	if r.fields == nil {
		return h
	}
	h = d.exchange(r, s)
	h.Expect = sortedInts(integers(v.field("expect")))
	if outputs := v.field("outputs"); outputs != nil && outputs.fields == nil && !outputs.bad {
		d.fail(outputs, "write outputs: {name: /pointer}", "the outputs of an http action are JSON pointers into its answer")
	}
	for name, pointer := range fieldsOf(v.field("outputs")) {
		if h.Outputs == nil {
			h.Outputs = map[string]string{}
		}
		h.Outputs[name] = pointer.text
	}
	return h
}

// exchange reads a request.
func (d *decoder) exchange(r *value, s *textScope) *engine.HTTP {
	h := &engine.HTTP{Method: r.field("method").str(), URI: s.text(r.field("uri"))}
	d.address(r.field("uri"), "https://host/path")
	h.Headers = s.texts(fieldsOf(r.field("headers")), "headers")
	if body := r.field("body"); body != nil {
		h.Body = s.text(body)
	}
	d.authentication(r.field("authentication"), s, h)
	return h
}

// address refuses a uri that no request can go to; one that begins with a substitution is known only when it is rendered.
func (d *decoder) address(v *value, example string) {
	if !v.ok() || strings.HasPrefix(v.text, "${{") {
		return
	}
	fixed, _, substituted := strings.Cut(v.text, "${{")
	u, err := url.Parse(fixed)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" && !substituted {
		d.fail(v, "", "%s is %s; allowed is an address such as %s", v.name, quoteShort(v.text), example)
	}
}

// retry reads a retryPolicy; absent is what holds without one.
func (d *decoder) retry(v *value, absent engine.RetryPolicy) engine.RetryPolicy {
	if !v.ok() {
		return absent
	}
	p := engine.RetryPolicy{
		Type: engine.RetryType(v.field("retryType").str()), Interval: defaultRetryInterval, Count: v.field("retryCount").integer(defaultRetryCount),
		On: sortedInts(integers(v.field("on"))),
	}
	if interval := v.field("retryInterval"); interval.ok() {
		length, err := parseDuration(interval.text, true)
		switch {
		case err != nil:
			d.fail(interval, "", "retryInterval is %s: %s", quoteShort(interval.text), err)
		case length == 0:
			d.fail(interval, "leave it out for PT30S", "retryInterval is no time at all")
		case length > longestRetryInterval:
			d.fail(interval, "", "retryInterval is %s; allowed are at most 18 months", interval.text)
		case d.quota > 0 && length < shortestAzureRetry:
			d.fail(interval, "", "retryInterval is %s; with the quota's maxRecurrence, as with Azure, it is at least PT15S", interval.text)
		}
		p.Interval = length
	}
	if p.Type == engine.RetryNone || p.Count == 0 {
		return engine.RetryPolicy{Type: engine.RetryNone}
	}
	return p
}

// defaultRetry is what holds for an action without any retryPolicy.
func defaultRetry(kind string) engine.RetryPolicy {
	if isAzure(kind) {
		return engine.RetryPolicy{Type: engine.RetryFixed, Interval: defaultRetryInterval, Count: defaultRetryCount}
	}
	return engine.RetryPolicy{Type: engine.RetryNone}
}

// tries fills in the retries and the timeout of an action: its own, else the job's, else those of its type.
func (d *decoder) tries(a *engine.Action, ownRetry, jobRetry, ownTimeout, jobTimeout *value) {
	absent := time.Duration(0)
	if isAzure(a.Type) {
		absent = defaultAzureTimeout
	}
	a.Retry = d.retry(ownRetry, d.retry(jobRetry, defaultRetry(a.Type)))
	a.Timeout = d.duration(ownTimeout, d.duration(jobTimeout, absent))
	if a.Type == engine.ActionNone { // it has succeeded at once
		a.Retry, a.Timeout = engine.RetryPolicy{Type: engine.RetryNone}, 0
	}
}

// placed returns a member that stands on the job or, as Azure has it, inside its action; in both places at once is an error.
func (d *decoder) placed(v *value, member string) *value {
	outside, inside := v.field(member), v.field("action").field(member)
	if outside != nil && inside != nil {
		line, _ := outside.position()
		d.fail(inside, "leave one of the two out", "%s stands inside the action and, on line %d, on the job", member, line)
	}
	if outside != nil {
		return outside
	}
	return inside
}

// errorAction reads the action that is run when the job has failed for good. The job's retryPolicy holds for it unless it has its own; the
// list of what is worth another attempt is inherited only between actions of one kind, for exit codes are no statuses.
func (d *decoder) errorAction(v, jobRetry, jobTimeout *value, s *textScope, main string) *engine.Action {
	if v == nil || v.fields == nil {
		return nil
	}
	outer := *s
	outer.noSteps = "the error action is run after the job has failed"
	a := d.action(v, &outer, "errorAction")
	if a.Slotless() {
		d.fail(v.field("type"), "", "errorAction is of type %s; it says that something has failed, and waits for nothing", a.Type)
	}
	d.tries(&a, v.field("retryPolicy"), jobRetry, v.field("timeout"), jobTimeout)
	if v.field("retryPolicy") == nil && isAzure(a.Type) != isAzure(main) {
		a.Retry.On = nil
	}
	return &a
}

func stepLabel(name string) string {
	if name == "" {
		return "the action"
	}
	return fmt.Sprintf("the step %s", name)
}
