package spec

import (
	"fmt"
	"regexp"
	"strings"
)

// kind is what a value is made of.
type kind int8

const (
	textKind     kind = iota // a scalar, taken by its text: 2026-10-01, on and 0777 are text like any other
	flagKind                 // true or false
	integerKind              // a whole number, written in decimal
	wordKind                 // one of a closed set of words
	durationKind             // an ISO 8601 duration
	instantKind              // an ISO 8601 date and time, or a date
	objectKind               // a mapping with the members of a shape
	listKind                 // a list of one type
	mapKind                  // a mapping of free names to one type
	jobKind                  // a job: an object, or an Azure job in one of its two forms
	anyKind                  // anything; it is not looked at
)

// A typ is the type of a value in a file: the one place that the decoder, its messages and the JSON Schema take it from.
type typ struct {
	kind  kind
	what  string // for messages where the general words would be too general: "a name of letters, digits, _ . and -"
	words []string
	also  map[string]string // further words, and the word that each stands for
	fold  bool              // words in any case
	later map[string]string // words that this version refuses, and what to write instead

	pattern  *regexp.Regexp // of a text, a duration, an instant, or a map's keys
	min, max int            // of an integer, a text's length in characters, or a list's length; max 0 is no limit
	nonZero  bool

	elem   *typ // of a list or a map
	orMap  *typ // a mapping in the place of a list
	single bool // one item may stand for a list of it
	empty  bool // an empty list means something

	shape *shape
	short *typ // a scalar in the place of an object
}

// A shape is an object and its members.
type shape struct {
	name   string // in the JSON Schema
	doc    string
	fields []field
	empty  bool              // {} means something
	index  map[string]*field // by every name; filled by newShape
}

// A field is one member of an object.
type field struct {
	name     string
	typ      *typ
	doc      string
	def      string   // the default, in words, for people
	aliases  []string // other spellings
	required bool
	refused  string // why this version does not take the member; "" takes it
}

func newShape(name, doc string, fields ...field) *shape {
	s := &shape{name: name, doc: doc, fields: fields}
	s.fill()
	return s
}

func (s *shape) fill() {
	s.index = make(map[string]*field, len(s.fields))
	for i := range s.fields {
		f := &s.fields[i]
		s.index[f.name] = f
		for _, alias := range f.aliases {
			s.index[alias] = f
		}
	}
}

// names lists the members that may be written, for hints.
func (s *shape) names() []string {
	var list []string
	for _, f := range s.fields {
		if f.refused == "" {
			list = append(list, f.name)
		}
	}
	return list
}

// allowed says in words what a value of the type is.
func (t *typ) allowed() string {
	if t.what != "" {
		return t.what
	}
	switch t.kind {
	case flagKind:
		return "true or false"
	case integerKind:
		switch {
		case t.max != 0 && t.nonZero:
			return fmt.Sprintf("a whole number from %d to %d but not 0", t.min, t.max)
		case t.max != 0:
			return fmt.Sprintf("a whole number from %d to %d", t.min, t.max)
		}
		return fmt.Sprintf("a whole number of at least %d", t.min)
	case wordKind:
		return orList(t.words)
	case durationKind:
		return "a length of time such as 30s, 15m, 1d or PT15M"
	case instantKind:
		return "an ISO 8601 time such as 2026-10-01T02:00:00+08:00, or a date"
	case objectKind, jobKind:
		members := t.objectShape().names()
		if len(members) > 6 {
			members = append(members[:5:5], "...")
		}
		text := "a mapping with " + strings.Join(members, ", ")
		if t.short != nil {
			text = t.short.allowed() + ", or " + text
		}
		return text
	case listKind:
		if t.single {
			return t.elem.allowed() + ", or a list of such"
		}
		return "a list: " + t.elem.allowed()
	case mapKind:
		return "a mapping of names: " + t.elem.allowed()
	default:
		return "text"
	}
}

func (t *typ) objectShape() *shape {
	if t.kind == jobKind {
		return jobShape
	}
	return t.shape
}

// word returns the canonical form of a word, false when it is none of the set.
func (t *typ) word(s string) (string, bool) {
	same := func(a, b string) bool { return a == b || t.fold && strings.EqualFold(a, b) }
	for _, w := range t.words {
		if same(w, s) {
			return w, true
		}
	}
	for _, other := range sortedKeys(t.also) {
		if same(other, s) {
			return t.also[other], true
		}
	}
	return "", false
}

// notYet returns what to write instead of a word that this version refuses.
func (t *typ) notYet(s string) (instead string, refused bool) {
	for _, w := range sortedKeys(t.later) {
		if w == s || t.fold && strings.EqualFold(w, s) {
			return t.later[w], true
		}
	}
	return "", false
}
