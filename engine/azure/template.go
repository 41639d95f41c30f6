package azure

import (
	"fmt"
	"slices"
	"strings"
)

// secretMembers are the members whose value need not be known: a reference takes their place.
var secretMembers = []string{"sasToken", "sasKey", "password", "pfx", "secret"}

// A template is a resource-group template while it is read.
type template struct {
	root     *node
	given    map[string]string
	depth    int
	mistakes Mistakes
}

// template reads the collections and jobs among the resources of a template. Other resources are passed over.
func (s *sourceReader) template(root *node) {
	t := &template{root: root, given: s.src.Parameters}
	for name := range s.src.Parameters {
		if root.member("parameters").member(name) == nil {
			s.mistakes.add("parameters."+name, "The template has no such parameter.")
		}
	}
	s.resources(t, root.member("resources"), "resources", "", "")
	s.mistakes = append(s.mistakes, t.mistakes...)
}

// resources reads resources; below is the type of the one that they stand in, and within the collection's name.
func (s *sourceReader) resources(t *template, list *node, path, below, within string) {
	switch {
	case list.absent():
		return
	case list.kind == objectNode: // resources by symbolic names
		for _, m := range list.members {
			s.resource(t, m.value, join(path, m.name), below, within)
		}
	case list.kind == listNode:
		for i, n := range list.items {
			s.resource(t, n, indexed(path, i), below, within)
		}
	default:
		s.mistakes.add(path, "The value must be an array and is %s.", kindWords[list.kind])
	}
}

func (s *sourceReader) resource(t *template, n *node, path, below, within string) {
	kind := n.member("type").str()
	if below != "" && !strings.Contains(kind, ".") {
		kind = below + "/" + kind
	}
	switch {
	case strings.EqualFold(kind, CollectionType), strings.EqualFold(kind, JobType):
	case strings.EqualFold(kind, "Microsoft.Resources/deployments"):
		s.notes = append(s.notes, path+": the nested deployment is passed over; import its template by itself")
		return
	default:
		return
	}
	if n.member("copy") != nil {
		s.mistakes.add(path+".copy", "A resource that is made several times cannot be imported; write each of them out.")
		return
	}
	if condition := t.resolve(n.member("condition"), path+".condition"); condition != nil && condition.kind == flagNode && condition.text == "false" {
		s.notes = append(s.notes, path+": its condition is false")
		return
	}
	// The rest of the resource, such as its location, need not be known.
	known := &node{kind: objectNode}
	for _, name := range []string{"name", "properties"} {
		if value := n.member(name); value != nil {
			known.members = append(known.members, member{name, t.resolve(value, join(path, name))})
		}
	}
	if len(t.mistakes) > 0 {
		return
	}
	if strings.EqualFold(kind, JobType) {
		if !strings.Contains(known.member("name").str(), "/") && within == "" {
			s.mistakes.add(path+".name", "The name of a job that stands outside of its job collection must be collection/job.")
			return
		}
		s.job(known, path, within)
		return
	}
	s.collection(known, path)
	s.resources(t, n.member("resources"), path+".resources", CollectionType, lastOf(known.member("name").str()))
}

// resolve returns a value with its expressions replaced. What cannot be known is a mistake, but for secrets.
func (t *template) resolve(n *node, path string) *node {
	switch {
	case n == nil:
		return nil
	case n.kind == listNode:
		out := &node{kind: listNode}
		for i, item := range n.items {
			out.items = append(out.items, t.resolve(item, indexed(path, i)))
		}
		return out
	case n.kind == objectNode:
		out := &node{kind: objectNode}
		for _, m := range n.members {
			if slices.ContainsFunc(secretMembers, func(name string) bool { return strings.EqualFold(name, m.name) }) && isExpression(m.value) {
				if value, err := t.evaluate(m.value.text); err == nil {
					out.members = append(out.members, member{m.name, value})
				}
				continue
			}
			out.members = append(out.members, member{m.name, t.resolve(m.value, join(path, m.name))})
		}
		return out
	case n.kind == textNode && strings.HasPrefix(n.text, "[["):
		return &node{kind: textNode, text: n.text[1:]}
	case !isExpression(n):
		return n
	}
	value, err := t.evaluate(n.text)
	if err != nil {
		t.mistakes.add(path, "The expression %s cannot be resolved: %s.", n.text, err)
		return &node{}
	}
	return value
}

func isExpression(n *node) bool {
	return n.kind == textNode && strings.HasPrefix(n.text, "[") && !strings.HasPrefix(n.text, "[[") && strings.HasSuffix(n.text, "]")
}

// maxExpressions bounds how deep values of a template refer to each other.
const maxExpressions = 32

// evaluate gives the value of an expression with its brackets.
func (t *template) evaluate(text string) (*node, error) {
	if t.depth++; t.depth > maxExpressions {
		t.depth--
		return nil, fmt.Errorf("it refers to itself, or through more than %d others", maxExpressions)
	}
	defer func() { t.depth-- }()
	x := &expression{template: t, text: text[1 : len(text)-1]}
	value, err := x.value()
	if err != nil {
		return nil, err
	}
	if x.blanks(); x.at < len(x.text) {
		return nil, fmt.Errorf("%q is not understood", x.text[x.at:])
	}
	return value, nil
}

// parameter is the value of a parameter: the one that was given, else its default.
func (t *template) parameter(name string) (*node, error) {
	declared := t.root.member("parameters").member(name)
	if declared == nil {
		return nil, fmt.Errorf("there is no parameter '%s'", name)
	}
	for other, text := range t.given {
		if !strings.EqualFold(other, name) {
			continue
		}
		switch strings.ToLower(declared.member("type").str()) {
		case "int", "bool", "object", "array":
			value, err := parse([]byte(text))
			if err != nil {
				return nil, fmt.Errorf("the value of the parameter '%s' is not of its type", name)
			}
			return value, nil
		}
		return &node{kind: textNode, text: text}, nil
	}
	value := declared.member("defaultValue")
	if value == nil {
		return nil, fmt.Errorf("the parameter '%s' has no defaultValue", name)
	}
	return t.deep(value)
}

func (t *template) variable(name string) (*node, error) {
	value := t.root.member("variables").member(name)
	if value == nil {
		return nil, fmt.Errorf("there is no variable '%s'", name)
	}
	return t.deep(value)
}

// deep resolves the expressions in the value of a parameter or a variable.
func (t *template) deep(n *node) (*node, error) {
	inner := &template{root: t.root, given: t.given, depth: t.depth}
	value := inner.resolve(n, "")
	if len(inner.mistakes) > 0 {
		return nil, fmt.Errorf("%s", strings.TrimSuffix(inner.mistakes[0].Message, "."))
	}
	return value, nil
}
