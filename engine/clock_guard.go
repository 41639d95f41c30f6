package engine

import (
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"github.com/almanac-sched/almanac/engine/fault"
)

// A ClockReading is what a machine says of the time at one moment.
type ClockReading struct {
	Wall   time.Time     // the clock that people set
	Boot   string        // names what Up counts from: this start of the machine, or this process where the machine has no such clock
	Up     time.Duration // by a clock that nobody sets and that goes on while the machine sleeps
	Synced bool          // the system says that a time server vouches for Wall
}

// A ClockMark is a reading that was believed. The latest is kept in the rows, so that a restart knows it.
type ClockMark struct {
	At   time.Time     `json:"at"`
	Boot string        `json:"boot"`
	Up   time.Duration `json:"up"`
}

// A ClockHold says that the machine's clock is not believed, and why.
type ClockHold struct {
	Wall    time.Time // what the clock says
	Trusted time.Time // what the server goes by meanwhile
	Known   bool      // Trusted is by the machine's other clock; else it may be behind by as long as the machine was off
}

// ClockRemedy is the command that lets a clock go that is right.
const ClockRemedy = "almanac clock confirm"

// String says it in words for people.
func (h *ClockHold) String() string {
	ahead := h.Wall.Sub(h.Trusted).Round(time.Second)
	if h.Known {
		return fmt.Sprintf("the clock says %s, which is %s more than has passed: nothing is planned or started until a time server vouches for it, it is set back, or a person runs %s",
			h.Wall.UTC().Format(time.RFC3339), ahead, ClockRemedy)
	}
	return fmt.Sprintf("the clock says %s, which is %s after the last time that is recorded, and the machine was started again since: "+
		"nothing is planned or started until a time server vouches for it, or a person runs %s", h.Wall.UTC().Format(time.RFC3339), ahead, ClockRemedy)
}

// A ClockGuard stands between a machine's clock and all who ask for the time. A clock that jumps ahead by more than the limit is not believed until a second
// source agrees: the clock of this start of the machine, a time server, or a person. Meanwhile the time is the last one that was believed and what has
// passed since, so that no row gets a time that is wrong. A clock that goes back is believed: nothing that happened happens again.
//
// It is safe for use by several goroutines. The zero mark is a directory without a past, and whatever the clock says is believed.
type ClockGuard struct {
	read  func() ClockReading
	limit time.Duration

	mu    sync.Mutex
	base  ClockMark // Trusted is counted from it
	known bool      // base was read by the clock that goes on now
	hold  *ClockHold
}

// NewClockGuard guards the clock that read reads. A limit of 0 or less believes everything.
func NewClockGuard(limit time.Duration, read func() ClockReading) *ClockGuard {
	return &ClockGuard{read: read, limit: limit, known: true}
}

// Begin gives the guard the mark of an earlier process.
func (g *ClockGuard) Begin(m ClockMark) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.base, g.known = m, true
}

// Now is the time that is believed.
func (g *ClockGuard) Now() time.Time {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.look(g.read())
}

// look judges a reading.
func (g *ClockGuard) look(r ClockReading) time.Time {
	base, known := g.base, g.known
	if !base.At.IsZero() && base.Boot != r.Boot {
		// Nothing tells how long the machine was off. From now on its clock counts.
		base, known = ClockMark{At: base.At, Boot: r.Boot, Up: r.Up}, false
		if g.hold != nil {
			base.At = g.hold.Trusted
		}
	}
	trusted := base.At.Add(r.Up - base.Up)
	if g.limit <= 0 || base.At.IsZero() || r.Wall.Sub(trusted) <= g.limit || r.Synced || fault.Planted(fault.ClockBelieved) {
		g.believe(r)
		return r.Wall
	}
	g.base, g.known = base, known
	g.hold = &ClockHold{Wall: r.Wall.Round(0), Trusted: trusted.Round(0), Known: known}
	return g.hold.Trusted
}

func (g *ClockGuard) believe(r ClockReading) {
	g.base, g.known, g.hold = ClockMark{At: r.Wall.Round(0), Boot: r.Boot, Up: r.Up}, true, nil
}

// Held returns why the clock is not believed; nil when it is. It looks at the clock.
func (g *ClockGuard) Held() *ClockHold {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.look(g.read())
	return g.hold
}

// Mark returns the latest reading that was believed; false while the clock is not.
func (g *ClockGuard) Mark() (ClockMark, bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.look(g.read())
	return g.base, g.hold == nil
}

// reading is what the clock says, believed or not.
func (g *ClockGuard) reading() ClockReading { return g.read() }

// confirm believes the clock as it is.
func (g *ClockGuard) confirm() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.believe(g.read())
}

// Where the mark is kept.
const (
	clockKind = "clock"
	clockKey  = "mark"
)

// ReadClockMark returns the mark that is in the rows; the zero one when there is none.
func ReadClockMark(v View) (m ClockMark, err error) {
	row, err := v.Resource(clockKind, clockKey)
	if isNotFound(err) {
		return m, nil
	}
	if err != nil {
		return m, fmt.Errorf("read when the clock was believed last: %w", err)
	}
	if err := json.Unmarshal(row.Body, &m); err != nil {
		return m, fmt.Errorf("read when the clock was believed last: %w", err)
	}
	return m, nil
}

// putClockMark writes the mark down.
func putClockMark(tx Tx, m ClockMark) error {
	body, err := json.Marshal(m)
	if err != nil {
		return fmt.Errorf("record the time: %w", err)
	}
	return wrap(tx.PutResource(ResourceRow{Kind: clockKind, Key: clockKey, Body: body}), "record the time")
}
