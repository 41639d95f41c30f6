package azure

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// An expression is one expression of a template while it is read: texts, whole numbers, and the functions that make texts of them.
type expression struct {
	*template
	text  string
	at    int
	depth int
}

func (x *expression) blanks() {
	for x.at < len(x.text) && strings.IndexByte(" \t\r\n", x.text[x.at]) >= 0 {
		x.at++
	}
}

// take passes over a character when it is the next.
func (x *expression) take(c byte) bool {
	x.blanks()
	if x.at < len(x.text) && x.text[x.at] == c {
		x.at++
		return true
	}
	return false
}

func (x *expression) value() (*node, error) {
	if x.depth++; x.depth > maxExpressions {
		return nil, errors.New("it is nested too deep")
	}
	defer func() { x.depth-- }()
	x.blanks()
	if x.at == len(x.text) {
		return nil, errors.New("it ends too early")
	}
	switch c := x.text[x.at]; {
	case c == '\'':
		return x.literal()
	case c == '-' || c >= '0' && c <= '9':
		begin := x.at
		for x.at++; x.at < len(x.text) && x.text[x.at] >= '0' && x.text[x.at] <= '9'; {
			x.at++
		}
		if _, err := strconv.Atoi(x.text[begin:x.at]); err != nil {
			return nil, fmt.Errorf("%q is no number", x.text[begin:x.at])
		}
		return &node{kind: numberNode, text: x.text[begin:x.at]}, nil
	}
	name := x.word()
	if name == "" {
		return nil, fmt.Errorf("%q is not understood", x.text[x.at:])
	}
	if !x.take('(') {
		return nil, fmt.Errorf("%s is no function call", name)
	}
	var arguments []*node
	for !x.take(')') {
		if len(arguments) > 0 && !x.take(',') {
			return nil, fmt.Errorf("the call of %s does not end", name)
		}
		argument, err := x.value()
		if err != nil {
			return nil, err
		}
		arguments = append(arguments, argument)
	}
	value, err := x.call(name, arguments)
	if err != nil {
		return nil, err
	}
	return x.members(value)
}

// members follows .name and [index] behind a value.
func (x *expression) members(value *node) (*node, error) {
	for {
		switch {
		case x.take('.'):
			name := x.word()
			inner := value.member(name)
			if name == "" || inner == nil {
				return nil, fmt.Errorf("there is no member '%s'", name)
			}
			value = inner
		case x.take('['):
			index, err := x.value()
			if err != nil {
				return nil, err
			}
			if !x.take(']') {
				return nil, errors.New("an index does not end")
			}
			i, err := strconv.Atoi(index.text)
			if err != nil || value.kind != listNode || i < 0 || i >= len(value.items) {
				return nil, fmt.Errorf("there is no item %s", index.text)
			}
			value = value.items[i]
		default:
			return value, nil
		}
	}
}

func (x *expression) word() string {
	x.blanks()
	begin := x.at
	for x.at < len(x.text) {
		c := x.text[x.at]
		if c != '_' && (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') {
			break
		}
		x.at++
	}
	return x.text[begin:x.at]
}

// literal reads a text in single quotes, in which a quote is doubled.
func (x *expression) literal() (*node, error) {
	var b strings.Builder
	for x.at++; x.at < len(x.text); x.at++ {
		if x.text[x.at] != '\'' {
			b.WriteByte(x.text[x.at])
			continue
		}
		if x.at++; x.at == len(x.text) || x.text[x.at] != '\'' {
			return &node{kind: textNode, text: b.String()}, nil
		}
		b.WriteByte('\'')
	}
	return nil, errors.New("a text does not end")
}

// call carries out the functions that need nothing but their arguments and the template.
func (x *expression) call(name string, arguments []*node) (*node, error) {
	texts := make([]string, len(arguments))
	for i, a := range arguments {
		if a.kind == objectNode || a.kind == listNode || a.kind == nullNode {
			return nil, fmt.Errorf("%s takes texts and numbers, not %s", name, kindWords[a.kind])
		}
		texts[i] = a.text
	}
	text := func(s string) (*node, error) { return &node{kind: textNode, text: s}, nil }
	switch lower := strings.ToLower(name); {
	case lower == "parameters" && len(texts) == 1:
		return x.parameter(texts[0])
	case lower == "variables" && len(texts) == 1:
		return x.variable(texts[0])
	case lower == "concat":
		return text(strings.Join(texts, ""))
	case lower == "string" && len(texts) == 1:
		return text(texts[0])
	case lower == "tolower" && len(texts) == 1:
		return text(strings.ToLower(texts[0]))
	case lower == "toupper" && len(texts) == 1:
		return text(strings.ToUpper(texts[0]))
	case lower == "format" && len(texts) > 0:
		var pairs []string
		for i, value := range texts[1:] {
			pairs = append(pairs, "{"+strconv.Itoa(i)+"}", value)
		}
		return text(strings.NewReplacer(pairs...).Replace(texts[0]))
	}
	return nil, fmt.Errorf("what %s() gives is not in the template", name)
}
