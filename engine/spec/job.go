package spec

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/almanac-sched/almanac/engine"
)

// The defaults of a job (`definition.md`).
const (
	defaultMisfireWindow = 24 * time.Hour
	defaultWaitTimeout   = 60 * 24 * time.Hour
	defaultPriority      = 5
)

// exclusive are the groups of members of which a job has at most one: its own displaces another of the group in `defaults`.
var exclusive = [][]string{{"recurrence", "cron", "at", "trigger"}, {"action", "steps"}}

// withDefaults gives the job the members of `defaults` that it does not have, whole member by whole member.
func (d *decoder) withDefaults(own *value) *value {
	if d.defaults == nil || len(d.defaults.fields) == 0 {
		return own
	}
	merged := &value{node: own.node, key: own.key, bad: own.bad, azure: own.azure, fields: maps.Clone(own.fields), defaulted: map[*value]bool{}}
	for name, member := range d.defaults.fields {
		if own.fields[name] != nil || slices.ContainsFunc(exclusive, func(group []string) bool {
			return slices.Contains(group, name) && slices.ContainsFunc(group, func(other string) bool { return own.fields[other] != nil })
		}) {
			continue
		}
		if (name == "retryPolicy" || name == "errorAction") && own.field("action").field(name) != nil {
			continue // where Azure has it
		}
		merged.fields[name] = member
		merged.defaulted[member] = true
	}
	return merged
}

// job makes an engine.Job of a job's value. What is wrong is reported, and the rest is read all the same.
func (d *decoder) job(name string, own *value) *engine.Job {
	v, before := d.withDefaults(own), countErrors(d.problems)
	job := &engine.Job{
		Workflow: d.workflow.Name, Name: name, Description: v.field("description").str(), Folder: d.opts.Folder,
		Disabled: d.workflow.Disabled || v.field("state").str() == "disabled",

		Spread:        d.duration(v.field("spread"), 0),
		Misfire:       engine.Misfire(wordOr(v.field("misfire"), string(engine.MisfireRunAll))),
		MisfireWindow: d.duration(v.field("misfireWindow"), defaultMisfireWindow),
		Concurrency:   v.field("concurrency").integer(1),
		Overlap:       engine.Overlap(wordOr(v.field("overlap"), string(engine.OverlapQueue))),
		WaitTimeout:   d.duration(v.field("waitTimeout"), defaultWaitTimeout),
		Confirm:       v.field("confirm").flag(),
		Priority:      v.field("priority").integer(defaultPriority),
		Pool:          v.field("pool").str(),
		Slots:         v.field("slots").integer(1),
		Deadline:      d.duration(v.field("deadline"), 0),
		Notify:        d.notifyLines(d.notifyList(v)),
		OnLost:        engine.OnLost(wordOr(v.field("onLost"), string(engine.LostRetry))),
	}
	for _, tag := range v.field("tags").items() {
		job.Tags = append(job.Tags, tag.text)
	}
	slices.Sort(job.Tags)
	job.Tags = slices.Compact(job.Tags)
	if slots := v.field("slots"); slots.ok() && v.field("pool") == nil && !v.inherited(slots) {
		d.fail(slots, "name the pool: pool: NAME", "slots are counted in a pool, and the job names none")
	}
	marks := jobMarks{job: own.mark(), when: own.mark(), notify: own.mark()}
	marks.faults.when = !d.when(job, v) || own.strange || d.defaults != nil && d.defaults.strange
	if list := d.notifyList(v); list != nil {
		marks.notify = list.mark()
	}
	for _, member := range []string{"recurrence", "cron", "at", "startTime"} {
		if m := v.field(member); m != nil {
			marks.when = m.mark()
			break
		}
	}
	d.dependencies(job, v, &marks)
	s := d.scope(job, v)
	d.webhook(job, v, s)
	d.what(job, v, s)
	s.finish()
	marks.scripts, marks.secrets = s.scripts, s.declaredAt
	marks.faults.job = own.bad || countErrors(d.problems) > before
	if d.marks != nil {
		d.marks[name] = marks
	}
	if !d.problems.HasErrors() {
		job.Definition = encode(job)
	}
	return job
}

func wordOr(v *value, absent string) string {
	if !v.ok() {
		return absent
	}
	return v.text
}

// shared returns the members of a map that workflow and job share, by name, the job's own first.
func shared(workflow, job *value) map[string]*value {
	all := map[string]*value{}
	maps.Copy(all, fieldsOf(workflow))
	maps.Copy(all, fieldsOf(job))
	return all
}

// param reads a parameter in its short form, a scalar, or in full.
func (d *decoder) param(name string, v *value) engine.Param {
	p := engine.Param{Name: name, Type: "string"}
	if v.bad {
		return p
	}
	if v.fields == nil {
		p.Type, p.Default = scalarType(v), &v.text
		return p
	}
	p.Type = wordOr(v.field("type"), p.Type)
	p.Required = v.field("required").flag()
	for _, item := range v.field("enum").items() {
		if !fits(p.Type, item.text) {
			d.fail(item, "", "the parameter %s is of type %s and cannot be %s", name, p.Type, quoteShort(item.text))
		}
		p.Enum = append(p.Enum, item.text)
	}
	if def := v.field("default"); def.ok() {
		p.Default = &def.text
		switch {
		case !fits(p.Type, def.text):
			d.fail(def, "", "the parameter %s is of type %s and cannot be %s", name, p.Type, quoteShort(def.text))
		case p.Enum != nil && p.Type != "list" && !slices.Contains(p.Enum, def.text):
			d.fail(def, "", "the default %s of the parameter %s is not in its enum; allowed is %s", quoteShort(def.text), name, orList(p.Enum))
		}
	}
	d.limits(&p, v)
	if def := v.field("default"); def.ok() && !v.bad {
		if err := p.Check(def.text); err != nil && fits(p.Type, def.text) && (p.Type == "list" || p.Enum == nil || slices.Contains(p.Enum, def.text)) {
			d.fail(def, "", "the default of the parameter %s %s", name, err)
		}
	}
	return p
}

// scalarType is the type of a short parameter: that of the scalar in YAML's core schema.
func scalarType(v *value) string {
	if v.node.Style&quoted == 0 {
		for _, t := range []string{"boolean", "integer", "number"} {
			if fits(t, v.text) {
				return t
			}
		}
	}
	return "string"
}

// fits reports whether a text is a value of a parameter's type.
func fits(kind, text string) bool {
	var err error
	switch kind {
	case "integer":
		_, err = strconv.ParseInt(text, 10, 64)
	case "number":
		_, err = strconv.ParseFloat(text, 64)
		if strings.ContainsAny(text, "xXpP_nN") { // Go's own forms, infinities and NaN
			return false
		}
	case "boolean":
		return text == "true" || text == "false"
	}
	return err == nil
}

func (d *decoder) secret(v *value) engine.SecretSource {
	if v.bad {
		return engine.SecretSource{}
	}
	s := engine.SecretSource{Env: v.field("env").str(), File: v.field("file").str(), Resource: v.field("resource").str()}
	if s.Resource == "" && (s.Env == "") == (s.File == "") {
		d.fail(v, "write {env: NAME} or {file: path}", "a secret comes from exactly one place")
	}
	return s
}
