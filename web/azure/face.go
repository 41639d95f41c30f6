package azure

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/almanac-sched/almanac/engine"
)

// Config is what the face is made of; all but Log is required.
type Config struct {
	Rows    Rows
	Control Control
	Logs    Logs
	Vault   *Vault
	Decode  func(definition []byte, folder string) (*engine.Job, error) // reads a stored definition

	// Subscription and Group are the server's own: its collections are the workflows of their names, and the workflows of the folder are among them.
	Subscription string
	Group        string

	Now func() time.Time
	Log *slog.Logger
}

// Source is engine.JobRow.Source of the jobs that were put here.
const Source = "azure"

// A Face answers the requests of clients of Azure Scheduler.
type Face struct {
	Config
	folder folderIndex
}

// New makes a face.
func New(cfg Config) (*Face, error) {
	switch {
	case cfg.Rows == nil || cfg.Control == nil || cfg.Logs == nil || cfg.Vault == nil || cfg.Decode == nil || cfg.Now == nil:
		return nil, errors.New("azure: Rows, Control, Logs, Vault, Decode and Now are required")
	}
	if err := CheckGroup(cfg.Subscription, cfg.Group); err != nil {
		return nil, fmt.Errorf("azure: %w", err)
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	return &Face{Config: cfg}, nil
}

// CheckGroup says what is wrong with a subscription and a resource group that are to be the server's own.
func CheckGroup(subscription, group string) error {
	switch {
	case !subscriptionForm.MatchString(subscription):
		return fmt.Errorf("the subscription %q is no identifier such as 00000000-0000-0000-0000-000000000000", subscription)
	case !groupForm.MatchString(group):
		return fmt.Errorf("%q is no name of a resource group: at most 90 letters, digits and the characters _ - . ( ), not ending with a dot", group)
	}
	return nil
}

// own reports whether the place is in the server's own subscription and group.
func (f *Face) own(p place) bool {
	return strings.EqualFold(p.Subscription, f.Subscription) && strings.EqualFold(p.Group, f.Group)
}

// A request is one operation that a client asks for.
type request struct {
	*http.Request
	place
	actor   string
	version string // api-version
	body    []byte
	now     time.Time
}

// Serve answers one request, of which its operation's route has let actor pass. The path is canonical.
func (f *Face) Serve(w http.ResponseWriter, r *http.Request, op *Operation, actor string) {
	q := &request{Request: r, place: placeOf(r.URL.Path), actor: actor, now: f.Now()}
	status, body, err := f.perform(w, q, op)
	if err != nil {
		f.fail(w, r, err)
		return
	}
	writeJSON(w, status, body)
}

func (f *Face) perform(w http.ResponseWriter, q *request, op *Operation) (int, any, error) {
	if err := q.check(); err != nil {
		return 0, nil, err
	}
	if err := q.readVersion(op); err != nil {
		return 0, nil, err
	}
	if op.body {
		body, err := io.ReadAll(http.MaxBytesReader(w, q.Body, MaxBody))
		if large := (*http.MaxBytesError)(nil); errors.As(err, &large) {
			return 0, nil, refuse(codeTooLarge, "The request content is longer than %d bytes.", MaxBody)
		}
		if err != nil {
			return 0, nil, refuse(codeBadRequest, "The request content could not be read.")
		}
		q.body = body
	}
	return op.perform(f, q)
}

// fail answers with what went wrong. A fault of the server is logged, and the answer tells nothing of it.
func (f *Face) fail(w http.ResponseWriter, r *http.Request, err error) {
	var refusal *Refusal
	switch {
	case errors.As(err, &refusal):
	case errors.Is(err, engine.ErrNotFound):
		refusal = refuse(codeNotFound, "The resource was not found.")
	case errors.Is(err, engine.ErrConflict):
		refusal = refuse(codeConflict, "%s", oneLine(err))
	case errors.Is(err, engine.ErrInvalid):
		refusal = refuse(codeBadRequest, "%s", oneLine(err))
	case errors.Is(err, engine.ErrUnavailable), r.Context().Err() != nil:
		w.Header().Set("Retry-After", strconv.Itoa(1))
		refusal = refuse(codeBusy, "The server cannot answer just now. Please try again.")
	default:
		f.Log.ErrorContext(r.Context(), "request failed", "request", w.Header().Get("x-ms-request-id"), "error", err)
		refusal = refuse(codeInternal, "The server encountered an internal error. Please retry the request.")
	}
	refusal.Write(w)
}

// oneLine is an error that joins several in one line.
func oneLine(err error) string { return strings.ReplaceAll(err.Error(), "\n", "; ") }

// read runs fn on one snapshot of the rows.
func (f *Face) read(q *request, fn func(v View) error) error {
	return f.Rows.ReadHistory(q.Context(), fn)
}

// edit runs fn in one transaction.
func (f *Face) edit(ctx context.Context, actor string, now time.Time, fn func(e *engine.Edit) error) error {
	return f.Control.Edit(ctx, Source, actor, now, fn)
}
