package spec

import (
	yaml "go.yaml.in/yaml/v4"
)

// ShapeProblems reads a file as far as its shape: what the JSON Schema can judge too.
func ShapeProblems(data []byte) Problems {
	var problems Problems
	add := func(line, column int, severity Severity, message, hint string) {
		problems = append(problems, Problem{File: "f", Line: line, Column: column, Severity: severity, Message: message, Hint: hint})
	}
	root := parseDocument(data, func(line, column int, message, hint string) { add(line, column, Error, message, hint) })
	if root == nil {
		return problems
	}
	r := reader{report: func(n *yaml.Node, severity Severity, message, hint string) {
		add(n.Line, n.Column, severity, message, hint)
	}}
	r.readObject(root, workflowShape, object(workflowShape), "the file", false)
	return problems
}

// Document reads a file as JSON-like values, by YAML 1.2's core schema.
func Document(data []byte) (any, Problems) {
	var problems Problems
	root := parseDocument(data, func(line, column int, message, hint string) {
		problems = append(problems, Problem{File: "f", Line: line, Column: column, Message: message, Hint: hint})
	})
	if root == nil {
		return nil, problems
	}
	return core(root), nil
}

var (
	ParseDuration = parseDuration
	ParseOffset   = parseOffset
	FormatOffset  = formatOffset
	ParseInstant  = parseInstant
	CheckWhen     = checkWhen
	DidYouMean    = didYouMean
)
