package web

import (
	"context"
	"fmt"
	"io/fs"
	"net/http"
	"strings"
	"time"

	"github.com/almanac-sched/almanac/engine"
)

// DefinitionControl compares definitions with what is loaded, and loads them as reviewed. *engine.Engine is one.
type DefinitionControl interface {
	DiffLoaded(ctx context.Context, workflows []*engine.Workflow, from, to time.Time, dropDue bool, now time.Time) (engine.LoadedDiff, error)
	// Definition is a job as of a version; ErrInvalid when its definition cannot be read.
	Definition(v engine.View, version int64) (*engine.Job, error)
	// FolderWorkflows is what is loaded of folders.
	FolderWorkflows(ctx context.Context) ([]*engine.Workflow, error)
	Apply(ctx context.Context, workflows []*engine.Workflow, review engine.Review, now time.Time) (engine.LoadReport, error)
}

// A DefinitionFile is a file of a folder of definitions: a workflow, or a calendar that one names.
type DefinitionFile struct {
	Name string `json:"name" minLength:"1" maxLength:"1024" doc:"Its path below the folder, with slashes" example:"retail.yaml"`
	Text string `json:"text" doc:"What is in it"`
}

// Definitions are what a request compares or loads.
type Definitions struct {
	Files  []DefinitionFile `json:"files,omitempty" maxItems:"10000" doc:"The files of a folder; without them the server reads its own folder again"`
	Folder string           `json:"folder,omitempty" maxLength:"4096" doc:"Where the folder stands on the server: scripts and working directories start there. The default is the server's own folder"`
	Keep   bool             `json:"keep,omitempty" doc:"Workflows that no file has stay as they are loaded; otherwise the files are everything, and other jobs of folders are removed"`
}

// A DefinitionSource is what workflows are read of.
type DefinitionSource struct {
	Definitions
	Beside []*engine.Workflow // with Keep: what is loaded of folders
}

// A DefinitionProblem is a mistake in a file of definitions, or something worth a second look.
type DefinitionProblem struct {
	File     string `json:"file" doc:"As the request named it; of a workflow that stays as it is loaded: loaded:WORKFLOW" example:"retail.yaml"`
	Line     int    `json:"line" minimum:"0" doc:"From 1; 0 is the file itself"`
	Column   int    `json:"column" minimum:"0" doc:"From 1, in characters"`
	Severity string `json:"severity" enum:"error,warning" doc:"An error refuses the definitions, a warning does not"`
	Message  string `json:"message" doc:"What is wrong, and what is allowed"`
	Hint     string `json:"hint,omitempty" doc:"What to write instead"`
	Kind     string `json:"kind,omitempty" doc:"Of a warning: what many of them have in common" example:"waits-for-later"`
	text     string
}

// NewDefinitionProblem is a problem with the line that people read of it.
func NewDefinitionProblem(p DefinitionProblem, text string) DefinitionProblem {
	p.text = text
	return p
}

// A DiffRequest says what to compare with what is loaded, and over which time.
type DiffRequest struct {
	Definitions
	From    *time.Time `json:"from,omitempty" doc:"The plans are compared from here on; the default, and the earliest, is now"`
	To      *time.Time `json:"to,omitempty" doc:"Up to here, excluded"`
	Days    int        `json:"days,omitempty" minimum:"1" maximum:"400" doc:"In the place of to: so many natural days, the one of from included; the default is 2"`
	DropDue bool       `json:"dropDue,omitempty" doc:"Cancel due, unstarted instances of jobs that are removed or disabled; otherwise they run, or are held"`
}

