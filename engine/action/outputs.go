package action

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// outputLimit bounds what is read of an attempt's output file, names and values together.
const outputLimit = 64 << 10

// readOutputs takes the outputs of an attempt from its file in folder and removes the file. Whatever the child made of that name is
// looked at without following or waiting: a link, a pipe or a folder is not read. The complaint is "" or a sentence for people.
func readOutputs(folder *os.Root, attempt int64) (outputs map[string]string, complaint string) {
	name := strconv.FormatInt(attempt, 10)
	f, err := folder.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOFOLLOW, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, ""
	}
	defer func() { _ = folder.RemoveAll(name) }()
	if err != nil {
		return nil, "the outputs cannot be read"
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return nil, "the outputs are not a file"
	}
	text, err := io.ReadAll(io.LimitReader(f, outputLimit+1))
	if err != nil {
		return nil, "the outputs cannot be read"
	}
	return parseOutputs(string(text))
}

// parseOutputs reads lines `name=value`. A later line of the same name wins. A line that is none is left out and mentioned; so is what
// lies beyond the limit, the line that crosses it included.
func parseOutputs(text string) (outputs map[string]string, complaint string) {
	var complaints []string
	if len(text) > outputLimit {
		text = text[:strings.LastIndexByte(text[:outputLimit], '\n')+1]
		complaints = append(complaints, fmt.Sprintf("outputs past %d KiB ignored", outputLimit>>10))
	}
	bad, first := 0, 0
	for n, line := range strings.Split(text, "\n") {
		if line == "" {
			continue
		}
		name, value, found := strings.Cut(line, "=")
		if !found || !validName(name) {
			if bad++; bad == 1 {
				first = n + 1
			}
			continue
		}
		if outputs == nil {
			outputs = make(map[string]string)
		}
		outputs[name] = strings.ToValidUTF8(value, "\uFFFD")
	}
	switch {
	case bad == 1:
		complaints = append(complaints, fmt.Sprintf("output line %d is not name=value", first))
	case bad > 1:
		complaints = append(complaints, fmt.Sprintf("%d output lines are not name=value, the first is line %d", bad, first))
	}
	return outputs, strings.Join(complaints, "; ")
}

// validName reports that a name matches [A-Za-z_][A-Za-z0-9_]*.
func validName(name string) bool {
	for i, c := range []byte(name) {
		switch {
		case c == '_', 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z':
		case i > 0 && '0' <= c && c <= '9':
		default:
			return false
		}
	}
	return name != ""
}
