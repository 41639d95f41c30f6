package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"

	"github.com/almanac-sched/almanac/engine"
)

// A LogPart is a part of a log. One of text and base64 has its bytes.
type LogPart struct {
	Offset ID     `json:"offset" doc:"Of its first byte"`
	Text   string `json:"text,omitempty" doc:"Its bytes, when they are UTF-8"`
	Base64 []byte `json:"base64,omitempty" doc:"Its bytes, when they are not"`
}

// A LogEnd says that a log has been sent to its end.
type LogEnd struct {
	Size    ID             `json:"size" doc:"How long the log is, in bytes; less than what was sent when its middle was left out at the end"`
	Outcome engine.Outcome `json:"outcome,omitempty" doc:"Absent when the attempt has not ended, but this server does not follow" enum:"succeeded,failed,timeout,cancelled,lost"`
}

type logStreamInput struct {
	ID     int64 `path:"id" minimum:"1" doc:"The attempt's id"`
	Offset int64 `query:"offset" minimum:"0" doc:"First byte"`
	Last   int64 `header:"Last-Event-ID" minimum:"0" doc:"The last id that came; it goes before offset"`
}

const (
	logEvery = 200 * time.Millisecond // a log that is followed is looked at
	logPart  = 32 << 10               // bytes of one event
	rowEvery = 5                      // looks at the log for one at the attempt's row
)

func (s *server) streamLog(ctx context.Context, in *logStreamInput) (*huma.StreamResponse, error) {
	if _, err := s.attempt(ctx, in.ID); err != nil {
		return nil, err
	}
	at := max(in.Offset, in.Last)
	return s.sending(ctx, at, func(out *sender) error { return s.followLog(out, in.ID, at) })
}

// followLog sends a log until its attempt has ended. The log is a file, which says nothing when it grows: it is looked at five times a second, the
// attempt's row once.
func (s *server) followLog(out *sender, id, at int64) error {
	tick := time.NewTicker(logEvery)
	defer tick.Stop()
	var attempt engine.AttemptRow
	for look := 0; ; look++ {
		if look%rowEvery == 0 {
			// Before the log: what has ended by then does not grow any more.
			var err error
			if attempt, err = s.attempt(out.ctx, id); err != nil {
				return err
			}
		}
		size, err := s.sendLog(out, id, &at, attempt.Result != nil)
		if err != nil {
			return err
		}
		if attempt.Result != nil {
			return out.endLog(size, attempt.Result.Outcome)
		}
		if s.cfg.Feed == nil {
			return out.endLog(size, "")
		}
		if err := wait(out, tick.C, func() []byte { return fmt.Appendf(nil, "id: %d\n\n", at) }); err != nil {
			return err
		}
	}
}

// sendLog sends what the log has from *at on, and moves *at.
func (s *server) sendLog(out *sender, id int64, at *int64, ended bool) (size int64, err error) {
	log, size, err := s.cfg.Logs.Open(id)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil // it wrote nothing yet, or never will
	}
	if err != nil {
		return 0, err
	}
	defer log.Close()
	if *at >= size {
		return size, nil
	}
	if _, err := log.Seek(*at, io.SeekStart); err != nil {
		return 0, fmt.Errorf("seek in the log of attempt %d: %w", id, err)
	}
	buffer := make([]byte, min(logPart, size-*at))
	for *at < size {
		n, err := io.ReadFull(log, buffer[:min(int64(len(buffer)), size-*at)])
		if n == 0 {
			return size, ignoreEOF(err)
		}
		part := wholeRunes(buffer[:n], ended && *at+int64(n) == size)
		if len(part) == 0 {
			break // the rest of a character has still to be written
		}
		if err := out.logPart(*at, part); err != nil {
			return 0, err
		}
		*at += int64(len(part))
		if len(part) < n {
			if _, err := log.Seek(*at, io.SeekStart); err != nil {
				return 0, fmt.Errorf("seek in the log of attempt %d: %w", id, err)
			}
		}
		if err := out.over(); err != nil {
			return 0, err
		}
	}
	return size, out.flush()
}

func ignoreEOF(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return nil // it was cut while it was read
	}
	return err
}

// wholeRunes leaves out the beginning of a character at the end, unless nothing follows.
func wholeRunes(b []byte, last bool) []byte {
	if last {
		return b
	}
	for n := 1; n < utf8.UTFMax && n <= len(b); n++ {
		if c := b[len(b)-n]; utf8.RuneStart(c) {
			if c >= utf8.RuneSelf && !utf8.FullRune(b[len(b)-n:]) {
				return b[:len(b)-n]
			}
			break
		}
	}
	return b
}

func (o *sender) logPart(at int64, b []byte) error {
	part := LogPart{Offset: ID(at)}
	if utf8.Valid(b) {
		part.Text = string(b)
	} else {
		part.Base64 = b
	}
	data, err := json.Marshal(part)
	if err != nil {
		return err
	}
	return o.send(frame(strconv.FormatInt(at+int64(len(b)), 10), "log", data))
}

func (o *sender) endLog(size int64, outcome engine.Outcome) error {
	data, err := json.Marshal(LogEnd{Size: ID(size), Outcome: outcome})
	if err != nil {
		return err
	}
	return o.end(data)
}
