package spec

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"
	yaml "go.yaml.in/yaml/v4"
	"pgregory.net/rapid"
)

var coreNumber = regexp.MustCompile(`^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$`)

// core gives the JSON value of a node by YAML 1.2's core schema: times, dates, on and off are text.
func core(n *yaml.Node) any {
	switch n.Kind {
	case yaml.MappingNode:
		m := map[string]any{}
		for i := 0; i+1 < len(n.Content); i += 2 {
			m[n.Content[i].Value] = core(n.Content[i+1])
		}
		return m
	case yaml.SequenceNode:
		list := []any{}
		for _, child := range n.Content {
			list = append(list, core(child))
		}
		return list
	}
	switch {
	case n.Style&quoted != 0:
		return n.Value
	case isNull(n):
		return nil
	case n.Value == "true" || n.Value == "false":
		return n.Value == "true"
	case coreNumber.MatchString(n.Value):
		return json.Number(strings.TrimPrefix(strings.TrimSuffix(n.Value, "."), "+"))
	}
	return n.Value
}

func compiledSchema(t require.TestingT) *jsonschema.Schema {
	text, err := Schema()
	require.NoError(t, err)
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	require.NoError(t, err)
	c := jsonschema.NewCompiler()
	require.NoError(t, c.AddResource("almanac.schema.json", doc))
	schema, err := c.Compile("almanac.schema.json")
	require.NoError(t, err)
	return schema
}

// The decoder and the schema are made of one table; this holds them to it where both judge: the shape of a file.
func TestSchemaAgreesWithDecoder(t *testing.T) {
	schema := compiledSchema(t)
	for _, test := range []struct {
		files string
		valid bool
	}{
		{"testdata/good/*.yaml", true},
		{"testdata/folders/*/*.yaml", true},
		{"testdata/meaning/*.yaml", true},
		{"testdata/shape/*.yaml", false},
	} {
		files, err := filepath.Glob(test.files)
		require.NoError(t, err)
		require.NotEmpty(t, files)
		for _, file := range files {
			t.Run(file, func(t *testing.T) {
				data, err := os.ReadFile(file)
				require.NoError(t, err)
				doc, problems := Document(data)
				require.NoError(t, problems.Err())
				shapely := !ShapeProblems(data).HasErrors()
				if filepath.Base(filepath.Dir(file)) == "meaning" && !shapely {
					t.Logf("has mistakes of shape too: %s", ShapeProblems(data))
					return
				}
				require.Equal(t, test.valid, shapely, "the decoder: %s", ShapeProblems(data))
				err = schema.Validate(doc)
				require.Equal(t, test.valid, err == nil, "the schema: %v", err)
			})
		}
	}
}

// Each single mistake that the corpus of shapes collects is refused by both, not only the file as a whole.
func TestSchemaRefusesEachJob(t *testing.T) {
	schema := compiledSchema(t)
	files, err := filepath.Glob("testdata/shape/*.yaml")
	require.NoError(t, err)
	for _, file := range files {
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		doc, problems := Document(data)
		require.NoError(t, problems.Err())
		jobs, _ := doc.(map[string]any)["jobs"].(map[string]any)
		for name, job := range jobs {
			alone, err := json.Marshal(map[string]any{"jobs": map[string]any{name: job}})
			require.NoError(t, err)
			if !ShapeProblems(alone).HasErrors() {
				continue
			}
			value, err := jsonschema.UnmarshalJSON(bytes.NewReader(alone))
			require.NoError(t, err)
			require.Error(t, schema.Validate(value), "%s of %s: the decoder says %s", name, file, ShapeProblems(alone))
		}
	}
}

