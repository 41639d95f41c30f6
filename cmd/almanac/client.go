package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// apiPrefix begins the path of every route of the API.
const apiPrefix = "/api/v1/"

// A client speaks to the API: of a server over the network, or of a data directory without one in this process.
type client struct {
	base  string // http://host:port
	token string
	http  *http.Client
}

// get decodes the answer to a GET into a value.
func (c *client) get(ctx context.Context, path string, query url.Values, into any) error {
	return c.call(ctx, http.MethodGet, path, query, nil, nil, into)
}

// post sends a value as JSON and decodes the answer.
func (c *client) post(ctx context.Context, path string, header http.Header, body, into any) error {
	return c.call(ctx, http.MethodPost, path, nil, header, body, into)
}

func (c *client) call(ctx context.Context, method, path string, query url.Values, header http.Header, body, into any) error {
	response, err := c.send(ctx, method, path, query, header, body)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if into == nil {
		return nil
	}
	if err := json.NewDecoder(response.Body).Decode(into); err != nil {
		return fmt.Errorf("read the answer of %s to %s: %w", c.base, path, err)
	}
	return nil
}

// send returns the answer when it is a good one; the caller closes its body. Any other is an *answerError.
func (c *client) send(ctx context.Context, method, path string, query url.Values, header http.Header, body any) (*http.Response, error) {
	address := c.base + apiPrefix + path
	if len(query) > 0 {
		address += "?" + query.Encode()
	}
	var content io.Reader
	if body != nil {
		data, err := json.Marshal(body)
		if err != nil {
			return nil, err
		}
		content = bytes.NewReader(data)
	}
	request, err := http.NewRequestWithContext(ctx, method, address, content)
	if err != nil {
		return nil, fmt.Errorf("call %s: %w", c.base, err)
	}
	for name, values := range header {
		request.Header[name] = values
	}
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	if c.token != "" {
		request.Header.Set("Authorization", "Bearer "+c.token)
	}
	request.Header.Set("User-Agent", "almanac/"+build().Version)
	response, err := c.http.Do(request)
	if err != nil {
		return nil, fmt.Errorf("call the server: %w", err)
	}
	if response.StatusCode >= 300 {
		defer response.Body.Close()
		return nil, readProblem(response)
	}
	return response, nil
}

// readProblem makes an error of an application/problem+json answer.
func readProblem(response *http.Response) error {
	problem := struct {
		Code   string `json:"code"`
		Title  string `json:"title"`
		Detail string `json:"detail"`
		Hint   string `json:"hint"`
		Errors []struct {
			Message  string `json:"message"`
			Location string `json:"location"`
		} `json:"errors"`
	}{}
	data, err := io.ReadAll(io.LimitReader(response.Body, 1<<20))
	answer := &answerError{Status: response.StatusCode}
	if err != nil || json.Unmarshal(data, &problem) != nil {
		return answer
	}
	answer.Code, answer.Title, answer.Detail, answer.Hint = problem.Code, problem.Title, problem.Detail, problem.Hint
	for _, e := range problem.Errors {
		line := e.Message
		if e.Location != "" {
			line = e.Location + ": " + line
		}
		answer.Detail = strings.TrimPrefix(answer.Detail+"\n  "+line, "\n  ")
	}
	return answer
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
	return &client{base: strings.TrimSuffix(base, "/"), token: token, http: &http.Client{
		Timeout: time.Minute,
		// A redirect would carry the token to wherever it points.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// handlerClient speaks to a handler in this process.
func handlerClient(h http.Handler) *client {
	return &client{base: "http://localhost", http: &http.Client{Transport: handlerTransport{h}}}
}

// handlerTransport answers requests by a handler, without a network.
type handlerTransport struct{ handler http.Handler }

func (t handlerTransport) RoundTrip(request *http.Request) (*http.Response, error) {
	incoming := request.Clone(request.Context())
	incoming.RequestURI, incoming.RemoteAddr = request.URL.RequestURI(), "127.0.0.1:0"
	incoming.Host = request.URL.Host
	if incoming.Body == nil {
		incoming.Body = http.NoBody
	}
	answer := &answerWriter{header: http.Header{}}
	t.handler.ServeHTTP(answer, incoming)
	if answer.status == 0 {
		answer.status = http.StatusOK
	}
	return &http.Response{
		Status: http.StatusText(answer.status), StatusCode: answer.status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: answer.header, Body: io.NopCloser(&answer.body), ContentLength: int64(answer.body.Len()), Request: request,
	}, nil
}

// An answerWriter keeps a handler's answer.
type answerWriter struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (w *answerWriter) Header() http.Header { return w.header }
func (w *answerWriter) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
	}
}
func (w *answerWriter) Write(p []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	return w.body.Write(p)
}
