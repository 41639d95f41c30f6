package web

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"log/slog"
	"net/http"
	"runtime/debug"
	"time"
)

// An exchange is one request and its answer, as far as the log wants to know of it. It never holds a body, nor a token but one that it made.
type exchange struct {
	id        string
	route     *route // nil until one was found
	principal principal
	note      string // what the person gave as the reason
	secret    string // shown in this answer only, and never again
	status    int
}

type exchangeKey struct{}

// exchangeOf returns the exchange of a request's context; outside of one, an empty one, whose principal may do nothing.
func exchangeOf(ctx context.Context) *exchange {
	if x, ok := ctx.Value(exchangeKey{}).(*exchange); ok {
		return x
	}
	return &exchange{}
}

// name is how a problem refers to the request; "" outside of one.
func (x *exchange) name() string {
	if x.id == "" {
		return ""
	}
	return "urn:almanac:request:" + x.id
}

// observe names each request, logs it when it has been answered, and turns a panic into an answer.
func (s *server) observe(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var id [8]byte
		_, _ = rand.Read(id[:]) // does not fail: it ends the program instead
		x := &exchange{id: hex.EncodeToString(id[:])}
		r = r.WithContext(context.WithValue(r.Context(), exchangeKey{}, x))
		recorder := &statusRecorder{ResponseWriter: w, exchange: x}
		recorder.Header().Set("X-Request-Id", x.id)
		begin := s.cfg.Now()
		defer func() {
			if cause := recover(); cause != nil {
				if err, ok := cause.(error); ok && errors.Is(err, http.ErrAbortHandler) {
					panic(cause)
				}
				s.log.Error("request panicked", "request", x.id, "panic", cause, "stack", string(debug.Stack()))
				if x.status != 0 {
					panic(http.ErrAbortHandler) // half an answer is out: the client must see that it is not whole
				}
				s.refuse(recorder, r, refusal(codeInternal, "the server could not do this"))
			}
			s.record(r, x, begin)
		}()
		next.ServeHTTP(recorder, r)
	})
}

// record writes the access log at debug, and for routes that act, whatever came of it, an audit line at info.
func (s *server) record(r *http.Request, x *exchange, begin time.Time) {
	operation := ""
	if x.route != nil {
		operation = x.route.ID
	}
	attrs := []slog.Attr{
		slog.String("request", x.id), slog.String("principal", x.principal.name), slog.String("method", r.Method),
		slog.String("path", r.URL.Path), slog.Int("status", x.status), slog.Duration("took", s.cfg.Now().Sub(begin)),
	}
	s.log.LogAttrs(r.Context(), slog.LevelDebug, "request", attrs...)
	if x.route != nil && x.route.Audit {
		s.cfg.Feed.Notify()
		attrs = append(attrs, slog.String("operation", operation), slog.String("from", r.RemoteAddr))
		if x.note != "" {
			attrs = append(attrs, slog.String("note", x.note))
		}
		s.log.LogAttrs(r.Context(), slog.LevelInfo, "audit", attrs...)
	}
}

// A statusRecorder remembers the status of an answer.
type statusRecorder struct {
	http.ResponseWriter
	exchange *exchange
}

// WriteHeader sends the status and remembers it.
func (w *statusRecorder) WriteHeader(status int) {
	if w.exchange.status == 0 && status >= 200 {
		w.exchange.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

// Write sends a part of the body, after status 200 when none was sent.
func (w *statusRecorder) Write(b []byte) (int, error) {
	if w.exchange.status == 0 {
		w.exchange.status = http.StatusOK
	}
	return w.ResponseWriter.Write(b)
}

// Unwrap lets http.ResponseController reach the connection.
func (w *statusRecorder) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// secure sets the headers that keep a browser from making anything of an answer but data. Handlers may replace the content security policy
// by another, never take it away.
func secure(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		next.ServeHTTP(w, r)
	})
}