// Whatever the table can say, and whatever a few mutations make of it: a file that the decoder takes is valid.
func TestDecodedIsValid(t *testing.T) {
	schema := compiledSchema(t)
	drawn, taken := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		drawn++
		g := shapeGenerator{rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1)), rapid.Bool().Draw(t, "mutates")}
		doc := g.object(workflowShape, 0)
		text, err := json.Marshal(doc)
		require.NoError(t, err)
		if ShapeProblems(text).HasErrors() {
			return
		}
		taken++
		value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
		require.NoError(t, err)
		require.NoError(t, schema.Validate(value), "%s", text)
	})
	t.Logf("the decoder takes %d of %d", taken, drawn)
	require.Greater(t, 20*taken, drawn, "the generator makes hardly anything that the decoder takes")
}

// shapeGenerator draws values of the table's types; one that mutates makes a mistake now and then.
type shapeGenerator struct {
	*rand.Rand
	mutates bool
}

func (g *shapeGenerator) chance(percent int) bool { return g.IntN(100) < percent }

func (g *shapeGenerator) mistake() bool { return g.mutates && g.chance(1) }

func oneOf[T any](g *shapeGenerator, list ...T) T { return list[g.IntN(len(list))] }

func (g *shapeGenerator) object(s *shape, depth int) any {
	m := map[string]any{}
	for i := range s.fields {
		f := &s.fields[i]
		if f.refused != "" && !g.mistake() || !f.required && !g.chance(24/(depth+1)) {
			continue
		}
		m[f.name] = g.value(f.typ, depth+1)
	}
	if f := &s.fields[g.IntN(len(s.fields))]; len(m) == 0 && f.refused == "" { // most of what is written is not empty
		m[f.name] = g.value(f.typ, depth+1)
	}
	if g.mistake() {
		m["unknown"] = 1
	}
	return m
}

func (g *shapeGenerator) value(t *typ, depth int) any {
	if g.mistake() {
		return oneOf[any](g, nil, 1, -1, true, "", "x", []any{}, map[string]any{}, []any{1}, map[string]any{"x": 1})
	}
	switch t.kind {
	case flagKind:
		return g.chance(50)
	case integerKind:
		high := t.max
		if high == 0 {
			high = t.min + 100
		}
		n := t.min + g.IntN(high-t.min+1)
		if t.nonZero && n == 0 {
			n = 1
		}
		return n
	case wordKind:
		w := oneOf(g, append(append([]string{}, t.words...), sortedKeys(t.also)...)...)
		if t.fold && g.chance(30) {
			w = strings.ToUpper(w)
		}
		return w
	case durationKind:
		return oneOf(g, "PT30S", "P1D", "PT1H30M", "P2W", "PT60D", "00:01:00", "-PT1H", "5m", "1d12h", "-24h")
	case instantKind:
		return oneOf(g, "2026-10-01", "2026-10-01T02:00:00+08:00", "2026-10-01T02:00Z", "2026-10-01 02:00", "2026-10-01T02:00:00.1234567Z")
	case objectKind:
		if t.short != nil && g.chance(40) {
			return g.value(t.short, depth)
		}
		return g.object(t.shape, depth)
	case listKind:
		if t.single && g.chance(30) {
			return g.value(t.elem, depth)
		}
		list := []any{}
		for range 1 + g.IntN(3) {
			list = append(list, g.value(t.elem, depth))
		}
		return list
	case mapKind:
		m := map[string]any{}
		for i := range 1 + g.IntN(2) {
			m[fmt.Sprintf("m%d", i)] = g.value(t.elem, depth)
		}
		return m
	case jobKind:
		switch {
		case g.chance(20):
			return g.object(azureJobShape, depth)
		case g.chance(20):
			return g.object(azureResourceShape, depth)
		}
		return g.object(jobShape, depth)
	case anyKind:
		return map[string]any{"any": []any{1, "x"}}
	}
	if g.chance(80) {
		return "name"
	}
	return oneOf[any](g, "Asia/Shanghai", "a/b", "1", 1, true, 2.5, "2026-10-01..2026-10-03", "all", "GET", "日报")
}
