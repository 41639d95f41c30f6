package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/almanac-sched/almanac/engine/invariant"
	"github.com/almanac-sched/almanac/engine/spec"
	"github.com/almanac-sched/almanac/store"
)

func (a *app) verifyCommand() *cobra.Command {
	var since time.Duration
	c := &cobra.Command{
		Use:   "verify [PATH]",
		Short: "check that the records keep what is promised",
		Long: `Check a data directory, a backup, or a copy of almanac.db, without changing anything: that the pages of the file fit together, that no line of the history
was changed or removed, and the invariants that are promised, on every row. A running server goes on meanwhile. PATH is a directory or a file; without one it is
the data directory. The invariants are checked on one snapshot, so a running server may write meanwhile; its write-ahead log grows until the check has
ended. What has been removed by retention cannot be checked, and is not counted as checked.`,
		Example: `  almanac verify
  almanac verify --since 24h                 # open instances, and the last day
  almanac verify /backups/2026-10-01 -o json`,
		Args: cobra.MaximumNArgs(1),
	}
	exits(c, exitFailed, exitUnusable)
	data := a.addData(c)
	addLength(c, &since, "since", "only open instances, those planned in this time before now, and its history")
	output := addOutput(c)
	c.RunE = func(c *cobra.Command, args []string) error {
		path := *data
		if len(args) > 0 {
			path = args[0]
		}
		r, err := a.verify(c.Context(), path, since)
		if err != nil {
			return err
		}
		if output.value == "json" {
			err = writeJSON(a.stdout, r)
		} else {
			err = a.printVerification(r)
		}
		if err == nil && !r.Sound {
			err = &failedError{fmt.Sprintf("%s does not keep what is promised", path)}
		}
		return err
	}
	return c
}

// A verificationJSON is the document of verify -o json.
type verificationJSON struct {
	Path     string                `json:"path"`
	Sound    bool                  `json:"sound"`
	Schema   int64                 `json:"schema"`
	Backup   *store.Manifest       `json:"backup,omitempty"` // when the path is one
	File     string                `json:"file"`             // "ok", or what is wrong with its pages
	History  string                `json:"history"`          // "ok", or the first line that is not what was written
	Latest   string                `json:"latest"`           // "ok", or why it is not the database that the directory held last
	Took     float64               `json:"seconds"`
	Rows     rowsJSON              `json:"rows"`
	Checks   []checkJSON           `json:"checks"`
	Found    int                   `json:"found"`
	Examples []invariant.Violation `json:"violations"` // the first of them
}

type rowsJSON struct {
	Jobs      int `json:"jobs"`
	Versions  int `json:"versions"`
	Instances int `json:"instances"`
	Waits     int `json:"waits"`
	Attempts  int `json:"attempts"`
	Outbox    int `json:"outbox"`
	Events    int `json:"events"`
}

type checkJSON struct {
	Name       string `json:"name"`
	Meaning    string `json:"meaning"`
	Checked    int    `json:"checked"`
	NotChecked int    `json:"notChecked"`
}

