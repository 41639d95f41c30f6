package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"slices"
	"sync"
	"time"
)

// A lines is a file that lines are appended to.
type lines struct {
	mu   sync.Mutex
	file *os.File
}

func openLines(path string) (*lines, error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	return &lines{file: f}, err
}

func (l *lines) add(text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, err := l.file.WriteString(text + "\n"); err != nil {
		panic(fmt.Sprintf("the evidence cannot be written: %v", err))
	}
}

// nemesis notes what is done to the server, as chronocheck reads it.
type nemesis struct{ *lines }

func (n nemesis) note(what, whom string) {
	n.add(fmt.Sprintf("%d %s %s", time.Now().UnixNano(), what, whom))
}

// acks notes which commands the API has accepted.
type acks struct{ *lines }

// An ack is one line.
type ack struct {
	At       int64  `json:"at"` // Unix nanoseconds
	Command  string `json:"command"`
	Instance int64  `json:"instance,omitempty"`
	Job      string `json:"job,omitempty"`
	Key      string `json:"key,omitempty"`
}

func (a acks) note(one ack) {
	one.At = time.Now().UnixNano()
	text, err := json.Marshal(one)
	if err != nil {
		panic(err)
	}
	a.add(string(text))
}

// A sink is the far end of HTTP actions: it counts what it is sent, by Idempotency-Key.
type sink struct {
	url    string
	server *http.Server

	mu     sync.Mutex
	calls  map[string]int
	silent map[string]bool // keys of payments that were taken and not answered
	again  []string        // keys of payments that came once more after that
}

func newSink() (*sink, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &sink{url: "http://" + l.Addr().String(), calls: map[string]int{}, silent: map[string]bool{}}
	s.server = &http.Server{Handler: s, ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = s.server.Serve(l) }() // ends with close
	return s, nil
}

func (s *sink) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	key := r.Header.Get("Idempotency-Key")
	s.mu.Lock()
	s.calls[key]++
	n := s.calls[key]
	s.mu.Unlock()
	if r.URL.Path == "/pay" {
		s.pay(w, r, key, n)
		return
	}
	if n == 1 && len(key) > 0 && key[len(key)-1]%4 == 0 { // some fail at first
		w.WriteHeader(http.StatusServiceUnavailable)
	}
}

// pay takes a payment, which must not come again unless it was refused. By its key the answer comes at once, late, after a refusal, or never: the
// connection breaks, or nothing is said until the sender gives up.
func (s *sink) pay(w http.ResponseWriter, r *http.Request, key string, n int) {
	_, _ = io.Copy(io.Discard, r.Body)
	kind := 0
	if key != "" {
		kind = int(key[len(key)-1]) % 5
	}
	s.mu.Lock()
	if s.silent[key] {
		s.again = append(s.again, key)
	}
	s.silent[key] = kind == 1 || kind == 2
	s.mu.Unlock()
	switch {
	case kind == 1:
		if conn, _, err := http.NewResponseController(w).Hijack(); err == nil {
			conn.Close()
		}
	case kind == 2:
		<-r.Context().Done()
	case kind == 3:
		time.Sleep(700 * time.Millisecond)
		s.mu.Lock()
		s.silent[key] = r.Context().Err() != nil // whoever asked is gone
		s.mu.Unlock()
	case kind == 4 && n == 1:
		w.WriteHeader(http.StatusServiceUnavailable)
	}
}

// repeated lists the payments that came again although their answer was never given.
func (s *sink) repeated() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.again)
}

func (s *sink) received(key string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.calls[key]
}

func (s *sink) close() { _ = s.server.Close() }
