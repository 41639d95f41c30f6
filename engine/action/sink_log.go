package action

import (
	"io"
	"strconv"
	"strings"

	"github.com/almanac-sched/almanac/engine"
)

// The bounds of what a message shows of the output of an attempt.
const (
	logLines = 10
	logBytes = 2000
)

// complete puts into a message what is not in the rows: the last lines of the output of its attempt, and the address of its page.
func (s *Sinks) complete(m *engine.AlertMessage) {
	if id, err := strconv.ParseInt(m.Attempt, 10, 64); err == nil {
		m.Log = s.logs.lastLines(id)
	}
	if s.Page != "" && m.Incident != "" {
		m.Link = strings.TrimSuffix(s.Page, "/") + "/incidents/" + m.Incident
	}
	if len(m.Log) > 0 {
		m.Text += "\nlast lines of its output:\n" + strings.Join(m.Log, "\n")
	}
	if m.Link != "" {
		m.Text += "\n" + m.Link
	}
}

// lastLines are the last lines of the output of an attempt; none when there is no output any more, which is no reason to send no message.
func (l *Logs) lastLines(attempt int64) []string {
	log, size, err := l.Open(attempt)
	if err != nil {
		return nil
	}
	defer log.Close()
	if _, err := log.Seek(max(0, size-logBytes), io.SeekStart); err != nil {
		return nil
	}
	data, err := io.ReadAll(io.LimitReader(log, logBytes))
	if err != nil {
		return nil
	}
	text := strings.TrimRight(strings.ToValidUTF8(string(data), "\uFFFD"), "\n")
	if text == "" {
		return nil
	}
	lines := strings.Split(text, "\n")
	if size > logBytes && len(lines) > 1 {
		lines = lines[1:] // of which the beginning is cut off
	}
	return lines[max(0, len(lines)-logLines):]
}
