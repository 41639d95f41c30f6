package action

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/almanac-sched/almanac/engine"
)

const (
	bodyLimit    = 1 << 20 // of an answer, kept in the log
	maxRedirects = 3
)

// requests carries HTTP attempts out, through one client for the whole process.
type requests struct {
	config Config
	logs   *Logs
	client *http.Client

	mu     sync.Mutex
	flight map[int64]*flight
	closed bool
	ended  sync.WaitGroup
}

// flight is a request under way.
type flight struct {
	cancel context.CancelCauseFunc
	lease  lease
	expiry *alarm
}

var (
	errByPerson = errors.New("cancelled")
	errTimeout  = errors.New("timeout")
	errClosing  = errors.New("the server is closing")
)

func newRequests(config Config, logs *Logs) *requests {
	dialer := &net.Dialer{Timeout: 10 * time.Second, KeepAlive: 30 * time.Second, Control: guard(config)}
	transport := &http.Transport{
		Proxy:                  nil, // never from the environment: a proxy would dial where the guard does not look
		DialContext:            dialer.DialContext,
		ForceAttemptHTTP2:      true,
		MaxIdleConns:           256,
		MaxIdleConnsPerHost:    32,
		IdleConnTimeout:        90 * time.Second,
		TLSHandshakeTimeout:    10 * time.Second,
		ExpectContinueTimeout:  time.Second,
		MaxResponseHeaderBytes: 256 << 10,
	}
	return &requests{
		config: config, logs: logs, flight: map[int64]*flight{},
		client: &http.Client{Transport: transport, CheckRedirect: checkRedirect},
	}
}

// start sends the request of an attempt.
func (q *requests) start(a engine.Attempt, done func(engine.Result)) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		go done(notStarted(a.ID, errClosing))
		return
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	f := &flight{cancel: cancel, lease: lease{instantOf(a.Until), q.config.Margin}}
	if f.lease.over() {
		now := time.Now()
		go done(engine.Result{Attempt: a.ID, Outcome: engine.OutcomeLost, Message: tooLateMessage, StartedAt: now, EndedAt: now})
		cancel(nil)
		return
	}
	q.flight[a.ID] = f
	q.heed(f)
	q.ended.Add(1)
	go func() {
		defer q.ended.Done()
		r := q.run(ctx, a)
		q.mu.Lock()
		delete(q.flight, a.ID)
		f.expiry.stop()
		q.mu.Unlock()
		if !errors.Is(context.Cause(ctx), errClosing) {
			done(r)
		}
		cancel(nil)
	}()
}

// cancel ends a request, and reports whether there was one.
func (q *requests) cancel(attempt int64) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	f := q.flight[attempt]
	if f != nil {
		f.cancel(errByPerson)
	}
	return f != nil
}

// heed sets the alarm that breaks a request off before its lease ends. It needs no grace, so it has the margin but for the last of it. The caller
// holds the lock.
func (q *requests) heed(f *flight) {
	switch {
	case f.expiry != nil:
		f.expiry.move(f.lease.last())
	case f.lease.Until != 0:
		f.expiry = newAlarm(f.lease.last(), func() {
			q.mu.Lock()
			defer q.mu.Unlock()
			if f.lease.last().left() > 0 { // renewed while the alarm rang
				f.expiry = nil
				q.heed(f)
				return
			}
			f.cancel(errLease)
		})
	}
}

// renew moves the lease of the requests among the attempts and returns the others.
func (q *requests) renew(attempts []int64, until instant) (others []int64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, id := range attempts {
		f := q.flight[id]
		if f == nil {
			others = append(others, id)
			continue
		}
		f.lease.Until = until
		q.heed(f)
	}
	return others
}

// close waits for the requests in flight until ctx ends and cuts off the rest.
func (q *requests) close(ctx context.Context) error {
	q.mu.Lock()
	q.closed = true
	q.mu.Unlock()
	over := make(chan struct{})
	go func() {
		q.ended.Wait()
		close(over)
	}()
	defer q.client.CloseIdleConnections()
	select {
	case <-over:
		return nil
	case <-ctx.Done():
	}
	q.mu.Lock()
	n := len(q.flight)
	for _, f := range q.flight {
		f.cancel(errClosing)
	}
	q.mu.Unlock()
	<-over
	if n == 0 {
		return nil
	}
	return fmt.Errorf("wait for %d HTTP requests: %w", n, ctx.Err())
}

