package azure

import (
	"slices"
	"strings"
)

// Patch merges the body of a PATCH into a stored job, both as the JSON of the entity with its `properties`, and returns the merged JSON in
// the service's spelling; ReadJob judges it. Objects are merged member by member, arrays are replaced whole, an explicit null removes. `id`,
// `type` and `name` may be there when they say what the job has. What a PATCH cannot set is refused: status, and the states that are final.
func Patch(stored, body []byte, self Job) ([]byte, Mistakes) {
	base, err := parse(stored)
	if err != nil {
		return nil, Mistakes{{Message: "The stored job cannot be read: " + err.Error() + "."}}
	}
	change, err := parse(body)
	if err != nil {
		return nil, Mistakes{{Message: "The request content is invalid: " + err.Error() + "."}}
	}
	m := patchMistakes(change, self)
	if len(m) > 0 {
		return nil, m
	}
	merged := merge(base, drop(change, "id", "type", "name"), jobShape)
	text, err := merged.MarshalJSON()
	if err != nil {
		return nil, Mistakes{{Message: err.Error()}}
	}
	return text, nil
}

// patchMistakes judges what only a PATCH may not say. Members that count as unknown are ignored.
func patchMistakes(change *node, self Job) Mistakes {
	var m Mistakes
	if change.kind != objectNode {
		m.add("", "The request content must be an object and is %s.", kindWords[change.kind])
		return m
	}
	for _, own := range []struct{ name, value string }{{"id", self.ID}, {"type", self.Type}, {"name", self.Name}} {
		given := change.member(own.name)
		if given == nil || given.kind == nullNode || strings.EqualFold(given.str(), own.value) {
			continue
		}
		// The name in a path is the job's alone.
		if own.name == "name" && strings.EqualFold(given.str(), own.value[strings.LastIndexByte(own.value, '/')+1:]) {
			continue
		}
		m.add(own.name, "The property '%s' cannot be changed.", own.name)
	}
	properties := change.member("properties")
	if properties == nil {
		return m
	}
	if properties.kind != objectNode {
		m.add("properties", "The value must be an object and is %s.", kindWords[properties.kind])
		return m
	}
	if status := properties.member("status"); status != nil {
		m.add("properties.status", "The property 'status' cannot be set.")
	}
	if state := properties.member("state"); state != nil && slices.ContainsFunc([]string{StateCompleted, StateFaulted}, func(final string) bool { return strings.EqualFold(final, state.str()) }) {
		m.add("properties.state", "The state of a job cannot be set to '%s'; it must be Enabled or Disabled.", state.str())
	}
	return m
}

// drop leaves members out.
func drop(n *node, names ...string) *node {
	c := &node{kind: n.kind}
	for _, m := range n.members {
		if !slices.ContainsFunc(names, func(name string) bool { return strings.EqualFold(name, m.name) }) {
			c.members = append(c.members, m)
		}
	}
	return c
}

// merge puts a change over a value. The names of the result are in the service's spelling, so that hour and Hours are one member.
func merge(base, change *node, s *shape) *node {
	switch {
	case change.kind != objectNode || s == nil:
		return change
	case base == nil || base.kind != objectNode:
		base = &node{kind: objectNode}
	}
	out := &node{kind: objectNode}
	for _, m := range base.members {
		out.members = append(out.members, member{s.spelled(m.name), m.value})
	}
	for _, m := range change.members {
		name := s.spelled(m.name)
		at := slices.IndexFunc(out.members, func(o member) bool { return o.name == name || s.fold && strings.EqualFold(o.name, name) })
		var old *node
		if at >= 0 {
			old = out.members[at].value
		}
		switch {
		case m.value.kind == nullNode && at >= 0:
			out.members = slices.Delete(out.members, at, at+1)
		case m.value.kind == nullNode:
		case at >= 0:
			out.members[at].value = merge(old, m.value, s.below(name))
		default:
			out.members = append(out.members, member{name, merge(nil, m.value, s.below(name))})
		}
	}
	return out
}

// spelled is a member's name in the service's spelling; one that is unknown keeps its own.
func (s *shape) spelled(name string) string {
	if known, ok := s.name(name); ok {
		return known.name
	}
	return name
}

// below is the shape of a member that is merged in its turn; nil when it is replaced whole.
func (s *shape) below(name string) *shape {
	known, ok := s.name(name)
	if !ok {
		return nil
	}
	return known.of
}
