package spec

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	yaml "go.yaml.in/yaml/v4"
	"golang.org/x/text/unicode/norm"
)

// A value is a node of a file after its shape was checked: of the right type, with canonical names and words. A nil *value is one that is
// absent, and every method answers for it.
type value struct {
	name    string     // the member's, with the index of a list's item: at[0]
	node    *yaml.Node // where it stands
	key     *yaml.Node // its key, nil for list items and the root
	bad     bool       // something in it was reported, so that what follows from it is not
	strange bool       // an object with a key that is none of its members: which one is missing, nobody knows
	text    string
	n       int
	on      bool
	list    []*value
	fields  map[string]*value // of an object or a map
	order   []string          // the keys of a map as written
	azure   bool              // a pasted Azure job, or part of one

	defaulted map[*value]bool // the members that come from `defaults`
}

// inherited reports whether a member of v comes from `defaults`.
func (v *value) inherited(member *value) bool { return v != nil && v.defaulted[member] }

func (v *value) field(name string) *value {
	if v == nil {
		return nil
	}
	return v.fields[name]
}

func (v *value) str() string {
	if v == nil {
		return ""
	}
	return v.text
}

func (v *value) integer(absent int) int {
	if v == nil || v.bad {
		return absent
	}
	return v.n
}

func (v *value) flag() bool { return v != nil && v.on }

func (v *value) ok() bool { return v != nil && !v.bad }

// items are the items of a list that can be read: an object of which something was reported still has its other members.
func (v *value) items() []*value {
	if v == nil {
		return nil
	}
	if !v.bad {
		return v.list
	}
	var list []*value
	for _, item := range v.list {
		if !item.bad || item.fields != nil {
			list = append(list, item)
		}
	}
	return list
}

// position returns where the value is reported: a scalar itself, a collection by its key.
func (v *value) position() (line, column int) {
	if v.key != nil && v.node.Kind != yaml.ScalarNode {
		return v.key.Line, v.key.Column
	}
	return v.node.Line, v.node.Column
}

// reader checks nodes against the table of shapes and makes values of them.
type reader struct {
	report func(n *yaml.Node, severity Severity, message, hint string)
	made   bool // Options.Made
}

func (r *reader) fail(n *yaml.Node, hint, format string, args ...any) *value {
	r.report(n, Error, fmt.Sprintf(format, args...), hint)
	return &value{node: n, bad: true}
}

// read makes a value of a node. name is the member's name, for messages.
func (r *reader) read(n *yaml.Node, t *typ, name string, azure bool) *value {
	v := r.readAny(n, t, name, azure)
	v.name = name
	return v
}

func (r *reader) readAny(n *yaml.Node, t *typ, name string, azure bool) *value {
	switch {
	case t.kind == anyKind:
		return &value{node: n, azure: azure}
	case t.kind == jobKind:
		return r.readJob(n, name)
	case isNull(n):
		return r.fail(n, "write a value or leave it out", "%s is empty; allowed is %s", name, t.allowed())
	case t.kind == objectKind && n.Kind == yaml.ScalarNode && t.short != nil:
		return r.read(n, t.short, name, azure)
	case t.kind == objectKind && t.shape == secretShape && r.made:
		return r.readObject(n, madeSecretShape, t, name, azure)
	case t.kind == objectKind:
		return r.readObject(n, t.shape, t, name, azure)
	case t.kind == mapKind:
		return r.readMap(n, t, name, azure)
	case t.kind == listKind:
		return r.readList(n, t, name, azure)
	case n.Kind != yaml.ScalarNode:
		return r.fail(n, collectionHint(t), "%s is a %s; allowed is %s", name, kindWord(n), t.allowed())
	}
	v := &value{node: n, azure: azure, text: n.Value}
	bad := func(hint string) *value {
		return r.fail(n, hint, "%s is %s; allowed is %s", name, asWritten(n), t.allowed())
	}
	switch t.kind {
	case flagKind:
		if n.Style&quoted != 0 || n.Value != "true" && n.Value != "false" {
			return bad("write true or false, without quotes")
		}
		v.on = n.Value == "true"
	case integerKind:
		i, err := strconv.Atoi(n.Value)
		if err != nil || n.Style&quoted != 0 || strings.HasPrefix(n.Value, "+") || n.Value != strconv.Itoa(i) {
			if n.Style&quoted != 0 && err == nil {
				return bad("write it without quotes")
			}
			return bad("")
		}
		if i < t.min || t.max != 0 && i > t.max || t.nonZero && i == 0 {
			return bad("")
		}
		v.n = i
	case wordKind:
		w, ok := t.word(n.Value)
		if !ok {
			return bad(didYouMean(n.Value, append(slices.Clone(t.words), sortedKeys(t.also)...)))
		}
		v.text = w
	default:
		if t.pattern == namePattern || t.pattern == referencePattern || t.pattern == stepNamePattern {
			v.text = norm.NFC.String(v.text)
		}
		pattern := t.pattern
		if t == workflowNameType && r.made {
			pattern = madeNamePattern
		}
		if pattern != nil && !matches(pattern, v.text) || utf8.RuneCountInString(v.text) < t.min {
			return bad(textHint(t, n.Value))
		}
	}
	return v
}

