package engine

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"
)

// A JobChange is what becomes of the definition of a job.
type JobChange struct {
	Ref     JobRef
	Change  Change
	Members []string // of a changed job: the members of its definition that are not as they were, by name
	AtOnce  bool     // of an added job: it is due as soon as it is loaded, since no startTime is to come
}

// Change is what becomes of a job.
type Change string

// The changes. A job that is enabled or disabled may have changed otherwise as well: its members say so.
const (
	JobAdded    Change = "added"
	JobRemoved  Change = "removed"
	JobChanged  Change = "changed"
	JobDisabled Change = "disabled"
	JobEnabled  Change = "enabled"
)

// DiffJobs compares two sets of definitions, each of which has a job once, by workflow and job, as of
// the time at which the later ones would be loaded.
func DiffJobs(before, after []*Job, now time.Time) []JobChange {
	var changes []JobChange
	old, fresh := jobsByRef(before), jobsByRef(after)
	for ref, was := range old {
		is := fresh[ref]
		switch {
		case is == nil:
			changes = append(changes, JobChange{Ref: ref, Change: JobRemoved})
		case was.Disabled != is.Disabled:
			change := JobEnabled
			if is.Disabled {
				change = JobDisabled
			}
			changes = append(changes, JobChange{Ref: ref, Change: change, Members: changedMembers(was, is)})
		case !SameJob(was, is):
			changes = append(changes, JobChange{Ref: ref, Change: JobChanged, Members: changedMembers(was, is)})
		}
	}
	for ref, is := range fresh {
		if old[ref] == nil {
			changes = append(changes, JobChange{Ref: ref, Change: JobAdded, AtOnce: is.When.ImmediateAt(now) && !is.Disabled})
		}
	}
	slices.SortFunc(changes, func(a, b JobChange) int { return compareRefs(a.Ref, b.Ref) })
	return changes
}

func jobsByRef(jobs []*Job) map[JobRef]*Job {
	m := make(map[JobRef]*Job, len(jobs))
	for _, j := range jobs {
		m[j.Ref()] = j
	}
	return m
}

// changedMembers lists what differs between two definitions of a job; `folder` stands for where the definition was loaded from.
func changedMembers(a, b *Job) []string {
	was, is := membersOf(a), membersOf(b)
	var names []string
	for name, value := range was {
		if !bytes.Equal(value, is[name]) {
			names = append(names, name)
		}
	}
	for name := range is {
		if _, known := was[name]; !known {
			names = append(names, name)
		}
	}
	if a.Folder != b.Folder {
		names = append(names, "folder")
	}
	slices.Sort(names)
	return names
}

// membersOf takes a definition apart: the members of the job, and of the document around it those that are not its name.
func membersOf(j *Job) map[string]json.RawMessage {
	document, jobs, job := map[string]json.RawMessage{}, map[string]json.RawMessage{}, map[string]json.RawMessage{}
	// A definition that is no such document is compared as a whole.
	if json.Unmarshal(j.Definition, &document) != nil || json.Unmarshal(document["jobs"], &jobs) != nil || json.Unmarshal(jobs[j.Name], &job) != nil {
		return map[string]json.RawMessage{"definition": j.Definition}
	}
	delete(document, "jobs")
	delete(document, "workflow")
	maps.Copy(job, document)
	return job
}

// A Fingerprint stands for a set of definitions: it differs when one of them does. It is the SHA-256, in hexadecimal digits.
type Fingerprint string

// FingerprintJobs is the fingerprint of definitions, whatever their order.
func FingerprintJobs(jobs []*Job) Fingerprint {
	sorted := slices.SortedFunc(slices.Values(jobs), func(a, b *Job) int { return compareRefs(a.Ref(), b.Ref()) })
	h := sha256.New()
	for _, j := range sorted {
		fmt.Fprintf(h, "%q %q %t %d %q\n", j.Workflow, j.Name, j.Disabled, len(j.Definition), j.Folder)
		h.Write(j.Definition)
	}
	return Fingerprint(hex.EncodeToString(h.Sum(nil)))
}

// FingerprintRows is the fingerprint of what is loaded of a folder, by the rows of all jobs in their order: jobs that are removed, and those that no
// folder made, are no part of it.
func FingerprintRows(rows []JobRow) Fingerprint {
	h := sha256.New()
	for i := range rows {
		if r := &rows[i]; !r.Removed && r.Source == "" {
			fmt.Fprintf(h, "%q %q %d %t\n", r.Ref.Workflow, r.Ref.Job, r.Version, r.Disabled)
		}
	}
	return Fingerprint(hex.EncodeToString(h.Sum(nil)))
}
