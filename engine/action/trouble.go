package action

import "errors"

// Trouble returns why shell attempts cannot be carried out, or their outcomes not be heard of; nil when nothing is known to be wrong. A supervisor that has
// had nothing to do has ended by itself, which is none.
func (r *Runner) Trouble() error {
	l := r.link
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.lost != nil:
		return l.lost
	case l.trouble != "":
		return errors.New("the supervisor is not reached: " + l.trouble)
	}
	return nil
}
