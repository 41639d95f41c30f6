package engine

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// A Text may hold substitutions, `${{ name [± offset] [| format] }}` (`definition.md`, Substitution). It is replaced once, by Render, when an attempt
// starts; the result is never looked at again. A literal `${{` is written `$${{`.
type Text string

// ReferenceKind is what a substitution takes its value from.
type ReferenceKind int8

// The kinds of reference. Times and identities are safe: their values hold no character that means anything to a shell.
const (
	RefTime     ReferenceKind = iota // planTime, planDay, dataDay, windowStart, windowEnd, now
	RefIdentity                      // workflow, job, instance, attempt
	RefParam                         // params.X
	RefSecret                        // secrets.X
	RefOutput                        // steps.S.outputs.K
	RefItem                          // item
)

// A Reference is one substitution of a Text.
type Reference struct {
	Offset   int // in bytes, of the `$` that begins it
	Kind     ReferenceKind
	Name     string // planTime, ...; the X of params.X and secrets.X; the K of steps.S.outputs.K
	Step     string // the S of steps.S.outputs.K
	WorkDays bool   // the offset counts work days, so that the job needs a calendar

	offset textOffset
	format textFormat
}

// Safe reports whether the reference may stand inside a shell command.
func (r Reference) Safe() bool { return r.Kind == RefTime || r.Kind == RefIdentity }

// String returns the name as it is written, such as params.region.
func (r Reference) String() string {
	switch r.Kind {
	case RefParam:
		return "params." + r.Name
	case RefSecret:
		return "secrets." + r.Name
	case RefOutput:
		return "steps." + r.Step + ".outputs." + r.Name
	default:
		return r.Name
	}
}

// A TextError is a mistake in a substitution.
type TextError struct {
	Offset  int // in bytes, of the `$` that begins the substitution
	Message string
}

func (e *TextError) Error() string { return e.Message }

// References lists the substitutions of the text in their order. The error joins one *TextError for each that cannot be read.
func (t Text) References() ([]Reference, error) {
	var list []Reference
	var wrong []error
	for _, p := range t.parts() {
		switch {
		case p.wrong != nil:
			wrong = append(wrong, p.wrong)
		case p.substitution:
			list = append(list, p.reference)
		}
	}
	return list, errors.Join(wrong...)
}

// textPart is a literal piece of a text, or one substitution.
type textPart struct {
	literal      string
	substitution bool
	reference    Reference
	wrong        *TextError
}

const (
	opening = "${{"
	escaped = "$" + opening
	closing = "}}"
)

// parts cuts the text in literals and substitutions. Joining the literals and the substitutions' source, with `$${{` for a literal `${{`,
// gives the text again.
func (t Text) parts() []textPart {
	rest, at := string(t), 0
	var list []textPart
	for {
		i := strings.Index(rest, opening)
		if i < 0 {
			return append(list, textPart{literal: rest})
		}
		if i > 0 && rest[i-1] == '$' { // rest never begins inside an escape: both kinds are consumed whole
			list = append(list, textPart{literal: rest[:i-1] + opening})
			rest, at = rest[i+len(opening):], at+i+len(opening)
			continue
		}
		if i > 0 {
			list = append(list, textPart{literal: rest[:i]})
		}
		begin := at + i
		inner, after, closed := strings.Cut(rest[i+len(opening):], closing)
		if !closed {
			return append(list, textPart{wrong: &TextError{begin, "a substitution that begins with ${{ does not end with }}; a literal ${{ is written $${{"}})
		}
		list = append(list, parseSubstitution(begin, inner))
		at = begin + len(opening) + len(inner) + len(closing)
		rest = after
	}
}

// TextNames lists the names without a dot that a substitution may use.
var TextNames = []string{"planTime", "planDay", "dataDay", "windowStart", "windowEnd", "now", "workflow", "job", "instance", "attempt"}

func dayName(name string) bool { return name == "planDay" || name == "dataDay" }

