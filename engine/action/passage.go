package action

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"strings"
	"sync"
	"sync/atomic"
)

// A passage is what is known of the request of an attempt on its way: whether any of it was written, and whether an answer came. An attempt whose
// passage ended in between has an unknown outcome. After a redirect it is that of the request which followed.
type passage struct {
	mu       sync.Mutex
	conn     *countedConn // which carries the request
	base     int64        // bytes that had been written to it before
	shared   bool         // with other requests: HTTP/2
	headed   bool         // the request's header was written
	written  bool         // on an earlier connection
	answered bool
	repeated bool // the transport was about to send it once more
	kept     bool // the connection had carried others before
}

type passageKey struct{}

// errNotAgain is why a request that the transport would have sent once more was not.
var errNotAgain = errors.New("the connection broke before an answer came")

// begin is a request, the first or one that follows a redirect.
func (p *passage) begin() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.conn, p.shared, p.headed, p.written, p.answered, p.repeated, p.kept = nil, false, false, false, false, false, false
}

// carried is a connection that the request is about to be written to. It reports whether another connection may have carried it before.
func (p *passage) carried(by net.Conn, kept bool) (again bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.written = p.sentNow()
	p.conn, p.shared, p.headed, p.kept = nil, false, false, kept
	if secured, ok := by.(*tls.Conn); ok {
		p.shared = secured.ConnectionState().NegotiatedProtocol == "h2"
		by = secured.NetConn()
	}
	if counted, ok := by.(*countedConn); ok {
		p.conn, p.base = counted, counted.written.Load()
	}
	p.repeated = p.repeated || p.written
	return p.written
}

func (p *passage) sentNow() bool {
	switch {
	case p.written:
		return true
	case p.shared || p.conn == nil:
		return p.headed
	}
	return p.conn.written.Load() > p.base
}

// unanswered reports that something was sent, and that no answer came.
func (p *passage) unanswered() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return !p.answered && p.sentNow()
}

// stale reports that the request ended with a kept connection to which nothing of it was written.
func (p *passage) stale() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.kept && !p.answered && !p.sentNow()
}

// trace follows a request through the transport. Where that would send it a second time the request is broken off instead: it is the engine that decides
// about another attempt.
func (p *passage) trace(req *http.Request) *http.Request {
	ctx, stop := context.WithCancelCause(req.Context())
	return req.WithContext(httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn: func(info httptrace.GotConnInfo) {
			if p.carried(info.Conn, info.Reused) {
				stop(errNotAgain)
			}
		},
		WroteHeaders: func() {
			p.mu.Lock()
			p.headed = true
			p.mu.Unlock()
		},
	}))
}

// ended takes what the transport says of a request.
func (p *passage) ended(err error) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.answered = err == nil
	if err != nil && p.repeated {
		return errNotAgain
	}
	return err
}

// once returns the request in a form that net/http sends once. One that it can send again, because it has no body or its body can be had again, it does
// send again by itself when a connection from its store breaks before the answer, where the method or the header Idempotency-Key seems to allow it.
func once(req *http.Request) *http.Request {
	again := *req
	switch req.Method {
	case "", http.MethodGet, http.MethodHead, http.MethodOptions, http.MethodTrace:
		again.GetBody = nil
		if req.Body == nil || req.Body == http.NoBody {
			again.Body = io.NopCloser(strings.NewReader("")) // nothing, like none; but net/http does not know that it is the same again
		}
	}
	for _, name := range []string{"Idempotency-Key", "X-Idempotency-Key"} {
		values, given := again.Header[name]
		if !given {
			continue
		}
		again.Header = again.Header.Clone()
		delete(again.Header, name)
		again.Header[strings.ToLower(name)] = values // the same on the wire, and nothing that net/http looks for
	}
	return &again
}

// A countedConn counts what is written to a connection. A write counts from before it begins, since its caller may be gone before it ends.
type countedConn struct {
	net.Conn
	written atomic.Int64
}

func (c *countedConn) Write(p []byte) (int, error) {
	c.written.Add(int64(len(p)))
	n, err := c.Conn.Write(p)
	c.written.Add(int64(n - len(p)))
	return n, err
}

// counting makes a dialer count what is written to its connections.
func counting(dial func(ctx context.Context, network, address string) (net.Conn, error)) func(ctx context.Context, network, address string) (net.Conn, error) {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return &countedConn{Conn: conn}, nil
	}
}