const quoted = yaml.SingleQuotedStyle | yaml.DoubleQuotedStyle | yaml.LiteralStyle | yaml.FoldedStyle

// isNull reports whether a scalar is null in YAML 1.2's core schema.
func isNull(n *yaml.Node) bool {
	if n.Kind != yaml.ScalarNode || n.Style&quoted != 0 {
		return false
	}
	switch n.Value {
	case "", "~", "null", "Null", "NULL":
		return true
	}
	return false
}

func kindWord(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "mapping"
	case yaml.SequenceNode:
		return "list"
	default:
		return "single value"
	}
}

// quoteShort shows what was written, without filling the screen.
func quoteShort(s string) string {
	if r := []rune(s); len(r) > 60 {
		s = string(r[:57]) + "..."
	}
	return strconv.Quote(s)
}

// asWritten shows a number as a number and everything else in quotes.
func asWritten(n *yaml.Node) string {
	if _, err := strconv.Atoi(n.Value); err == nil && n.Style&quoted == 0 {
		return n.Value
	}
	return quoteShort(n.Value)
}

func collectionHint(t *typ) string {
	if t.kind == textKind && t.pattern == nil {
		return "write the text as a block: |"
	}
	return ""
}

func textHint(t *typ, s string) string {
	switch t.kind {
	case durationKind:
		return durationHint(s)
	case instantKind:
		return "write 2026-10-01T02:00:00+08:00"
	default:
		return ""
	}
}

func (r *reader) readObject(n *yaml.Node, s *shape, t *typ, name string, azure bool) *value {
	if n.Kind != yaml.MappingNode {
		return r.fail(n, "", "%s is %s; allowed is %s", name, describeNode(n), t.allowed())
	}
	if len(n.Content) == 0 && !azure && !s.empty {
		return r.fail(n, "write its members or leave it out", "%s is empty; allowed is %s", name, t.allowed())
	}
	v := &value{node: n, azure: azure, fields: make(map[string]*value, len(n.Content)/2)}
	if refused := r.refuseType(n, s); refused != nil {
		return refused
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, child := n.Content[i], n.Content[i+1]
		f := s.index[key.Value]
		switch {
		case key.Kind != yaml.ScalarNode:
			r.fail(key, "", "a key must be a word, not a %s", kindWord(key))
			v.bad, v.strange = true, true
			continue
		case f == nil:
			r.fail(key, r.unknownHint(key.Value, s), "unknown key %q in %s", key.Value, name)
			v.bad, v.strange = true, true
			continue
		case v.fields[f.name] != nil:
			r.fail(key, "", "the key %q is given twice; the first is on line %d", key.Value, v.fields[f.name].key.Line)
			v.bad = true
			continue
		case azure && absent(child):
			continue
		case f.refused != "":
			r.fail(key, "", "%s is not supported: %s", f.name, f.refused)
			v.bad = true
			continue
		}
		member := r.read(child, f.typ, f.name, azure)
		member.key = key
		v.fields[f.name] = member
		v.bad = v.bad || member.bad
	}
	for i := range s.fields {
		if f := &s.fields[i]; f.required && v.fields[f.name] == nil && !v.strange {
			r.fail(n, "", "%s has no %s; it must have %s", name, f.name, f.typ.allowed())
			v.bad = true
		}
	}
	return v
}

func describeNode(n *yaml.Node) string {
	if n.Kind == yaml.ScalarNode {
		return quoteShort(n.Value)
	}
	return "a " + kindWord(n)
}

// unknownHint knows the words of neighbouring tools beside those of the shape.
func (r *reader) unknownHint(key string, s *shape) string {
	if key == "<<" {
		return "merge keys are not allowed; what jobs share stands in defaults"
	}
	if known := synonyms[strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(key))]; s.index[known] != nil {
		return fmt.Sprintf("did you mean %q?", known)
	}
	if near := didYouMean(key, s.names()); near != "" {
		return near
	}
	if (s == actionShape || s == recurrenceShape || s == scheduleShape) && jobShape.index[key] != nil {
		return key + " stands on the job, beside " + s.name
	}
	return "allowed are " + strings.Join(s.names(), ", ")
}

