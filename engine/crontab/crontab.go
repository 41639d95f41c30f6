package crontab

import (
	"fmt"
	"regexp"
	"strings"
)

// An entry is one line of a crontab that starts something.
type entry struct {
	line     int
	schedule string // five fields, or @daily and its kind; "" where it is a recurrence
	recurs   string // a recurrence, where no cron expression says it
	user     string // "" in a user's crontab
	command  string // with line breaks where a percent sign stood for one
	input    string // what the command reads
	hasInput bool
	zone     string            // CRON_TZ that stood above it, "" is none
	env      map[string]string // what was set above it
	comment  string            // of the lines right above it
}

// A Note is something that a person must know of a line: what is left out, or is otherwise than it was.
type Note struct {
	Line    int // 0 is the file as a whole
	Message string
}

// String is the note with its line.
func (n Note) String() string {
	if n.Line == 0 {
		return n.Message
	}
	return fmt.Sprintf("line %d: %s", n.Line, n.Message)
}

var (
	assignment = regexp.MustCompile(`^\s*(?:"([^"]*)"|'([^']*)'|([A-Za-z_][A-Za-z0-9_]*))\s*=\s*(.*?)\s*$`)
	name       = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
)

// read takes a crontab apart. Lines that start nothing that can be started here are notes.
func read(text string, withUser bool) (entries []entry, notes []Note, skipped int) {
	env, zone := map[string]string{}, ""
	var comments []string
	note := func(line int, format string, args ...any) {
		notes = append(notes, Note{line, fmt.Sprintf(format, args...)})
	}
	told := map[string]bool{}
	for n, line := range strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n") {
		n++
		trimmed := strings.TrimSpace(line)
		switch {
		case trimmed == "":
			comments = nil
			continue
		case strings.HasPrefix(trimmed, "#"):
			comments = append(comments, strings.TrimSpace(strings.TrimLeft(trimmed, "# ")))
			continue
		}
		if m := assignment.FindStringSubmatch(line); m != nil {
			key, value := m[1]+m[2]+m[3], unquote(m[4])
			switch {
			case key == "CRON_TZ":
				zone = value
			case !name.MatchString(key):
				note(n, "%q is no name of a variable; it is not set", key)
			case key == "MAILTO" || key == "MAILFROM":
				if !told[key] {
					note(n, "%s: output is not mailed but kept as the log of each attempt", key)
				}
				told[key] = true
			case key == "SHELL":
				if value != "/bin/sh" {
					note(n, "SHELL=%s: commands are run by sh; call %s in those that need it", value, value)
				}
			case key == "RANDOM_DELAY":
				note(n, "RANDOM_DELAY: write spread: PT%sM to the jobs below", value)
			default:
				next := make(map[string]string, len(env)+1)
				for k, v := range env {
					next[k] = v
				}
				next[key] = value
				env = next
			}
			continue
		}
		e, why := readEntry(trimmed, withUser)
		e.line, e.zone, e.env, e.comment = n, zone, env, strings.Join(comments, " ")
		comments = nil
		if why != "" {
			skipped++
			note(n, "left out: %s", why)
			continue
		}
		entries = append(entries, e)
	}
	return entries, notes, skipped
}

func unquote(s string) string {
	if len(s) >= 2 && (s[0] == '"' || s[0] == '\'') && s[len(s)-1] == s[0] {
		return s[1 : len(s)-1]
	}
	return s
}

// readEntry reads the schedule, the user and the command of a line; why it cannot be is "" when it can.
func readEntry(line string, withUser bool) (e entry, why string) {
	rest := strings.TrimPrefix(line, "-") // of some crons: not to be logged
	fields := 5
	if strings.HasPrefix(rest, "@") {
		fields = 1
	}
	var words []string
	for range fields {
		word, after := cutWord(rest)
		if word == "" || after == "" {
			return e, "it has no command after a schedule"
		}
		words, rest = append(words, word), after
	}
	e.schedule = strings.Join(words, " ")
	switch {
	case e.schedule == "@reboot":
		return e, "@reboot has no counterpart: let what starts the machine trigger the job"
	case fields == 5:
		words[4] = sundays(words[4])
		e.schedule = strings.Join(words, " ")
	}
	if withUser {
		var after string
		if e.user, after = cutWord(rest); e.user == "" || after == "" {
			return e, "it has no command after a user"
		}
		rest = after
	}
	e.command, e.input, e.hasInput = percent(rest)
	if strings.TrimSpace(e.command) == "" {
		return e, "it has no command"
	}
	return e, ""
}

func cutWord(s string) (word, rest string) {
	s = strings.TrimLeft(s, " \t")
	i := strings.IndexAny(s, " \t")
	if i < 0 {
		return s, ""
	}
	return s[:i], strings.TrimLeft(s[i:], " \t")
}

// sundays writes Sunday as 0 where it is 7, alone or at the end of a range.
func sundays(field string) string {
	parts := strings.Split(field, ",")
	for i, part := range parts {
		base, step, stepped := strings.Cut(part, "/")
		first, last, ranged := strings.Cut(base, "-")
		switch {
		case base == "7":
			parts[i] = "0"
		case ranged && last == "7" && first == "7":
			parts[i] = "0"
		case ranged && last == "7" && !stepped:
			parts[i] = first + "-6,0"
		case ranged && last == "7" && step == "1":
			parts[i] = first + "-6,0"
		}
	}
	return strings.Join(parts, ",")
}

// percent takes what the command reads from it: all after the first percent sign that no backslash hides, where each further one is a line break.
func percent(s string) (command, input string, hasInput bool) {
	var parts []string
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '\\' && i+1 < len(s) && s[i+1] == '%':
			b.WriteByte('%')
			i++
		case s[i] == '%':
			parts = append(parts, b.String())
			b.Reset()
		default:
			b.WriteByte(s[i])
		}
	}
	parts = append(parts, b.String())
	return parts[0], strings.Join(parts[1:], "\n"), len(parts) > 1
}
