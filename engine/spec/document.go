package spec

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	yaml "go.yaml.in/yaml/v4"
)

// The limits on one file (`definition.md`, Loading).
const (
	maxFileBytes = 8 << 20
	maxNodes     = 1_000_000
	maxDepth     = 32
)

// parseDocument reads the one document of a file. It refuses, each at its place, what a workflow file may not use: aliases, anchors, tags,
// more than one document, and more depth or size than the limits. The node is nil when nothing can be read.
func parseDocument(data []byte, report func(line, column int, message, hint string)) *yaml.Node {
	if len(data) > maxFileBytes {
		report(0, 0, fmt.Sprintf("the file has %d bytes; at most %d (8 MiB) are allowed", len(data), maxFileBytes), "split the workflow")
		return nil
	}
	if i := invalidUTF8(data); i >= 0 {
		line, column := position(data, i)
		report(line, column, "the file is not UTF-8 text here", "save it in the encoding UTF-8")
		return nil
	}
	if structure(data) > maxNodes {
		report(0, 0, fmt.Sprintf("the file holds more than %d values", maxNodes), "split the workflow")
		return nil
	}
	loader, err := yaml.NewLoader(bytes.NewReader(blankComments(data)))
	var document yaml.Node
	if err == nil {
		err = loader.Load(&document)
	}
	if errors.Is(err, io.EOF) || err == nil && len(document.Content) == 0 {
		report(1, 1, "the file is empty", "write at least a job: jobs: {hello: {action: {type: shell, command: echo hello}}}")
		return nil
	}
	if err != nil {
		line, column, message := syntaxError(err)
		report(line, column, message, tabHint(data, line))
		return nil
	}
	root := document.Content[0]
	// Only what follows the document can still be wrong: another one, or a mistake of syntax.
	var next yaml.Node
	switch err := loader.Load(&next); {
	case errors.Is(err, io.EOF):
	case err != nil:
		line, column, message := syntaxError(err)
		report(line, column, message, "")
		return nil
	default:
		report(max(next.Line, 1), max(next.Column, 1), "a second document begins here; a file holds one workflow", "move it to a file of its own")
		return nil
	}
	c := nodeCheck{report: report}
	if c.check(root, 1); c.failed {
		return nil
	}
	return root
}

// nodeCheck walks every node of a document once.
type nodeCheck struct {
	report func(line, column int, message, hint string)
	count  int
	failed bool
	deep   bool // reported once
}

func (c *nodeCheck) check(n *yaml.Node, depth int) {
	fail := func(message, hint string) {
		c.failed = true
		c.report(n.Line, n.Column, message, hint)
	}
	if c.count++; c.count == maxNodes+1 {
		fail(fmt.Sprintf("the file holds more than %d values", maxNodes), "split the workflow")
	}
	if c.count > maxNodes {
		return
	}
	if depth > maxDepth {
		if c.deep {
			return
		}
		c.deep = true
		fail(fmt.Sprintf("nested deeper than %d levels", maxDepth), "")
		return
	}
	if n.Kind == yaml.AliasNode {
		fail(fmt.Sprintf("the alias *%s is not allowed", n.Value), "write the value out, or use defaults")
		return
	}
	if n.Anchor != "" {
		fail(fmt.Sprintf("the anchor &%s is not allowed", n.Anchor), "remove it; what jobs share stands in defaults")
	}
	if n.Style&yaml.TaggedStyle != 0 || n.Tag == "!" {
		fail(fmt.Sprintf("the tag %s is not allowed", n.Tag), "remove it; the type follows from the key")
	}
	for _, child := range n.Content {
		c.check(child, depth+1)
	}
}

// syntaxError takes the place and the words out of an error of the YAML library.
func syntaxError(err error) (line, column int, message string) {
	var e *yaml.LoadError
	if !errors.As(err, &e) {
		return 1, 1, "cannot be read as YAML: " + err.Error()
	}
	message = "not valid YAML: " + strings.TrimPrefix(e.Message, "yaml: ")
	if e.ContextMsg != "" {
		message += " " + e.ContextMsg
		if e.ContextMark.Line > 0 && e.ContextMark.Line != e.Mark.Line {
			message += fmt.Sprintf(" that begins on line %d", e.ContextMark.Line)
		}
	}
	return max(e.Mark.Line, 1), max(e.Mark.Column, 1), message
}

// tabHint explains the commonest mistake of syntax that its message does not.
func tabHint(data []byte, line int) string {
	for n, text := range bytes.SplitN(data, []byte{'\n'}, line+1) {
		if n+1 == line && bytes.HasPrefix(bytes.TrimLeft(text, " "), []byte{'\t'}) {
			return "YAML is indented with blanks, not with tabs"
		}
	}
	return ""
}

func invalidUTF8(data []byte) int {
	for i := 0; i < len(data); {
		if data[i] < utf8.RuneSelf {
			i++
			continue
		}
		r, n := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return -1
}

func position(data []byte, at int) (line, column int) {
	before := data[:at]
	return 1 + bytes.Count(before, []byte{'\n'}), 1 + utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:])
}

// structure counts what can separate two values. It is cheap, and it keeps a small hostile file from becoming gigabytes of nodes.
func structure(data []byte) int {
	if len(data) <= maxNodes {
		return 0
	}
	n := 0
	for _, c := range data {
		switch c {
		case ',', '\n', '[', '{':
			n++
		}
	}
	return n
}
