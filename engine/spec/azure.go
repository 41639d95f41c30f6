package spec

import (
	"fmt"
	"slices"
	"strings"

	yaml "go.yaml.in/yaml/v4"
)

// readJob decides which of its three forms a job has (doc.go, Azure jobs).
func (r *reader) readJob(n *yaml.Node, name string) *value {
	if n.Kind != yaml.MappingNode {
		return r.fail(n, "write at least an action: {action: {type: shell, command: ...}}", "%s is %s; a job is a mapping", name, describeEmpty(n))
	}
	t := &typ{kind: objectKind, shape: jobShape}
	if memberOf(n, "properties") != nil {
		v := r.readObject(n, azureResourceShape, &typ{kind: objectKind, shape: azureResourceShape}, name, true)
		for _, ignored := range []string{"id", "type", "name"} {
			if w := v.field(ignored); w != nil {
				r.report(w.key, Warning, ignored+" of a pasted Azure job is ignored: the job's name is its key", "")
			}
		}
		properties := v.field("properties")
		if properties == nil {
			return v
		}
		properties.bad = v.bad
		return r.azureJob(properties)
	}
	if isAzureJob(n) {
		t.shape = azureJobShape
		return r.azureJob(r.readObject(n, azureJobShape, t, name, true))
	}
	if r.made {
		return r.readObject(n, madeJobShape, t, name, false)
	}
	return r.readObject(n, jobShape, t, name, false)
}

func describeEmpty(n *yaml.Node) string {
	if absent(n) {
		return "empty"
	}
	return describeNode(n)
}

// azureJob turns the words of a pasted job that have no place here into notes.
func (r *reader) azureJob(v *value) *value {
	if status := v.field("status"); status != nil {
		r.report(status.key, Warning, "status of a pasted Azure job is ignored: the server keeps its own", "")
		delete(v.fields, "status")
	}
	if state := v.field("state"); state.ok() && (state.text == "completed" || state.text == "faulted") {
		r.report(state.node, Warning, fmt.Sprintf("the pasted Azure job is %s, which ends it there; it is loaded as disabled", state.text), "write state: enabled to run it again")
		state.text = "disabled"
	}
	return v
}

func memberOf(n *yaml.Node, key string) *yaml.Node {
	if n.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Kind == yaml.ScalarNode && n.Content[i].Value == key {
			return n.Content[i+1]
		}
	}
	return nil
}

// isAzureJob reports whether a job value holds nothing but what Azure's has.
func isAzureJob(n *yaml.Node) bool {
	action := memberOf(n, "action")
	if action == nil || !onlyMembers(n, azureJobShape.names()) || !onlyMembers(action, azureActionMembers) {
		return false
	}
	t := memberOf(action, "type")
	return t != nil && t.Kind == yaml.ScalarNode && slices.ContainsFunc(azureActionTypes, func(w string) bool { return strings.EqualFold(w, t.Value) })
}

func onlyMembers(n *yaml.Node, names []string) bool {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Kind != yaml.ScalarNode || !slices.Contains(names, n.Content[i].Value) {
			return false
		}
	}
	return n.Kind == yaml.MappingNode
}

// refuseType reports an object of a type that this version does not carry out, and nothing else about it.
func (r *reader) refuseType(n *yaml.Node, s *shape) *value {
	f, t := s.index["type"], memberOf(n, "type")
	if f == nil || t == nil || t.Kind != yaml.ScalarNode {
		return nil
	}
	instead, refused := f.typ.notYet(t.Value)
	if !refused {
		return nil
	}
	return r.fail(t, instead, "the action type %s is not supported by this version", t.Value)
}

// absent reports whether a value counts as not given inside a pasted Azure object.
func absent(n *yaml.Node) bool {
	return isNull(n) || n.Kind != yaml.ScalarNode && len(n.Content) == 0
}