// An ApplyRequest is what was reviewed: members of the answer to a diff, and the same definitions again.
type ApplyRequest struct {
	Definitions
	Loaded      string         `json:"loaded,omitempty" maxLength:"128" doc:"before.fingerprint of the diff; the header If-Match may say it instead"`
	Fingerprint string         `json:"fingerprint" minLength:"1" maxLength:"128" doc:"after.fingerprint of the diff"`
	DropDue     bool           `json:"dropDue,omitempty" doc:"dropDue of the diff"`
	Dropped     []InstanceName `json:"dropped,omitempty" maxItems:"1000000" doc:"The instances of its list due with the fate dropped or stranded, and of its list removed"`
	Note        string         `json:"note,omitempty" maxLength:"1000" doc:"Why; written to the history and to the server's audit log"`
}

// An InstanceName is the identity of an instance.
type InstanceName struct {
	Workflow string    `json:"workflow"`
	Job      string    `json:"job"`
	PlanTime time.Time `json:"planTime"`
	Key      string    `json:"key,omitempty" doc:"Of one that a person or a backfill made"`
}

// An ApplyReport is what loading the definitions changed.
type ApplyReport struct {
	Jobs       int      `json:"jobs" doc:"Loaded"`
	Added      []JobRef `json:"added" doc:"New, or back again"`
	Changed    []JobRef `json:"changed" doc:"Have a new version"`
	Removed    []JobRef `json:"removed"`
	Replaced   int      `json:"replaced" doc:"Future, unstarted instances that were planned anew"`
	Planned    int      `json:"planned" doc:"Instances in their place"`
	Later      int      `json:"later,omitempty" doc:"Of those that were planned anew, the ones whose place is planned within moments after the load"`
	DueRun     int      `json:"dueRun" doc:"Due, unstarted instances of removed jobs, which run"`
	DueHeld    int      `json:"dueHeld" doc:"Those of disabled jobs, which wait until the job is enabled"`
	DueDropped int      `json:"dueDropped" doc:"Those that were cancelled, as reviewed"`

	Diff *PlanDiff `json:"diff,omitempty" doc:"Of a reload: what became of the plan of the next two natural days, instance by instance"`

	Without []InstanceName `json:"without,omitempty" doc:"Due times that are gone and of which something was ordered ahead: the orders are kept, without an instance"`
}

type diffInput struct{ Body *DiffRequest }

type diffOutput struct {
	ETag string `header:"ETag" doc:"Of what is loaded, for If-Match of apply"`
	Body PlanDiff
}

type applyInput struct {
	IfMatch string `header:"If-Match" maxLength:"128" doc:"ETag of the diff"`
	Body    ApplyRequest
}

type applyOutput struct{ Body ApplyReport }

func definitionRoutes() []route {
	refuses := []int{http.StatusConflict, http.StatusPreconditionFailed}
	return []route{
		{Method: http.MethodPost, Pattern: prefix + "/definitions/diff", Permission: Viewer, ID: "diffDefinitions", Tag: "jobs", Refuses: refuses,
			BodyLimit: maxDefinitions, Summary: "What loading definitions would change, instance by instance",
			Text:    "Nothing is changed. The answer is a review: apply loads exactly it.",
			Request: exampleDiffRequest, Answers: ok(exampleDiff), register: operation((*server).diffDefinitions)},
		{Method: http.MethodPost, Pattern: prefix + "/definitions/reload", Permission: Editor, ID: "reloadDefinitions", Tag: "jobs",
			Refuses: []int{http.StatusConflict}, Audit: true, Idempotent: true, BodyLimit: maxBody, Summary: "Load the server's own folder again",
			Text:    "The answer is 422 with every mistake when one of its files is not valid; nothing was changed then. POST /api/v1/definitions/diff says before what would change.",
			Request: exampleNote, Answers: ok(exampleApplied), register: operation((*server).reloadDefinitions)},
		{Method: http.MethodPost, Pattern: prefix + "/definitions/apply", Permission: Editor, ID: "applyDefinitions", Tag: "jobs", Refuses: refuses,
			Audit: true, Idempotent: true, BodyLimit: maxDefinitions, Summary: "Load definitions as reviewed",
			Text: "The answer is 412 and nothing is changed when the definitions, or those that are loaded, are others than the reviewed ones, or when a due, " +
				"unstarted instance would be cancelled that the review does not name.",
			Request: exampleApply, Answers: ok(exampleApplied), register: operation((*server).applyDefinitions)},
	}
}

