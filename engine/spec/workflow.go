package spec

import (
	"fmt"
	"io/fs"
	"path"
	"strings"
	"time"

	yaml "go.yaml.in/yaml/v4"
	"golang.org/x/text/unicode/norm"

	"github.com/almanac-sched/almanac/deps"
	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/recurrence"
)

// Options are what a file does not say about itself.
type Options struct {
	Folder string // of the file: Workflow.Folder and Job.Folder
	Files  fs.FS  // where `ical:` files are read from; nil refuses them
	Dir    string // the file's folder inside Files, "." or "" for its root

	// Made says that no person wrote the text: it is a definition of the program's own, which may say where else secrets are kept, and may have the name
	// of a workflow that no file can have, such as orders~1f2e3d4c.
	Made bool
}

// defaultMaxJobs is the quota of a workflow that states none.
const defaultMaxJobs = 10_000

// anchor is the fixed creation time by which schedules are judged while loading: a Monday, so that a folder that loads today loads
// tomorrow.
var anchor = time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)

// Decode reads one file: its syntax, its shape and everything that can be judged without the other files. The workflow is nil when there is an
// error. file is its name in messages, and gives the workflow's name where the file states none.
func Decode(file string, data []byte, opts Options) (*engine.Workflow, Problems) {
	w, _, problems := decodeFile(file, data, opts)
	return w, problems
}

// A damagedFile is what can be known of a file with a mistake in it, so that its other mistakes, and those of the other files, are
// found all the same. Its workflow holds every job that could be read; the marks say which of them has a
// mistake, and what of it cannot be relied on.
type damagedFile struct {
	workflow *engine.Workflow
	named    map[string]bool // all the jobs that the file has, with those that have a mistake; nil when they are not known
}

// decodeFile is Decode, and with an error what can be known of the file; nil where not even the name of the workflow is.
func decodeFile(file string, data []byte, opts Options) (*engine.Workflow, *damagedFile, Problems) {
	d := &decoder{file: file, opts: opts}
	root := parseDocument(data, func(line, column int, message, hint string) {
		d.problems = append(d.problems, Problem{File: file, Line: line, Column: column, Message: message, Hint: hint})
	})
	if root == nil || d.problems.HasErrors() {
		return nil, nil, d.problems.sorted()
	}
	d.decode(root)
	problems := d.problems.sorted()
	remember(d.workflow, d.marks)
	if problems.HasErrors() {
		return nil, &damagedFile{d.workflow, d.named}, problems
	}
	return d.workflow, nil, problems
}

// DecodeJob reads Job.Definition back. Folder is where the definition was loaded from.
func DecodeJob(definition []byte, folder string) (*engine.Job, error) {
	w, problems := Decode("definition", definition, Options{Folder: folder, Made: true})
	if err := problems.Err(); err != nil {
		return nil, fmt.Errorf("decode the definition of a job: %w", err)
	}
	if len(w.Jobs) != 1 {
		return nil, fmt.Errorf("decode the definition of a job: it holds %d jobs", len(w.Jobs))
	}
	return w.Jobs[0], nil
}

// decoder makes one workflow of one file.
type decoder struct {
	file      string
	opts      Options
	problems  Problems
	workflow  *engine.Workflow
	calendars map[string]*calendar
	defaults  *value
	env       *value
	params    *value
	secrets   *value
	told      *value        // whom jobs tell that do not say
	quota     time.Duration // shortest gap between two occurrences that the quota allows; 0 is no quota
	marks     map[string]jobMarks
	named     map[string]bool // the jobs of the file; nil when they are not known
}

func (d *decoder) add(severity Severity, line, column int, message, hint string) {
	d.problems = append(d.problems, Problem{File: d.file, Line: line, Column: column, Severity: severity, Message: message, Hint: hint})
}

// fail reports an error at a value.
func (d *decoder) fail(v *value, hint, format string, args ...any) {
	line, column := v.position()
	d.add(Error, line, column, fmt.Sprintf(format, args...), hint)
	v.bad = true
}

func (d *decoder) warn(v *value, kind Kind, hint, format string, args ...any) {
	line, column := v.position()
	d.add(Warning, line, column, fmt.Sprintf(format, args...), hint)
	d.problems[len(d.problems)-1].Kind = kind
}

