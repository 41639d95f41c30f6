package action

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/almanac-sched/almanac/engine"
)

// A sending is an attempt that is ready to go out: what can be refused without a word to anybody has been. It writes what came back to the log.
type sending func(log *mask) reply

// A reply is what came of a sending.
type reply struct {
	status    int // of HTTP; 0 where there was none
	accepted  bool
	words     string // the answer for people: "HTTP 503 Service Unavailable"
	receipt   string // what is worth saying when it was accepted
	truncated bool
	outputs   map[string]string
	body      *bytes.Buffer // of an answer of HTTP, when it is asked for
	fatal     bool          // of a look: another would end as this one did
	err       error         // there was no complete answer
	unknown   bool          // with err: something was sent, so that it may have been carried out
}

// prepare makes an attempt ready. Nothing is sent yet.
func (q *requests) prepare(ctx context.Context, a engine.Attempt) (sending, error) {
	switch {
	case a.Action.SQL != nil:
		return q.prepareSQL(ctx, a.Action.SQL, a.Folder)
	case a.Action.Probe != nil:
		return q.prepareProbe(ctx, a)
	case a.Action.HTTP != nil:
		return q.prepareHTTP(ctx, a)
	case a.Action.Queue != nil:
		return q.prepareQueue(ctx, a)
	case a.Action.Bus != nil && a.Action.Bus.Transport == engine.BusAMQP:
		return q.prepareAMQP(ctx, a)
	case a.Action.Bus != nil:
		return q.prepareBus(ctx, a)
	}
	return nil, fmt.Errorf("the action of type %s says nothing to send", a.Action.Type)
}

// unknownWords follow why an attempt ended without an answer, when something had been sent.
const unknownWords = "; it was sent, and whether it was carried out is not known"

// outcome judges a reply. cause is why the attempt was broken off, if it was.
func (r reply) outcome(cause error, timeout time.Duration) (engine.Outcome, string) {
	tail := ""
	if r.err != nil && r.unknown {
		tail = unknownWords
	}
	switch {
	case r.err != nil && errors.Is(cause, errByPerson):
		return engine.OutcomeCancelled, "cancelled" + tail
	case r.err != nil && errors.Is(cause, errLease):
		return engine.OutcomeLost, leaseMessage
	case r.err != nil && errors.Is(cause, errTimeout):
		return engine.OutcomeTimeout, fmt.Sprintf("no complete answer within %s timeout", timeout) + tail
	case r.err != nil && r.status != 0:
		return engine.OutcomeFailed, fmt.Sprintf("HTTP %d, and the answer broke off: %s", r.status, plain(r.err)) + tail
	case r.err != nil:
		return engine.OutcomeFailed, plain(r.err) + tail
	case !r.accepted:
		return engine.OutcomeFailed, r.words
	}
	return engine.OutcomeSucceeded, r.receipt
}

// from names the host in what is said of a reply.
func (r reply) from(host string) reply {
	r.words = strings.TrimSpace(r.words + " from " + host)
	r.receipt = r.words
	if r.err != nil {
		r.err = fmt.Errorf("%s: %w", host, bare(r.err))
	}
	return r
}

// bare is an error of the client without the address that was called, which may hold a secret.
func bare(err error) error {
	if u, ok := errors.AsType[*url.Error](err); ok {
		return u.Err
	}
	return err
}

// plain is an error of the client in words.
func plain(err error) string {
	return "request failed: " + strings.TrimRight(strings.ToValidUTF8(bare(err).Error(), "\uFFFD"), ": ")
}
