package main

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
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

	mu    sync.Mutex
	calls map[string]int
}

func newSink() (*sink, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &sink{url: "http://" + l.Addr().String(), calls: map[string]int{}}
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
	if n == 1 && len(key) > 0 && key[len(key)-1]%4 == 0 { // some fail at first
		w.WriteHeader(http.StatusServiceUnavailable)
	}
}

func (s *sink) received(key string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.calls[key]
}

func (s *sink) close() { _ = s.server.Close() }
