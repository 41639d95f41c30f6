package engine

import "errors"

// The kinds of error that callers branch on; the command line and the API each map them in one table.
var (
	ErrNotFound = errors.New("not found")
	ErrConflict = errors.New("conflict")
	ErrInvalid  = errors.New("invalid")
)

func isNotFound(err error) bool { return errors.Is(err, ErrNotFound) }
