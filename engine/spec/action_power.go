package spec

import (
	"fmt"
	"strings"
	"time"

	yaml "go.yaml.in/yaml/v4"

	"github.com/almanac-sched/almanac/engine"
)

const (
	defaultPollInterval  = time.Minute
	shortestPollInterval = time.Second
	defaultParallel      = 10
	defaultTolerance     = 5 * time.Minute
)

// sql reads a statement on a database: an action, or what a wait looks at.
func (d *decoder) sql(v *value, s *textScope, label string) *engine.SQL {
	q := &engine.SQL{Connection: s.connection(v.field("connection")), Statement: s.statement(v.field("statement"))}
	for _, member := range []string{"connection", "statement"} {
		if v.field(member) == nil && !v.bad {
			d.fail(v, "write connection: NAME and statement: ...", "%s is of type sql and has no %s", label, member)
		}
	}
	for _, arg := range v.field("args").items() {
		q.Args = append(q.Args, s.text(arg))
	}
	return q
}

// connection reads the name of a secret as a text that gives its value.
func (s *textScope) connection(v *value) engine.Text {
	if !v.ok() {
		return ""
	}
	s.named(v)
	return engine.Text("${{ secrets." + v.text + " }}")
}

// named uses a secret by its name.
func (s *textScope) named(v *value) {
	if _, known := s.secrets[v.text]; !known {
		s.d.fail(v, orElse(didYouMean(v.text, sortedKeys(s.secrets)), "declare it: secrets: {"+v.text+": {env: NAME}}"), "there is no secret %q", v.text)
	}
	s.used[v.text] = true
}

// secretOf is the name in a text that connection has made.
func secretOf(t engine.Text) string {
	return strings.TrimSuffix(strings.TrimPrefix(string(t), "${{ secrets."), " }}")
}

func (d *decoder) probe(v *value, s *textScope, label string) *engine.Probe {
	p := &engine.Probe{Interval: d.duration(v.field("interval"), defaultPollInterval)}
	if p.Interval < shortestPollInterval && v.field("interval").ok() {
		d.fail(v.field("interval"), "", "interval is %s; allowed is at least PT1S", v.field("interval").text)
	}
	given := 0
	if h := v.field("http"); h != nil {
		given++
		if h.fields != nil {
			p.HTTP = d.exchange(h, s)
			if p.HTTP.Method == "" {
				p.HTTP.Method = "GET"
			}
			p.HTTP.Expect = sortedInts(integers(h.field("expect")))
		}
	}
	if f := v.field("file"); f != nil {
		given++
		p.File = &engine.FileProbe{}
		if f.fields == nil {
			p.File.Path = s.text(f)
		} else {
			p.File.Path, p.File.MinAge, p.File.MinSize = s.text(f.field("path")), d.duration(f.field("minAge"), 0), int64(f.field("minSize").integer(0))
		}
	}
	if q := v.field("sql"); q != nil {
		given++
		if q.fields != nil {
			p.SQL = d.sql(q, s, label)
		}
	}
	if given != 1 && !v.bad {
		d.fail(v, `write http: {uri: "https://..."}, file: path or sql: {connection: NAME, statement: ...}`, "%s is of type wait and waits for %d things; it waits for exactly one", label, given)
	}
	return p
}

func (d *decoder) call(v *value, s *textScope, label string) *engine.Call {
	c := &engine.Call{Wait: v.field("wait") == nil || v.field("wait").flag()}
	name := v.field("job")
	if name == nil && !v.bad {
		d.fail(v, "write job: NAME", "%s is of type job and names no job", label)
	}
	if name.ok() {
		workflow, other, qualified := strings.Cut(name.text, "/")
		if !qualified {
			workflow, other = s.job.Workflow, name.text
		}
		c.Job = engine.JobRef{Workflow: workflow, Job: other}
	}
	open := *s
	open.noSecrets = "what an instance is given is written down"
	c.PlanTime = open.text(v.field("planTime"))
	if text := string(c.PlanTime); text != "" && !strings.Contains(text, "${{") {
		if _, err := time.Parse(time.RFC3339Nano, text); err != nil {
			d.fail(v.field("planTime"), `write "${{ planTime }}"`, "planTime is %s; allowed is a time such as 2026-10-01T02:00:00+08:00", quoteShort(text))
		}
	}
	c.Params = open.texts(fieldsOf(v.field("params")), "params")
	return c
}

