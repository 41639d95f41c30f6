package main

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"net/url"
	"sync"
	"time"
)

// patience is how long a command that waits bears with a server that is away, as while it is started again.
const patience = time.Minute

// An absence is how long a server has been away.
type absence struct{ since time.Time }

// bears reports whether a command that asks again and again goes on after err: the server cannot be reached or is not ready, and has not been for long.
func (a *absence) bears(ctx context.Context, err error) bool {
	var answer *answerError
	switch {
	case err == nil:
		a.since = time.Time{}
		return true
	case ctx.Err() != nil, errors.As(err, &answer) && answer.Status < http.StatusInternalServerError:
		return false
	case a.since.IsZero():
		a.since = now()
	}
	return now().Sub(a.since) < patience
}

// A directoryTransport carries requests to the server that runs on a data directory at the moment: one that was started again has another token, and
// perhaps another address.
type directoryTransport struct {
	dir   string
	token string // of the user; "" is that of the server's file

	mu   sync.Mutex // guards the connections to the server that was spoken to last
	leaf []byte     // its certificate
	base http.RoundTripper
}

const (
	lookAgain = 100 * time.Millisecond
	looks     = 20
)

// RoundTrip sends a request. A server that has just begun to listen may not have written its file yet: who it does not let in looks for it again.
func (t *directoryTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	f, _ := readServerFile(t.dir)
	response, err := t.over(&f).RoundTrip(t.to(r, &f))
	if err != nil || response.StatusCode != http.StatusUnauthorized || t.token != "" || r.Body != nil && r.GetBody == nil {
		return response, err
	}
	tick := time.NewTicker(lookAgain)
	defer tick.Stop()
	for range looks {
		if later, ok := readServerFile(t.dir); ok && later.Token != f.Token {
			response.Body.Close()
			again := t.to(r, &later)
			if r.GetBody != nil {
				if again.Body, err = r.GetBody(); err != nil {
					return nil, err
				}
			}
			return t.over(&later).RoundTrip(again)
		}
		select {
		case <-r.Context().Done():
			return response, nil
		case <-tick.C:
		}
	}
	return response, nil
}

// over is the connections to the server of a file, those that there are while it shows the same certificate.
func (t *directoryTransport) over(f *serverFile) http.RoundTripper {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.base == nil || f.Address != "" && !bytes.Equal(t.leaf, f.Certificate) {
		t.leaf, t.base = f.Certificate, f.transport()
	}
	return t.base
}

// to is the request as it goes to the server of a file.
func (t *directoryTransport) to(r *http.Request, f *serverFile) *http.Request {
	address, err := url.Parse(f.Address)
	if err != nil || f.Address == "" {
		return r
	}
	r = r.Clone(r.Context())
	r.URL.Scheme, r.URL.Host, r.Host = address.Scheme, address.Host, address.Host
	if t.token == "" {
		r.Header.Set("Authorization", "Bearer "+f.Token)
	}
	return r
}
