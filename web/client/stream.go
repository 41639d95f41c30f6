package client

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// A Message is an event of a stream.
type Message struct {
	ID    string // of the last message that had one
	Event string
	Data  []byte
}

// ErrStop, returned by what is called for each message, ends a stream without an error.
var ErrStop = errors.New("enough")

const (
	silence   = 45 * time.Second // the server says something every 15: a connection that is silent for so long is dead
	firstWait = 200 * time.Millisecond
	longest   = 10 * time.Second
	patience  = time.Minute
	longLine  = 1 << 20
)

// Follow opens a stream and calls each for its messages, one after the other: those without data too, which tell where a stream begins and that it is
// alive. When it is cut off, it goes on behind the last id: no message is lost, and
// none comes twice. It ends with the error of each (nil for ErrStop), with a refusal of the server, with ctx, or when the server was away for longer than
// Patience.
func (c *Client) Follow(ctx context.Context, r *Request, each func(Message) error) error {
	begun, last, wait, away := false, "", firstWait, time.Duration(0)
	for {
		opened, id, n, err := c.stream(ctx, r, last, each)
		begun, last = begun || opened, id
		if n > 0 {
			wait = firstWait
		}
		if opened {
			away = 0
		}
		status := StatusOf(err)
		var stop *stopError
		switch {
		case errors.As(err, &stop):
			if errors.Is(stop.err, ErrStop) {
				return nil
			}
			return stop.err
		case ctx.Err() != nil:
			return ctx.Err()
		case !begun, away > cmp.Or(c.Patience, patience), status != 0 && status != http.StatusTooManyRequests && status < 500:
			return err
		}
		timer := time.NewTimer(wait)
		select {
		case <-ctx.Done():
			timer.Stop()
			return ctx.Err()
		case <-timer.C:
		}
		away += wait
		wait = min(2*wait, longest)
	}
}

// A stopError is an error of the caller's own.
type stopError struct{ err error }

func (e *stopError) Error() string { return e.err.Error() }

// stream reads one connection to its end. opened says that there was one, n how many messages came.
func (c *Client) stream(ctx context.Context, r *Request, last string, each func(Message) error) (opened bool, id string, n int, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	dead := time.AfterFunc(silence, cancel)
	defer dead.Stop()
	request := *r
	request.Header = r.Header.Clone()
	if request.Header == nil {
		request.Header = http.Header{}
	}
	request.Header.Set("Accept", "text/event-stream")
	if last != "" {
		request.Header.Set("Last-Event-ID", last)
	}
	endless := *c.HTTP
	endless.Timeout = 0
	response, err := c.send(ctx, &endless, &request)
	if err != nil {
		return false, last, 0, err
	}
	defer response.Body.Close()
	id, n, err = readMessages(response.Body, last, func() { dead.Reset(silence) }, each)
	return true, id, n, err
}

// readMessages reads the messages of a stream, to its end. id is the last one that came.
func readMessages(from io.Reader, last string, alive func(), each func(Message) error) (id string, n int, err error) {
	id = last
	m := Message{}
	lines := bufio.NewScanner(from)
	lines.Buffer(nil, longLine)
	for lines.Scan() {
		alive()
		line := lines.Text()
		name, value, _ := strings.Cut(line, ":")
		value = strings.TrimPrefix(value, " ")
		switch {
		case line == "":
			if m.ID != "" {
				id = m.ID
			}
			if m.Data != nil || m.ID != "" {
				m.ID = id
				n++
				if err := each(m); err != nil {
					return id, n, &stopError{err}
				}
			}
			m = Message{}
		case name == "id":
			m.ID = value
		case name == "event":
			m.Event = value
		case name == "data":
			if m.Data != nil {
				m.Data = append(m.Data, '\n')
			}
			m.Data = append(m.Data, value...)
		}
	}
	return id, n, lines.Err()
}

// FollowChanges calls each for every change that is asked for, from the line after on; -1 begins with what comes. A part of the history that retention
// removed before it could be read is an error.
func (c *Client) FollowChanges(ctx context.Context, params StreamChangesParams, after int64, each func(Change) error) error {
	r := NewStreamChangesRequest(params)
	r.Query.Set("after", strconv.FormatInt(after, 10))
	return c.Follow(ctx, r, func(m Message) error {
		switch m.Event {
		case "change":
			var change Change
			if err := json.Unmarshal(m.Data, &change); err != nil {
				return fmt.Errorf("read a change: %w", err)
			}
			return each(change)
		case "end":
			return ErrStop // this server does not follow
		case "gap":
			return fmt.Errorf("a part of the history is gone: %s", m.Data)
		}
		return nil
	})
}

// FollowLog writes the log of an attempt from a byte on, until the attempt has ended.
func (c *Client) FollowLog(ctx context.Context, attempt, offset int64, to io.Writer) (LogEnd, error) {
	var end LogEnd
	err := c.Follow(ctx, NewStreamLogRequest(attempt, StreamLogParams{Offset: offset}), func(m Message) error {
		switch m.Event {
		case "log":
			var part LogPart
			if err := json.Unmarshal(m.Data, &part); err != nil {
				return fmt.Errorf("read a part of a log: %w", err)
			}
			if part.Text != "" {
				_, err := io.WriteString(to, part.Text)
				return err
			}
			_, err := to.Write(part.Base64)
			return err
		case "end":
			if err := json.Unmarshal(m.Data, &end); err != nil {
				return fmt.Errorf("read the end of a log: %w", err)
			}
			return ErrStop
		}
		return nil
	})
	return end, err
}
