package action

import (
	"bytes"
	"io"
	"log/slog"
	"net"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// hungUp is a connection whose other end has said something and hung up: a write fails, and what was said is read after that, unless it is closed here.
type hungUp struct {
	net.Conn // none
	said     bytes.Buffer
	written  chan struct{}
	closed   chan struct{}
	once     sync.Once
}

func (c *hungUp) Write([]byte) (int, error) {
	close(c.written)
	return 0, syscall.EPIPE
}

func (c *hungUp) Read(p []byte) (int, error) {
	<-c.written
	select {
	case <-c.closed:
		return 0, net.ErrClosed
	case <-time.After(100 * time.Millisecond): // the reader comes late
		return c.said.Read(p)
	}
}

func (c *hungUp) SetReadDeadline(time.Time) error { return nil }

func (c *hungUp) Close() error {
	c.once.Do(func() { close(c.closed) })
	return nil
}

// A server that was in the middle of saying something when another took over has to hear of that: else it connects again, and takes over from the other.
func TestAServerThatSpeaksHearsThatItWasDisplaced(t *testing.T) {
	c := &hungUp{written: make(chan struct{}), closed: make(chan struct{})}
	supervisor := newWire(c)
	require.NoError(t, supervisor.enc.Encode(&message{Displaced: true}))
	_, err := io.Copy(&c.said, &supervisor.left)
	require.NoError(t, err)
	l := newLink(Config{Dir: t.TempDir(), Log: slog.New(slog.DiscardHandler)})
	l.queue = []message{{Cancel: 1}}
	l.converse(newWire(c))
	require.ErrorIs(t, l.lost, errDisplaced)
}
