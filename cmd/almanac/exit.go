package main

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/store"
)

// The exit statuses. Scripts branch on them, so a number never changes its meaning.
const (
	exitDone         = 0
	exitFailed       = 1
	exitUsage        = 2
	exitInvalid      = 3
	exitNotFound     = 4
	exitNotPermitted = 5
	exitUnusable     = 6
)

// exitMeanings is the one table of exit statuses: help prints it, and the documentation is made from it.
var exitMeanings = []string{
	exitDone:         "done",
	exitFailed:       "something failed, or did not end well",
	exitUsage:        "the command line cannot be understood",
	exitInvalid:      "a definition is invalid, or has drifted from what is recorded",
	exitNotFound:     "no such job, instance, attempt or token",
	exitNotPermitted: "no valid token, or its role does not permit it",
	exitUnusable:     "the data directory cannot be used",
}

// exitCode maps a command's error to its exit status.
func exitCode(err error) int {
	var (
		usage    *usageError
		invalid  *invalidError
		answer   *answerError
		unusable *store.UnusableError
	)
	switch {
	case err == nil:
		return exitDone
	case errors.As(err, &usage):
		return exitUsage
	case errors.As(err, &invalid):
		return exitInvalid
	case errors.As(err, &unusable):
		return exitUnusable
	case errors.As(err, &answer):
		return answer.exitCode()
	case errors.Is(err, engine.ErrNotFound):
		return exitNotFound
	}
	return exitFailed
}

// A usageError is a command line that cannot be understood.
type usageError struct{ message string }

func (e *usageError) Error() string { return e.message }

func usagef(format string, args ...any) error {
	return &usageError{fmt.Sprintf(format, args...)}
}

// An invalidError says that definitions have errors. The problems themselves were printed, one a line.
type invalidError struct{ message string }

func (e *invalidError) Error() string { return e.message }

// A failedError says that a command did its work and the outcome was a failure that has been printed already; a summary may follow.
type failedError struct{ summary string }

func (e *failedError) Error() string { return e.summary }

// An answerError is an error that the server answered with.
type answerError struct {
	Status int    // HTTP
	Code   string // of the problem
	Title  string // the problem in words
	Detail string
	Hint   string
}

func (e *answerError) Error() string {
	text := e.Title
	if e.Detail != "" {
		text = e.Detail
	}
	if text == "" {
		text = fmt.Sprintf("the server answered %d %s", e.Status, http.StatusText(e.Status))
	}
	return text
}

func (e *answerError) exitCode() int {
	switch e.Status {
	case http.StatusUnauthorized, http.StatusForbidden:
		return exitNotPermitted
	case http.StatusNotFound:
		return exitNotFound
	case http.StatusBadRequest, http.StatusUnprocessableEntity:
		return exitUsage
	}
	return exitFailed
}

// hintOf is what to do about an error, for people; "" when its text says it already, or there is nothing to say.
func hintOf(err error) string {
	var answer *answerError
	switch {
	case !errors.As(err, &answer):
		return ""
	case answer.Hint == "" && answer.Status == http.StatusUnauthorized:
		return "give a token with --token or ALMANAC_TOKEN"
	}
	return answer.Hint
}
