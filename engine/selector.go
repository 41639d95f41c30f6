package engine

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A Selector names instances: terms joined by AND, and by how many hops the instances that they choose are widened along recorded waits
// (`docs/selectors.md` is the grammar). The zero value chooses nothing.
type Selector struct {
	Terms []Term
	Up    int // hops upstream, AllHops for all
	Down  int // hops downstream
}

// AllHops stands for as many hops as there are.
const AllHops = 1 << 30

// A Term is one condition of a selector.
type Term struct {
	Text    string // as it was written
	Column  int    // where, from 1
	Key     string // a word of TermKeys, or "name" for a bare word
	Negated bool

	words []string // of all keys but date and time
	ids   []int64
	days  []dayRange
	span  timeRange
	names []instanceName
}

// TermKeys lists the keys of terms.
var TermKeys = []string{"job", "workflow", "date", "time", "state", "gate", "kind", "tag", "id", "backfill"}

// An instanceName is workflow/job@plan time as it was written, or job@plan time where no other job has the name: without an offset the time is in the
// job's zone.
type instanceName struct {
	ref JobRef
	at  string
}

// ParseSelector reads a selector. Its mistakes are all collected, each with its column; they are of kind ErrInvalid.
func ParseSelector(text string) (*Selector, error) {
	s := &Selector{}
	var mistakes []error
	for from := 0; from < len(text); {
		if text[from] == ' ' || text[from] == '\t' || text[from] == '\n' {
			from++
			continue
		}
		to := from + strings.IndexAny(text[from:]+" ", " \t\n")
		if err := s.add(text[from:to], from+1); err != nil {
			mistakes = append(mistakes, fmt.Errorf("%w: column %d: %w", ErrInvalid, from+1, err))
		}
		from = to
	}
	if len(mistakes) == 0 && len(s.Terms) == 0 {
		mistakes = append(mistakes, fmt.Errorf("%w: the selector is empty; write for example job:orders date:yesterday state:failed", ErrInvalid))
	}
	if len(mistakes) > 0 {
		return nil, errors.Join(mistakes...)
	}
	return s, nil
}

// add reads one term.
func (s *Selector) add(text string, column int) error {
	if strings.HasPrefix(text, "+") || strings.HasSuffix(text, "+") {
		return s.widen(text)
	}
	t := Term{Text: text, Column: column}
	rest := text
	if t.Negated = strings.HasPrefix(text, "-"); t.Negated {
		rest = text[1:]
	}
	key, value, keyed := strings.Cut(rest, ":")
	var err error
	switch at, slash := strings.IndexByte(rest, '@'), strings.IndexByte(rest, '/'); {
	case keyed && slices.Contains(TermKeys, key):
		t.Key = key
		err = t.read(value)
	case slash > 0 && at > slash, slash < 0 && at > 0:
		t.Key = "name"
		err = t.readName(rest)
	case isDigits(strings.ReplaceAll(rest, ",", "")):
		t.Key = "id"
		err = t.read(rest)
	case keyed:
		err = fmt.Errorf("there is no term %s:%s", key, hint(Nearest(key, TermKeys), "%s:"))
	case slash > 0:
		err = fmt.Errorf("%q is no term; did you mean job:%s, or %s@ and a plan time?", rest, rest, rest)
	default:
		err = fmt.Errorf("%q is no term; did you mean job:%s?", rest, rest)
	}
	s.Terms = append(s.Terms, t)
	return err
}

// hint asks whether the nearest word was meant, or lists nothing.
func hint(nearest, form string) string {
	if nearest == "" {
		return "; there are " + strings.Join(TermKeys, ", ")
	}
	return "; did you mean " + fmt.Sprintf(form, nearest) + "?"
}

