package web_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/web"
)

var update = flag.Bool("update", false, "write openapi.json anew")

const descriptionFile = "openapi.json"

func TestTheDescriptionInTheRepositoryIsTheServedOne(t *testing.T) {
	f := newFixture(t)
	w := f.as("viewer", http.MethodGet, "/api/v1/openapi.json", "")
	require.Equal(t, 200, w.Code)
	require.Equal(t, "application/openapi+json", w.Header().Get("Content-Type"))
	if *update {
		require.NoError(t, os.WriteFile(descriptionFile, w.Body.Bytes(), 0o644))
	}
	golden, err := os.ReadFile(descriptionFile)
	require.NoError(t, err)
	require.Equal(t, string(golden), w.Body.String(), "go test ./web -update writes it anew")
}

// A description is openapi.json with its schemas compiled.
type description struct {
	root     map[string]any
	compiler *jsonschema.Compiler
}

var readOnce = struct {
	sync.Once
	d *description
}{}

// readDescription reads it once for all tests.
func readDescription(t *testing.T) *description {
	t.Helper()
	readOnce.Do(func() { readOnce.d = compileDescription(t) })
	require.NotNil(t, readOnce.d)
	return readOnce.d
}

func compileDescription(t *testing.T) *description {
	t.Helper()
	golden, err := os.ReadFile(descriptionFile)
	require.NoError(t, err)
	root, err := jsonschema.UnmarshalJSON(bytes.NewReader(golden))
	require.NoError(t, err)
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft2020)
	compiler.AssertFormat()
	require.NoError(t, compiler.AddResource("api:///openapi.json", root))
	return &description{root: root.(map[string]any), compiler: compiler}
}

// operation returns the description of a route.
func (d *description) operation(t *testing.T, route web.RouteLine) map[string]any {
	t.Helper()
	path, ok := d.root["paths"].(map[string]any)[route.Pattern].(map[string]any)
	require.True(t, ok, "%s is not described", route.Pattern)
	op, ok := path[strings.ToLower(route.Method)].(map[string]any)
	require.True(t, ok, "%s %s is not described", route.Method, route.Pattern)
	return op
}

// check holds an answer against what the description says of it: its status, media type and body.
func (d *description) check(t *testing.T, route web.RouteLine, w *httptest.ResponseRecorder) {
	t.Helper()
	if route.Face {
		checkFace(t, w)
		return
	}
	if route.File {
		return
	}
	responses := d.operation(t, route)["responses"].(map[string]any)
	response, ok := responses[strconv.Itoa(w.Code)].(map[string]any)
	require.True(t, ok, "%s answers %d, which is not described", route.ID, w.Code)
	media, _, _ := strings.Cut(w.Header().Get("Content-Type"), ";")
	if response["content"] == nil {
		require.Zero(t, w.Body.Len(), "%s answers %d with a body", route.ID, w.Code)
		return
	}
	content, ok := response["content"].(map[string]any)[media].(map[string]any)
	require.True(t, ok, "%s answers %d with %s, which is not described", route.ID, w.Code, media)
	if strings.HasSuffix(media, "json") && media != "application/x-ndjson" {
		d.validate(t, fmt.Sprintf("/paths/%s/%s/responses/%d/content/%s/schema", escape(route.Pattern), strings.ToLower(route.Method), w.Code, escape(media)), w.Body.Bytes())
	} else {
		require.NotNil(t, content["schema"])
	}
}

// checkFace holds an answer against what every answer of the face of Azure Scheduler has.
func checkFace(t *testing.T, w *httptest.ResponseRecorder) {
	t.Helper()
	require.Regexp(t, "^[0-9a-f]{16}$", w.Header().Get("x-ms-request-id"))
	require.Equal(t, "no-cache", w.Header().Get("Cache-Control"))
	require.Equal(t, "-1", w.Header().Get("Expires"))
	if w.Code < 400 {
		return
	}
	require.Equal(t, "application/json; charset=utf-8", w.Header().Get("Content-Type"))
	var refusal struct {
		Error struct{ Code, Message string }
	}
	require.NoError(t, json.Unmarshal(w.Body.Bytes(), &refusal), w.Body.String())
	require.NotEmpty(t, refusal.Error.Code)
	require.NotEmpty(t, refusal.Error.Message)
}

func escape(s string) string {
	return strings.NewReplacer("~", "~0", "/", "~1", "{", "%7B", "}", "%7D", "+", "%2B").Replace(s)
}

func (d *description) validate(t *testing.T, pointer string, body []byte) {
	t.Helper()
	schema, err := d.compiler.Compile("api:///openapi.json#" + pointer)
	require.NoError(t, err, pointer)
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(body))
	require.NoError(t, err)
	require.NoError(t, schema.Validate(value), "%s: %s", pointer, body)
}

