package main

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"

	api "github.com/almanac-sched/almanac/web/client"
)

// apiPrefix begins the path of every route of the API.
const apiPrefix = "/api/v1/"

// A client speaks to the API: of a server over the network, or of a data directory without one in this process.
type client struct {
	api *api.Client
}

// do sends a request of the generated client and decodes the answer into a value; nil ignores it. The types are those of web, as the same is
// printed without a server.
func (c *client) do(ctx context.Context, r *api.Request, into any) error {
	return refused(r.Path, c.api.Do(ctx, r, into))
}

// get decodes the answer to a GET of a path below the API's into a value.
func (c *client) get(ctx context.Context, path string, query url.Values, into any) error {
	return c.do(ctx, &api.Request{Method: http.MethodGet, Path: apiPrefix + path, Query: query}, into)
}

// post sends a value as JSON and decodes the answer.
func (c *client) post(ctx context.Context, path string, header http.Header, body, into any) error {
	return c.do(ctx, &api.Request{Method: http.MethodPost, Path: apiPrefix + path, Header: header, Body: body}, into)
}

// refused makes an *answerError of a refusal by the server, in the words of the command line; where is the path of the request.
func refused(where string, err error) error {
	var refusal *api.Error
	if !errors.As(err, &refusal) {
		return err
	}
	p := refusal.Problem
	p.Errors = slices.Clone(p.Errors)
	for n := range p.Errors {
		e := &p.Errors[n]
		part, member, _ := strings.Cut(e.Location, ".")
		if !slices.Contains([]string{"body", "query", "path", "header"}, part) {
			continue // an instance
		}
		if e.Location = member; strings.Contains(e.Message, member) {
			e.Location = ""
		}
	}
	told := &api.Error{Problem: p}
	return &answerError{Status: int(p.Status), Code: p.Code, Title: p.Title, Detail: told.Error(), Hint: commandHint(where, &p)}
}

// commandHint says what to do about a refusal, to who wrote a command line.
func commandHint(where string, p *api.Problem) string {
	switch {
	case p.Code == "invalid" && len(p.Errors) > 0:
		return "" // they stand above
	case p.Status == http.StatusUnauthorized && p.Code == "unauthenticated":
		return "give a valid token: --token, ALMANAC_TOKEN, or the file of the context; `almanac token create` makes one where the server runs"
	case strings.HasPrefix(p.Hint, "read it again"):
		return "" // the sentence says what would be right
	case p.Code != "not-found":
	case strings.Contains(where, "/backfills/"):
		return "`almanac backfill ls` lists them"
	case strings.Contains(where, "/incidents/"):
		return "`almanac alerts ls --all` lists them"
	case strings.Contains(where, "/instances/"):
		return "`almanac ps --all` lists them"
	default:
		return "" // the hint is for programs
	}
	return p.Hint
}

// path joins segments into an escaped path.
func path(segments ...string) string {
	escaped := make([]string, len(segments))
	for i, s := range segments {
		escaped[i] = url.PathEscape(s)
	}
	return strings.Join(escaped, "/")
}

// newClient speaks to a server over the network.
func newClient(base, token string) *client {
	c := api.New(base, token)
	c.UserAgent = "almanac/" + build().Version
	return &client{c}
}

// handlerClient speaks to a handler in this process.
func handlerClient(h http.Handler, token string) *client {
	c := newClient("http://localhost", token)
	c.api.HTTP = &http.Client{Transport: handlerTransport{h}}
	return c
}

// handlerTransport answers requests by a handler, without a network. The answer is read while it is written, as
// one from the network is.
type handlerTransport struct{ handler http.Handler }

func (t handlerTransport) RoundTrip(request *http.Request) (*http.Response, error) {
	ctx, leave := context.WithCancel(request.Context())
	incoming := request.Clone(ctx)
	incoming.RequestURI, incoming.RemoteAddr = request.URL.RequestURI(), "127.0.0.1:0"
	incoming.Host = request.URL.Host
	if incoming.Body == nil {
		incoming.Body = http.NoBody
	}
	body, out := io.Pipe()
	answer := &answerWriter{header: http.Header{}, begun: make(chan struct{}), body: out}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		defer leave()
		defer func() {
			switch cause := recover(); cause {
			case nil, http.ErrAbortHandler: // as a server does: the answer is cut off
				answer.WriteHeader(http.StatusInternalServerError)
				_ = out.CloseWithError(io.ErrUnexpectedEOF) // it fails never; nothing where it is closed
			default:
				panic(cause)
			}
		}()
		t.handler.ServeHTTP(answer, incoming)
		answer.WriteHeader(http.StatusOK)
		_ = out.Close() // it fails never
	}()
	<-answer.begun
	return &http.Response{
		Status: http.StatusText(answer.status), StatusCode: answer.status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: answer.sent, Body: &answerBody{body, leave, ended}, ContentLength: -1, Request: request,
	}, nil
}

// An answerBody is a handler's answer. When it is closed, the handler has returned.
type answerBody struct {
	from  *io.PipeReader
	leave context.CancelFunc // tells the handler that nobody listens any more
	ended <-chan struct{}
}

func (b *answerBody) Read(p []byte) (int, error) { return b.from.Read(p) }

func (b *answerBody) Close() error {
	b.leave()
	err := b.from.Close()
	<-b.ended
	return err
}

// An answerWriter hands a handler's answer on.
type answerWriter struct {
	header http.Header
	sent   http.Header // the header as it was when the answer began
	status int         // 0: it has not begun
	begun  chan struct{}
	body   *io.PipeWriter
}

func (w *answerWriter) Header() http.Header { return w.header }
func (w *answerWriter) WriteHeader(status int) {
	if w.status == 0 {
		w.status, w.sent = status, w.header.Clone()
		close(w.begun)
	}
}
func (w *answerWriter) Write(p []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	if n, err := w.body.Write(p); !errors.Is(err, io.ErrClosedPipe) {
		return n, err
	}
	return len(p), nil // nobody reads on: what was asked for is done all the same
}