// forEach reads the list of a step.
func (d *decoder) forEach(v *value, s *textScope) *engine.ForEach {
	list, parallel := v.field("forEach"), v.field("parallel")
	if list == nil {
		if parallel.ok() {
			d.fail(parallel, "write forEach: [a, b]", "parallel counts the items of forEach, and the step has none")
		}
		return nil
	}
	steady := *s
	steady.item, steady.steady = false, true
	steady.noSecrets = "the items of a list are shown"
	f := &engine.ForEach{Parallel: parallel.integer(defaultParallel)}
	if list.node.Kind == yaml.ScalarNode {
		items := list.items()
		if len(items) == 0 {
			return f
		}
		f.List = steady.text(items[0])
		if text := string(f.List); !strings.Contains(text, "${{") {
			if _, err := engine.ParseList(text); err != nil {
				d.fail(list, "write forEach: [a, b]", "forEach is %s, which is no list", quoteShort(text))
			}
		}
		return f
	}
	for _, item := range list.items() {
		f.Items = append(f.Items, steady.text(item))
	}
	if len(f.Items) > engine.MaxItems {
		d.fail(list, "", "forEach has %d items; at most %d are allowed", len(f.Items), engine.MaxItems)
	}
	return f
}

// webhook reads who may start the job by a request.
func (d *decoder) webhook(job *engine.Job, v *value, s *textScope) {
	hook := v.field("trigger").field("webhook")
	if hook == nil || hook.fields == nil {
		return
	}
	w := &engine.Webhook{
		SignsBody: hook.field("signed").str() == "body", Tolerance: d.duration(hook.field("tolerance"), defaultTolerance), PlanTime: hook.field("planTime").str(),
	}
	if secret := hook.field("secret"); secret.ok() {
		w.Secret = secret.text
		s.named(secret)
	}
	if tolerance := hook.field("tolerance"); tolerance.ok() && (w.SignsBody || w.Tolerance <= 0 || w.Tolerance > time.Hour) {
		d.fail(tolerance, "", "tolerance is %s; allowed is PT1S to PT1H, and only where the timestamp is signed", tolerance.text)
	}
	params := hook.field("params")
	for _, name := range sortedKeys(fieldsOf(params)) {
		source := params.field(name)
		if !s.params[name] {
			d.fail(source, didYouMean(name, sortedKeys(s.params)), "there is no parameter %q", name)
		}
		if w.Params == nil {
			w.Params = map[string]string{}
		}
		w.Params[name] = source.str()
	}
	job.Webhook = w
}

func webhookMembers(w *engine.Webhook) members {
	m := members{"secret": w.Secret}
	if w.SignsBody {
		m["signed"] = "body"
	}
	putDuration(m, "tolerance", w.Tolerance, defaultTolerance)
	put(m, "planTime", w.PlanTime, "")
	if len(w.Params) > 0 {
		m["params"] = w.Params
	}
	return members{"webhook": m}
}

func sqlMembers(q *engine.SQL, m members) members {
	m["connection"], m["statement"] = secretOf(q.Connection), q.Statement
	putList(m, "args", q.Args)
	return m
}

func probeMembers(p *engine.Probe, m members) {
	putDuration(m, "interval", p.Interval, defaultPollInterval)
	switch {
	case p.HTTP != nil:
		h := requestMembers(p.HTTP)
		if p.HTTP.Method == "GET" {
			delete(h, "method")
		}
		putList(h, "expect", p.HTTP.Expect)
		m["http"] = h
	case p.File != nil:
		f := members{"path": p.File.Path}
		putDuration(f, "minAge", p.File.MinAge, 0)
		put(f, "minSize", p.File.MinSize, 0)
		m["file"] = f
	case p.SQL != nil:
		m["sql"] = sqlMembers(p.SQL, members{})
	}
}

func callMembers(c *engine.Call, m members, workflow string) {
	m["job"] = c.Job.String()
	if c.Job.Workflow == workflow {
		m["job"] = c.Job.Job
	}
	put(m, "planTime", c.PlanTime, "")
	if len(c.Params) > 0 {
		m["params"] = c.Params
	}
	put(m, "wait", c.Wait, true)
}

func forEachMembers(f *engine.ForEach, m members) {
	if f == nil {
		return
	}
	if f.List != "" {
		m["forEach"] = f.List
	} else {
		m["forEach"] = f.Items
	}
	put(m, "parallel", f.Parallel, defaultParallel)
}