// synonyms are the words that other tools use for what stands here, in lower case without _ and -.
var synonyms = map[string]string{
	"every": "recurrence", "frequency": "recurrence", "retry": "retryPolicy", "retries": "retryPolicy", "retrys": "retryPolicy", "schedule": "recurrence", "depends": "dependsOn", "dependencies": "dependsOn",
	"upstream": "dependsOn", "needs": "dependsOn", "run": "command", "cmd": "command", "bash": "command", "environment": "env", "if": "when",
	"condition": "when", "url": "uri", "workdir": "dir", "cwd": "dir", "workingdirectory": "dir", "start": "startTime", "startdate": "startTime", "end": "endTime",
	"tz": "timeZone", "maxjobcount": "maxJobs", "maxactiveruns": "concurrency", "onfailure": "errorAction", "tasks": "steps", "parameters": "params",
}

func (r *reader) readMap(n *yaml.Node, t *typ, name string, azure bool) *value {
	if n.Kind != yaml.MappingNode {
		return r.fail(n, "", "%s is %s; allowed is %s", name, describeNode(n), t.allowed())
	}
	if len(n.Content) == 0 && !azure {
		return r.fail(n, "write its members or leave it out", "%s is empty; allowed is %s", name, t.allowed())
	}
	v := &value{node: n, azure: azure, fields: make(map[string]*value, len(n.Content)/2)}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, child := n.Content[i], n.Content[i+1]
		if key.Kind != yaml.ScalarNode {
			r.fail(key, "", "a key must be a name, not a %s", kindWord(key))
			v.bad = true
			continue
		}
		k := key.Value
		if t.pattern != headerPattern && t.pattern != envNamePattern && t.pattern != propertyPattern {
			k = norm.NFC.String(k)
		}
		switch {
		case k == "<<" && key.Style&quoted == 0:
			r.fail(key, "what jobs share stands in defaults", "merge keys are not allowed")
			v.bad = true
			continue
		case !matches(t.pattern, k):
			r.fail(key, "", "%s is no name in %s; allowed are %s", quoteShort(k), name, keyWords(t))
			v.bad = true
			continue
		case v.fields[k] != nil:
			r.fail(key, "", "the key %q is given twice; the first is on line %d", k, v.fields[k].key.Line)
			v.bad = true
			continue
		}
		label := name + "." + k
		switch name {
		case "jobs":
			label = "job " + k
		case "steps":
			label = "step " + k
		}
		member := r.read(child, t.elem, label, azure)
		member.key = key
		v.fields[k] = member
		v.order = append(v.order, k)
		if t.elem.kind != jobKind {
			v.bad = v.bad || member.bad
		}
	}
	return v
}

// keyWords says what the keys of a map may be.
func keyWords(t *typ) string {
	switch t.pattern {
	case namePattern:
		return "at most 128 letters, digits and the characters _ . -, beginning with a letter or a digit"
	case stepNamePattern:
		return "at most 128 letters, digits and the characters _ -, beginning with a letter or a digit"
	case valueNamePattern:
		return "at most 128 letters, digits and _, beginning with a letter or _"
	case outputPattern:
		return "letters, digits and _ . -"
	case envNamePattern:
		return "A to Z, a to z, 0 to 9 and _, not beginning with a digit"
	case propertyPattern:
		return "at most 255 printable characters of ASCII, without a space at either end"
	}
	return "the characters of an HTTP header field"
}

func (r *reader) readList(n *yaml.Node, t *typ, name string, azure bool) *value {
	v := &value{node: n, azure: azure}
	if n.Kind == yaml.MappingNode && t.orMap != nil {
		return r.readMap(n, t.orMap, name, azure)
	}
	if n.Kind != yaml.SequenceNode {
		if !t.single {
			return r.fail(n, "", "%s is %s; allowed is %s", name, describeNode(n), t.allowed())
		}
		item := r.read(n, t.elem, name, azure)
		v.list, v.bad = []*value{item}, item.bad
		return v
	}
	if len(n.Content) == 0 && !azure && !t.empty {
		return r.fail(n, "write its items or leave it out", "%s is empty; allowed is %s", name, t.allowed())
	}
	for i, child := range n.Content {
		item := r.read(child, t.elem, fmt.Sprintf("%s[%d]", name, i), azure)
		v.list = append(v.list, item)
		v.bad = v.bad || item.bad
	}
	return v
}
