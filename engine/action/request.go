package action

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/almanac-sched/almanac/engine"
)

const (
	bodyLimit    = 1 << 20 // of an answer, kept in the log
	maxRedirects = 3
)

// prepareHTTP makes the request of an attempt. What could smuggle a second one is refused here, with words.
func (q *requests) prepareHTTP(ctx context.Context, a engine.Attempt) (sending, error) {
	h := a.Action.HTTP
	req, err := q.request(ctx, a)
	if err != nil {
		return nil, err
	}
	if h.Certificate != nil {
		if req, err = q.showing(req, h.Certificate); err != nil {
			return nil, err
		}
	}
	if h.OAuth != nil {
		if err := checkOAuth(h.OAuth); err != nil {
			return nil, err
		}
	}
	return func(log *mask) reply {
		log.hide(secretsOf(h, req)...)
		var r reply
		if h.OAuth != nil {
			r = q.authorized(req, h.OAuth, log, len(h.Outputs) > 0)
		} else {
			r = q.exchange(req, log, len(h.Outputs) > 0)
		}
		if len(h.Expect) > 0 {
			r.accepted = slices.Contains(h.Expect, r.status)
		}
		return r.pointed(h.Outputs)
	}, nil
}

// secretsOf are the secrets that an answer could repeat.
func secretsOf(h *engine.HTTP, req *http.Request) []string {
	switch {
	case h.Basic != nil:
		return []string{string(h.Basic.Password), strings.TrimPrefix(req.Header.Get("Authorization"), "Basic ")}
	case h.Certificate != nil:
		return []string{string(h.Certificate.Password)}
	case h.OAuth != nil:
		return []string{string(h.OAuth.Secret)}
	}
	return nil
}

// exchange sends a request and puts the answer in the log.
func (q *requests) exchange(req *http.Request, log *mask, keep bool) reply {
	resp, unknown, err := q.do(req)
	if err != nil {
		return reply{err: err, unknown: unknown}
	}
	return q.answered(resp, log, keep)
}

// do sends a request of an attempt. unknown says of an error that the request was sent, or a part of it, and got no answer. A redirect that is not
// followed is an answer.
func (q *requests) do(req *http.Request) (resp *http.Response, unknown bool, err error) {
	p := new(passage)
	resp, err = q.client.Do(req.WithContext(context.WithValue(req.Context(), passageKey{}, p))) //nolint:bodyclose // the caller's
	return resp, err != nil && p.unanswered(), err
}

// answered reads an answer into the log, and keeps its body if that is asked for.
func (q *requests) answered(resp *http.Response, log *mask, keep bool) reply {
	defer resp.Body.Close()
	r := reply{status: resp.StatusCode, accepted: resp.StatusCode/100 == 2, words: statusWords(resp.StatusCode)}
	if keep {
		r.body = new(bytes.Buffer)
		resp.Body = readCloser{io.TeeReader(resp.Body, r.body), resp.Body}
	}
	r.truncated, r.err = writeAnswer(log, resp, min(bodyLimit, q.config.LogLimit))
	r.unknown = r.err != nil
	return r
}

type readCloser struct {
	io.Reader
	io.Closer
}

func statusWords(code int) string {
	return strings.TrimSpace(fmt.Sprintf("HTTP %d %s", code, http.StatusText(code)))
}

// request makes the request of an attempt, but for how it proves who sends it.
func (q *requests) request(ctx context.Context, a engine.Attempt) (*http.Request, error) {
	h := a.Action.HTTP
	method := strings.ToUpper(h.Method)
	if method == "" {
		method = http.MethodGet
	}
	at, err := url.Parse(string(h.URI))
	switch {
	case err != nil:
		return nil, errors.New("the address of the request is not a URI") // the error would repeat it, with what secrets it may hold
	case at.Scheme != "https" && (at.Scheme != "http" || a.Action.Type == engine.ActionHTTPS):
		return nil, fmt.Errorf("an action of type %s cannot call an address that begins with %q", a.Action.Type, at.Scheme+":")
	case at.Hostname() == "":
		return nil, errors.New("the address of the request names no host")
	}
	req, err := http.NewRequestWithContext(ctx, method, at.String(), strings.NewReader(string(h.Body)))
	if err != nil {
		return nil, errors.New("the method or the address of the request is malformed")
	}
	if h.Body == "" {
		req.Body, req.GetBody = http.NoBody, nil
	}
	if h.Basic != nil {
		req.SetBasicAuth(string(h.Basic.Username), string(h.Basic.Password))
	}
	req.Header.Set("User-Agent", q.userAgent())
	req.Header.Set("X-Almanac-Attempt", strconv.Itoa(a.Number))
	setSchedulerHeaders(req.Header, a)
	if a.Traceparent != "" {
		req.Header.Set("Traceparent", a.Traceparent) // one of the action's own goes before
	}
	if err := setHeaders(req, h.Headers); err != nil {
		return nil, err
	}
	if req.Header.Get("Idempotency-Key") == "" {
		req.Header.Set("Idempotency-Key", a.IdempotencyKey())
	}
	return req, nil
}