// run sends one request and judges the answer.
func (q *requests) run(ctx context.Context, a engine.Attempt) (r engine.Result) {
	r = engine.Result{Attempt: a.ID, Outcome: engine.OutcomeFailed, StartedAt: time.Now()}
	defer func() { r.EndedAt = time.Now() }()
	if t := a.Action.Timeout; t > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, t, errTimeout)
		defer cancel()
	}
	req, err := q.request(ctx, a)
	if err != nil {
		r.Message = "cannot start: " + err.Error()
		return r
	}
	log, err := q.logs.create(a.ID)
	if err != nil {
		r.Message = "cannot start: " + err.Error()
		return r
	}
	defer log.Close()
	resp, err := q.client.Do(req)
	if err == nil {
		defer resp.Body.Close()
		r.Status = resp.StatusCode
		r.Truncated, err = writeAnswer(log, resp, min(bodyLimit, q.config.LogLimit))
	} else {
		_, _ = fmt.Fprintf(log, "%s\n", plain(err))
	}
	if info, e := log.Stat(); e == nil {
		r.LogBytes = info.Size()
	}
	logged := log.Sync()
	accepted := r.Status/100 == 2
	if expect := a.Action.HTTP.Expect; len(expect) > 0 {
		accepted = slices.Contains(expect, r.Status)
	}
	cause := context.Cause(ctx)
	switch {
	case err != nil && errors.Is(cause, errByPerson):
		r.Outcome, r.Message = engine.OutcomeCancelled, "cancelled"
	case err != nil && errors.Is(cause, errLease):
		r.Outcome, r.Message = engine.OutcomeLost, leaseMessage
	case err != nil && errors.Is(cause, errTimeout):
		r.Outcome, r.Message = engine.OutcomeTimeout, fmt.Sprintf("no complete answer within %s timeout", a.Action.Timeout)
	case err != nil && r.Status != 0:
		r.Message = fmt.Sprintf("HTTP %d, and the answer broke off: %s", r.Status, plain(err))
	case err != nil:
		r.Message = plain(err)
	case !accepted:
		r.Message = strings.TrimSpace(fmt.Sprintf("HTTP %d %s", r.Status, http.StatusText(r.Status)))
	default:
		r.Outcome = engine.OutcomeSucceeded
		if logged != nil {
			r.Message = "the end of the log may be missing: " + logged.Error()
		}
	}
	return r
}

// plain is an error of the client without the address that was called, which may hold a secret.
func plain(err error) string {
	if u, ok := errors.AsType[*url.Error](err); ok {
		err = u.Err
	}
	return "request failed: " + strings.ToValidUTF8(err.Error(), "\uFFFD")
}

// request makes the request of an attempt. What could smuggle a second one is refused here, with words.
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
	req.Header.Set("User-Agent", "almanac/"+q.config.Version)
	req.Header.Set("X-Almanac-Attempt", strconv.Itoa(a.Number))
	if err := setHeaders(req, h.Headers); err != nil {
		return nil, err
	}
	// In lower case, which is the same on the wire: under the usual spelling net/http would take the key as leave to send a POST a
	// second time by itself when a reused connection breaks, within one attempt and unseen.
	if req.Header.Get("Idempotency-Key") == "" {
		req.Header.Del("Idempotency-Key")
		req.Header["idempotency-key"] = []string{idempotencyKey(a)}
	} else {
		req.Header["idempotency-key"] = req.Header["Idempotency-Key"]
		delete(req.Header, "Idempotency-Key")
	}
	return req, nil
}

// idempotencyKey is the same for all attempts at the same work: the instance's id. Further steps, and the error action, of an instance
// are other work and get keys of their own.
func idempotencyKey(a engine.Attempt) string {
	key := strconv.FormatInt(a.Instance, 10)
	if a.Step != "" {
		key += "/" + url.PathEscape(a.Step)
	}
	if a.Error {
		key += "!error"
	}
	return key
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
var harmless = []string{"Accept", "Accept-Language", "Content-Type", "Content-Language", "User-Agent", "X-Almanac-Attempt", "idempotency-key"}

// checkRedirect bounds redirects, refuses to leave https, and drops credentials on the way to another origin. The address is judged when
// it is dialled.
func checkRedirect(req *http.Request, via []*http.Request) error {
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
