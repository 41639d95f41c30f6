package engine

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"
)

// A selectedJob is a job with what terms ask of its definition.
type selectedJob struct {
	row     JobRow
	zone    *time.Location
	tags    []string
	windows map[*Term][]window
}

// readJobs applies the terms about jobs.
func (x *selection) readJobs() (err error) {
	if x.all, err = x.v.Jobs(); err != nil {
		return fmt.Errorf("list the jobs: %w", err)
	}
	for _, row := range x.all {
		j, err := x.read(row)
		if err != nil {
			return err
		}
		x.jobs[row.ID] = j
	}
	if err := x.heldJobs(); err != nil {
		return err
	}
	for n := range x.s.Terms {
		t := &x.s.Terms[n]
		if t.Key != "job" && t.Key != "workflow" && t.Key != "tag" {
			continue
		}
		before := len(x.jobs)
		for id, j := range x.jobs {
			if j.has(t) == t.Negated {
				delete(x.jobs, id)
			}
		}
		if len(x.jobs) == 0 {
			return x.noJob(t, before)
		}
	}
	return nil
}

// read reads a job's zone and tags; a definition that cannot be read has none.
func (x *selection) read(row JobRow) (*selectedJob, error) {
	j := &selectedJob{row: row, zone: time.UTC, windows: map[*Term][]window{}}
	job, err := x.defs.version(x.v, row.Version)
	switch {
	case errors.Is(err, ErrInvalid), errors.Is(err, ErrNotFound):
		return j, nil
	case err != nil:
		return nil, err
	}
	j.tags = job.Tags
	if job.When.Location != nil {
		j.zone = job.When.Location
	}
	return j, nil
}

func (j *selectedJob) has(t *Term) bool {
	return slices.ContainsFunc(t.words, func(word string) bool {
		switch t.Key {
		case "job":
			return matchesJob(word, j.row.Ref)
		case "workflow":
			ok, err := path.Match(word, j.row.Ref.Workflow)
			return ok && err == nil
		}
		return slices.Contains(j.tags, word)
	})
}

// noJob says that a term about jobs left none, and which was perhaps meant.
func (x *selection) noJob(t *Term, before int) error {
	var known []string
	for _, row := range x.all {
		switch {
		case t.Key == "workflow":
			known = append(known, row.Ref.Workflow)
		case t.Key == "job" && strings.Contains(t.words[0], "/"):
			known = append(known, row.Ref.String())
		case t.Key == "job":
			known = append(known, row.Ref.Job)
		}
	}
	text := fmt.Sprintf("%s leaves none of %s", t.Text, plural(before, "job"))
	if near := Nearest(t.words[0], known); near != "" && !t.Negated {
		text += fmt.Sprintf("; did you mean %s:%s?", t.Key, near)
	}
	return fmt.Errorf("%w: %s", ErrNotFound, text)
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
