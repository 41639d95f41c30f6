package azure

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/engine/azure"
	"github.com/almanac-sched/almanac/recurrence"
)

// A folderIndex finds the workflows of the folder by name. It is made anew when definitions have changed.
type folderIndex struct {
	mu       sync.Mutex
	revision int64
	folder   *folder
}

// A folder is its workflows by name, in lower case and in order.
type folder struct{ workflows []*workflow }

// A workflow of the folder with its jobs by name.
type workflow struct {
	name string
	jobs []engine.JobRow
}

func (x *folderIndex) at(v engine.View) (*folder, error) {
	revision, err := v.Revision()
	if err != nil {
		return nil, fmt.Errorf("read the revision of the definitions: %w", err)
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.folder != nil && x.revision == revision {
		return x.folder, nil
	}
	rows, err := v.Jobs()
	if err != nil {
		return nil, fmt.Errorf("list jobs: %w", err)
	}
	fresh := new(folder)
	for _, row := range rows { // by workflow and name
		if row.Source != "" || row.Removed {
			continue
		}
		n := len(fresh.workflows)
		if n == 0 || fresh.workflows[n-1].name != row.Ref.Workflow {
			fresh.workflows = append(fresh.workflows, &workflow{name: row.Ref.Workflow})
			n++
		}
		fresh.workflows[n-1].jobs = append(fresh.workflows[n-1].jobs, row)
	}
	x.revision, x.folder = revision, fresh
	return fresh, nil
}

// workflow returns the workflow of a name in any case, nil when there is none.
func (x *folder) workflow(name string) *workflow {
	for _, w := range x.workflows {
		if strings.EqualFold(w.name, name) {
			return w
		}
	}
	return nil
}

// RefuseWorkflows refuses a folder whose workflows have the names of collections that were made here, in any case: the two would be one collection, and
// the jobs of the file would hide behind those of the other. It is of kind engine.ErrConflict, names them all, and says what can be done. It is for the
// transaction in which the folder is loaded; the other way round, the name of a workflow of the folder is refused when a collection is put.
func RefuseWorkflows(v engine.View, workflows []*engine.Workflow) error {
	rows, err := all(v, kindCollection, "")
	if err != nil {
		return err
	}
	made := map[string]*collection{}
	for _, row := range rows {
		c, err := decodeCollection(row)
		if err != nil {
			return err
		}
		made[strings.ToLower(c.Workflow)] = c
	}
	var refused []error
	for _, w := range workflows {
		if c := made[strings.ToLower(w.Name)]; c != nil {
			refused = append(refused, fmt.Errorf("%w: the workflow %s has the name of the job collection %s, which a client of Azure Scheduler has made; delete the collection there, or give the workflow another name",
				engine.ErrConflict, w.Name, c.id()))
		}
	}
	return errors.Join(refused...)
}

// mostOfFolder is the quota of a workflow of the folder.
const mostOfFolder = 10_000

// ofFolder is a workflow of the folder as a collection.
func (f *Face) ofFolder(w *workflow) *collection {
	c := &collection{place: place{f.Subscription, f.Group, w.name, ""}, Workflow: w.name, folder: true}
	state := azure.CollectionDisabled
	for _, row := range w.jobs {
		if !row.Disabled {
			state = azure.CollectionEnabled
		}
	}
	c.Entity = &azure.Collection{Location: "almanac", Properties: &azure.CollectionProperties{
		SKU: &azure.SKU{Name: azure.PlanStandard}, State: state,
		Quota: &azure.Quota{MaxJobCount: mostOfFolder, MaxRecurrence: &azure.MaxRecurrence{Frequency: "minute", Interval: 1}},
	}}
	c.describe()
	return c
}

// folderJob reads a job of the folder: what of it Azure Scheduler has words for.
func (f *Face) folderJob(v engine.View, c *collection, ref engine.JobRef, now time.Time) (*job, error) {
	row, err := v.JobByRef(ref) // the index does not know how far it is planned
	if err != nil {
		return nil, fmt.Errorf("read the job %s: %w", ref, err)
	}
	version, err := v.Version(row.Version)
	if err != nil {
		return nil, fmt.Errorf("read the version of %s: %w", row.Ref, err)
	}
	p := c.place
	p.Job = row.Ref.Job
	j := &job{place: p, Ref: ref, jobRow: row, Properties: &azure.Properties{State: azure.StateEnabled}, when: recurrence.When{Manual: true}}
	if row.Disabled {
		j.Properties.State = azure.StateDisabled
	}
	definition, err := f.Decode(version.Definition, version.Folder)
	if err != nil {
		return j, nil //nolint:nilerr // written by another version of the program: what is known is its name and its state
	}
	j.when = definition.When
	if exported := azure.Export(definition, now); exported.Properties != nil {
		exported.Properties.State = j.Properties.State
		j.Properties = exported.Properties
	}
	return j, nil
}

// folderJobs lists the jobs of a collection of the folder.
func (f *Face) folderJobs(v engine.View, c *collection) ([]engine.JobRow, error) {
	index, err := f.folder.at(v)
	if err != nil {
		return nil, err
	}
	if w := index.workflow(c.Collection); w != nil {
		return w.jobs, nil
	}
	return nil, nil
}

// sortedByName orders jobs as the service lists them: without regard to case.
func sortedByName(rows []engine.JobRow) []engine.JobRow {
	return slices.SortedStableFunc(slices.Values(rows), func(a, b engine.JobRow) int {
		return strings.Compare(strings.ToLower(a.Ref.Job), strings.ToLower(b.Ref.Job))
	})
}