func parseSubstitution(begin int, inner string) textPart {
	fail := func(format string, args ...any) textPart {
		return textPart{wrong: &TextError{begin, fmt.Sprintf("${{%s}}: ", inner) + fmt.Sprintf(format, args...)}}
	}
	left, format, formatted := strings.Cut(inner, "|")
	left, format = strings.TrimSpace(left), strings.TrimSpace(format)
	r := Reference{Offset: begin}
	switch {
	case left == "":
		return fail("the name is missing; write one of %s, params.X, secrets.X, steps.S.outputs.K", strings.Join(TextNames, ", "))
	case left == "item":
		r.Kind, r.Name = RefItem, left
	case strings.HasPrefix(left, "params."):
		r.Kind, r.Name = RefParam, left[len("params."):]
	case strings.HasPrefix(left, "secrets."):
		r.Kind, r.Name = RefSecret, left[len("secrets."):]
	case strings.HasPrefix(left, "steps."):
		step, key, found := strings.Cut(left[len("steps."):], ".outputs.")
		if !found {
			return fail("an output of a step is written steps.S.outputs.K")
		}
		r.Kind, r.Name, r.Step = RefOutput, key, step
		if !plainName(step) {
			return fail("%q is no name of a step", step)
		}
	default:
		end := strings.IndexFunc(left, func(c rune) bool { return !unicode.IsLetter(c) })
		if end < 0 {
			end = len(left)
		}
		r.Name = left[:end]
		i := slices.Index(TextNames, r.Name)
		switch {
		case i < 0:
			return fail("unknown name %q; allowed are %s, params.X, secrets.X, steps.S.outputs.K", left, strings.Join(TextNames, ", "))
		case i > slices.Index(TextNames, "now"):
			r.Kind = RefIdentity
		}
		offset, err := parseOffset(strings.TrimSpace(left[end:]))
		if err != nil {
			return fail("%s", err)
		}
		r.offset, r.WorkDays = offset, offset.unit == "wd"
		if offset.unit != "" && r.Kind != RefTime {
			return fail("%s is no time and takes no offset", r.Name)
		}
		if dayName(r.Name) && strings.Contains("hms", offset.unit) && offset.unit != "" {
			return fail("%s is a day; its offset counts y, M, w, d or wd; for hours write planTime", r.Name)
		}
	}
	if r.Kind >= RefParam && !plainName(r.Name) {
		return fail("%q is no name; an offset is for times only, and there are no functions", left)
	}
	if formatted {
		if r.Kind != RefTime {
			return fail("%s is no time and takes no format", r)
		}
		f, err := parseFormat(format)
		if err != nil {
			return fail("%s", err)
		}
		r.format = f
	}
	return textPart{substitution: true, reference: r}
}

// plainName reports whether s can be the name of a parameter, a secret, a step or an output.
func plainName(s string) bool {
	return s != "" && strings.IndexFunc(s, func(c rune) bool {
		return !unicode.IsLetter(c) && !unicode.IsNumber(c) && c != '_' && c != '-' && c != '.'
	}) < 0
}

// textOffset moves a time: by calendar for y, M, w, d and wd, by elapsed time for h, m and s.
type textOffset struct {
	n    int
	unit string // "" is no offset
}

var offsetForm = regexp.MustCompile(`^([+-])\s*([0-9]{1,6})(wd|[yMwdhms])$`)

func parseOffset(s string) (textOffset, error) {
	if s == "" {
		return textOffset{}, nil
	}
	m := offsetForm.FindStringSubmatch(s)
	if m == nil {
		return textOffset{}, fmt.Errorf("%q is no offset; write one such as -1d, +2h, -1M or -1wd, with the units y M w d h m s wd; there are no functions", s)
	}
	n, err := strconv.Atoi(m[1] + m[2])
	if err != nil {
		return textOffset{}, fmt.Errorf("read the offset %q: %w", s, err)
	}
	return textOffset{n, m[3]}, nil
}

// textFormat is a sequence of letter groups and literal characters; the words iso and unix stand alone. Empty is the name's own form.
type textFormat []string

var formatGroups = map[string]string{
	"yyyy": "2006", "yy": "06", "MM": "01", "M": "1", "dd": "02", "d": "2", "HH": "15", "H": "", "mm": "04", "m": "4", "ss": "05", "s": "5",
	"SSS": "000", "XXX": "Z07:00",
}

const formatLiterals = "-_./:, T"

// parseFormat accepts letter groups and harmless literals only, so that a formatted time can stand in a shell command.
func parseFormat(s string) (textFormat, error) {
	switch s {
	case "iso", "unix":
		return textFormat{s}, nil
	case "":
		return nil, errors.New("the format after | is missing; write one such as yyyyMMdd, iso or unix")
	}
	var f textFormat
	for rest := s; rest != ""; {
		c := rest[0]
		n := 1
		if strings.IndexByte(formatLiterals, c) < 0 {
			for n < len(rest) && rest[n] == c {
				n++
			}
			if _, known := formatGroups[rest[:n]]; !known {
				return nil, fmt.Errorf("%q in the format %q is not understood; allowed are yyyy yy MM M dd d HH H mm m ss s SSS XXX, the characters - _ . / : , space T, or the words iso and unix",
					rest[:n], s)
			}
		}
		f = append(f, rest[:n])
		rest = rest[n:]
	}
	has := func(group string) bool { return slices.Contains(f, group) }
	if (has("mm") || has("m")) && (has("yyyy") || has("yy")) && !has("MM") && !has("M") && !has("HH") && !has("H") {
		return nil, fmt.Errorf("mm in the format %q is the minute; the month is MM", s)
	}
	return f, nil
}
