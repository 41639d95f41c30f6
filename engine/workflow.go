package engine

import (
	"time"

	"github.com/almanac-sched/almanac/deps"
	"github.com/almanac-sched/almanac/recurrence"
)

// A Workflow is a set of jobs that belong together: one file, or one job collection of Azure Scheduler.
// It is immutable once loaded.
type Workflow struct {
	Name        string
	Description string
	Location    *time.Location // natural days are counted here unless a job says otherwise
	Policy      deps.Policy
	Disabled    bool // none of its jobs is planned or released
	Quota       Quota
	Jobs        []*Job // sorted by name

	File   string // as given to the loader, for messages
	Folder string // absolute folder of the file: where scripts and relative working directories start
}

// Job returns the job of that name, or nil.
func (w *Workflow) Job(name string) *Job {
	for _, j := range w.Jobs {
		if j.Name == name {
			return j
		}
	}
	return nil
}

// Quota limits what a workflow may hold (`definition.md`, Workflow).
type Quota struct {
	MaxJobs      int                  // 0 means the default, 10,000
	MaxFrequency recurrence.Frequency // zero: no limit on recurrence
	MaxInterval  int
}

// A Param is a typed value that a trigger may give and a substitution may read.
type Param struct {
	Name     string
	Type     string // string, integer, number, boolean, date, datetime, enum, list
	Default  *string
	Required bool
	Enum     []string

	Description string
	Min, Max    *float64 // of an integer or a number; of a string's length in characters; of a list's length
	Pattern     string   // that a string, or each item of a list, matches as a whole
	Secret      bool     // not shown by the API or in a log
}

// A SecretSource says where a secret comes from; the value itself is never part of a definition.
type SecretSource struct {
	Env  string // name of an environment variable of the server
	File string // path of a file whose content, less one trailing newline, is the value

	// Resource is where the maker of the definition keeps the value: the kind and the key of a resource and, after #, a name within it. No file says so.
	Resource string
}
