package action

import (
	"fmt"
	"net"
	"os"
	"sync"
	"time"
)

// session is the connection of one server. A supervisor serves one server at a time, the newest: an older one is told so and let go. What it had asked for
// by then is heard first: the newest one asks about attempts, and one that an older one's words would begin after that was called unknown.
type session struct {
	wire  *wire
	heard chan struct{} // closed when it has been heard to its end

	mu     sync.Mutex
	out    []message
	signal chan struct{}
	closed bool
}

// flush makes write send what is queued.
func (c *session) flush() {
	select {
	case c.signal <- struct{}{}:
	default:
	}
}

// tell sends a message, or queues it where that would have to wait: what a server does not read is in the journal anyway.
func (c *session) tell(m message) {
	c.mu.Lock()
	defer c.mu.Unlock()
	taken, rest := false, false
	if len(c.out) == 0 && !c.closed {
		taken, rest = c.wire.trySend(m)
	}
	switch {
	case !taken:
		c.out = append(c.out, m)
	case !rest:
		return
	}
	c.flush()
}

// write sends what is queued until the connection breaks or close is called; then the server, which may have said something, ends it.
func (c *session) write() {
	for range c.signal {
		c.wire.Lock()
		c.mu.Lock()
		ms, closed := c.out, c.closed
		c.out = nil
		c.mu.Unlock()
		err := c.wire.send(ms)
		c.wire.Unlock()
		if err == nil && !closed {
			continue
		}
		if half, ok := c.wire.Conn.(interface{ CloseWrite() error }); ok {
			_ = half.CloseWrite()
		}
		if err != nil { // it is gone; what it said before is read, and it does not say more
			_ = c.wire.SetReadDeadline(time.Now().Add(helloPatience))
		}
		return
	}
}

// close sends what is queued and ends what is said to the server.
func (c *session) close() {
	c.mu.Lock()
	c.closed = true
	c.mu.Unlock()
	c.flush()
}

// greet serves one connection to its end.
func (s *supervisor) greet(conn net.Conn) {
	defer conn.Close()
	w := newWire(conn)
	_ = conn.SetDeadline(time.Now().Add(helloPatience))
	var theirs hello
	if err := w.dec.Decode(&theirs); err != nil {
		return // somebody who only looked whether anybody answers
	}
	mine := hello{Protocol: protocol, Version: s.version, Pid: os.Getpid()}
	if theirs.Protocol != protocol {
		mine.Refused = fmt.Sprintf("the running supervisor (version %s) speaks protocol %d and this server (version %s) %d; it ends by itself with its last child",
			s.version, protocol, theirs.Version, theirs.Protocol)
		s.log.Warn("server refused", "version", theirs.Version, "protocol", theirs.Protocol)
	}
	if err := w.greet(mine); err != nil || mine.Refused != "" {
		return
	}
	_ = conn.SetDeadline(time.Time{})

	c := &session{wire: w, signal: make(chan struct{}, 1), heard: make(chan struct{})}
	defer close(c.heard)
	go c.write()
	defer c.close()
	s.mu.Lock()
	old := s.server
	s.server = c
	s.rouse()
	s.mu.Unlock()
	if old != nil {
		old.tell(message{Displaced: true})
		old.close()
		_ = old.wire.SetReadDeadline(time.Now().Add(helloPatience))
		<-old.heard
	}
	s.log.Info("server connected", "pid", theirs.Pid, "version", theirs.Version)
	s.listenTo(c)
	s.mu.Lock()
	if s.server == c {
		s.server = nil
	}
	s.rouse()
	s.mu.Unlock()
	s.log.Info("server gone", "pid", theirs.Pid)
}

// listenTo carries out what a server says until it is gone.
func (s *supervisor) listenTo(c *session) {
	for {
		var m message
		if err := c.wire.dec.Decode(&m); err != nil {
			return
		}
		switch {
		case m.Spawn != nil:
			s.accept(c, m.Spawn)
		case m.Cancel != 0:
			s.mu.Lock()
			if child := s.live[m.Cancel]; child != nil {
				s.terminate(child, endCancel)
			}
			s.mu.Unlock()
		case m.Renew != nil:
			s.renew(m.Renew)
		case m.Adopt != nil:
			unknown, unbegun := s.adopt(c, m.Adopt.Attempts)
			c.tell(message{Unknown: &roll{Number: m.Adopt.Number, Attempts: unknown, Unbegun: unbegun}})
		case len(m.Acks) > 0:
			s.journal.ack(m.Acks, time.Now())
		}
	}
}

// renew moves the end of the lease of children that live. One that is being ended because of it is not spared.
func (s *supervisor) renew(r *renewal) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, id := range r.Attempts {
		if c := s.live[id]; c != nil {
			c.Lease.Until = r.Until
			s.heed(c)
		}
	}
}

// adopt reports the attempts that have ended and returns those that are unknown, and apart from them those that never began. A child that runs reports by itself. The order of the two
// looks matters: a child leaves the living only after its outcome is in the journal.
func (s *supervisor) adopt(c *session, attempts []int64) (unknown, unbegun []int64) {
	for _, id := range attempts {
		s.mu.Lock()
		_, alive := s.live[id]
		s.mu.Unlock()
		if alive {
			continue
		}
		if r, ok := s.journal.find(id); ok {
			c.tell(message{Report: r})
		} else if s.asked.never(id) {
			unbegun = append(unbegun, id)
		} else {
			unknown = append(unknown, id)
		}
	}
	return unknown, unbegun
}

// accept takes a new child in. An attempt that was asked for before is not started twice: it is reported instead. When nothing else is being said
// or started the child is started here and now, without waking another goroutine for it.
func (s *supervisor) accept(c *session, ask *spawn) {
	if r, ok := s.journal.find(ask.Attempt); ok {
		c.tell(message{Report: r})
		return
	}
	child := &child{spawn: *ask}
	s.mu.Lock()
	_, known := s.live[ask.Attempt]
	if !known {
		s.order++
		child.order = s.order
		s.live[ask.Attempt] = child
		s.rouse()
	}
	alone := len(s.forks) == 0
	s.mu.Unlock()
	switch {
	case known:
	case alone && len(s.queue) == 0 && c.wire.buffered() == 0:
		s.launch(child)
	default:
		s.queue <- child
	}
}
