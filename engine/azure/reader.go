package azure

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A reader makes entities of a document and collects what is wrong with it.
type reader struct {
	mistakes Mistakes
	written  map[string]string // the path of a member in the service's spelling → as the client wrote it, where they differ
}

// A field is one member of the document: its value, nil when absent, and its path in both spellings.
type field struct {
	*node
	path string // as written
	at   string // in the service's spelling
}

func (f field) given() bool { return f.node != nil }

func (r *reader) fail(f field, format string, args ...any) { r.mistakes.add(f.path, format, args...) }

// members are the fields of one object by their names in the service's spelling.
type members map[string]field

// object reads an object. Members that count as absent are left out, unknown ones are ignored, native ones refused.
func (r *reader) object(f field, s *shape) members {
	if !f.given() {
		return nil
	}
	if f.kind != objectNode {
		r.fail(f, "The value must be an object and is %s.", kindWords[f.kind])
		return nil
	}
	m := members{}
	for _, child := range f.members {
		path := join(f.path, child.name)
		known, ok := s.name(child.name)
		switch {
		case !ok && !child.value.absent() && slices.ContainsFunc(s.native, func(n string) bool { return strings.EqualFold(n, child.name) }):
			r.mistakes.add(path, "The property '%s' belongs to workflow files; a job of Azure Scheduler has no such property.", child.name)
			continue
		case !ok, child.value.absent():
			continue
		}
		at := join(f.at, known.name)
		if _, twice := m[known.name]; twice {
			r.mistakes.add(path, "The property '%s' is given twice.", known.name)
			continue
		}
		if at != path {
			r.written[at] = path
		}
		m[known.name] = field{child.value, path, at}
	}
	return m
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// missing is the field of a member that is not there, for a mistake about it.
func (f field) missing(name string) field { return field{nil, join(f.path, name), join(f.at, name)} }

// need returns a member that must be there.
func (r *reader) need(m members, of field, name string) field {
	f, ok := m[name]
	if !ok && m != nil {
		r.fail(of.missing(name), "The required property '%s' is missing.", name)
	}
	return f
}

// text reads a string; numbers and booleans are taken by their text, as the service did.
func (r *reader) text(f field) string {
	switch {
	case !f.given():
		return ""
	case f.kind == objectNode || f.kind == listNode:
		r.fail(f, "The value must be a string and is %s.", kindWords[f.kind])
		return ""
	}
	return f.text
}

// needText reads a member that must be there and hold something.
func (r *reader) needText(m members, of field, name string) string {
	f := r.need(m, of, name)
	text := r.text(f)
	if f.given() && text == "" && f.kind == textNode {
		r.fail(f, "The required property '%s' is empty.", name)
	}
	return text
}

func (r *reader) integer(f field, low, high int) (int, bool) {
	if !f.given() {
		return 0, false
	}
	n, err := strconv.Atoi(f.text)
	if f.kind != numberNode || err != nil {
		r.fail(f, "The value must be a whole number and is %s.", f.shown())
		return 0, false
	}
	if n < low || n > high {
		r.fail(f, "The value '%d' is out of range; it must be between %d and %d.", n, low, high)
		return 0, false
	}
	return n, true
}

func (r *reader) flag(f field) bool {
	switch {
	case !f.given():
		return false
	case f.kind == flagNode || f.kind == textNode && (strings.EqualFold(f.text, "true") || strings.EqualFold(f.text, "false")):
		return strings.EqualFold(f.text, "true")
	}
	r.fail(f, "The value must be true or false and is %s.", f.shown())
	return false
}

// word reads one of a closed set of words, in any case.
func (r *reader) word(f field, words ...string) string {
	if !f.given() {
		return ""
	}
	if f.kind == textNode {
		for _, w := range words {
			if strings.EqualFold(w, f.text) {
				return w
			}
		}
	}
	r.fail(f, "The value %s is not valid; it must be one of %s.", f.shown(), strings.Join(words, ", "))
	return ""
}

func (r *reader) time(f field) *Time {
	if !f.given() {
		return nil
	}
	text := r.text(f)
	if f.kind == objectNode || f.kind == listNode {
		return nil
	}
	t, err := parseTime(text)
	if err != nil {
		r.fail(f, "The time %s cannot be read: %s.", f.shown(), err)
		return nil
	}
	return At(t)
}

func (r *reader) duration(f field) *Duration {
	if !f.given() {
		return nil
	}
	text := r.text(f)
	if f.kind == objectNode || f.kind == listNode {
		return nil
	}
	d, err := parseDuration(text)
	if err != nil {
		r.fail(f, "The duration %s cannot be read: %s.", f.shown(), err)
		return nil
	}
	return &Duration{Text: text, Length: d}
}

// items are the values of an array, or the one that stands for it.
func (f field) items() []field {
	switch {
	case !f.given():
		return nil
	case f.kind != listNode:
		return []field{f}
	}
	list := make([]field, len(f.node.items))
	for i, n := range f.node.items {
		list[i] = field{n, fmt.Sprintf("%s[%d]", f.path, i), fmt.Sprintf("%s[%d]", f.at, i)}
	}
	return list
}

// integers reads an array of numbers, or one number.
func (r *reader) integers(f field, low, high int) []int {
	var list []int
	for _, item := range f.items() {
		if n, ok := r.integer(item, low, high); ok {
			list = append(list, n)
		}
	}
	return list
}

// texts reads an object of free names; nil when it has none.
func (r *reader) texts(f field, s *shape) map[string]string {
	m := r.object(f, s)
	if len(m) == 0 {
		return nil
	}
	texts := make(map[string]string, len(m))
	for name, value := range m {
		texts[name] = r.text(value)
	}
	return texts
}

// shown is a value for a message, shortened.
func (f field) shown() string {
	switch f.kind {
	case objectNode, listNode, nullNode:
		return kindWords[f.kind]
	}
	text := f.text
	if utf8.RuneCountInString(text) > 60 {
		text = string([]rune(text)[:57]) + "..."
	}
	return "'" + text + "'"
}
