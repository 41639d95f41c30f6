package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// A kind is a sort of job of the tortured folder, and what may become of its instances.
type kind struct {
	name string
	body string // YAML of the job, below its name; %[1]d is the number of the family, %[2]s the address of the sink
	ends []string
	// offset moves the plan times within the period, so that not everything is due in one second. Who waits for one another has the same.
	offset int
}

const (
	workflowName = "torture"
	editedName   = "edited"
	period       = 4 // seconds between two plan times of a job
	witnessFile  = "witness"

	// What writes a witness line: documented with chronocheck.
	witnessing = `w() { echo "$1 $ALMANAC_INSTANCE $ALMANAC_ATTEMPT ${W_STEP:-${ALMANAC_STEP:--}} $ALMANAC_FENCE $2 $(date +%s%N)" >> ../witness; }`
)

// shell is a shell action that witnesses its beginning and its end.
func shell(work string, exit string) string {
	return fmt.Sprintf(`{type: shell, command: '%s; w begin -; %s; w end %s; exit %s'}`, witnessing, work, exit, exit)
}

const marks = `for i in 1 2 3; do echo "almanac-mark $ALMANAC_INSTANCE $ALMANAC_ATTEMPT ${ALMANAC_STEP:--} $i"; done; w log 3`

// same waits for the job's instance of the same plan time.
func same(job, more string) string {
	return fmt.Sprintf("dependsOn: [{job: %s-%%[1]d, %swindow: {from: PT0S, to: PT0S, closed: both}}]", job, more)
}

// kinds is one family of jobs. Together they are about 14 × 60 ÷ period instances a minute.
var kinds = []kind{
	{name: "load", ends: []string{"succeeded"}, body: "concurrency: 8\naction: " + shell(marks+"; sleep 0.4", "0")},
	{name: "check", ends: []string{"failed"}, body: same("load", "") + "\nconcurrency: 8\naction: " + shell("sleep 0.1", "3") +
		"\nerrorAction: {type: shell, command: 'W_STEP=!error; " + witnessing + "; w begin -; w end 0'}"},
	{name: "publish", ends: []string{"succeeded"}, body: same("check", "onFailed: run, ") + "\nconcurrency: 8\nsteps:\n" +
		"  first: " + shell("sleep 0.05", "0") + "\n  middle: {type: none, needs: [first]}\n" +
		"  second: " + strings.Replace(shell("sleep 0.05", "0"), "{", "{needs: [middle], ", 1) + "\n" +
		"  third: " + strings.Replace(shell("sleep 0.3", "0"), "{", "{needs: [first], ", 1)},
	{name: "join", ends: []string{"succeeded"}, body: same("publish", "") + "\nconcurrency: 8\naction: {type: none}"},
	{name: "flaky", offset: 1, ends: []string{"succeeded", "failed"}, body: "concurrency: 4\nretryPolicy: {retryType: fixed, retryInterval: PT1S, retryCount: 6}\naction: " +
		shell("sleep 0.1", "$(( ALMANAC_ATTEMPT % 2 ))")},
	{name: "hold", offset: 1, ends: []string{"succeeded", "cancelled"}, body: "concurrency: 4\nonLost: hold\naction: " + shell("sleep 2.5", "0")},
	{name: "pooled", offset: 2, ends: []string{"succeeded"}, body: "concurrency: 4\npool: narrow\nslots: 1\naction: " + shell("sleep 0.3", "0")},
	{name: "shared", offset: 2, ends: []string{"succeeded"}, body: "concurrency: 4\npool: narrow\nslots: 1\npriority: 7\naction: " + shell("sleep 0.2", "0")},
	{name: "web", offset: 3, ends: []string{"succeeded"}, body: "concurrency: 8\nretryPolicy: {retryType: fixed, retryInterval: PT1S, retryCount: 20}\n" +
		"action: {type: http, request: {method: POST, uri: '%[2]s/web'}}"},
	{name: "pay", offset: 1, ends: []string{"succeeded", "cancelled"}, body: "concurrency: 8\nonLost: hold\ntimeout: PT2S\n" +
		"retryPolicy: {retryType: fixed, retryInterval: PT1S, retryCount: 20}\naction: {type: http, request: {method: POST, uri: '%[2]s/pay', body: x}}"},
	{name: "stray", offset: 3, ends: []string{"succeeded"}, body: "concurrency: 4\naction: " + shell("(setsid sh -c \"sleep 300\" &) ; sleep 300 & sleep 0.1", "0")},
	{name: "single", offset: 2, ends: []string{"succeeded", "cancelled"}, body: "overlap: skip\naction: " + shell("sleep 3", "0")},
	{name: "slow", offset: 1, ends: []string{"failed"}, body: "concurrency: 4\ntimeout: PT1S\naction: " + shell("sleep 300", "0")},
	{name: "self", offset: 3, ends: []string{"succeeded"}, body: "selfDependency: true\nconcurrency: 4\naction: " + shell("sleep 0.05", "0")},
}