// verify reads all that a path holds.
func (a *app) verify(ctx context.Context, path string, since time.Duration) (*verificationJSON, error) {
	begun := now()
	r := &verificationJSON{Path: path, File: "ok", History: "ok", Latest: "ok"}
	cfg, err := readerOf(path)
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(filepath.Join(cfg.Dir, "manifest.json")); err == nil && cfg.File == "" {
		m, err := store.VerifyBackup(ctx, cfg.Dir)
		if err != nil {
			return nil, err
		}
		r.Backup = &m
	}
	db, err := store.Open(ctx, cfg)
	if err != nil {
		return nil, err
	}
	defer func() { _ = db.Close() }() // nothing was written
	if r.Schema, err = db.SchemaVersion(ctx); err != nil {
		return nil, err
	}
	if err := db.QuickCheck(ctx); errors.Is(err, store.ErrCorrupt) {
		r.File = err.Error()
	} else if err != nil {
		return nil, err
	}
	var chain *store.ChainError
	if err := db.VerifyChain(ctx); errors.As(err, &chain) {
		r.History = chain.Error()
	} else if err != nil {
		return nil, err
	}
	if err := db.CheckHead(); errors.Is(err, store.ErrStale) && cfg.File == "" {
		r.Latest = err.Error()
	} else if err != nil && cfg.File == "" {
		return nil, err
	}
	o := invariant.Options{Decode: spec.DecodeJob, Now: now()}
	if since > 0 {
		o.Since = begun.Add(-since)
	}
	if f, ok := readServerFile(cfg.Dir); ok && f.alive() && f.isReady(ctx) {
		o.Settled, o.Patience = true, verifyPatience
	}
	report, err := invariant.Check(ctx, db, o)
	if err != nil {
		return nil, err
	}
	r.Rows = rowsJSON{report.Jobs, report.Versions, report.Instances, report.Waits, report.Attempts, report.Outbox, report.Events}
	for _, name := range invariant.Invariants {
		r.Checks = append(r.Checks, checkJSON{name, invariant.Meanings[name], report.Checked[name], report.NotChecked[name]})
	}
	r.Found, r.Examples = report.Found, report.Violations
	r.Sound = r.File == "ok" && r.History == "ok" && r.Latest == "ok" && r.Found == 0
	r.Took = now().Sub(begun).Seconds()
	return r, nil
}

// verifyPatience is how long a live server may take to come by what was due when it was looked at.
const verifyPatience = 10 * time.Second

// readerOf says how to open what a path names: a directory, or a database in one.
func readerOf(path string) (store.Config, error) {
	abs, err := absolute(path)
	if err != nil {
		return store.Config{}, err
	}
	info, err := os.Stat(abs)
	if err == nil && !info.IsDir() {
		return store.Config{Dir: filepath.Dir(abs), File: filepath.Base(abs), ReadOnly: true}, nil
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return store.Config{}, fmt.Errorf("look at %s: %w", path, err)
	}
	return store.Config{Dir: abs, ReadOnly: true}, nil
}

func (a *app) printVerification(r *verificationJSON) error {
	n := &r.Rows
	if err := a.view.prose(a.stdout, "%s: schema %d, %s, %s, %s, %s, %s; read in %s\n", r.Path, r.Schema, count(n.Jobs, "job"), count(n.Instances, "instance"),
		count(n.Waits, "wait"), count(n.Attempts, "attempt"), count(n.Events, "event"), duration(time.Duration(r.Took*float64(time.Second)))); err != nil {
		return err
	}
	found := map[string]int{}
	for _, v := range r.Examples {
		found[v.Invariant]++
	}
	rows := [][]string{
		{"file", "its pages fit together", "", "", word(r.File)}, {"history", "no line of it was changed or removed", strconv.Itoa(n.Events), "", word(r.History)},
		{"latest", "it is what the directory held last", "", "", word(r.Latest)},
	}
	for _, c := range r.Checks {
		verdict := "ok"
		switch {
		case found[c.Name] > 0:
			verdict = strconv.Itoa(found[c.Name]) + " violated"
		case c.Checked == 0:
			verdict = "-"
		}
		rows = append(rows, []string{c.Name, c.Meaning, strconv.Itoa(c.Checked), strconv.Itoa(c.NotChecked), verdict})
	}
	if err := a.view.table(a.stdout, []string{"check", "that", "looked at", "cannot tell", "result"}, rows, nil); err != nil {
		return err
	}
	for _, text := range []string{r.File, r.History, r.Latest} {
		if text != "ok" {
			fmt.Fprintf(a.stdout, "\n%s\n", printable(text))
		}
	}
	if r.Found > 0 {
		fmt.Fprintln(a.stdout)
	}
	for _, v := range r.Examples {
		fmt.Fprintln(a.stdout, printable(v.String()))
	}
	if more := r.Found - len(r.Examples); more > 0 {
		fmt.Fprintf(a.stdout, "and %d more\n", more)
	}
	return nil
}

// word is "ok", or that it is not.
func word(text string) string {
	if text == "ok" {
		return text
	}
	return "violated"
}