func (d *decoder) decode(node *yaml.Node) {
	r := reader{made: d.opts.Made, report: func(n *yaml.Node, severity Severity, message, hint string) {
		d.add(severity, n.Line, n.Column, message, hint)
	}}
	root := r.readObject(node, workflowShape, object(workflowShape), "the file", false)
	w := &engine.Workflow{File: d.file, Folder: d.opts.Folder, Location: time.UTC, Description: root.field("description").str()}
	d.workflow = w
	w.Name = d.name(root)
	if zone := root.field("timeZone"); zone.ok() {
		w.Location = d.zone(zone)
	}
	if root.field("policy").str() == deps.Traditional.String() {
		w.Policy = deps.Traditional
	}
	w.Disabled = root.field("state").str() == "disabled"
	d.readQuota(root.field("quota"))
	d.readCalendars(root.field("calendars"))
	d.defaults, d.env, d.params, d.secrets = root.field("defaults"), root.field("env"), root.field("params"), root.field("secrets")
	d.told = root.field("notify")
	d.checkShared()

	jobs := root.field("jobs")
	if jobs == nil || jobs.fields == nil {
		return
	}
	most := w.Quota.MaxJobs
	if most == 0 {
		most = defaultMaxJobs
	}
	if len(jobs.order) > most {
		d.fail(jobs, "raise quota: {maxJobs: ...} or split the workflow", "the workflow holds %d jobs; its quota allows %d", len(jobs.order), most)
	}
	d.marks = make(map[string]jobMarks, len(jobs.order))
	if !jobs.bad {
		d.named = make(map[string]bool, len(jobs.order))
	}
	for _, name := range sortedKeys(jobs.fields) {
		if d.named != nil {
			d.named[name] = true
		}
		if own := jobs.fields[name]; own.fields != nil {
			w.Jobs = append(w.Jobs, d.job(name, own))
		}
	}
}

// name is the workflow's own, or the file's.
func (d *decoder) name(root *value) string {
	own := root.field("workflow")
	if own.ok() {
		return own.text
	}
	base := path.Base(strings.ReplaceAll(d.file, "\\", "/"))
	name := norm.NFC.String(strings.TrimSuffix(base, path.Ext(base)))
	if own == nil && !matches(namePattern, name) {
		d.add(Error, root.node.Line, root.node.Column, fmt.Sprintf("the file's name %q is no workflow name: %s", name, nameType.what), "write workflow: NAME")
	}
	return name
}

func (d *decoder) zone(v *value) *time.Location {
	loc, err := loadZone(v.text)
	if err != nil {
		d.fail(v, "", "%s is %s; allowed is %s", v.name, err, zoneType.what)
		return time.UTC
	}
	return loc
}

func (d *decoder) readQuota(v *value) {
	q := &d.workflow.Quota
	q.MaxJobs = v.field("maxJobs").integer(0)
	most := v.field("maxRecurrence")
	if !most.ok() {
		return
	}
	f, err := recurrence.ParseFrequency(most.field("frequency").str())
	if err != nil {
		d.fail(most, "", "quota: %s", err)
		return
	}
	q.MaxFrequency, q.MaxInterval = f, most.field("interval").integer(1)
	d.quota = shortestGap(f, q.MaxInterval)
}

// shortestGap is the least real time between two occurrences that recur every n units: a month may have 28 days, and a day on which clocks
// go forward loses up to three hours.
func shortestGap(f recurrence.Frequency, n int) time.Duration {
	const day = 24 * time.Hour
	gap := time.Duration(n)
	switch f {
	case recurrence.Minute:
		return gap * time.Minute
	case recurrence.Hour:
		return gap * time.Hour
	case recurrence.Day:
		return gap*day - 3*time.Hour
	case recurrence.Week:
		return gap*7*day - 3*time.Hour
	case recurrence.Month:
		return gap*28*day - 3*time.Hour
	default:
		return gap*365*day - 3*time.Hour
	}
}

// checkShared reports what no job may happen to use, so that a mistake in it is not silent.
func (d *decoder) checkShared() {
	for _, name := range sortedKeys(fieldsOf(d.params)) {
		d.param(name, d.params.fields[name])
	}
	for _, name := range sortedKeys(fieldsOf(d.secrets)) {
		d.secret(d.secrets.fields[name])
	}
}

func fieldsOf(v *value) map[string]*value {
	if v == nil {
		return nil
	}
	return v.fields
}