func TestTheDescriptionHoldsEveryRouteAndNoOther(t *testing.T) {
	d := readDescription(t)
	require.Equal(t, "3.1.0", d.root["openapi"])
	n := 0
	for _, path := range d.root["paths"].(map[string]any) {
		n += len(path.(map[string]any))
	}
	table := slices.DeleteFunc(web.Table(), func(r web.RouteLine) bool { return r.Face || r.File })
	require.Len(t, table, n)

	seen := map[string]bool{}
	for _, route := range table {
		op := d.operation(t, route)
		require.Equal(t, route.ID, op["operationId"])
		require.False(t, seen[route.ID])
		seen[route.ID] = true
		require.NotEmpty(t, op["summary"], route.ID)
		require.Len(t, op["tags"], 1, route.ID)
		require.Equal(t, route.Permission.String(), op["x-permission"], route.ID)
		statuses := []string{"400", "405", "413", "422", "500"}
		security, stated := op["security"].([]any)
		switch route.Permission {
		case web.Public:
			require.True(t, stated && len(security) == 0, "%s must say that it needs no token", route.ID)
		case web.Signed:
			require.Equal(t, []any{map[string]any{"signature": []any{}}}, security)
			statuses = append(statuses, "401", "429")
		default:
			if route.Basic {
				require.Equal(t, []any{map[string]any{"token": []any{}}, map[string]any{"password": []any{}}}, security)
				stated = false
			}
			require.False(t, stated, "%s needs a token like all", route.ID)
			statuses = append(statuses, "401", "403", "429")
		}
		if route.BodyLimit > 0 {
			statuses = append(statuses, "408", "415")
		}
		if strings.Contains(route.Pattern, "{") {
			statuses = append(statuses, "404")
		}
		responses := op["responses"].(map[string]any)
		for _, status := range statuses {
			require.Contains(t, responses, status, route.ID)
		}
		require.NotContains(t, responses, "default")
		for status, response := range responses {
			content, _ := response.(map[string]any)["content"].(map[string]any)
			for media, value := range content {
				example, ok := value.(map[string]any)["example"]
				require.True(t, ok, "%s has no example of %s %s", route.ID, status, media)
				if strings.HasSuffix(media, "json") && media != "application/x-ndjson" {
					text, err := json.Marshal(example)
					require.NoError(t, err)
					d.validate(t, fmt.Sprintf("/paths/%s/%s/responses/%s/content/%s/schema", escape(route.Pattern), strings.ToLower(route.Method), status, escape(media)), text)
				}
			}
		}
		if body, ok := op["requestBody"].(map[string]any); ok {
			text, err := json.Marshal(body["content"].(map[string]any)["application/json"].(map[string]any)["example"])
			require.NoError(t, err)
			d.validate(t, fmt.Sprintf("/paths/%s/%s/requestBody/content/application~1json/schema", escape(route.Pattern), strings.ToLower(route.Method)), text)
		}
		for _, name := range pathNames(route.Pattern) {
			require.True(t, slices.ContainsFunc(op["parameters"].([]any), func(p any) bool {
				return p.(map[string]any)["name"] == name && p.(map[string]any)["in"] == "path" && p.(map[string]any)["required"] == true
			}), "%s: %s", route.ID, name)
		}
	}
}

func pathNames(pattern string) (names []string) {
	for segment := range strings.SplitSeq(pattern, "/") {
		if name, ok := strings.CutPrefix(segment, "{"); ok {
			names = append(names, strings.TrimSuffix(name, "}"))
		}
	}
	return names
}

func TestEveryReferenceOfTheDescriptionResolves(t *testing.T) {
	d := readDescription(t)
	n := 0
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			if ref, ok := v["$ref"].(string); ok {
				n++
				at := any(d.root)
				for part := range strings.SplitSeq(strings.TrimPrefix(ref, "#/"), "/") {
					at = at.(map[string]any)[part]
				}
				require.NotNil(t, at, ref)
			}
			require.NotContains(t, v, "$schema")
			for _, child := range v {
				walk(child)
			}
		case []any:
			for _, child := range v {
				walk(child)
			}
		}
	}
	walk(d.root)
	require.Greater(t, n, 50)
}

func TestTheWordsOfTheDescriptionAreTheEnginesWords(t *testing.T) {
	d := readDescription(t)
	enum := func(schema, member string) []string {
		property := d.root["components"].(map[string]any)["schemas"].(map[string]any)[schema].(map[string]any)["properties"].(map[string]any)[member].(map[string]any)
		var words []string
		for _, word := range property["enum"].([]any) {
			words = append(words, word.(string))
		}
		return words
	}
	var states, gates []string
	for _, s := range engine.States {
		states = append(states, string(s))
	}
	for _, g := range engine.Gates {
		gates = append(gates, string(g))
	}
	require.Equal(t, states, enum("Instance", "state"))
	require.Equal(t, gates, enum("Instance", "gate"))
	require.Equal(t, []string{string(engine.Scheduled), string(engine.Manual), string(engine.Backfill)}, enum("Instance", "kind"))

	// The filter of the list knows the same states, and the counts of the status have each of them.
	for _, p := range d.operation(t, web.RouteLine{Method: "GET", Pattern: "/api/v1/instances"})["parameters"].([]any) {
		if parameter := p.(map[string]any); parameter["name"] == "state" {
			require.Equal(t, true, parameter["explode"])
			require.Len(t, parameter["schema"].(map[string]any)["items"].(map[string]any)["enum"], len(states))
		}
	}
	counts := d.root["components"].(map[string]any)["schemas"].(map[string]any)["InstanceCounts"].(map[string]any)["properties"].(map[string]any)
	require.Len(t, counts, len(states))
	for _, s := range states {
		require.Contains(t, counts, s)
	}
	behind := d.root["components"].(map[string]any)["schemas"].(map[string]any)["GateCounts"].(map[string]any)["properties"].(map[string]any)
	require.Len(t, behind, len(gates))
	for _, g := range gates {
		require.Contains(t, behind, g)
	}
}
