package crontab

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/almanac-sched/almanac/engine/spec"
)

// Options are what a crontab does not say about itself.
type Options struct {
	Name     string // of the workflow
	TimeZone string // of the machine that the crontab is from; "" is UTC
	WithUser bool   // each line has a user after the schedule, as in /etc/crontab
}

// An Imported is a crontab as a workflow file.
type Imported struct {
	Name    string
	Text    []byte // YAML; nil when no line could be translated
	Jobs    int
	Skipped int // lines that start something, and have no counterpart
	Notes   []Note
}

// Workflow writes the crontab as one workflow file. A line that has no counterpart is left out, with a note.
func Workflow(text string, o Options) *Imported {
	entries, notes, skipped := read(text, o.WithUser)
	out := &Imported{Name: safeName(o.Name, "crontab"), Notes: notes, Skipped: skipped}
	zone := o.TimeZone
	if zone == "" {
		zone = "UTC"
		out.Notes = append(out.Notes, Note{Message: "the schedules are read in UTC; say the zone of the machine that the crontab is from with --time-zone"})
	}
	var jobs strings.Builder
	taken := map[string]bool{}
	users := map[string]bool{}
	for i := range entries {
		e := &entries[i]
		written, why := e.schedule, ""
		if e.schedule, e.recurs, why = days(written); why != "" {
			out.Skipped++
			out.Notes = append(out.Notes, Note{e.line, "left out: " + why})
			continue
		}
		called := unique(jobName(e.command), taken)
		job := e.job(called)
		single := header(out.Name, zone) + "jobs:\n" + job
		if _, problems := spec.Decode(out.Name+".yaml", []byte(single), spec.Options{}); problems.HasErrors() {
			delete(taken, called)
			out.Skipped++
			for _, p := range problems {
				if p.Severity == spec.Error {
					out.Notes = append(out.Notes, Note{e.line, "left out: " + p.Message})
				}
			}
			continue
		}
		if e.recurs != "" {
			out.Notes = append(out.Notes, Note{e.line, fmt.Sprintf("the day of month and the weekday of %s must both match, as one of them begins with *: "+
				"it is a recurrence, for no cron expression says that here", written)})
		}
		if e.user != "" && !users[e.user] {
			users[e.user] = true
			out.Notes = append(out.Notes, Note{e.line, fmt.Sprintf("it runs as %s there; here every command runs as the user of the server", e.user)})
		}
		out.Jobs++
		jobs.WriteString(job)
	}
	slices.SortStableFunc(out.Notes, func(a, b Note) int { return a.Line - b.Line })
	if out.Jobs == 0 {
		return out
	}
	out.Text = []byte("# Made of a crontab. As cron does, it does not make up for a time at which nothing looked; unlike cron, a job that still runs is waited for.\n" +
		header(out.Name, zone) + "defaults: {misfire: skip}\njobs:\n" + jobs.String())
	return out
}

func header(workflow, zone string) string {
	return "workflow: " + word(workflow) + "\ntimeZone: " + word(zone) + "\n"
}

// job writes the entry as a member of jobs.
func (e *entry) job(called string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "  %s:\n", word(called))
	if e.comment != "" {
		fmt.Fprintf(&b, "    description: %s\n", quote(e.comment))
	}
	if e.recurs != "" {
		fmt.Fprintf(&b, "    recurrence: %s\n", e.recurs)
	} else {
		fmt.Fprintf(&b, "    cron: %s\n", quote(e.schedule))
	}
	if e.zone != "" {
		fmt.Fprintf(&b, "    timeZone: %s\n", quote(e.zone))
	}
	if len(e.env) > 0 {
		b.WriteString("    env:\n")
		for _, key := range slices.Sorted(maps.Keys(e.env)) {
			fmt.Fprintf(&b, "      %s: %s\n", key, quote(literal(e.env[key])))
		}
	}
	command := e.command
	if e.hasInput {
		end := "END"
		for strings.Contains("\n"+e.input+"\n", "\n"+end+"\n") {
			end += "_"
		}
		// The braces let a list of commands share what is read, as with cron.
		command = fmt.Sprintf("{ %s\n} <<'%s'\n%s\n%s", e.command, end, e.input, end)
	}
	fmt.Fprintf(&b, "    action: {type: shell, command: %s}\n", quote(literal(command)))
	return b.String()
}

// literal hides what would be a substitution here, and was none for cron.
func literal(s string) string { return strings.ReplaceAll(s, "${{", "$${{") }

// plain are names of four letters or more that YAML reads as they stand, but for the few words that it knows.
var plain = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]{3,}([./-][A-Za-z0-9_]+)*$`)

// word is a name, in quotes where YAML might take it for something else.
func word(s string) string {
	if plain.MatchString(s) && !slices.Contains([]string{"true", "false", "null"}, strings.ToLower(s)) || s == "UTC" {
		return s
	}
	return quote(s)
}

// quote writes a text as YAML reads it back whatever is in it: as JSON does.
func quote(s string) string {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(s) // a text can be encoded
	return strings.TrimSpace(b.String())
}

// jobName is the program that a command starts, without its folder and its extension.
func jobName(command string) string {
	folder := false // the word after cd
	for _, word := range strings.Fields(command) {
		if folder {
			folder = false
			continue
		}
		word = strings.Trim(word, `"'(){};&|`)
		switch key, _, set := strings.Cut(word, "="); {
		case word == "", set && name.MatchString(key), strings.HasPrefix(word, "-"), word == "[", word == "test":
			continue
		case word == "cd":
			folder = true
			continue
		}
		if word = path.Base(word); slices.Contains([]string{"sh", "bash", "nice", "ionice", "env", "flock", "sudo", "timeout", "nohup", "exec"}, word) {
			continue
		}
		return safeName(strings.TrimSuffix(word, path.Ext(word)), "job")
	}
	return "job"
}

func safeName(s, absent string) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsNumber(r) || strings.ContainsRune("_.-", r) {
			return r
		}
		return '-'
	}, s)
	s = strings.Trim(s, "_.-")
	if r := []rune(s); len(r) > 100 {
		s = string(r[:100])
	}
	if s == "" {
		return absent
	}
	return s
}

func unique(s string, taken map[string]bool) string {
	one := s
	for n := 2; taken[one]; n++ {
		one = fmt.Sprintf("%s-%d", s, n)
	}
	taken[one] = true
	return one
}
