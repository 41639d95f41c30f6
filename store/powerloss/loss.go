package powerloss

import "fmt"

// A Loss says what becomes of what was not synced. The same loss of the same disk gives the same image.
type Loss struct {
	Mode   Mode
	Seed   uint64
	Sector int // bytes; 0 is 512
}

func (l Loss) String() string {
	return fmt.Sprintf("%s of sectors of %d, seed %d", l.Mode, l.sector(), l.Seed)
}

func (l Loss) sector() int {
	if l.Sector == 0 {
		return 512
	}
	return l.Sector
}

// Mode is a way to lose what was not synced.
type Mode string

// The modes.
const (
	Keep    Mode = "keep"    // nothing is lost: the end of a process, not of the power
	Drop    Mode = "drop"    // everything that was not synced
	Tail    Mode = "tail"    // what came after some moment, and of the change of that moment some sectors
	Reorder Mode = "reorder" // some changes, each whole
	Tear    Mode = "tear"    // some sectors of some changes
	Garble  Mode = "garble"  // as Tear; some of what is lost is garbage instead of what was there
)

// Modes are all of them.
var Modes = []Mode{Keep, Drop, Tail, Reorder, Tear, Garble}

// A whim decides for one loss.
type whim struct {
	mode   Mode
	sector int64
	rand   Rand
	moment int // of Tail
	share  int // of 100: what is kept
}

func (l Loss) whim(d *Disk) *whim {
	w := &whim{mode: l.Mode, sector: int64(l.sector()), rand: Rand{state: l.Seed}}
	w.share = []int{5, 50, 95}[w.rand.Intn(3)]
	if l.Mode == Tail {
		if pending := d.pending(); len(pending) > 0 {
			w.moment = pending[w.rand.Intn(len(pending))]
		}
	}
	return w
}

// keeps decides about a change that is kept or lost whole.
func (w *whim) keeps(op int) bool {
	switch w.mode {
	case Keep:
		return true
	case Drop:
		return false
	case Tail:
		return op < w.moment || op == w.moment && w.rand.Intn(2) == 0
	default:
		return w.chance()
	}
}

func (w *whim) chance() bool { return w.rand.Intn(100) < w.share }

// pieces is what is left of a change of a file.
func (w *whim) pieces(c change) []change {
	torn := w.mode == Tear || w.mode == Garble || w.mode == Tail && c.op == w.moment
	if !torn || c.cut {
		if w.keeps(c.op) {
			return []change{c}
		}
		return nil
	}
	var left []change
	if w.rand.Intn(4) == 0 {
		left = append(left, change{at: c.at + int64(len(c.data))}) // the file has grown, whatever of the content is there
	}
	for from := c.at; from < c.at+int64(len(c.data)); {
		to := min(from-from%w.sector+w.sector, c.at+int64(len(c.data)))
		piece := change{op: c.op, at: from, data: c.data[from-c.at : to-c.at]}
		switch {
		case w.chance():
			left = append(left, piece)
		case w.mode == Garble && w.rand.Intn(2) == 0:
			piece.data = make([]byte, len(piece.data))
			w.rand.Read(piece.data)
			left = append(left, piece)
		}
		from = to
	}
	return left
}

// Rand is a small source of numbers that one seed repeats for ever, in every version of Go (SplitMix64).
type Rand struct{ state uint64 }

// NewRand starts from a seed.
func NewRand(seed uint64) *Rand { return &Rand{state: seed} }

// Uint64 returns the next number.
func (r *Rand) Uint64() uint64 {
	r.state += 0x9e3779b97f4a7c15
	z := r.state
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// Intn returns a number below n, which is positive.
func (r *Rand) Intn(n int) int { return int(r.Uint64() % uint64(n)) }

// Read fills b.
func (r *Rand) Read(b []byte) {
	for n := range b {
		b[n] = byte(r.Uint64())
	}
}