// manualJob is what is triggered by hand, and cancelled now and then.
const manualJob = "by-hand"

// A folder is the generated workflows and what they must come to.
type folder struct {
	path     string
	begin    time.Time // of the plan, a whole second
	seconds  int       // that the plan lasts
	families int
	sink     string
	expected map[string][]time.Time // plan times by workflow/job
	ends     map[string][]string    // states that are right, by workflow/job
	edits    int
}

// writeFolder generates the jobs of so many families, due each period from begin on for so many seconds.
func writeFolder(path string, begin time.Time, seconds, families int, sink string) (*folder, error) {
	f := &folder{path: path, begin: begin, seconds: seconds, families: families, sink: sink, expected: map[string][]time.Time{}, ends: map[string][]string{}}
	if err := os.MkdirAll(path, 0o700); err != nil {
		return nil, err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "workflow: %s\njobs:\n", workflowName)
	for n := range families {
		for _, k := range kinds {
			job := fmt.Sprintf("%s-%d", k.name, n)
			at := f.due(workflowName+"/"+job, k.offset, k.ends)
			fmt.Fprintf(&b, "  %s:\n    at: [%s]\n", job, at)
			// A verb that the body does not use would be printed as an error.
			body := strings.NewReplacer("%[1]d", fmt.Sprint(n), "%[2]s", sink).Replace(k.body)
			b.WriteString("    " + strings.ReplaceAll(body, "\n", "\n    ") + "\n")
		}
	}
	fmt.Fprintf(&b, "  %s:\n    trigger: manual\n    concurrency: 8\n    action: %s\n", manualJob, shell("sleep 0.7", "0"))
	if err := os.WriteFile(filepath.Join(path, "torture.yaml"), []byte(b.String()), 0o600); err != nil {
		return nil, err
	}
	return f, f.edit()
}

// due notes the plan times of a job and returns them as a YAML list.
func (f *folder) due(ref string, offset int, ends []string) string {
	var list []string
	f.expected[ref], f.ends[ref] = nil, ends
	for s := offset; s < f.seconds; s += period {
		at := f.begin.Add(time.Duration(s) * time.Second)
		f.expected[ref] = append(f.expected[ref], at)
		list = append(list, `"`+at.Format(time.RFC3339)+`"`)
	}
	return strings.Join(list, ", ")
}

// edit changes the definition of one job and what waits for it, and nothing of its schedule.
func (f *folder) edit() error {
	f.edits++
	text := fmt.Sprintf("workflow: %s\njobs:\n  first:\n    concurrency: 4\n    env: {EDIT: \"%d\"}\n    at: [%s]\n    action: %s\n  second:\n    concurrency: 4\n    at: [%s]\n    "+
		"dependsOn: [{job: first, window: {from: -PT4S, to: PT0S, closed: both}}]\n    action: %s\n",
		editedName, f.edits, f.due(editedName+"/first", 0, []string{"succeeded"}), shell("sleep 0.1", "0"),
		f.due(editedName+"/second", 0, []string{"succeeded"}), shell("sleep 0.05", "0"))
	next := filepath.Join(f.path, "edited.next")
	if err := os.WriteFile(next, []byte(text), 0o600); err != nil {
		return err
	}
	return os.Rename(next, filepath.Join(f.path, "edited.yaml"))
}

// end is when the last instance is due.
func (f *folder) end() time.Time { return f.begin.Add(time.Duration(f.seconds) * time.Second) }

// instances is how many are planned.
func (f *folder) instances() (n int) {
	for _, times := range f.expected {
		n += len(times)
	}
	return n
}