// setSchedulerHeaders says for which job and occurrence a request is, in the words that what Azure Scheduler called looks for
// (`azure-scheduler.md` §7); a workflow is the job collection.
func setSchedulerHeaders(to http.Header, a engine.Attempt) {
	to.Set("X-Ms-Scheduler-Jobid", url.PathEscape(a.Ref.Job))
	to.Set("X-Ms-Scheduler-Jobcollectionid", url.PathEscape(collection(a)))
	to.Set("X-Ms-Scheduler-Expected-Execution-Time", a.PlanTime.UTC().Format(time.RFC3339))
	to.Set("X-Ms-Client-Request-Id", clientRequestID(a))
}

// framing are the headers that decide where a request ends or whom a connection serves; they are the client's own business.
var framing = []string{"Connection", "Content-Length", "Keep-Alive", "Proxy-Connection", "Te", "Trailer", "Transfer-Encoding", "Upgrade"}

// setHeaders adds the action's headers over the defaults.
func setHeaders(req *http.Request, headers map[string]engine.Text) error {
	for name, text := range headers {
		value, key := string(text), http.CanonicalHeaderKey(name)
		switch {
		case !validToken(name):
			return fmt.Errorf("header %q: not a name", name)
		case strings.ContainsFunc(value, func(c rune) bool { return c < ' ' && c != '\t' || c == 0x7f }):
			return fmt.Errorf("header %s: its value holds a line break or another control character", name)
		case slices.Contains(framing, key):
			return fmt.Errorf("header %s cannot be set", name)
		case key == "Host" && !strings.EqualFold(value, req.URL.Host):
			return fmt.Errorf("header Host cannot name another host than the address does")
		case key == "Host":
		default:
			req.Header.Set(key, value)
		}
	}
	return nil
}

// validToken reports that a name is one of RFC 9110 §5.6.2.
func validToken(name string) bool {
	for _, c := range []byte(name) {
		letter := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
		if !letter && !strings.ContainsRune("!#$%&'*+-.^_`|~", rune(c)) {
			return false
		}
	}
	return name != ""
}

// harmless are the headers that follow a redirect to another origin; whatever else the action set may be a credential.
var harmless = []string{"Accept", "Accept-Language", "Content-Type", "Content-Language", "User-Agent", "X-Almanac-Attempt", "Idempotency-Key"}

// staying marks the context of a request that follows no redirect, for its body or its address holds a secret.
type staying struct{}

// checkRedirect bounds redirects, refuses to leave https, and drops credentials on the way to another origin. The address is judged when
// it is dialled.
func checkRedirect(req *http.Request, via []*http.Request) error {
	if req.Context().Value(staying{}) != nil {
		return http.ErrUseLastResponse
	}
	if len(via) > maxRedirects {
		return fmt.Errorf("more than %d redirects", maxRedirects)
	}
	first := via[0].URL
	if req.URL.Scheme != "https" && (req.URL.Scheme != "http" || first.Scheme == "https") {
		return fmt.Errorf("redirected from %s to %s", first.Scheme, req.URL.Scheme)
	}
	other := func(u *url.URL) bool { return u.Scheme != first.Scheme || u.Host != first.Host }
	if other(req.URL) || slices.ContainsFunc(via, func(v *http.Request) bool { return other(v.URL) }) {
		for name := range req.Header {
			if !slices.Contains(harmless, name) {
				delete(req.Header, name)
			}
		}
		req.URL.User = nil
	}
	return nil
}

// writeAnswer puts the answer in the log: status line, headers, and the body up to limit bytes.
func writeAnswer(log io.Writer, resp *http.Response, limit int64) (truncated bool, err error) {
	var head strings.Builder
	fmt.Fprintf(&head, "%s %s\n", resp.Proto, resp.Status)
	names := make([]string, 0, len(resp.Header))
	for name := range resp.Header {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		for _, value := range resp.Header[name] {
			if name == "Set-Cookie" {
				value = "***" // a credential
			}
			fmt.Fprintf(&head, "%s: %s\n", name, value)
		}
	}
	if _, err := io.WriteString(log, head.String()+"\n"); err != nil {
		return false, nil //nolint:nilerr // the disk is full: the answer counts all the same
	}
	n, err := io.Copy(ignoreErrors{log}, io.LimitReader(resp.Body, limit))
	if err != nil || n < limit {
		return false, err
	}
	if more, _ := io.CopyN(io.Discard, resp.Body, 1); more == 0 {
		return false, nil
	}
	_, _ = fmt.Fprintf(log, "\n--- almanac: the body goes on after %d bytes ---\n", limit)
	return true, nil
}

// ignoreErrors writes as far as that is possible: an answer is not less true because the disk is full.
type ignoreErrors struct{ io.Writer }

func (w ignoreErrors) Write(p []byte) (int, error) {
	_, _ = w.Writer.Write(p)
	return len(p), nil
}
