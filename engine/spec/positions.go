package spec

import (
	"runtime"
	"sync"
	"weak"

	"github.com/almanac-sched/almanac/engine"
)

// mark is a place in a file.
type mark struct{ line, column int }

// jobMarks are the places that the lint between jobs reports at; engine values hold none.
type jobMarks struct {
	job       mark
	when      mark   // of recurrence, cron, at, startTime, else of the job
	notify    mark   // of notify, else of the job
	dependsOn []mark // by the ordinal of the dependency
	scripts   []scriptMark
	secrets   map[string]mark // by name
	faults    jobFaults
}

// scriptMark is a script that a job runs, and where that is said.
type scriptMark struct {
	script  string
	command bool // a command that begins with the path, which a shell looks up
	mark
}

// jobFaults is what of a job of a damaged file cannot be relied on.
type jobFaults struct {
	job       bool         // the job has a mistake
	when      bool         // it is not known when it is due
	dependsOn map[int]bool // by ordinal: the dependency is not known but for the job that it names
}

// places keeps the marks of every decoded workflow as long as something holds the workflow.
var places = struct {
	sync.Mutex
	of map[weak.Pointer[engine.Workflow]]map[string]jobMarks
}{of: map[weak.Pointer[engine.Workflow]]map[string]jobMarks{}}

func remember(w *engine.Workflow, marks map[string]jobMarks) {
	key := weak.Make(w)
	places.Lock()
	places.of[key] = marks
	places.Unlock()
	runtime.AddCleanup(w, func(key weak.Pointer[engine.Workflow]) {
		places.Lock()
		delete(places.of, key)
		places.Unlock()
	}, key)
}

// marksOf returns the places of a workflow's jobs; none for a workflow that was not decoded from a file.
func marksOf(w *engine.Workflow) map[string]jobMarks {
	places.Lock()
	defer places.Unlock()
	return places.of[weak.Make(w)]
}

func (v *value) mark() mark {
	line, column := v.position()
	return mark{line, column}
}