// widen reads +n, n+, + and the forms with * for all.
func (s *Selector) widen(text string) error {
	count, hops := strings.TrimPrefix(text, "+"), &s.Down
	if !strings.HasPrefix(text, "+") {
		count, hops = strings.TrimSuffix(text, "+"), &s.Up
	}
	switch n, err := strconv.Atoi(count); {
	case count == "" || count == "*":
		*hops = AllHops
	case err != nil || n < 1 || n > AllHops:
		return fmt.Errorf("%q counts no hops; write +2 (two downstream), 2+ (two upstream), + or *+ (all)", text)
	default:
		*hops = n
	}
	return nil
}

func isDigits(text string) bool {
	return text != "" && strings.Trim(text, "0123456789") == ""
}

// read reads the value of a term with a key.
func (t *Term) read(value string) error {
	var mistakes []error
	for word := range strings.SplitSeq(value, ",") {
		if err := t.readWord(word); err != nil {
			mistakes = append(mistakes, err)
		}
	}
	return errors.Join(mistakes...)
}

func (t *Term) readWord(word string) error {
	if word == "" {
		return fmt.Errorf("%s: lacks a value", t.Key)
	}
	t.words = append(t.words, word)
	switch t.Key {
	case "job":
		if strings.Count(word, "/") > 1 {
			return fmt.Errorf("%q is no job; write job:NAME or job:WORKFLOW/NAME", word)
		}
		return goodGlob(word)
	case "workflow":
		return goodGlob(word)
	case "state":
		return oneOf("state", word, States)
	case "gate":
		return oneOf("gate", word, Gates)
	case "kind":
		return oneOf("kind", word, []Kind{Scheduled, Manual, Backfill})
	case "id":
		id, err := strconv.ParseInt(word, 10, 64)
		if err != nil || id < 1 {
			return fmt.Errorf("%q is no id of an instance", word)
		}
		t.ids = append(t.ids, id)
	case "date":
		days, err := readDays(word)
		t.days = append(t.days, days)
		return err
	case "time":
		if len(t.words) > 1 {
			return errors.New("time: takes one range, FROM..TO")
		}
		var err error
		t.span, err = readTimes(word)
		return err
	}
	return nil
}

func goodGlob(word string) error {
	if _, err := path.Match(word, ""); err != nil {
		return fmt.Errorf("%q is no pattern: * stands for any characters, ? for one", word)
	}
	return nil
}

func oneOf[S ~string](what, word string, known []S) error {
	names := make([]string, len(known))
	for n, k := range known {
		names[n] = string(k)
	}
	if slices.Contains(names, word) {
		return nil
	}
	if near := Nearest(word, names); near != "" {
		return fmt.Errorf("there is no %s %q; did you mean %s?", what, word, near)
	}
	return fmt.Errorf("there is no %s %q; there are %s", what, word, strings.Join(names, ", "))
}

func (t *Term) readName(text string) error {
	name, at, _ := strings.Cut(text, "@")
	workflow, job, whole := strings.Cut(name, "/")
	if !whole {
		workflow, job = "", name // where no other job has the name
	}
	if strings.Contains(job, "/") || job == "" {
		return fmt.Errorf("%q is no instance; write workflow/job@plan time", text)
	}
	if _, err := readInstant(at, time.UTC); err != nil {
		return err
	}
	t.names = []instanceName{{JobRef{workflow, job}, at}}
	return nil
}

// of lists the terms of some keys.
func (s *Selector) of(negated bool, keys ...string) (terms []*Term) {
	for n := range s.Terms {
		if t := &s.Terms[n]; t.Negated == negated && slices.Contains(keys, t.Key) {
			terms = append(terms, t)
		}
	}
	return terms
}

// One reports whether the selector names exactly one instance, by its id or name.
func (s *Selector) One() bool {
	if len(s.Terms) != 1 || s.Up > 0 || s.Down > 0 || s.Terms[0].Negated {
		return false
	}
	return len(s.Terms[0].ids)+len(s.Terms[0].names) == 1
}

// matchesJob reports whether a word of job: means the job.
func matchesJob(pattern string, ref JobRef) bool {
	subject := ref.Job
	if strings.Contains(pattern, "/") {
		subject = ref.String()
	}
	ok, err := path.Match(pattern, subject)
	return ok && err == nil
}
