package web

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"
	"github.com/go-chi/chi/v5"
)

// mount builds the router from the table. What the table does not have cannot be reached: the adapter mounts an operation only under the guard
// of its route.
func (s *server) mount(routes []route) (http.Handler, error) {
	mux := chi.NewMux()
	mounted := &adapter{server: s, mux: mux, routes: map[string]*route{}}
	for i := range routes {
		rt := &routes[i]
		if rt.Permission < Public || rt.Permission > Signed {
			return nil, fmt.Errorf("web: the route %s %s has no permission", rt.Method, rt.Pattern)
		}
		if rt.ID == "" || rt.Summary == "" || rt.handlers() != 1 {
			return nil, fmt.Errorf("web: the route %s %s lacks an id, a summary or a handler", rt.Method, rt.Pattern)
		}
		if rt.face != nil {
			s.mountFace(mux, rt)
			continue
		}
		if rt.serve != nil {
			s.mountFile(mux, rt)
			continue
		}
		mounted.routes[rt.Method+" "+rt.Pattern] = rt
	}
	api := huma.NewAPI(apiConfig(), mounted)
	for i := range routes {
		if rt := &routes[i]; rt.register != nil {
			rt.register(s, api, rt.operation())
			rt.document(api.OpenAPI())
		}
	}
	openAnswers(api.OpenAPI())
	spec, err := json.MarshalIndent(api.OpenAPI(), "", "  ")
	if err != nil {
		return nil, fmt.Errorf("web: write openapi.json: %w", err)
	}
	s.spec = append(spec, '\n')

	// Whoever asks for a path that there is not is asked who they are first, so that strangers learn nothing about the paths that there are.
	unknown := &route{Method: "*", Pattern: "*", Permission: Viewer, ID: "unknown"}
	missing := s.guard(unknown, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.refuse(w, r, refusal(codeNotFound, "there is no such path"))
	}))
	mux.NotFound(func(w http.ResponseWriter, r *http.Request) {
		if !s.noPage(w, r) {
			missing.ServeHTTP(w, r)
		}
	})
	mux.MethodNotAllowed(s.guard(unknown, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Allow", strings.Join(allowed(mux, r.URL.Path), ", "))
		s.refuse(w, r, refusal(codeMethod, "this path does not know the method "+r.Method))
	})).ServeHTTP)
	return mux, nil
}

// allowed lists the methods that the path knows.
func allowed(mux *chi.Mux, path string) []string {
	var methods []string
	for _, method := range []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete} {
		if mux.Match(chi.NewRouteContext(), method, path) {
			methods = append(methods, method)
		}
	}
	return methods
}

// An adapter lets the OpenAPI library mount operations on the router, each under its guard.
type adapter struct {
	server *server
	mux    *chi.Mux
	routes map[string]*route
}

// Handle mounts an operation. One that is not in the table is a mistake of the program.
func (a *adapter) Handle(op *huma.Operation, handle func(huma.Context)) {
	rt := a.routes[op.Method+" "+op.Path]
	if rt == nil {
		panic(fmt.Sprintf("the operation %s %s is not in the table of routes", op.Method, op.Path))
	}
	var inner http.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		handle(humachi.NewContext(op, r, w))
	})
	if rt.Idempotent {
		inner = a.server.once(rt, inner)
	}
	if rt.Packed {
		inner = packed(inner)
	}
	guarded := a.server.guard(rt, inner)
	a.mux.Method(op.Method, op.Path, guarded)
	if op.Method == http.MethodGet {
		a.mux.Method(http.MethodHead, op.Path, guarded)
	}
}

// ServeHTTP is asked for by the library's interface.
func (a *adapter) ServeHTTP(w http.ResponseWriter, r *http.Request) { a.mux.ServeHTTP(w, r) }

// apiConfig describes the API apart from its operations. The library's own routes (documents, schemas, its documentation page with scripts of
// another site) and the members that it would add to each answer are off.
func apiConfig() huma.Config {
	config := huma.DefaultConfig("Almanac", "1")
	config.CreateHooks = nil
	config.OpenAPIPath, config.DocsPath, config.SchemasPath = "", "", ""
	config.RejectUnknownQueryParameters = true
	config.DefaultFormat = "application/json"
	format := huma.Format{
		Marshal:   func(w io.Writer, v any) error { return json.NewEncoder(w).Encode(v) },
		Unmarshal: decodeStrict,
	}
	config.Formats = map[string]huma.Format{"application/json": format, "json": format} // the latter for what ends in +json: problems
	config.Info.Description = "Jobs, their instances and attempts: list them, ask why they wait, trigger, cancel and confirm them. " +
		"Ids are decimal strings. Times are RFC 3339; those of an instance carry the offset of its plan time. What is refused is answered with problem details (RFC 9457)."
	config.Info.License = &huma.License{Name: "Apache-2.0", Identifier: "Apache-2.0"}
	config.Tags = []*huma.Tag{
		{Name: "server", Description: "The server itself"},
		{Name: "jobs", Description: "Definitions and when they are due"},
		{Name: "instances", Description: "Jobs at their plan times: what waits, starts and ends"},
		{Name: "attempts", Description: "Executions and their logs"},
		{Name: "backfills", Description: "Days that have passed, run again or for the first time"},
		{Name: "hooks", Description: "Requests from outside that start jobs"},
		{Name: "alerts", Description: "Trouble by its root causes, and who was told"},
		{Name: "admin", Description: "Who may do what, what was done, and how the server is"},
		{Name: "streams", Description: "What goes on, as server-sent events"},
	}
	config.Components.SecuritySchemes = map[string]*huma.SecurityScheme{
		"token":     {Type: "http", Scheme: "bearer", Description: "An API token, alm_…, made with `almanac token create`."},
		"password":  {Type: "http", Scheme: "basic", Description: "The API token as the password, with any user name."},
		"signature": {Type: "apiKey", In: "header", Name: headerSignature, Description: "An HMAC-SHA256 by the secret of the job's webhook."},
	}
	config.Security = []map[string][]string{{"token": {}}}
	return config
}

