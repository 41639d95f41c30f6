package sim

import "time"

// A link is one direction between two nodes.
type link struct{ from, to *node }

// network carries messages between servers and runners: late, twice, out of order, or not at all (fault 7), and not over links that are cut (fault 8).
type network struct {
	dice
	latency    time.Duration // mean
	loss, dup  float64
	late       float64 // a message that takes minutes
	longestLag time.Duration
	cut        map[link]bool
}

// send carries fn to the node to, where it happens unless that is down or, when life is not 0, no longer in that life.
func (w *World) send(from, to *node, life int, fn func()) {
	n := &w.net
	if n.cut[link{from, to}] {
		return
	}
	copies := 1
	if w.chaos {
		if n.chance(n.loss) {
			w.saw("message lost")
			return
		}
		if n.chance(n.dup) {
			w.saw("message doubled")
			copies++
		}
	}
	era := w.era
	for range copies {
		lag := time.Millisecond + n.about(n.latency)
		if w.chaos && n.chance(n.late) {
			w.saw("message late")
			lag += n.between(time.Second, n.longestLag)
		}
		w.after(lag, func() {
			if era == w.era && to.up && (life == 0 || life == to.life) {
				to.do(to.life, fn)
			}
		})
	}
}