// maxDefinitions bounds the files of one request.
const maxDefinitions = 64 << 20

// readDefinitions makes workflows of what a request sent; those with a mistake are refused.
func (s *server) readDefinitions(ctx context.Context, d *Definitions) ([]*engine.Workflow, error) {
	workflows, problems, err := s.judgeDefinitions(ctx, d)
	if err != nil {
		return nil, err
	}
	return workflows, invalidDefinitions(problems)
}

const severityError = "error"

// judgeDefinitions reads what a request sent, with everything that is wrong with it.
func (s *server) judgeDefinitions(ctx context.Context, d *Definitions) ([]*engine.Workflow, []DefinitionProblem, error) {
	if s.cfg.Definitions == nil {
		return nil, nil, fmt.Errorf("%w: this server reads no definitions", engine.ErrConflict)
	}
	misnamed, names := refusal(codeInvalid, "the definitions are not valid"), map[string]bool{}
	for i := range d.Files {
		name, message := d.Files[i].Name, ""
		switch {
		case !fs.ValidPath(name) || name == ".":
			message = "it is no path below the folder"
		case names[name]:
			message = "the file is there twice"
		}
		if message != "" {
			misnamed.Errors = append(misnamed.Errors, Mistake{Location: fmt.Sprintf("body.files[%d].name", i), Message: message})
		}
		names[name] = true
	}
	if len(misnamed.Errors) > 0 {
		return nil, nil, misnamed
	}
	source := DefinitionSource{Definitions: *d}
	if d.Keep {
		var err error
		if source.Beside, err = s.cfg.Control.FolderWorkflows(ctx); err != nil {
			return nil, nil, err
		}
	}
	return s.cfg.Definitions(source)
}

type reloadInput struct{ Body *NoteRequest }

func (s *server) reloadDefinitions(ctx context.Context, in *reloadInput) (*applyOutput, error) {
	if in.Body != nil {
		exchangeOf(ctx).note = in.Body.Note
	}
	if s.cfg.Reload == nil {
		return nil, fmt.Errorf("%w: this server was started without a folder; there is nothing to load", engine.ErrConflict)
	}
	loaded, problems, err := s.cfg.Reload(ctx)
	if err != nil {
		return nil, err
	}
	if p := invalidDefinitions(problems); p != nil {
		return nil, p
	}
	out := &applyOutput{NewApplyReport(&loaded.Report)}
	if loaded.Diff != nil {
		d := newLoadedDiff(loaded.Diff)
		out.Body.Diff = &d
	}
	return out, nil
}

// invalidDefinitions is a problem with every error among those that were found; nil when there is none.
func invalidDefinitions(problems []DefinitionProblem) error {
	p := refusal(codeInvalid, "the definitions are not valid")
	for i := range problems {
		if problems[i].Severity == severityError {
			p.Errors = append(p.Errors, Mistake{Message: problems[i].text})
		}
	}
	if len(p.Errors) == 0 {
		return nil
	}
	return p
}

