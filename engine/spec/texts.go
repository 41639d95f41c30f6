package spec

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	yaml "go.yaml.in/yaml/v4"

	"github.com/almanac-sched/almanac/engine"
)

// textScope is what the texts of a job may name. It also collects which secrets they do.
type textScope struct {
	d        *decoder
	job      *engine.Job
	params   map[string]bool
	secrets  map[string]engine.SecretSource // all that are declared
	own      map[string]bool                // declared by the job itself
	used     map[string]bool
	calendar bool

	scripts    []scriptMark
	declaredAt map[string]mark // the secrets, by name

	steps   map[string]*stepNode   // nil where no step has ended before
	reached func(step string) bool // whether the step has ended well before this text is rendered
	noSteps string                 // why outputs cannot be named here

	noSecrets string // why secrets cannot be named here
	item      bool   // the step runs once for each item of a list
	steady    bool   // the text is rendered more than once and must give the same each time
}

// scope declares the job's parameters, secrets and environment, with what it shares with the workflow.
func (d *decoder) scope(job *engine.Job, v *value) *textScope {
	s := &textScope{d: d, job: job, params: map[string]bool{}, secrets: map[string]engine.SecretSource{}, own: map[string]bool{}, used: map[string]bool{}, declaredAt: map[string]mark{},
		calendar: v.field("calendar") != nil}
	params := shared(d.params, v.field("params"))
	for _, name := range sortedKeys(params) {
		p := d.param(name, params[name])
		job.Params = append(job.Params, p)
		s.params[name] = true
	}
	secrets := shared(d.secrets, v.field("secrets"))
	for _, name := range sortedKeys(secrets) {
		s.secrets[name] = d.secret(secrets[name])
		s.declaredAt[name] = secrets[name].mark()
		s.own[name] = v.field("secrets").field(name) != nil
	}
	s.noSteps = "the environment of a job is there before its steps: write it in the env of the step"
	job.Env = s.texts(shared(d.env, v.field("env")), "env")
	s.noSteps = ""
	return s
}

// finish keeps the secrets that the job declares or names: another's do not change its definition.
func (s *textScope) finish() {
	for name, source := range s.secrets {
		if s.own[name] || s.used[name] {
			if s.job.Secrets == nil {
				s.job.Secrets = map[string]engine.SecretSource{}
			}
			s.job.Secrets[name] = source
		}
	}
}

// texts reads a map of names to texts; nil when it is empty.
func (s *textScope) texts(members map[string]*value, what string) map[string]engine.Text {
	var m map[string]engine.Text
	for _, name := range sortedKeys(members) {
		v := members[name]
		if what == "env" && strings.HasPrefix(name, "ALMANAC_") {
			s.d.fail(v, "choose another name", "the environment variables that begin with ALMANAC_ are set by the server")
		}
		if m == nil {
			m = make(map[string]engine.Text, len(members))
		}
		m[name] = s.text(v)
	}
	return m
}

// text reads a text that may name everything in scope.
func (s *textScope) text(v *value) engine.Text { return s.check(v, anyText) }

// command reads the text of a shell command, into which nothing but times and ids may be put.
func (s *textScope) command(v *value) engine.Text { return s.check(v, commandText) }

// statement reads the text of an SQL statement, of which the same holds.
func (s *textScope) statement(v *value) engine.Text { return s.check(v, statementText) }

// argument reads an argument of a program, which everybody on the machine can see while it runs: a secret in it is warned of.
func (s *textScope) argument(v *value) engine.Text { return s.check(v, argumentText) }

// textUse is what a text becomes part of.
type textUse int8

const (
	anyText textUse = iota
	commandText
	statementText
	argumentText
)

func (s *textScope) check(v *value, use textUse) engine.Text {
	if !v.ok() {
		return ""
	}
	text := engine.Text(v.text)
	if !strings.Contains(v.text, "${{") {
		return text
	}
	references, err := text.References()
	for _, wrong := range textErrors(err) {
		s.fail(v, wrong.Offset, "", "%s", wrong.Message)
	}
	for _, r := range references {
		if use == statementText && !r.Safe() {
			s.fail(v, r.Offset, fmt.Sprintf(`write args: ["${{ %s }}"] and a placeholder in the statement`, r), "${{ %s }} cannot stand inside a statement: what it holds would be read as SQL", r)
			continue
		}
		if use == commandText && !r.Safe() {
			name := variable(r)
			s.fail(v, r.Offset, fmt.Sprintf(`write env: {%s: "${{ %s }}"} and "$%s" in the command`, name, r, name),
				"${{ %s }} cannot stand inside a command: what it holds would be read as shell", r)
			continue
		}
		if use == argumentText && s.isSecret(r) {
			name := variable(r)
			s.d.warn(v, KindSecretText, fmt.Sprintf(`write env: {%s: "${{ %s }}"} and "$%s" in the command`, name, r, name),
				"${{ %s }} in an argument is in the list of processes, for everybody on the machine, while it runs", r)
		}
		s.known(v, r)
	}
	return text
}

