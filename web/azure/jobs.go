package azure

import (
	"net/http"
	"strings"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/engine/azure"
)

func equal(a, b string) bool { return strings.EqualFold(a, b) }

// usualJobs is how many jobs a page has without $top.
const usualJobs = 100

func (f *Face) listJobs(q *request) (int, any, error) {
	w, err := q.window(usualJobs)
	if err != nil {
		return 0, nil, err
	}
	state, err := q.filter("state", azure.StateEnabled, azure.StateDisabled, azure.StateCompleted, azure.StateFaulted)
	if err != nil {
		return 0, nil, err
	}
	var answer page
	err = f.read(q, func(v View) error {
		c, err := f.find(v, q.place)
		if err != nil {
			return err
		}
		found := chosen{want: w.skip + w.top + 1, skip: w.skip, state: state}
		if err := f.eachJob(v, c, q, func(read func() (*job, error)) (bool, error) { return found.add(v, read) }); err != nil {
			return err
		}
		answer = cut(q, w, found.list)
		return nil
	})
	return http.StatusOK, answer, err
}

// chosen collects the jobs of a page and one more. Those before the page are read only where the filter asks for their states.
type chosen struct {
	want, skip int
	state      string
	list       []*azure.Job
}

// add takes a job in, and reports whether more are wanted.
func (x *chosen) add(v View, read func() (*job, error)) (bool, error) {
	if x.state == "" && (len(x.list) < x.skip || len(x.list) == x.want-1) {
		x.list = append(x.list, nil)
		return len(x.list) < x.want, nil
	}
	j, err := read()
	if err != nil {
		return false, err
	}
	if err := j.show(v); err != nil {
		return false, err
	}
	if x.state == "" || j.Properties.State == x.state {
		x.list = append(x.list, j.entity())
	}
	return len(x.list) < x.want, nil
}

// eachJob hands the jobs of a collection over by name, until no more are wanted.
func (f *Face) eachJob(v View, c *collection, q *request, each func(read func() (*job, error)) (more bool, err error)) error {
	if c.folder {
		rows, err := f.folderJobs(v, c)
		if err != nil {
			return err
		}
		for _, row := range sortedByName(rows) {
			if more, err := each(func() (*job, error) { return f.folderJob(v, c, row.Ref, q.now) }); err != nil || !more {
				return err
			}
		}
		return nil
	}
	rows, err := all(v, kindJob, c.key()+"/")
	if err != nil {
		return err
	}
	for _, row := range rows {
		if more, err := each(func() (*job, error) { return decodeJob(v, c, row) }); err != nil || !more {
			return err
		}
	}
	return nil
}

func (f *Face) getJob(q *request) (int, any, error) {
	var j *job
	err := f.read(q, func(v View) error {
		c, err := f.find(v, q.place)
		if err != nil {
			return err
		}
		if j, err = f.jobOf(v, c, q.Job, q.now); err != nil {
			return err
		}
		return j.show(v)
	})
	if err != nil {
		return 0, nil, err
	}
	return http.StatusOK, j.entity(), nil
}

// runJob makes one occurrence more, now; the schedule is untouched.
func (f *Face) runJob(q *request) (int, any, error) {
	var ref engine.JobRef
	err := f.read(q, func(v View) error {
		c, err := f.find(v, q.place)
		if err != nil {
			return err
		}
		j, err := f.jobOf(v, c, q.Job, q.now)
		if err != nil {
			return err
		}
		ref = j.Ref
		if c.folder {
			return nil
		}
		if err := j.refuseFinal(v); err != nil {
			return err
		}
		if j.jobRow.Disabled {
			return refuse(codeConflict, "The job '%s' cannot be run: it, or its job collection, is disabled.", j.Job)
		}
		return nil
	})
	if err != nil {
		return 0, nil, err
	}
	_, _, err = f.Control.Trigger(q.Context(), engine.TriggerRequest{Ref: ref, Actor: q.actor}, q.now)
	return http.StatusOK, nil, err
}

func (f *Face) deleteJob(q *request) (int, any, error) {
	err := f.edit(q.Context(), q.actor, q.now, func(e *engine.Edit) error {
		c, err := f.change(e.Tx(), q.place)
		if err != nil {
			return err
		}
		j, err := f.jobOf(e.Tx(), c, q.Job, q.now)
		if err != nil {
			return err
		}
		return j.remove(e)
	})
	return http.StatusOK, nil, err
}

// remove takes the job out of the definitions, and its resource away.
func (j *job) remove(e *engine.Edit) error {
	if err := e.Remove(j.Ref); err != nil {
		return err
	}
	_, err := e.Tx().DeleteResource(kindJob, j.row.Key)
	return err
}
