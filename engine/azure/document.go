package azure

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// maxDepth bounds the nesting of a document; the deepest job has seven levels, a template some more.
const maxDepth = 64

type nodeKind int8

const (
	nullNode nodeKind = iota
	flagNode
	numberNode
	textNode
	listNode
	objectNode
)

// A node is one value of a document, with the order and the spelling that it was written in.
type node struct {
	kind    nodeKind
	text    string // of a text; of a number and a flag the literal
	items   []*node
	members []member
}

type member struct {
	name  string
	value *node
}

// kindWords are for messages.
var kindWords = [...]string{nullNode: "null", flagNode: "a boolean", numberNode: "a number", textNode: "a string", listNode: "an array", objectNode: "an object"}

// absent reports whether the value counts as not given: null, {} and [].
func (n *node) absent() bool {
	return n == nil || n.kind == nullNode || n.kind == objectNode && len(n.members) == 0 || n.kind == listNode && len(n.items) == 0
}

// member returns the member of that name in any case, nil when there is none.
func (n *node) member(name string) *node {
	if n == nil {
		return nil
	}
	for i := range n.members {
		if strings.EqualFold(n.members[i].name, name) {
			return n.members[i].value
		}
	}
	return nil
}

// str is the text of a text, "" of everything else.
func (n *node) str() string {
	if n == nil || n.kind != textNode {
		return ""
	}
	return n.text
}

// parse reads one JSON document.
func parse(data []byte) (*node, error) {
	if !utf8.Valid(data) {
		return nil, errors.New("the text is not UTF-8")
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	n, err := readNode(d, 1)
	if err == nil {
		if _, err = d.Token(); errors.Is(err, io.EOF) {
			return n, nil
		}
		if err == nil {
			err = errors.New("text follows the JSON value")
		}
	}
	var syntax *json.SyntaxError
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return nil, errors.New("the JSON text ends too early")
	case errors.As(err, &syntax):
		return nil, fmt.Errorf("the text is not valid JSON, at line %d: %w", lineOf(data, syntax.Offset), syntax)
	}
	return nil, err
}

func lineOf(data []byte, offset int64) int {
	return 1 + bytes.Count(data[:min(int(offset), len(data))], []byte{'\n'})
}

func readNode(d *json.Decoder, depth int) (*node, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("the JSON text is nested deeper than %d levels", maxDepth)
	}
	token, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch v := token.(type) {
	case nil:
		return &node{}, nil
	case bool:
		return &node{kind: flagNode, text: fmt.Sprint(v)}, nil
	case json.Number:
		return &node{kind: numberNode, text: v.String()}, nil
	case string:
		return &node{kind: textNode, text: v}, nil
	}
	n := &node{kind: objectNode}
	if token == json.Delim('[') {
		n.kind = listNode
	}
	for d.More() {
		var name string
		if n.kind == objectNode {
			key, err := d.Token()
			if err != nil {
				return nil, err
			}
			name, _ = key.(string) // the decoder takes nothing else in this place
		}
		child, err := readNode(d, depth+1)
		if err != nil {
			return nil, err
		}
		if n.kind == listNode {
			n.items = append(n.items, child)
		} else {
			n.members = append(n.members, member{name, child})
		}
	}
	_, err = d.Token()
	return n, err
}

// MarshalJSON writes the document again, in its order.
func (n *node) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	n.write(&b)
	return b.Bytes(), nil
}

func (n *node) write(b *bytes.Buffer) {
	switch n.kind {
	case flagNode, numberNode:
		b.WriteString(n.text)
	case textNode:
		b.Write(marshalText(n.text))
	case listNode:
		b.WriteByte('[')
		for i, item := range n.items {
			if i > 0 {
				b.WriteByte(',')
			}
			item.write(b)
		}
		b.WriteByte(']')
	case objectNode:
		b.WriteByte('{')
		for i, m := range n.members {
			if i > 0 {
				b.WriteByte(',')
			}
			b.Write(marshalText(m.name))
			b.WriteByte(':')
			m.value.write(b)
		}
		b.WriteByte('}')
	default:
		b.WriteString("null")
	}
}

// Relaxed turns the JSON of published examples and of templates into strict JSON of the same length: comments and a comma before a closing
// bracket become blanks, and so does a byte order mark.
func Relaxed(data []byte) []byte {
	out := bytes.Clone(data)
	if bytes.HasPrefix(out, []byte("\xef\xbb\xbf")) {
		blank(out[:3])
	}
	comma := -1 // the last thing that was not blank, when it is a comma
	for i := 0; i < len(out); i++ {
		rest := out[i:]
		switch c := out[i]; {
		case c == '"':
			comma = -1
			for i++; i < len(out) && out[i] != '"'; i++ {
				if out[i] == '\\' {
					i++
				}
			}
		case bytes.HasPrefix(rest, []byte("//")):
			end := bytes.IndexByte(rest, '\n')
			if end < 0 {
				end = len(rest)
			}
			blank(rest[:end])
		case bytes.HasPrefix(rest, []byte("/*")):
			if end := bytes.Index(rest[2:], []byte("*/")); end >= 0 {
				blank(rest[:end+4])
			}
		case c == ',':
			comma = i
		case c == '}' || c == ']':
			if comma >= 0 {
				out[comma] = ' '
			}
			comma = -1
		case c != ' ' && c != '\t' && c != '\r' && c != '\n':
			comma = -1
		}
	}
	return out
}

// blank leaves the lines as they are.
func blank(text []byte) {
	for i := range text {
		if text[i] != '\n' {
			text[i] = ' '
		}
	}
}
