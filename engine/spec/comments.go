package spec

import (
	"bytes"
	"strings"
)

// blankComments replaces `// ...` comments, as published JSON examples have them, by blanks of the same width. They are looked for only where
// YAML allows none of its own text: inside brackets or braces, outside quotes, behind one of `, : [ {` or a closing quote or bracket, with a
// blank after the slashes. So no value of valid YAML changes, but for a list item that is itself "// ...".
func blankComments(data []byte) []byte {
	if !bytes.Contains(data, []byte("//")) || !bytes.ContainsAny(data, "{[") {
		return data
	}
	s := commentScan{data: data}
	s.run()
	if s.out == nil {
		return data
	}
	return s.out
}

type commentScan struct {
	data  []byte
	out   []byte // nil until the first comment
	depth int    // open brackets and braces
	last  byte   // the last character that is not blank; 0 at the start of a line outside brackets
}

func (s *commentScan) run() {
	block := -1 // indentation of the line that opened a block scalar
	for i := 0; i < len(s.data); {
		if i == 0 || s.data[i-1] == '\n' {
			if s.depth == 0 {
				s.last = 0
				line := s.data[i:]
				if end := bytes.IndexByte(line, '\n'); end >= 0 {
					line = line[:end]
				}
				indent := len(line) - len(bytes.TrimLeft(line, " "))
				blank := len(bytes.TrimSpace(line)) == 0
				if block >= 0 && (blank || indent > block) {
					i += len(line) + 1
					continue
				}
				block = -1
				if text := bytes.TrimRight(line, " \r"); blockScalar(text) {
					block = indent
					i += len(line) + 1
					continue
				}
			}
		}
		i = s.step(i)
	}
}

// blockScalar reports whether a line ends with the header of a literal or folded text, such as `command: |-`.
func blockScalar(line []byte) bool {
	if i := bytes.Index(line, []byte(" #")); i >= 0 {
		line = bytes.TrimRight(line[:i], " ")
	}
	line = bytes.TrimRight(line, "+-0123456789")
	if len(line) < 2 || line[len(line)-1] != '|' && line[len(line)-1] != '>' {
		return false
	}
	before := bytes.TrimRight(line[:len(line)-1], " ")
	return len(before) > 0 && (before[len(before)-1] == ':' || before[len(before)-1] == '-')
}

// step passes one character, one quoted text or one comment and returns where the next begins.
func (s *commentScan) step(i int) int {
	c := s.data[i]
	switch {
	case c == ' ' || c == '\t' || c == '\r' || c == '\n':
		return i + 1
	case c == '#' && (i == 0 || strings.IndexByte(" \t\n", s.data[i-1]) >= 0):
		if end := bytes.IndexByte(s.data[i:], '\n'); end >= 0 {
			return i + end
		}
		return len(s.data)
	case c == '/' && s.comment(i):
		if s.out == nil {
			s.out = bytes.Clone(s.data)
		}
		for ; i < len(s.data) && s.data[i] != '\n'; i++ {
			s.out[i] = ' '
		}
		return i
	case (c == '"' || c == '\'') && (s.last == 0 || strings.IndexByte(",:[{-", s.last) >= 0):
		i = s.quoted(i)
		s.last = c
		return i
	case c == '[' || c == '{':
		// Outside brackets one opens a collection only where a value begins.
		if s.depth > 0 || s.last == 0 || s.last == ':' || s.last == '-' {
			s.depth++
		}
	case (c == ']' || c == '}') && s.depth > 0:
		s.depth--
	}
	s.last = c
	return i + 1
}

func (s *commentScan) comment(i int) bool {
	return s.depth > 0 && bytes.HasPrefix(s.data[i:], []byte("//")) &&
		(i+2 == len(s.data) || strings.IndexByte(" \t\r\n", s.data[i+2]) >= 0) &&
		strings.IndexByte(",:[{]}\"'", s.last) >= 0
}

func (s *commentScan) quoted(i int) int {
	quote := s.data[i]
	for i++; i < len(s.data); i++ {
		switch {
		case quote == '"' && s.data[i] == '\\':
			i++
		case s.data[i] == quote:
			return i + 1
		}
	}
	return len(s.data)
}
