package action

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/almanac-sched/almanac/engine"
)

// prepareProbe makes one look of a step that waits ready. It succeeds when what the step waits for is so.
func (q *requests) prepareProbe(ctx context.Context, a engine.Attempt) (sending, error) {
	p := a.Action.Probe
	switch {
	case p.HTTP != nil:
		look := a
		look.Action = engine.Action{Type: engine.ActionHTTP, HTTP: p.HTTP, Timeout: a.Action.Timeout}
		return q.prepareHTTP(ctx, look)
	case p.File != nil:
		return prepareFile(p.File, a.Folder, time.Now())
	case p.SQL != nil:
		send, err := q.prepareSQL(ctx, p.SQL, a.Folder)
		if err != nil {
			return nil, err
		}
		return func(log *mask) reply { return send(log).true() }, nil
	}
	return nil, errors.New("the step says nothing to wait for")
}

// true makes of a statement that was carried out what its first value says.
func (r reply) true() reply {
	if r.err != nil || !r.accepted {
		return r
	}
	switch value, given := r.outputs["value"]; {
	case r.outputs["rows"] == "0" || !given:
		r.accepted, r.words = false, "no row"
	case value == "" || value == "0" || value == "f" || value == "false":
		r.accepted, r.words = false, fmt.Sprintf("the first value is %q", value)
	}
	return r
}

// prepareFile looks for a file below the workflow's folder, out of which no link leads.
func prepareFile(f *engine.FileProbe, folder string, now time.Time) (sending, error) {
	name := filepath.FromSlash(string(f.Path))
	if !filepath.IsLocal(name) {
		return nil, fmt.Errorf("the file %q is not below the workflow's folder", name)
	}
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, fmt.Errorf("open the workflow's folder: %w", err)
	}
	return func(log *mask) reply {
		defer root.Close()
		info, err := root.Stat(name)
		r := reply{}
		switch {
		case errors.Is(err, fs.ErrNotExist):
			r.words = name + " is not there"
		case err != nil:
			r.words = "look at " + name + ": " + err.Error()
		case info.Size() < f.MinSize:
			r.words = fmt.Sprintf("%s has %d bytes; %d are waited for", name, info.Size(), f.MinSize)
		case now.Sub(info.ModTime()) < f.MinAge:
			r.words = fmt.Sprintf("%s was written to %s ago; %s is waited for", name, max(0, now.Sub(info.ModTime())).Round(time.Second), f.MinAge)
		default:
			r.accepted = true
			r.words = fmt.Sprintf("%s is there, %d bytes", name, info.Size())
		}
		_, _ = fmt.Fprintln(log, r.words)
		return r
	}, nil
}