// calls judges which jobs start which: those that are started exist and take what they are given, and none starts itself by way of others.
func (l *lint) calls() {
	next := map[engine.JobRef][]engine.JobRef{}
	for _, j := range l.order {
		for i := range j.Steps {
			c := j.Steps[i].Action.Call
			if c == nil || c.Job.Job == "" {
				continue
			}
			label := stepLabel(j.Steps[i].Name)
			up := l.jobs[c.Job]
			if up == nil {
				if !l.mayExist(c.Job) {
					l.report(j, j.marks.job, Error, l.similar(c.Job), "%s of %s starts %s, and there is no such job", label, j.Name, c.Job)
				}
				continue
			}
			next[j.Ref()] = append(next[j.Ref()], c.Job)
			l.given(j, up, c, label)
		}
	}
	for _, j := range l.order {
		if path := circleOf(j.Ref(), next); path != "" {
			l.report(j, j.marks.job, Error, "", "%s starts itself, without end: %s", j.Name, path)
		}
	}
}

func (l *lint) similar(ref engine.JobRef) string {
	var names []string
	for other := range l.jobs {
		if other.Workflow == ref.Workflow {
			names = append(names, other.Job)
		}
	}
	return didYouMean(ref.Job, names)
}

// given holds what a step gives to a job against what that takes.
func (l *lint) given(j, up *lintJob, c *engine.Call, label string) {
	known := map[string]bool{}
	for i := range up.Params {
		p := &up.Params[i]
		known[p.Name] = true
		text, given := c.Params[p.Name]
		switch {
		case !given && p.Required && p.Default == nil:
			l.report(j, j.marks.job, Error, "", "%s of %s starts %s without the parameter %s, which is required", label, j.Name, c.Job, p.Name)
		case given && !strings.Contains(string(text), "${{"):
			if err := p.Check(string(text)); err != nil {
				l.report(j, j.marks.job, Error, "", "%s of %s starts %s: the parameter %s %s", label, j.Name, c.Job, p.Name, err)
			}
		}
	}
	for _, name := range sortedKeys(c.Params) {
		if !known[name] {
			l.report(j, j.marks.job, Error, didYouMean(name, sortedKeys(known)), "%s of %s gives the parameter %s to %s, which has none of that name", label, j.Name, name, c.Job)
		}
	}
}

// circleOf is the shortest way from a job back to itself, "" when there is none.
func circleOf(from engine.JobRef, next map[engine.JobRef][]engine.JobRef) string {
	came := map[engine.JobRef]engine.JobRef{}
	ahead := []engine.JobRef{from}
	for len(ahead) > 0 {
		at := ahead[0]
		ahead = ahead[1:]
		for _, to := range next[at] {
			if to == from {
				path := []string{to.String()}
				for at != from {
					path = append(path, at.String())
					at = came[at]
				}
				path = append(path, from.String())
				for i, k := 0, len(path)-1; i < k; i, k = i+1, k-1 {
					path[i], path[k] = path[k], path[i]
				}
				return strings.Join(path, " → ")
			}
			if _, seen := came[to]; !seen {
				came[to] = at
				ahead = append(ahead, to)
			}
		}
	}
	return ""
}

// limits reads what bounds the values of a parameter.
func (d *decoder) limits(p *engine.Param, v *value) {
	p.Description, p.Pattern, p.Secret = v.field("description").str(), v.field("pattern").str(), v.field("secret").flag()
	p.Min, p.Max = number(v.field("min")), number(v.field("max"))
	bounded := p.Type == "integer" || p.Type == "number" || p.Type == "string" || p.Type == "list"
	for _, member := range []string{"min", "max"} {
		if m := v.field(member); m.ok() && !bounded {
			d.fail(m, "", "the parameter %s is of type %s, which has no %s", p.Name, p.Type, member)
		}
	}
	if p.Min != nil && p.Max != nil && *p.Min > *p.Max {
		d.fail(v.field("max"), "", "the parameter %s has a max below its min", p.Name)
	}
	if m := v.field("pattern"); m.ok() {
		switch err := engine.CheckPattern(p.Pattern); {
		case p.Type != "string" && p.Type != "list":
			d.fail(m, "", "the parameter %s is of type %s, which has no pattern", p.Name, p.Type)
		case err != nil:
			d.fail(m, "", "the pattern of the parameter %s: %s", p.Name, err)
		}
	}
	if p.Type == "enum" && len(p.Enum) == 0 && !v.bad {
		d.fail(v, "write enum: [a, b]", "the parameter %s is of type enum and lists no values", p.Name)
	}
}

func number(v *value) *float64 {
	if !v.ok() {
		return nil
	}
	var n float64
	if _, err := fmt.Sscan(v.text, &n); err != nil {
		return nil
	}
	return &n
}
