package azure

import (
	"fmt"
	"strings"
)

// A Mistake is one thing that is wrong with a document.
type Mistake struct {
	Path     string // of the member as the client wrote it, such as properties.recurrence.schedule.minute; "" is the document
	Message  string // in the service's own manner
	Conflict bool   // the document is well formed and clashes with its collection's limits: 409, not 400
}

// String returns the path and the message.
func (m Mistake) String() string {
	if m.Path == "" {
		return m.Message
	}
	return m.Path + ": " + m.Message
}

// Mistakes are all that is wrong with a document, in the order of its members.
type Mistakes []Mistake

// Error returns one line for each mistake.
func (m Mistakes) Error() string {
	lines := make([]string, len(m))
	for i := range m {
		lines[i] = m[i].String()
	}
	return strings.Join(lines, "\n")
}

// Err returns the mistakes as an error, nil when there are none.
func (m Mistakes) Err() error {
	if len(m) == 0 {
		return nil
	}
	return m
}

func (m *Mistakes) add(path, format string, args ...any) {
	*m = append(*m, Mistake{Path: path, Message: fmt.Sprintf(format, args...)})
}
