package action

import (
	"errors"
	"os"
)

// Trouble returns why shell attempts cannot be carried out, or their outcomes not be heard of; nil when nothing is known to be wrong. A supervisor that has
// had nothing to do has ended by itself, which is none.
func (r *Runner) Trouble() error {
	l := r.link
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.lost != nil:
		return l.lost
	case l.movedNow() != nil:
		return l.movedNow()
	case l.trouble != "":
		return errors.New("the supervisor is not reached: " + l.trouble)
	}
	return nil
}

// Held returns why nothing may be started just now: the folder run is not the one in which the supervisor keeps its records.
func (r *Runner) Held() error {
	l := r.link
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.movedNow()
}

// movedNow compares the folder run with the one that stands there. As long as no supervisor works in the old one, it is made again and nothing is
// wrong. The caller holds the lock.
func (l *link) movedNow() error {
	there, err := os.Stat(l.run)
	if err == nil && l.place != nil && os.SameFile(there, l.place) {
		return nil
	}
	if l.conn == nil && len(l.flight) == 0 && remake(l.run) == nil {
		if l.place, err = os.Stat(l.run); err == nil {
			return nil
		}
	}
	return errors.New("the folder run of the data directory was deleted, renamed or replaced while the supervisor keeps its records in it: put it back and this " +
		"server goes on, or start the server again, which ends what still runs and finds out what became of it")
}
