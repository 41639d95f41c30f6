package web_test

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/web"
	"github.com/almanac-sched/almanac/web/azure"
)

// hold holds every answer that a test gets from a native route against the description: its status, its media type, its body.
func (f *fixture) hold(r *http.Request, w *httptest.ResponseRecorder) {
	f.t.Helper()
	if *update || r.Method == http.MethodHead {
		return
	}
	if route := routeOf(r); route != nil && !route.Face && !route.File {
		readDescription(f.t).check(f.t, *route, w)
	} else if route == nil && !azure.Owns(r.URL.Path) && !strings.HasPrefix(w.Header().Get("Content-Type"), "text/html") {
		require.Equal(f.t, "application/problem+json", w.Header().Get("Content-Type"), "%s %s: %s", r.Method, r.URL, w.Body)
		readDescription(f.t).validate(f.t, "/components/schemas/Problem", w.Body.Bytes())
	}
}

// routeOf is the route that answers a request, nil when none does.
func routeOf(r *http.Request) *web.RouteLine {
	segments := strings.Split(r.URL.Path, "/")
	for _, route := range web.Table() {
		pattern := strings.Split(route.Pattern, "/")
		if route.Method == r.Method && slices.EqualFunc(pattern, segments, func(p, s string) bool { return p == s || strings.HasPrefix(p, "{") && s != "" }) {
			return &route
		}
	}
	return nil
}

// The schema of the OpenAPI initiative, which leaves the schemas in a description to JSON Schema.
func TestTheDescriptionIsOpenAPI(t *testing.T) {
	const official = "https://spec.openapis.org/oas/3.1/schema/2026-08-03"
	text, err := os.ReadFile("testdata/openapi-3.1/schema.json")
	require.NoError(t, err)
	schema, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	require.NoError(t, err)
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	require.NoError(t, compiler.AddResource(official, schema))
	openAPI, err := compiler.Compile(official)
	require.NoError(t, err)
	d := readDescription(t)
	require.NoError(t, openAPI.Validate(d.root))

	broken := map[string]any{"openapi": "3.1.0", "info": map[string]any{"title": "x", "version": "1"}, "paths": map[string]any{"no-slash": map[string]any{}}}
	require.Error(t, openAPI.Validate(broken), "the schema finds mistakes")

	// And each schema in it is one of JSON Schema 2020-12: compiling checks it against the meta-schema.
	n := 0
	var walk func(at string, v any)
	walk = func(at string, v any) {
		switch v := v.(type) {
		case map[string]any:
			for name, child := range v {
				here := at + "/" + escape(name)
				if name == "schema" || strings.HasSuffix(at, "/components/schemas") {
					_, err := d.compiler.Compile("api:///openapi.json#" + here)
					require.NoError(t, err, here)
					n++
				}
				if name != "example" {
					walk(here, child)
				}
			}
		case []any:
			for i, child := range v {
				walk(at+"/"+string(rune('0'+i%10)), child)
			}
		}
	}
	walk("/components", d.root["components"])
	require.Greater(t, n, 30)
}

func TestEveryListHasPages(t *testing.T) {
	d := readDescription(t)
	schemas := d.root["components"].(map[string]any)["schemas"].(map[string]any)
	n := 0
	for _, route := range web.Table() {
		if route.Face || route.File || route.Method != http.MethodGet {
			continue
		}
		op := d.operation(t, route)
		content, _ := op["responses"].(map[string]any)["200"].(map[string]any)["content"].(map[string]any)
		media, _ := content["application/json"].(map[string]any)
		schema, _ := media["schema"].(map[string]any)
		ref, _ := schema["$ref"].(string)
		answer, _ := schemas[strings.TrimPrefix(ref, "#/components/schemas/")].(map[string]any)
		members, _ := answer["properties"].(map[string]any)
		if members["items"] == nil {
			continue
		}
		n++
		require.Contains(t, members, "next", route.ID)
		names := map[string]bool{}
		for _, p := range op["parameters"].([]any) {
			names[p.(map[string]any)["name"].(string)] = true
		}
		require.True(t, names["cursor"] && names["limit"], "%s is a list: it takes a cursor and a limit", route.ID)
	}
	require.GreaterOrEqual(t, n, 5)
}

func TestEveryRouteThatActsCanBeRepeated(t *testing.T) {
	d := readDescription(t)
	for _, route := range web.Table() {
		if route.Face || !route.Audit || route.ID == "deliver" { // a delivery has an id of its own
			continue
		}
		require.True(t, slices.ContainsFunc(d.operation(t, route)["parameters"].([]any), func(p any) bool {
			return p.(map[string]any)["name"] == "Idempotency-Key" && p.(map[string]any)["in"] == "header"
		}), "%s takes no Idempotency-Key: set Idempotent", route.ID)
	}
}
