package engine

import "errors"

// The kinds of error that callers branch on; the command line and the API each map them in one table.
var (
	ErrNotFound = errors.New("not found")
	ErrConflict = errors.New("conflict")
	ErrInvalid  = errors.New("invalid")
	// ErrUnavailable says that the rows could not be reached just now: another process holds them, the disk is full, the network is cut. It
	// may pass, and then nothing is lost.
	ErrUnavailable = errors.New("unavailable for the moment")
	// ErrFull says that there was no room on the disk. An error that wraps it wraps ErrUnavailable too: nothing was changed, and the same will do
	// once there is room.
	ErrFull = errors.New("the disk is full")
)

// ignoreInvalid passes over a definition that cannot be read, where that is another's to report.
func ignoreInvalid(err error) error {
	if errors.Is(err, ErrInvalid) {
		return nil
	}
	return err
}

func isNotFound(err error) bool { return errors.Is(err, ErrNotFound) }
