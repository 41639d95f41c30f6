package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// A blindfold hides in what a server prints the secrets that it has read. It learns each when it is read, and never writes one down.
type blindfold struct {
	mu      sync.Mutex
	secrets map[string]bool
	hide    atomic.Pointer[strings.Replacer]
}

const (
	shortestHidden = 6    // bytes: shorter ones would be found in words that have nothing to do with them
	mostHidden     = 1000 // secrets; those that come later are not hidden, which so many are no sign of
)

// learn remembers a secret.
func (b *blindfold) learn(secret string) {
	if len(secret) < shortestHidden {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.secrets[secret] || len(b.secrets) >= mostHidden {
		return
	}
	if b.secrets == nil {
		b.secrets = map[string]bool{}
	}
	b.secrets[secret] = true
	known := make([]string, 0, len(b.secrets))
	for s := range b.secrets {
		known = append(known, s)
	}
	slices.SortFunc(known, func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b)) }) // the longer of two goes first
	pairs := make([]string, 0, 2*len(known))
	for _, s := range known {
		pairs = append(pairs, s, "***")
	}
	b.hide.Store(strings.NewReplacer(pairs...))
}

// hidden is a text with *** where a secret would stand.
func (b *blindfold) hidden(text string) string {
	if replacer := b.hide.Load(); replacer != nil {
		return replacer.Replace(text)
	}
	return text
}

// A blindWriter hides secrets in lines for people. Each is written whole.
type blindWriter struct {
	to io.Writer
	b  *blindfold
}

// Write implements io.Writer.
func (w blindWriter) Write(p []byte) (int, error) {
	if _, err := io.WriteString(w.to, w.b.hidden(string(p))); err != nil {
		return 0, err
	}
	return len(p), nil
}

// A blindHandler hides secrets in log lines.
type blindHandler struct {
	slog.Handler
	b *blindfold
}

// Handle implements slog.Handler.
func (h blindHandler) Handle(ctx context.Context, r slog.Record) error {
	if h.b.hide.Load() == nil {
		return h.Handler.Handle(ctx, r)
	}
	masked := slog.NewRecord(r.Time, r.Level, h.b.hidden(r.Message), r.PC)
	r.Attrs(func(a slog.Attr) bool {
		masked.AddAttrs(h.attr(a))
		return true
	})
	return h.Handler.Handle(ctx, masked)
}

// WithAttrs implements slog.Handler.
func (h blindHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	masked := make([]slog.Attr, len(attrs))
	for i := range attrs {
		masked[i] = h.attr(attrs[i])
	}
	return blindHandler{h.Handler.WithAttrs(masked), h.b}
}

// WithGroup implements slog.Handler.
func (h blindHandler) WithGroup(name string) slog.Handler {
	return blindHandler{h.Handler.WithGroup(name), h.b}
}

func (h blindHandler) attr(a slog.Attr) slog.Attr {
	value := a.Value.Resolve()
	switch value.Kind() {
	case slog.KindString:
		value = slog.StringValue(h.b.hidden(value.String()))
	case slog.KindGroup:
		group := slices.Clone(value.Group())
		for i := range group {
			group[i] = h.attr(group[i])
		}
		value = slog.GroupValue(group...)
	case slog.KindAny:
		if text := fmt.Sprint(value.Any()); h.b.hidden(text) != text {
			value = slog.StringValue(h.b.hidden(text))
		}
	}
	return slog.Attr{Key: a.Key, Value: value}
}
