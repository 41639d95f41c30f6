package engine

import (
	"errors"
	"strings"
)

// A MistakeError is one thing that is wrong with what a person asked for, and where. It is of kind ErrInvalid.
type MistakeError struct {
	Field string // the member of the request, as the API writes it: jobs, byDay
	Text  string
}

// Error is the text behind the kind, as every error of kind ErrInvalid has it.
func (e *MistakeError) Error() string { return ErrInvalid.Error() + ": " + e.Text }

// Unwrap gives the kind.
func (e *MistakeError) Unwrap() error { return ErrInvalid }

// Mistakes lists the mistakes that an error is made of, in their order; nil when some of it is no MistakeError, as then they are not all.
func Mistakes(err error) []*MistakeError {
	switch e := err.(type) { //nolint:errorlint // the tree is walked by hand: errors.As finds only the first
	case nil:
		return nil
	case *MistakeError:
		return []*MistakeError{e}
	case interface{ Unwrap() []error }:
		var list []*MistakeError
		for _, part := range e.Unwrap() {
			some := Mistakes(part)
			if some == nil {
				return nil
			}
			list = append(list, some...)
		}
		return list
	}
	return Mistakes(errors.Unwrap(err))
}

// misplaced says that an error of kind ErrInvalid is about a member of the request.
func misplaced(field string, err error) error {
	return &MistakeError{field, strings.TrimPrefix(err.Error(), ErrInvalid.Error()+": ")}
}
