package engine

import (
	"time"
)

// SQL runs one statement on a database and ends when the server has. Args are bound by the driver and never become part of the statement.
type SQL struct {
	Connection Text // what a secret holds: postgres://, mysql:// or sqlite:PATH, the path below the workflow's folder
	Statement  Text // into which nothing but times and ids are put
	Args       []Text
}

// A Probe is what a step of type wait looks at every Interval, until it is so: exactly one of HTTP, File and SQL. The action's timeout bounds the whole.
type Probe struct {
	Interval time.Duration
	HTTP     *HTTP // answers with a status that is success
	File     *FileProbe
	SQL      *SQL // its first row's first column is neither NULL, nor 0, nor false, nor empty
}

// FileProbe is a file that must be there.
type FileProbe struct {
	Path    Text          // below the workflow's folder
	MinAge  time.Duration // not written to for so long
	MinSize int64         // bytes
}

// Call starts a manual instance of another job.
type Call struct {
	Job      JobRef
	PlanTime Text // RFC 3339; "" is the plan time of the caller
	Params   map[string]Text
	Wait     bool // the step ends when the instance does, and as it does
}

// Slotless reports that the action holds no slot: it is a row between two looks at it.
func (a *Action) Slotless() bool { return a.Type == ActionWait || a.Type == ActionJob }

// slotlessBegin reports that the job's instances begin without a slot: whatever they do first holds none.
func (j *Job) slotlessBegin() bool {
	for i := range j.Steps {
		if a := &j.Steps[i].Action; len(j.Steps[i].Needs) == 0 && !a.Slotless() {
			return false
		}
	}
	return true
}