func (s *server) diffDefinitions(ctx context.Context, in *diffInput) (*diffOutput, error) {
	r := in.Body
	if r == nil {
		r = &DiffRequest{}
	}
	if r.To != nil && r.Days != 0 {
		return nil, invalid("body.days", "days is given in the place of to")
	}
	workflows, err := s.readDefinitions(ctx, &r.Definitions)
	if err != nil {
		return nil, err
	}
	now := s.cfg.Now()
	from, to := now, time.Time{}
	if r.From != nil {
		from = *r.From
	}
	if r.To != nil {
		to = *r.To
	} else {
		to = engine.EndOfDays(workflows, from, max(r.Days, 1+btoi(r.Days == 0)))
	}
	if !from.Before(to) || !now.Before(to) {
		return nil, invalid("body.to", "to is not after from, or has passed: a load changes what is planned from now on")
	}
	if to.Sub(from) > maxSpan {
		return nil, invalid("body.to", "at most 400 days are compared at once")
	}
	d, err := s.cfg.Control.DiffLoaded(ctx, workflows, from, to, r.DropDue, now)
	if err != nil {
		return nil, err
	}
	out := &diffOutput{ETag: `"` + string(d.Loaded) + `"`, Body: newLoadedDiff(&d)}
	out.Body.Keep = r.Keep
	return out, nil
}

// newLoadedDiff is what loading definitions would change, or has changed, as the API shows it.
func newLoadedDiff(d *engine.LoadedDiff) PlanDiff {
	out := NewPlanDiff(&d.PlanDiff, d.From, d.To)
	out.addWithout(d.Without)
	out.At, out.DropDue = &d.At, d.DropDue
	out.Before, out.After = DiffSide{Name: "loaded", Fingerprint: string(d.Loaded)}, DiffSide{Name: "folder", Fingerprint: string(d.Definitions)}
	out.addDue(d.Due)
	out.addBound(d.Bound)
	return out
}

// A Reloaded is what loading the server's own folder again came to.
type Reloaded struct {
	Report engine.LoadReport
	Diff   *engine.LoadedDiff // nil: nobody asked
}

const maxSpan = 400 * 24 * time.Hour

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

func (s *server) applyDefinitions(ctx context.Context, in *applyInput) (*applyOutput, error) {
	r := &in.Body
	x := exchangeOf(ctx)
	x.note = r.Note
	loaded := strings.Trim(in.IfMatch, `"`)
	switch {
	case loaded == "" && r.Loaded == "":
		return nil, invalid("body.loaded", "say what was compared with: before.fingerprint of the diff, or its ETag in the header If-Match")
	case loaded == "":
		loaded = r.Loaded
	case r.Loaded != "" && r.Loaded != loaded:
		return nil, invalid("header.If-Match", "it is not what the member loaded says")
	}
	workflows, err := s.readDefinitions(ctx, &r.Definitions)
	if err != nil {
		return nil, err
	}
	review := engine.Review{
		Loaded: engine.Fingerprint(loaded), Definitions: engine.Fingerprint(r.Fingerprint), DropDue: r.DropDue, Actor: x.principal.name, Note: r.Note, Keep: r.Keep,
	}
	for _, n := range r.Dropped {
		review.Dropped = append(review.Dropped, engine.InstanceName{Ref: engine.JobRef{Workflow: n.Workflow, Job: n.Job}, Key: n.Key, PlanTime: n.PlanTime})
	}
	report, err := s.cfg.Control.Apply(ctx, workflows, review, s.cfg.Now())
	if err != nil {
		return nil, err
	}
	return &applyOutput{NewApplyReport(&report)}, nil
}

// NewApplyReport is a report as the API shows it.
func NewApplyReport(r *engine.LoadReport) ApplyReport {
	refs := func(list []engine.JobRef) []JobRef {
		out := make([]JobRef, len(list))
		for i, ref := range list {
			out[i] = JobRef{Workflow: ref.Workflow, Job: ref.Job}
		}
		return out
	}
	var without []InstanceName
	if len(r.Without) > 0 {
		without = diffInstances(r.Without)
	}
	return ApplyReport{
		Without: without,
		Jobs:    r.Jobs, Added: refs(r.Added), Changed: refs(r.Changed), Removed: refs(r.Removed), Replaced: r.Replaced, Planned: r.Planned, Later: r.Later,
		DueRun: r.DueRun, DueHeld: r.DueHeld, DueDropped: r.DueDropped,
	}
}