// operation is the route in the words of the OpenAPI library.
func (rt *route) operation() huma.Operation {
	op := huma.Operation{
		Method: rt.Method, Path: rt.Pattern, OperationID: rt.ID, Summary: rt.Summary, Description: rt.Text, Tags: []string{rt.Tag},
		Errors:     []int{http.StatusBadRequest, http.StatusMethodNotAllowed, http.StatusRequestEntityTooLarge, http.StatusMisdirectedRequest, http.StatusUnprocessableEntity},
		Extensions: map[string]any{"x-permission": rt.Permission.String()},
	}
	switch rt.Permission {
	case Public:
		op.Security = []map[string][]string{}
	case Signed:
		op.Security = []map[string][]string{{"signature": {}}}
		op.Errors = append(op.Errors, http.StatusUnauthorized, http.StatusForbidden, http.StatusTooManyRequests)
	default:
		op.Errors = append(op.Errors, http.StatusUnauthorized, http.StatusForbidden, http.StatusTooManyRequests)
	}
	if rt.Basic {
		op.Security = []map[string][]string{{"token": {}}, {"password": {}}}
	}
	if rt.BodyLimit > 0 {
		op.MaxBodyBytes = rt.BodyLimit + 1 // the library refuses a body of exactly this length
		op.Errors = append(op.Errors, http.StatusUnsupportedMediaType, http.StatusRequestTimeout)
	}
	if rt.Audit || rt.Idempotent {
		op.Errors = append(op.Errors, http.StatusInsufficientStorage) // it writes
	}
	op.Errors = append(op.Errors, rt.Refuses...)
	op.DefaultStatus = http.StatusOK
	if _, creates := rt.Answers[http.StatusCreated]; creates {
		op.DefaultStatus = http.StatusCreated
	}
	if rt.Usual != nil {
		op.Responses = map[string]*huma.Response{"200": rt.Usual}
	}
	if rt.ID == "getJob" {
		op.Responses = map[string]*huma.Response{"304": {Description: "The definition is the one that is known"}}
	}
	if rt.Idempotent {
		op.Parameters = append(op.Parameters, onceParameter())
		op.Description = strings.TrimSpace(op.Description + " " + onceText)
		op.Errors = append(op.Errors, http.StatusConflict)
	}
	slices.Sort(op.Errors)
	op.Errors = slices.Compact(op.Errors)
	return op
}

// document adds to the generated description what the library does not know: examples, and answers with another status than the usual one.
func (rt *route) document(description *huma.OpenAPI) {
	item := description.Paths[rt.Pattern]
	op := item.Get
	switch rt.Method {
	case http.MethodPost:
		op = item.Post
	case http.MethodPatch:
		op = item.Patch
	}
	usual := op.Responses[strconv.Itoa(op.DefaultStatus)]
	for status, example := range rt.Answers {
		key := strconv.Itoa(status)
		if op.Responses[key] == nil {
			again := *usual
			again.Description = http.StatusText(status)
			again.Content = map[string]*huma.MediaType{"application/json": {Schema: usual.Content["application/json"].Schema}}
			op.Responses[key] = &again
		}
		if example != nil {
			op.Responses[key].Content["application/json"].Example = example
		}
	}
	if rt.Request != nil {
		op.RequestBody.Content["application/json"].Example = rt.Request
	}
	for _, status := range rt.Bare {
		op.Responses[strconv.Itoa(status)] = &huma.Response{Description: http.StatusText(status)}
	}
	for key, response := range op.Responses {
		if media := response.Content[problemType]; media != nil {
			status, _ := strconv.Atoi(key)
			media.Example = statusRefusal(status, "")
		}
	}
}

// openAnswers lets the objects of answers grow: a client must not refuse a member that a later version adds. Those of requests stay closed, as
// the server refuses what it does not know.
func openAnswers(description *huma.OpenAPI) {
	schemas := description.Components.Schemas.Map()
	closed := map[*huma.Schema]bool{}
	for _, item := range description.Paths {
		for _, op := range []*huma.Operation{item.Post, item.Patch} {
			if op == nil || op.RequestBody == nil {
				continue
			}
			for _, media := range op.RequestBody.Content {
				closed[description.Components.Schemas.SchemaFromRef(media.Schema.Ref)] = true
			}
		}
	}
	for _, schema := range schemas {
		if schema.AdditionalProperties == false && !closed[schema] {
			schema.AdditionalProperties = nil
		}
	}
}
