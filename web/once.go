package web

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"regexp"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/almanac-sched/almanac/engine"
)

// Onces remembers the requests that were sent with an idempotency key.
type Onces interface {
	// FindOnce returns what is recorded of a request; engine.ErrNotFound when it was not carried out, or too long ago.
	FindOnce(ctx context.Context, key engine.OnceKey, now time.Time) (engine.OnceRow, error)
	// AnswerOnce records the answer to a request that was carried out.
	AnswerOnce(ctx context.Context, o *engine.Once, answer []byte) error
}

const (
	onceHeader   = "Idempotency-Key"
	onceReplayed = "Idempotency-Replayed" // of an answer that was given before
	oncePattern  = "^[A-Za-z0-9][A-Za-z0-9._:-]*$"
	onceLength   = 128
	onceAnswer   = 4 << 20 // bytes of an answer that is kept

	onceText = "With the header Idempotency-Key the same request can be sent again for a day: it is carried out once, and answered as it was the first time."
)

var onceWords = regexp.MustCompile(oncePattern)

// onceParameter describes the header.
func onceParameter() *huma.Param {
	length := onceLength
	return &huma.Param{
		Name: onceHeader, In: "header", Description: "The same key from the same principal is the same request, however often it is sent within a day",
		Schema: &huma.Schema{Type: huma.TypeString, MaxLength: &length, Pattern: oncePattern},
	}
}

// A givenAnswer is an answer as it is kept.
type givenAnswer struct {
	Status int         `json:"status"`
	Header http.Header `json:"header"`
	Body   []byte      `json:"body"`
}

// once carries out a request that has an idempotency key one time only. Refusals are not kept: they changed nothing, and the same request may be
// right later.
func (s *server) once(rt *route, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		sent := r.Header.Values(onceHeader)
		if len(sent) == 0 {
			next.ServeHTTP(w, r)
			return
		}
		if len(sent) > 1 || len(sent[0]) > onceLength || !onceWords.MatchString(sent[0]) {
			s.refuse(w, r, invalid("header."+onceHeader, "send one key of at most 128 letters, digits and ._:- that begins with a letter or a digit"))
			return
		}
		key := engine.OnceKey{Principal: exchangeOf(r.Context()).principal.name, Operation: rt.ID, Key: sent[0]}
		defer s.onces.enter(key)()
		hash := requestHash(r, rt.BodyLimit)
		switch row, err := s.cfg.Control.FindOnce(r.Context(), key, s.cfg.Now()); {
		case err == nil:
			s.again(w, r, &row, hash)
			return
		case !errors.Is(err, engine.ErrNotFound):
			s.refuse(w, r, s.problem(r.Context(), err))
			return
		}
		ctx, once := engine.WithOnce(r.Context(), engine.OnceRow{OnceKey: key, Request: hash, At: s.cfg.Now()})
		answer := &keptAnswer{ResponseWriter: w, header: http.Header{}}
		next.ServeHTTP(answer, r.WithContext(ctx))
		if answer.status < 300 || once.Taken() && answer.status < 500 {
			if err := s.keep(r.Context(), once, answer); err != nil {
				s.log.Error("an answer was not recorded under its idempotency key", "request", exchangeOf(r.Context()).id, "error", err)
			}
		}
		answer.send()
	})
}

// again answers a request whose key is known already.
func (s *server) again(w http.ResponseWriter, r *http.Request, row *engine.OnceRow, hash []byte) {
	var given givenAnswer
	switch {
	case !bytes.Equal(row.Request, hash):
		s.refuse(w, r, refusal(codeKeyReused, "the key "+row.Key+" was used for another request"))
	case row.Answer == nil:
		s.refuse(w, r, refusal(codeRepeated, "the request with the key "+row.Key+" has been carried out, or is being carried out, and has no answer yet"))
	default:
		if err := json.Unmarshal(row.Answer, &given); err != nil {
			s.refuse(w, r, s.problem(r.Context(), err))
			return
		}
		for name, values := range given.Header {
			w.Header()[name] = values
		}
		w.Header().Set(onceReplayed, "true")
		w.WriteHeader(given.Status)
		_, _ = w.Write(given.Body)
	}
}

func (s *server) keep(ctx context.Context, once *engine.Once, a *keptAnswer) error {
	if a.body.Len() > onceAnswer {
		return errors.New("it is too long")
	}
	body := a.body.Bytes()
	if secret := exchangeOf(ctx).secret; secret != "" {
		body = bytes.ReplaceAll(body, []byte(secret), nil)
	}
	text, err := json.Marshal(givenAnswer{Status: a.status, Header: a.header, Body: body})
	if err != nil {
		return err
	}
	return s.cfg.Control.AnswerOnce(ctx, once, text)
}

// requestHash covers all that a request says. What was read of the body is put back.
func requestHash(r *http.Request, limit int64) []byte {
	var body []byte
	if r.Body != nil {
		body, _ = io.ReadAll(io.LimitReader(r.Body, limit+2)) // whoever reads on finds the error, and whether it is too long
		r.Body = struct {
			io.Reader
			io.Closer
		}{io.MultiReader(bytes.NewReader(body), r.Body), r.Body}
	}
	h := sha256.New()
	for _, part := range [][]byte{[]byte(r.Method), []byte(r.URL.Path), []byte(r.URL.RawQuery), body} {
		var n [8]byte
		binary.BigEndian.PutUint64(n[:], uint64(len(part)))
		h.Write(n[:])
		h.Write(part)
	}
	return h.Sum(nil)
}

// A keptAnswer holds an answer back until it is recorded.
type keptAnswer struct {
	http.ResponseWriter
	header http.Header
	status int
	body   bytes.Buffer
}

// Header is the part of the header that the operation sets.
func (a *keptAnswer) Header() http.Header { return a.header }

// WriteHeader remembers the status.
func (a *keptAnswer) WriteHeader(status int) {
	if a.status == 0 && status >= 200 {
		a.status = status
	}
}

// Write keeps a part of the body.
func (a *keptAnswer) Write(b []byte) (int, error) {
	a.WriteHeader(http.StatusOK)
	return a.body.Write(b)
}

// Unwrap lets http.ResponseController reach the connection, for the deadline of the body.
func (a *keptAnswer) Unwrap() http.ResponseWriter { return a.ResponseWriter }

func (a *keptAnswer) send() {
	for name, values := range a.header {
		a.ResponseWriter.Header()[name] = values
	}
	a.WriteHeader(http.StatusOK)
	a.ResponseWriter.WriteHeader(a.status)
	_, _ = a.ResponseWriter.Write(a.body.Bytes())
}

// A turnstile lets one request of a key in at a time, so that the second finds the answer to the first.
type turnstile struct {
	mu     sync.Mutex
	inside map[engine.OnceKey]chan struct{}
}

// enter waits for its turn and returns what ends it.
func (t *turnstile) enter(key engine.OnceKey) (leave func()) {
	for {
		t.mu.Lock()
		other, busy := t.inside[key]
		if !busy {
			mine := make(chan struct{})
			t.inside[key] = mine
			t.mu.Unlock()
			return func() {
				t.mu.Lock()
				delete(t.inside, key)
				t.mu.Unlock()
				close(mine)
			}
		}
		t.mu.Unlock()
		<-other
	}
}
