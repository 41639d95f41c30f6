package store

import (
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"github.com/almanac-sched/almanac/engine"
)

// ms is a time as stored: milliseconds since 1970, nil for the zero time.
func ms(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return t.UnixMilli()
}

// offset is the seconds east of UTC that stand beside a time that people read.
func offset(t time.Time) int64 {
	if t.Location() == time.UTC {
		return 0
	}
	_, o := t.Zone()
	return int64(o)
}

var zones sync.Map // int offset → *time.Location

// zone is the location of a fixed offset; one value serves all times of it.
func zone(offset int) *time.Location {
	if offset == 0 {
		return time.UTC
	}
	if z, ok := zones.Load(offset); ok {
		return z.(*time.Location)
	}
	z, _ := zones.LoadOrStore(offset, time.FixedZone("", offset))
	return z.(*time.Location)
}

// id is a row id as stored where 0 means none.
func id(n int64) any {
	if n == 0 {
		return nil
	}
	return n
}

func encodeReason(r engine.Reason) string {
	if (r == engine.Reason{Code: r.Code}) && plain(string(r.Code)) {
		return `{"code":"` + string(r.Code) + `"}`
	}
	text, err := json.Marshal(r)
	if err != nil {
		r.At = nil // only a year beyond 9999 cannot be written
		return encodeReason(r)
	}
	return string(text)
}

// plain reports whether s needs no escape in JSON.
func plain(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || c == '"' || c == '\\' || c == '<' || c == '>' || c == '&' {
			return false
		}
	}
	return true
}

func decodeReason(text string) (engine.Reason, error) {
	const head, tail = `{"code":"`, `"}`
	if n := len(text); n > len(head)+len(tail) && text[:len(head)] == head && text[n-len(tail):] == tail && plain(text[len(head):n-len(tail)]) {
		return engine.Reason{Code: engine.ReasonCode(text[len(head) : n-len(tail)])}, nil
	}
	var r engine.Reason
	if err := json.Unmarshal([]byte(text), &r); err != nil {
		return r, fmt.Errorf("read a reason: %w", err)
	}
	if r.At != nil {
		// Parsing gives the server's own zone where its offset fits; the offset is what was stored.
		_, o := r.At.Zone()
		at := r.At.In(zone(o))
		r.At = &at
	}
	return r, nil
}

// encodeMap is a set of names and values as JSON, nil for none.
func encodeMap(m map[string]string) any {
	if len(m) == 0 {
		return nil
	}
	text, err := json.Marshal(m)
	if err != nil {
		panic("stuck, this is a bug: " + err.Error()) // texts can always be written
	}
	return string(text)
}

func decodeMap(text string) (map[string]string, error) {
	if text == "" {
		return nil, nil
	}
	var m map[string]string
	if err := json.Unmarshal([]byte(text), &m); err != nil {
		return nil, fmt.Errorf("read names and values: %w", err)
	}
	return m, nil
}

// fromMS is a stored time, in UTC.
func fromMS(n int64) time.Time { return time.UnixMilli(n).UTC() }
