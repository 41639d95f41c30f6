package engine

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
)

// ChooseJobs applies a selector to definitions: its terms are of jobs, workflows and tags, and hops widen along what jobs depend on. words are
// names or patterns of jobs and of workflows besides, of which one has to hold. Its mistakes are of kind ErrInvalid, and ErrNotFound when a word
// or a term chooses nothing.
func (s *Selector) ChooseJobs(jobs []*Job, words []string) (map[*Job]bool, error) {
	for n := range s.Terms {
		if t := &s.Terms[n]; t.Key != "job" && t.Key != "workflow" && t.Key != "tag" {
			return nil, fmt.Errorf("%w: column %d: %s: chooses instances; definitions are chosen by job:, workflow: and tag: only", ErrInvalid, t.Column, t.Key)
		}
	}
	chosen := map[*Job]bool{}
	var mistakes []error
	for _, word := range words {
		if err := goodGlob(word); err != nil {
			mistakes = append(mistakes, fmt.Errorf("%w: %w", ErrInvalid, err))
			continue
		}
		found := false
		for _, j := range jobs {
			if ok, _ := path.Match(word, j.Workflow); ok || matchesJob(word, j.Ref()) {
				chosen[j], found = true, true
			}
		}
		if !found {
			mistakes = append(mistakes, fmt.Errorf("%w: there is no job and no workflow %s%s", ErrNotFound, word, nearestJob(word, jobs)))
		}
	}
	if len(mistakes) > 0 {
		return nil, errors.Join(mistakes...)
	}
	if len(words) == 0 {
		for _, j := range jobs {
			chosen[j] = true
		}
	}
	for n := range s.Terms {
		t := &s.Terms[n]
		for j := range chosen {
			one := selectedJob{row: JobRow{Ref: j.Ref()}, tags: j.Tags}
			if one.has(t) == t.Negated {
				delete(chosen, j)
			}
		}
		if len(chosen) == 0 {
			return nil, fmt.Errorf("%w: %s leaves no job", ErrNotFound, t.Text)
		}
	}
	widenJobs(jobs, chosen, s.Up, s.Down)
	return chosen, nil
}

func nearestJob(word string, jobs []*Job) string {
	var known []string
	for _, j := range jobs {
		known = append(known, j.Name, j.Workflow, j.Ref().String())
	}
	if near := Nearest(strings.Trim(word, "*?"), known); near != "" {
		return "; did you mean " + near + "?"
	}
	return ""
}

// widenJobs adds the jobs that the chosen ones depend on, up to so many hops away, and those that depend on them.
func widenJobs(jobs []*Job, chosen map[*Job]bool, up, down int) {
	byRef := make(map[JobRef]*Job, len(jobs))
	dependents := map[JobRef][]*Job{}
	for _, j := range jobs {
		byRef[j.Ref()] = j
		for n := range j.DependsOn {
			dependents[j.DependsOn[n].Job] = append(dependents[j.DependsOn[n].Job], j)
		}
	}
	upstreams := func(j *Job) (list []*Job) {
		for n := range j.DependsOn {
			if u := byRef[j.DependsOn[n].Job]; u != nil {
				list = append(list, u)
			}
		}
		return list
	}
	downstreams := func(j *Job) []*Job { return dependents[j.Ref()] }
	var begin []*Job
	for j := range chosen {
		begin = append(begin, j)
	}
	for _, way := range []struct {
		hops int
		next func(*Job) []*Job
	}{{up, upstreams}, {down, downstreams}} {
		seen, edge := map[*Job]bool{}, slices.Clone(begin)
		for hop := 0; hop < way.hops && len(edge) > 0; hop++ {
			var further []*Job
			for _, j := range edge {
				for _, next := range way.next(j) {
					if !seen[next] {
						seen[next], chosen[next] = true, true
						further = append(further, next)
					}
				}
			}
			edge = further
		}
	}
}
