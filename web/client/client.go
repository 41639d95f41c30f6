package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"reflect"
	"strconv"
	"strings"
	"time"
)

// A Client speaks to one server. It may be used by several goroutines.
type Client struct {
	Server    string // http://host:port
	Token     string // alm_…; "" for a server that asks for none
	UserAgent string
	HTTP      *http.Client
	Patience  time.Duration // how long a stream that was cut off is tried again while the server is away; 0 is a minute
}

// New returns a client that gives up on an answer after a minute. It follows no redirect: one would carry the token to wherever it points.
func New(server, token string) *Client {
	return &Client{Server: strings.TrimSuffix(server, "/"), Token: token, UserAgent: "almanac-client", HTTP: &http.Client{
		Timeout:       time.Minute,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// A Request is one that has not been sent. The functions of the operations make them; what they leave out may be added.
type Request struct {
	Method string
	Path   string // escaped
	Query  url.Values
	Header http.Header
	Body   any // sent as JSON; nil is none
}

// newRequest fills in the path; each parameter becomes one plain segment.
func newRequest(method, path string, parameters ...any) *Request {
	segments := make([]any, len(parameters))
	for i, p := range parameters {
		segments[i] = url.PathEscape(text(reflect.ValueOf(p)))
	}
	return &Request{Method: method, Path: fmt.Sprintf(path, segments...), Query: url.Values{}, Header: http.Header{}}
}

// query adds a parameter, unless it is the zero value. A list is one parameter with commas, or when it is exploded one for each.
func (r *Request) query(name string, value any, explode bool) {
	v := reflect.ValueOf(value)
	if v.IsZero() {
		return
	}
	if v.Kind() != reflect.Slice {
		r.Query.Set(name, text(v))
		return
	}
	all := texts(v)
	if !explode {
		all = []string{strings.Join(all, ",")}
	}
	r.Query[name] = all
}

// header adds a header, unless it is the zero value.
func (r *Request) header(name string, value any) {
	v := reflect.ValueOf(value)
	if v.IsZero() {
		return
	}
	if v.Kind() == reflect.Slice {
		r.Header.Set(name, strings.Join(texts(v), ", "))
		return
	}
	r.Header.Set(name, text(v))
}

func texts(list reflect.Value) []string {
	all := make([]string, list.Len())
	for i := range all {
		all[i] = text(list.Index(i))
	}
	return all
}

func text(v reflect.Value) string {
	if at, ok := v.Interface().(time.Time); ok {
		return at.Format(time.RFC3339Nano)
	}
	return fmt.Sprint(v.Interface())
}

// An Error is a request that the server refused.
type Error struct {
	Problem Problem
}

// Error is what happened, with all mistakes of the request.
func (e *Error) Error() string {
	lines := []string{e.Problem.Detail}
	if e.Problem.Detail == "" {
		lines[0] = e.Problem.Title
	}
	for _, m := range e.Problem.Errors {
		line := m.Message
		if m.Location != "" {
			line = m.Location + ": " + line
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n  ")
}

// Send sends a request and returns the answer when it is a good one; the caller closes its body. Any other is an *Error.
func (c *Client) Send(ctx context.Context, r *Request) (*http.Response, error) {
	return c.send(ctx, c.HTTP, r)
}

func (c *Client) send(ctx context.Context, by *http.Client, r *Request) (*http.Response, error) {
	address := c.Server + r.Path
	if len(r.Query) > 0 {
		address += "?" + r.Query.Encode()
	}
	var content io.Reader
	if r.Body != nil {
		data, err := json.Marshal(r.Body)
		if err != nil {
			return nil, fmt.Errorf("write the request: %w", err)
		}
		content = bytes.NewReader(data)
	}
	request, err := http.NewRequestWithContext(ctx, r.Method, address, content)
	if err != nil {
		return nil, fmt.Errorf("call %s: %w", c.Server, err)
	}
	for name, values := range r.Header {
		request.Header[name] = values
	}
	if r.Body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	if c.Token != "" {
		request.Header.Set("Authorization", "Bearer "+c.Token)
	}
	request.Header.Set("User-Agent", c.UserAgent)
	response, err := by.Do(request)
	if err != nil {
		var failed *url.Error
		if errors.As(err, &failed) {
			err = failed.Err // without the whole address of the request
		}
		return nil, fmt.Errorf("call the server at %s: %w", c.Server, err)
	}
	if response.StatusCode >= 300 {
		defer response.Body.Close()
		return nil, readError(response)
	}
	return response, nil
}

// readError makes an error of a refusal. One that is no problem document, of a proxy perhaps, has its status alone.
func readError(response *http.Response) error {
	const longest = 1 << 20
	var p Problem
	data, err := io.ReadAll(io.LimitReader(response.Body, longest))
	if err != nil || json.Unmarshal(data, &p) != nil || p.Status == 0 {
		p = Problem{Status: int64(response.StatusCode), Title: "the server answered " + response.Status}
	}
	return &Error{p}
}

// Do sends a request and decodes the answer into a value; nil ignores it.
func (c *Client) Do(ctx context.Context, r *Request, into any) error {
	response, err := c.Send(ctx, r)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if into == nil {
		return nil
	}
	if err := json.NewDecoder(response.Body).Decode(into); err != nil {
		return fmt.Errorf("read the answer of %s to %s: %w", c.Server, r.Path, err)
	}
	return nil
}

// RowID is the number of a row's id, as operations take it. The API writes it as a string, since not every program can hold 64 bits in a number.
func RowID(id string) (int64, error) {
	n, err := strconv.ParseInt(id, 10, 64)
	if err != nil || n < 1 {
		return 0, fmt.Errorf("%q is no id", id)
	}
	return n, nil
}

// StatusOf is the HTTP status of a refusal, 0 of any other error.
func StatusOf(err error) int {
	var refused *Error
	if errors.As(err, &refused) {
		return int(refused.Problem.Status)
	}
	return 0
}
