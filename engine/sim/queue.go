package sim

import (
	"container/heap"
	"time"
)

// A happening is something that a world has yet to do. Those of one moment happen in the order in which they were arranged.
type happening struct {
	at  time.Duration
	seq int64
	do  func()
}

// mostHappenings bounds a world that has run wild.
const mostHappenings = 5_000_000

// agenda is a heap of happenings.
type agenda []happening

func (a agenda) Len() int { return len(a) }
func (a agenda) Less(i, j int) bool {
	return a[i].at < a[j].at || a[i].at == a[j].at && a[i].seq < a[j].seq
}
func (a agenda) Swap(i, j int) { a[i], a[j] = a[j], a[i] }
func (a *agenda) Push(x any)   { *a = append(*a, x.(happening)) }
func (a *agenda) Pop() any {
	old := *a
	last := old[len(old)-1]
	old[len(old)-1] = happening{}
	*a = old[:len(old)-1]
	return last
}

// after arranges that fn runs when d has passed.
func (w *World) after(d time.Duration, fn func()) {
	w.seq++
	heap.Push(&w.agenda, happening{w.t + max(0, d), w.seq, fn})
}

// until lets the world run up to the true time end, or to a violation.
func (w *World) until(end time.Duration) {
	for len(w.agenda) > 0 && w.agenda[0].at <= end && w.violation == nil {
		h := heap.Pop(&w.agenda).(happening)
		w.t = max(w.t, h.at)
		if w.happened++; w.happened > mostHappenings {
			w.broken("progress", "the world is too busy: %d happenings", w.happened)
		}
		h.do()
	}
	if w.violation == nil {
		w.t = max(w.t, end)
	}
}

// A node is a machine or a process that can be down, stopped for a while, or in the middle of a call.
type node struct {
	w     *World
	name  string
	clock clock
	life  int  // grows each time it ends; what belonged to an earlier one is void
	up    bool // it runs
	still int  // > 0: it is stopped, or waits inside a call: what concerns it happens later
	later []func()
}

// soon arranges something that the node does when d has passed by the world's clock: not if it has ended meanwhile, and later if it stands still.
func (n *node) soon(d time.Duration, fn func()) {
	life := n.life
	n.w.after(d, func() { n.do(life, fn) })
}

func (n *node) do(life int, fn func()) {
	switch {
	case life != n.life:
	case n.still > 0:
		n.later = append(n.later, func() { n.do(life, fn) })
	default:
		fn()
	}
}

// resume ends one reason to stand still.
func (n *node) resume() {
	if n.still == 0 {
		return
	}
	if n.still--; n.still > 0 {
		return
	}
	missed := n.later
	n.later = nil
	for _, fn := range missed {
		n.w.after(0, fn)
	}
}

// stop makes the node stand still for d, as SIGSTOP or a long collection of garbage would.
func (n *node) stop(d time.Duration) {
	life := n.life
	n.still++
	n.w.after(d, func() {
		if life == n.life {
			n.resume()
		}
	})
}

// end makes what belonged to this life void.
func (n *node) end() {
	n.life++
	n.up, n.still, n.later = false, 0, nil
}

// now is the node's wall clock.
func (n *node) now() time.Time { return n.clock.wall(n.w.t) }

// monotonic is the node's monotonic clock.
func (n *node) monotonic() time.Duration { return n.clock.monotonic(n.w.t) }
