package engine

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// ParamTypes are the types of parameters.
var ParamTypes = []string{"string", "integer", "number", "boolean", "date", "datetime", "enum", "list"}

// MaxParam bounds the value of a parameter, in bytes.
const MaxParam = 64 << 10

// CheckParams holds what a trigger gives against what the job declares, and reports every mistake.
func CheckParams(declared []Param, given map[string]string) error {
	var mistakes []error
	known := map[string]bool{}
	for i := range declared {
		p := &declared[i]
		known[p.Name] = true
		value, ok := given[p.Name]
		switch {
		case !ok && p.Required && p.Default == nil:
			mistakes = append(mistakes, fmt.Errorf("%w: the parameter %s is required", ErrInvalid, p.Name))
		case ok:
			if err := p.Check(value); err != nil {
				mistakes = append(mistakes, fmt.Errorf("%w: the parameter %s %w", ErrInvalid, p.Name, err))
			}
		}
	}
	names := make([]string, 0, len(given))
	for name := range given {
		if !known[name] {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		mistakes = append(mistakes, fmt.Errorf("%w: the job has no parameter %s", ErrInvalid, name))
	}
	return errors.Join(mistakes...)
}

// Check judges a value, in words that follow the parameter's name. A secret value is not repeated.
func (p *Param) Check(value string) error {
	shown := strconv.Quote(cut(value, 100))
	if p.Secret {
		shown = "***"
	}
	switch {
	case len(value) > MaxParam:
		return fmt.Errorf("has %d bytes; at most %d are allowed", len(value), MaxParam)
	case !utf8.ValidString(value):
		return errors.New("is no text in UTF-8")
	case p.Type != "list" && len(p.Enum) > 0 && !slices.Contains(p.Enum, value):
		return fmt.Errorf("is %s; allowed are %q", shown, p.Enum)
	}
	switch p.Type {
	case "integer":
		if _, ok := new(big.Int).SetString(value, 10); !ok {
			return fmt.Errorf("is %s, which is no integer", shown)
		}
		return p.between(value, shown, "")
	case "number":
		if _, err := strconv.ParseFloat(value, 64); err != nil || strings.ContainsAny(value, "xXpP_nN") {
			return fmt.Errorf("is %s, which is no number", shown)
		}
		return p.between(value, shown, "")
	case "boolean":
		if value != "true" && value != "false" {
			return fmt.Errorf("is %s, which is no boolean: write true or false", shown)
		}
	case "date":
		if _, err := time.Parse(time.DateOnly, value); err != nil {
			return fmt.Errorf("is %s, which is no date such as 2026-10-01", shown)
		}
	case "datetime":
		if _, err := time.Parse(time.RFC3339Nano, value); err != nil {
			return fmt.Errorf("is %s, which is no time such as 2026-10-01T02:00:00+08:00", shown)
		}
	case "list":
		return p.checkList(value, shown)
	case "string", "":
		if err := p.between(strconv.Itoa(utf8.RuneCountInString(value)), shown, " characters"); err != nil {
			return err
		}
		if !p.matches(value) {
			return fmt.Errorf("is %s, which does not match %s", shown, p.Pattern)
		}
	}
	return nil
}

func (p *Param) checkList(value, shown string) error {
	items, err := ParseList(value)
	if err != nil {
		return fmt.Errorf(`is %s, which is no JSON list such as ["a", "b"]`, shown)
	}
	if err := p.between(strconv.Itoa(len(items)), shown, " items"); err != nil {
		return err
	}
	for n, item := range items {
		switch {
		case len(p.Enum) > 0 && !slices.Contains(p.Enum, item):
			return fmt.Errorf("has the item %d, which is not allowed; allowed are %q", n, p.Enum)
		case !p.matches(item):
			return fmt.Errorf("has the item %d, which does not match %s", n, p.Pattern)
		}
	}
	return nil
}

// between judges a number, or the length of a text or a list, by Min and Max. Numbers are compared exactly, however long.
func (p *Param) between(value, shown, what string) error {
	n, ok := new(big.Float).SetPrec(512).SetString(value)
	if !ok {
		return nil // another check has said so
	}
	has := func(bound *float64, order int) bool { return bound != nil && n.Cmp(big.NewFloat(*bound)) == order }
	if !has(p.Min, -1) && !has(p.Max, 1) {
		return nil
	}
	number := func(f *float64) string { return strconv.FormatFloat(*f, 'f', -1, 64) }
	bounds := ""
	switch {
	case p.Min != nil && p.Max != nil:
		bounds = number(p.Min) + " to " + number(p.Max)
	case p.Min != nil:
		bounds = "at least " + number(p.Min)
	default:
		bounds = "at most " + number(p.Max)
	}
	if what != "" {
		return fmt.Errorf("has %s%s; allowed are %s", value, what, bounds)
	}
	return fmt.Errorf("is %s; allowed is %s", shown, bounds)
}

func (p *Param) matches(text string) bool {
	if p.Pattern == "" {
		return true
	}
	re, err := regexp.Compile(`^(?:` + p.Pattern + `)$`)
	return err == nil && re.MatchString(text)
}

// sealed begins the value of a secret parameter in the rows.
const sealed = "sealed:"

// ShownParams are the parameters of an instance as they may be shown: with *** in the place of secret ones.
func ShownParams(params map[string]string) map[string]string {
	shown := params
	for name, value := range params {
		if strings.HasPrefix(value, sealed) {
			if maps.Equal(shown, params) {
				shown = maps.Clone(params)
			}
			shown[name] = "***"
		}
	}
	return shown
}

// SameParams reports that an instance was given these parameters, as far as that can be seen: of secret ones, that they were given.
func SameParams(i *Instance, given map[string]string) bool {
	return maps.EqualFunc(i.Params, given, func(kept, value string) bool { return kept == value || strings.HasPrefix(kept, sealed) })
}

// seal returns what is written down of the parameters that a trigger gives: secret ones as only this server can read them.
func (e *Engine) seal(tx Tx, declared []Param, given map[string]string, instance int64) (map[string]string, error) {
	kept := given
	for _, p := range declared {
		value, ok := given[p.Name]
		if !p.Secret || !ok {
			continue
		}
		if e.cfg.Seal == nil {
			return nil, fmt.Errorf("%w: the parameter %s is secret, and this process cannot keep one", ErrInvalid, p.Name)
		}
		text, err := e.cfg.Seal(tx, paramAt(instance, p.Name), value)
		if err != nil {
			return nil, fmt.Errorf("seal the parameter %s: %w", p.Name, err)
		}
		if maps.Equal(kept, given) {
			kept = maps.Clone(given)
		}
		kept[p.Name] = sealed + text
	}
	return kept, nil
}

func paramAt(instance int64, name string) string { return fmt.Sprintf("param/%d/%s", instance, name) }

// effectiveParams is what the trigger gave over what the job declares as defaults. A secret one that cannot be opened has no value.
func (e *Engine) effectiveParams(job *Job, i *Instance) map[string]string {
	params := make(map[string]string, len(job.Params))
	for _, p := range job.Params {
		if p.Default != nil {
			params[p.Name] = *p.Default
		}
	}
	maps.Copy(params, i.Params)
	for _, p := range job.Params {
		text, kept := strings.CutPrefix(params[p.Name], sealed)
		if !p.Secret || !kept {
			continue
		}
		value, err := "", errors.New("this process reads no secrets")
		if e.cfg.Open != nil {
			value, err = e.cfg.Open(paramAt(i.ID, p.Name), text)
		}
		if err != nil {
			e.log.Warn("a secret parameter cannot be read", "instance", i.ID, "parameter", p.Name, "error", err)
			delete(params, p.Name)
			continue
		}
		params[p.Name] = value
	}
	return params
}

// Form is the JSON Schema (2020-12) of the values that a trigger of the job may give, from which a form can be made. In a trigger every value is
// written as text; the schema says what the text stands for.
func Form(j *Job) map[string]any {
	properties, required := map[string]any{}, []string{}
	for i := range j.Params {
		p := &j.Params[i]
		properties[p.Name] = p.schema()
		if p.Required && p.Default == nil {
			required = append(required, p.Name)
		}
	}
	slices.Sort(required)
	schema := map[string]any{
		"$schema": "https://json-schema.org/draft/2020-12/schema", "title": j.Ref().String(), "type": "object", "properties": properties,
		"required": required, "additionalProperties": false,
	}
	if j.Description != "" {
		schema["description"] = j.Description
	}
	return schema
}

func (p *Param) schema() map[string]any {
	s := map[string]any{"type": "string"}
	low, high := "minLength", "maxLength"
	values := make([]any, len(p.Enum))
	for i, v := range p.Enum {
		values[i] = p.value(v)
	}
	pattern := p.Pattern
	if pattern != "" {
		pattern = `^(?:` + pattern + `)$`
	}
	switch p.Type {
	case "integer", "number":
		s["type"], low, high = p.Type, "minimum", "maximum"
	case "boolean":
		s["type"] = p.Type
	case "date":
		s["format"] = "date"
	case "datetime":
		s["format"] = "date-time"
	case "list":
		items := map[string]any{}
		if len(values) > 0 {
			items["enum"] = values
		}
		if pattern != "" {
			items["type"], items["pattern"] = "string", pattern
		}
		s = map[string]any{"type": "array", "items": items}
		low, high, values, pattern = "minItems", "maxItems", nil, ""
	}
	if len(values) > 0 {
		s["enum"] = values
	}
	if pattern != "" {
		s["pattern"] = pattern
	}
	if p.Min != nil {
		s[low] = *p.Min
	}
	if p.Max != nil {
		s[high] = *p.Max
	}
	if p.Default != nil && !p.Secret {
		s["default"] = p.value(*p.Default)
	}
	if p.Description != "" {
		s["description"] = p.Description
	}
	if p.Secret {
		s["writeOnly"] = true
		if s["type"] == "string" {
			s["format"] = cmp.Or(fmt.Sprint(orEmpty(s["format"])), "password")
		}
	}
	return s
}

func orEmpty(v any) any {
	if v == nil {
		return ""
	}
	return v
}

// value is a value as JSON has it.
func (p *Param) value(text string) any {
	switch p.Type {
	case "integer", "number":
		if json.Valid([]byte(text)) { // not so 007
			return json.Number(text)
		}
	case "boolean":
		return text == "true"
	case "list":
		var list []any
		if json.Unmarshal([]byte(text), &list) == nil {
			return list
		}
	}
	return text
}

// CheckPattern judges a regular expression of a parameter.
func CheckPattern(pattern string) error {
	_, err := regexp.Compile(`^(?:` + pattern + `)$`)
	return err
}
