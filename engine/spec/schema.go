package spec

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// Schema returns the JSON Schema (2020-12) of a workflow file, for editors. It is made of the same table as the decoder, so every file that
// loads is valid; what a schema cannot say, such as that an upstream exists, only the decoder judges.
func Schema() ([]byte, error) {
	b := schemaBuilder{defs: members{}}
	root := b.object(workflowShape, false)
	root["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	root["title"] = "Almanac workflow"
	root["$defs"] = b.defs
	text, err := json.MarshalIndent(root, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("write the JSON Schema: %w", err)
	}
	return append(text, '\n'), nil
}

// schemaBuilder makes one definition of each shape, and a second one of those that can be part of a pasted Azure job.
type schemaBuilder struct {
	defs members
}

func (b *schemaBuilder) reference(s *shape, azure bool) members {
	name := s.name
	if azure && !strings.HasPrefix(name, "azure") {
		name += "InAzureJob"
	}
	if _, done := b.defs[name]; !done {
		b.defs[name] = nil // a shape may hold itself
		b.defs[name] = b.object(s, azure)
	}
	return members{"$ref": "#/$defs/" + name}
}

func (b *schemaBuilder) object(s *shape, azure bool) members {
	properties, required := members{}, []string{}
	for _, f := range s.fields {
		if f.refused != "" {
			if azure { // nothing may be written in it, but it may be written
				properties[f.name] = members{"anyOf": absentForms}
			}
			continue
		}
		m := b.typ(f.typ, azure)
		if azure && !f.required {
			m = members{"anyOf": append([]members{m}, absentForms...)}
		}
		described := members{"description": f.describe()}
		for k, v := range m {
			described[k] = v
		}
		properties[f.name] = described
		for _, alias := range f.aliases {
			properties[alias] = m
		}
		if f.required && len(f.aliases) == 0 {
			required = append(required, f.name)
		}
	}
	m := members{"type": "object", "description": s.doc, "properties": properties, "additionalProperties": false}
	putList(m, "required", required)
	if !azure && !s.empty {
		m["minProperties"] = 1
	}
	return m
}

// absentForms are what counts as not given in a pasted Azure job.
var absentForms = []members{{"type": "null"}, {"type": "object", "maxProperties": 0}, {"type": "array", "maxItems": 0}}

func (f *field) describe() string {
	if f.def == "" {
		return f.doc
	}
	return f.doc + " Default: " + f.def + "."
}

func (b *schemaBuilder) typ(t *typ, azure bool) members {
	switch t.kind {
	case flagKind:
		return members{"type": "boolean"}
	case integerKind:
		m := members{"type": "integer", "minimum": t.min}
		if t.max != 0 {
			m["maximum"] = t.max
		}
		if t.nonZero {
			m["not"] = members{"const": 0}
		}
		return m
	case wordKind:
		if !t.fold && len(t.also) == 0 {
			return members{"enum": t.words}
		}
		return members{"anyOf": []members{{"enum": t.words}, {"type": "string", "pattern": t.anyCase()}}}
	case durationKind, instantKind:
		return members{"type": "string", "pattern": patternText(t.pattern)}
	case objectKind:
		if t.short != nil {
			return members{"anyOf": []members{b.typ(t.short, azure), b.reference(t.shape, azure)}}
		}
		return b.reference(t.shape, azure)
	case listKind:
		list := members{"type": "array", "items": b.typ(t.elem, azure)}
		if !t.empty && !azure {
			list["minItems"] = 1
		}
		if t.orMap != nil {
			return members{"anyOf": []members{b.typ(t.elem, azure), list, b.typ(t.orMap, azure)}}
		}
		if t.single {
			return members{"anyOf": []members{b.typ(t.elem, azure), list}}
		}
		return list
	case mapKind:
		m := members{"type": "object", "propertyNames": members{"pattern": patternText(t.pattern)}, "additionalProperties": b.typ(t.elem, azure)}
		if !azure {
			m["minProperties"] = 1
		}
		return m
	case jobKind:
		return b.job()
	case anyKind:
		return members{}
	case textKind:
	}
	// A text is taken as it is written, so a plain number or true is text too.
	m := members{"type": []string{"string", "number", "boolean"}}
	if t.min > 0 {
		m["minLength"] = t.min
	}
	if t.pattern != nil {
		m["pattern"] = patternText(t.pattern)
	}
	return m
}

// job is the choice between a job and the two forms of an Azure job, by the rule of readJob.
func (b *schemaBuilder) job() members {
	isAzure := members{
		"required":      []string{"action"},
		"propertyNames": members{"enum": azureJobShape.names()},
		"properties": members{"action": members{
			"type":          "object",
			"required":      []string{"type"},
			"propertyNames": members{"enum": azureActionMembers},
			"properties":    members{"type": members{"type": "string", "pattern": (&typ{words: azureActionTypes}).anyCase()}},
		}},
	}
	return members{
		"type": "object",
		"if":   members{"required": []string{"properties"}},
		"then": b.reference(azureResourceShape, true),
		"else": members{"if": isAzure, "then": b.reference(azureJobShape, true), "else": b.reference(jobShape, false)},
	}
}

// anyCase is a pattern for the words and their other forms in any case.
func (t *typ) anyCase() string {
	var b strings.Builder
	for i, w := range slices.Concat(t.words, sortedKeys(t.also)) {
		if i > 0 {
			b.WriteByte('|')
		}
		for _, r := range w {
			if lower, upper := unicode.ToLower(r), unicode.ToUpper(r); lower != upper {
				b.WriteString("[" + string(upper) + string(lower) + "]")
			} else {
				b.WriteString(regexp.QuoteMeta(string(r)))
			}
		}
	}
	return "^(" + b.String() + ")$"
}
