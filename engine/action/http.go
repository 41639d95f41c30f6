package action

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/almanac-sched/almanac/engine"
)

// requests carries out the attempts that go over the network, through one client for the whole process.
type requests struct {
	config Config
	logs   *Logs
	dialer *net.Dialer // of the client, and of what is no HTTP
	client *http.Client
	tokens *tokens

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
	transport := newTransport(&http.Transport{
		Proxy:                  nil, // never from the environment: a proxy would dial where the guard does not look
		DialContext:            counting(dialer.DialContext),
		ForceAttemptHTTP2:      true,
		MaxIdleConns:           256,
		MaxIdleConnsPerHost:    32,
		IdleConnTimeout:        90 * time.Second,
		TLSHandshakeTimeout:    10 * time.Second,
		ExpectContinueTimeout:  time.Second,
		MaxResponseHeaderBytes: 256 << 10,
		TLSClientConfig:        &tls.Config{RootCAs: config.Roots},
	})
	q := &requests{
		config: config, logs: logs, flight: map[int64]*flight{}, dialer: dialer,
		client: &http.Client{Transport: transport, CheckRedirect: checkRedirect},
	}
	q.tokens = &tokens{requests: q}
	return q
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
	return fmt.Errorf("wait for %d requests: %w", n, ctx.Err())
}

// run carries one attempt out and judges the answer.
func (q *requests) run(ctx context.Context, a engine.Attempt) (r engine.Result) {
	r = engine.Result{Attempt: a.ID, Outcome: engine.OutcomeFailed, StartedAt: time.Now()}
	defer func() { r.EndedAt = time.Now() }()
	if t := a.Action.Timeout; t > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, t, errTimeout)
		defer cancel()
	}
	if a.Once {
		ctx = context.WithValue(ctx, freshKey{}, true)
	}
	send, err := q.prepare(ctx, a)
	if err != nil {
		r.Message, r.Unrepeatable = "cannot start: "+err.Error(), true
		return r
	}
	log, err := q.logs.create(a.ID)
	if err != nil {
		r.Message = "cannot start: " + err.Error()
		return r
	}
	defer log.Close()
	masked := &mask{to: log}
	masked.hideAll(a.Secrets)
	answer := send(masked)
	r.Status, r.Truncated, r.Unrepeatable = answer.status, answer.truncated, answer.fatal
	if answer.err != nil && answer.status == 0 {
		_, _ = fmt.Fprintf(masked, "%s\n", plain(answer.err))
	}
	masked.flush()
	if info, e := log.Stat(); e == nil {
		r.LogBytes = info.Size()
	}
	r.Refused = isRefused(answer.err)
	r.Outcome, r.Message = answer.outcome(context.Cause(ctx), a.Action.Timeout)
	r.Unknown = answer.unknown
	r.Message = masked.hidden(r.Message)
	if r.Outcome == engine.OutcomeSucceeded {
		r.Outputs = masked.hiddenValues(answer.outputs)
	}
	if logged := log.Sync(); logged != nil && r.Outcome == engine.OutcomeSucceeded {
		r.Message = "the end of the log may be missing: " + logged.Error()
	}
	return r
}
