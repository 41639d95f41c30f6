package azure

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// ordered is an object whose members keep their order, for documents that people read.
type ordered []entry

type entry struct {
	name  string
	value any
}

// put adds a member.
func (o *ordered) put(name string, value any) { *o = append(*o, entry{name, value}) }

// putText adds a text that is not empty.
func (o *ordered) putText(name, value string) {
	if value != "" {
		o.put(name, value)
	}
}

// putObject adds an object that has members.
func (o *ordered) putObject(name string, value ordered) {
	if len(value) > 0 {
		o.put(name, value)
	}
}

// MarshalJSON writes the members in their order.
func (o ordered) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, e := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(marshalText(e.name))
		b.WriteByte(':')
		value, err := marshalValue(e.value)
		if err != nil {
			return nil, err
		}
		b.Write(value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

func marshalValue(v any) ([]byte, error) {
	if text, ok := v.(string); ok {
		return marshalText(text), nil
	}
	value, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("write JSON: %w", err)
	}
	return value, nil
}

// marshalText writes a text as a JSON string that means the same in YAML: what YAML refuses or changes is escaped.
func marshalText(s string) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil {
		panic("stuck, this is a bug: every text can be written: " + err.Error())
	}
	plain := bytes.TrimSuffix(b.Bytes(), []byte{'\n'})
	unsafe := func(r rune) bool { return r >= 0x7f && r <= 0x9f || r == 0xfeff || r == 0xfffe || r == 0xffff }
	if !bytes.ContainsFunc(plain, unsafe) {
		return plain
	}
	var escaped bytes.Buffer
	for _, r := range string(plain) {
		if unsafe(r) {
			fmt.Fprintf(&escaped, `\u%04x`, r)
			continue
		}
		escaped.WriteRune(r)
	}
	return escaped.Bytes()
}

// yaml writes the object as block YAML; lists are written in brackets.
func (o ordered) yaml(b *strings.Builder, indent int) error {
	for _, e := range o {
		fmt.Fprintf(b, "%*s%s:", indent, "", yamlText(e.name))
		if inner, ok := e.value.(ordered); ok {
			b.WriteByte('\n')
			if err := inner.yaml(b, indent+2); err != nil {
				return err
			}
			continue
		}
		b.WriteByte(' ')
		if err := yamlFlow(b, e.value); err != nil {
			return err
		}
		b.WriteByte('\n')
	}
	return nil
}

func yamlFlow(b *strings.Builder, v any) error {
	between := func(open, end string, n int, each func(i int) error) error {
		b.WriteString(open)
		for i := range n {
			if i > 0 {
				b.WriteString(", ")
			}
			if err := each(i); err != nil {
				return err
			}
		}
		b.WriteString(end)
		return nil
	}
	switch v := v.(type) {
	case string:
		b.WriteString(yamlText(v))
	case ordered:
		return between("{", "}", len(v), func(i int) error {
			b.WriteString(yamlText(v[i].name) + ": ")
			return yamlFlow(b, v[i].value)
		})
	case []ordered:
		return between("[", "]", len(v), func(i int) error { return yamlFlow(b, v[i]) })
	case []string:
		return between("[", "]", len(v), func(i int) error { return yamlFlow(b, v[i]) })
	case []int:
		return between("[", "]", len(v), func(i int) error { return yamlFlow(b, v[i]) })
	default:
		value, err := marshalValue(v)
		if err != nil {
			return err
		}
		b.Write(value)
	}
	return nil
}

var (
	plainText = regexp.MustCompile(`^([A-Za-z][A-Za-z0-9_./-]*|[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+Z)$`)
	yamlWords = []string{"null", "true", "false", "yes", "no", "on", "off", "y", "n"}
)

// yamlText writes a text without quotes where nobody can take it for anything else.
func yamlText(s string) string {
	if plainText.MatchString(s) && !slices.Contains(yamlWords, strings.ToLower(s)) {
		return s
	}
	return string(marshalText(s))
}