// isSecret reports whether what the reference stands for is declared as one.
func (s *textScope) isSecret(r engine.Reference) bool {
	_, declared := s.secrets[r.Name]
	return r.Kind == engine.RefSecret && declared ||
		r.Kind == engine.RefParam && slices.ContainsFunc(s.job.Params, func(p engine.Param) bool { return p.Name == r.Name && p.Secret })
}

// known reports a reference to what is not there.
func (s *textScope) known(v *value, r engine.Reference) {
	if s.steady && (r.Name == "now" && r.Kind == engine.RefTime || r.Name == "attempt" && r.Kind == engine.RefIdentity) {
		s.fail(v, r.Offset, "", "%s cannot be named here: the list must be the same whenever it is asked for", r.Name)
	}
	switch r.Kind {
	case engine.RefTime:
		if r.WorkDays && !s.calendar {
			s.fail(v, r.Offset, "write calendar: NAME on the job", "an offset in work days needs a calendar")
		}
	case engine.RefParam:
		if !s.params[r.Name] {
			s.fail(v, r.Offset, orElse(didYouMean(r.Name, sortedKeys(s.params)), "declare it: params: {"+r.Name+": {type: string}}"), "there is no parameter %q", r.Name)
		}
		if s.noSecrets != "" && s.isSecret(r) {
			s.fail(v, r.Offset, "", "a secret parameter cannot be named here: %s", s.noSecrets)
		}
	case engine.RefSecret:
		if _, ok := s.secrets[r.Name]; !ok {
			s.fail(v, r.Offset, orElse(didYouMean(r.Name, sortedKeys(s.secrets)), "declare it: secrets: {"+r.Name+": {env: NAME}}"), "there is no secret %q", r.Name)
		}
		if s.noSecrets != "" {
			s.fail(v, r.Offset, "", "a secret cannot be named here: %s", s.noSecrets)
		}
		s.used[r.Name] = true
	case engine.RefItem:
		if !s.item {
			s.fail(v, r.Offset, "write forEach: [...] on the step", "item is there only in a step that has forEach")
		}
	case engine.RefOutput:
		s.output(v, r)
	}
}

func (s *textScope) output(v *value, r engine.Reference) {
	step := s.steps[r.Step]
	switch {
	case s.noSteps != "":
		s.fail(v, r.Offset, "", "an output of a step cannot be named here: %s", s.noSteps)
	case step == nil:
		s.fail(v, r.Offset, didYouMean(r.Step, sortedKeys(s.steps)), "there is no step %q in this job", r.Step)
	case !s.reached(r.Step):
		s.fail(v, r.Offset, fmt.Sprintf("add it: needs: [%s]", r.Step), "the step %s need not have ended by then: it is not among the steps that this one needs", r.Step)
	case step.outputs != nil && !slices.Contains(step.outputs, r.Name):
		s.fail(v, r.Offset, didYouMean(r.Name, step.outputs), "the step %s has no output %q; its outputs are %s", r.Step, r.Name, orList(step.outputs))
	}
}

func orElse(hint, otherwise string) string {
	if hint != "" {
		return hint
	}
	return otherwise
}

// variable is a name for the environment variable that carries a value into a command.
func variable(r engine.Reference) string {
	name := strings.Map(func(c rune) rune {
		if c == '_' || c < utf8.RuneSelf && (c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9') {
			return c
		}
		return '_'
	}, r.Name)
	if name[0] >= '0' && name[0] <= '9' {
		name = "_" + name
	}
	return name
}

// fail reports a mistake at an offset inside a text, where the text stands on one line as it is; else at the text.
func (s *textScope) fail(v *value, offset int, hint, format string, args ...any) {
	line, column := v.position()
	if v.node.Style&(yaml.LiteralStyle|yaml.FoldedStyle) == 0 && v.text == v.node.Value && offset <= len(v.text) && !strings.ContainsAny(v.text[:offset], "\n\\\"'") {
		column += utf8.RuneCountInString(v.text[:offset])
		if v.node.Style&quoted != 0 {
			column++
		}
	}
	s.d.add(Error, line, column, fmt.Sprintf(format, args...), hint)
	v.bad = true
}

// textErrors takes the mistakes out of the error that References joins.
func textErrors(err error) []*engine.TextError {
	var list []*engine.TextError
	var joined interface{ Unwrap() []error }
	if errors.As(err, &joined) {
		for _, one := range joined.Unwrap() {
			list = append(list, textErrors(one)...)
		}
		return list
	}
	var one *engine.TextError
	if errors.As(err, &one) {
		list = append(list, one)
	}
	return list
}

// literal reads a member in which nothing is substituted.
func (s *textScope) literal(v *value) string {
	if v.ok() && strings.Contains(v.text, "${{") {
		s.d.fail(v, "write it out", "nothing is substituted in %s", v.name)
	}
	return v.str()
}
