package web

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/almanac-sched/almanac/engine"
)

// A Job is a job as a row of a list.
type Job struct {
	ID        ID        `json:"id"`
	Workflow  string    `json:"workflow" example:"retail"`
	Job       string    `json:"job" example:"orders"`
	Version   ID        `json:"version" doc:"The current version of its definition"`
	CreatedAt time.Time `json:"createdAt" doc:"When the name first appeared"`
	Disabled  bool      `json:"disabled,omitempty"`
	Removed   bool      `json:"removed,omitempty" doc:"Its definition is gone; its instances are not"`
	PlannedTo time.Time `json:"plannedTo,omitzero" doc:"Its instances are written down up to here, excluded"`
	Paused    *Pause    `json:"paused,omitempty" doc:"Nothing of it starts: it, or its workflow, is paused"`
}

// A JobPage is a page of jobs.
type JobPage struct {
	Items []ListedJob `json:"items"`
	Next  string      `json:"next,omitempty" doc:"The cursor of the next page; absent on the last"`
}

// A ListedJob is a job with, where it was asked for, when it is due.
type ListedJob struct {
	Job
	Recurrence string    `json:"recurrence,omitempty" doc:"When it is due, in words; absent unless asked for with due, and when the definition cannot be read" example:"every day at 06:00, in Europe/Berlin."`
	Due        time.Time `json:"due,omitzero" doc:"Its next plan time; absent unless asked for, and for a job that is started on demand, disabled or over"`
}

// A JobDetail is a job with its definition and what follows from it.
type JobDetail struct {
	Job
	Description     string          `json:"description,omitempty"`
	Tags            []string        `json:"tags,omitempty"`
	Definition      json.RawMessage `json:"definition" doc:"A workflow document that holds this job alone"`
	DefinitionError string          `json:"definitionError,omitempty" doc:"Why this program cannot read the definition; what follows from it is absent then"`
	TimeZone        string          `json:"timeZone,omitempty" example:"Europe/Berlin"`
	Recurrence      string          `json:"recurrence,omitempty" doc:"When it is due, in words" example:"every day at 06:00, in Europe/Berlin."`
	Period          string          `json:"period,omitempty" enum:"none,minute,hour,discrete,day,week,month,year" doc:"Its class: what it waits for follows from it and from the class of the other"`
	Next            []time.Time     `json:"next,omitempty" doc:"The next plan times; absent for a job that is started on demand, disabled or over"`
	DependsOn       []Dependency    `json:"dependsOn,omitempty"`
	Params          []Param         `json:"params,omitempty" doc:"What a trigger may give"`
	Confirm         bool            `json:"confirm,omitempty" doc:"Its instances wait for a person"`
	Concurrency     int             `json:"concurrency,omitempty" doc:"Instances that run at once"`
}

// A Dependency says that a job's instances wait for instances of another.
type Dependency struct {
	Workflow        string           `json:"workflow"`
	Job             string           `json:"job"`
	Self            bool             `json:"self,omitempty" doc:"It waits for its own earlier instances"`
	Policy          string           `json:"policy" enum:"natural,traditional"`
	Nearest         bool             `json:"nearest,omitempty" doc:"rule: nearest"`
	Previous        int              `json:"previous,omitempty" doc:"That many cycles before; absent for the same cycle"`
	Select          string           `json:"select" doc:"default, all, any, first, last, or how many must be satisfied"`
	Hours           []int            `json:"hours,omitempty"`
	OnMissing       engine.OnMissing `json:"onMissing" enum:"run,wait,cancel"`
	OnFailed        engine.OnFailed  `json:"onFailed" enum:"wait,run,cancel"`
	WaitPreviousEnd bool             `json:"waitPreviousEnd,omitempty"`
}

// A Param is a value that a trigger may give.
type Param struct {
	Name     string   `json:"name"`
	Type     string   `json:"type" enum:"string,integer,number,boolean,date,datetime,enum,list"`
	Default  *string  `json:"default,omitempty"`
	Required bool     `json:"required,omitempty"`
	Enum     []string `json:"enum,omitempty"`
	Min      *float64 `json:"min,omitempty" doc:"Of a number; of a string, characters; of a list, items"`
	Max      *float64 `json:"max,omitempty" doc:"As min; included"`
	Pattern  string   `json:"pattern,omitempty" doc:"What a string, or each item of a list, matches as a whole"`
	Secret   bool     `json:"secret,omitempty" doc:"Its values are not shown"`
	Text     string   `json:"description,omitempty"`
}

// NewJob is a job's row as the API shows it. The command line uses it to show the same without a server.
func NewJob(row *engine.JobRow) Job {
	return Job{
		ID: ID(row.ID), Workflow: row.Ref.Workflow, Job: row.Ref.Job, Version: ID(row.Version), CreatedAt: row.CreatedAt.UTC(),
		Disabled: row.Disabled, Removed: row.Removed, PlannedTo: in(row.PlannedTo, time.UTC),
	}
}

type listJobsInput struct {
	Workflow string `query:"workflow" maxLength:"128" doc:"Only of this workflow"`
	Query    string `query:"q" maxLength:"256" doc:"Only whose workflow/job has this in it, whatever the case of its letters"`
	Removed  bool   `query:"removed" doc:"Removed jobs too"`
	Due      bool   `query:"due" doc:"When each is due too, in words and by its next plan time"`
	Cursor   string `query:"cursor" maxLength:"512" doc:"next of the page before"`
	Limit    int    `query:"limit" minimum:"1" maximum:"500" default:"100" doc:"Rows of a page"`
}

type jobPageOutput struct{ Body JobPage }

func (s *server) listJobs(ctx context.Context, in *listJobsInput) (*jobPageOutput, error) {
	after, err := readJobCursor(in.Cursor)
	if err != nil {
		return nil, err
	}
	rows, err := s.cfg.Jobs.Jobs(ctx)
	if err != nil {
		return nil, fmt.Errorf("list jobs: %w", err)
	}
	out := &jobPageOutput{JobPage{Items: []ListedJob{}}}
	var listed []*engine.JobRow
	query := strings.ToLower(in.Query)
	for i := range rows {
		row := &rows[i]
		switch {
		case row.Removed && !in.Removed, in.Workflow != "" && row.Ref.Workflow != in.Workflow, compareRefs(row.Ref, after) <= 0:
			continue
		case !strings.Contains(strings.ToLower(row.Ref.String()), query):
			continue
		case len(listed) < in.Limit:
			listed = append(listed, row)
			out.Body.Items = append(out.Body.Items, ListedJob{Job: NewJob(row)})
			continue
		}
		out.Body.Next = jobCursor(listed[in.Limit-1].Ref)
		break
	}
	now := s.cfg.Now()
	return out, s.cfg.Rows.Read(ctx, func(v engine.View) error {
		for n := range out.Body.Items {
			if err := pausedNow(v, now, &out.Body.Items[n].Job); err != nil {
				return fmt.Errorf("tell what is paused: %w", err)
			}
		}
		if !in.Due {
			return nil
		}
		for n, row := range listed {
			if err := s.tellDue(v, &out.Body.Items[n], row, now); err != nil {
				return fmt.Errorf("tell when %s is due: %w", row.Ref, err)
			}
		}
		return nil
	})
}

// tellDue says of a job when it is due. One whose definition this program cannot read says so on its own page.
func (s *server) tellDue(v engine.View, j *ListedJob, row *engine.JobRow, now time.Time) error {
	job, err := s.cfg.Control.Definition(v, row.Version)
	switch {
	case errors.Is(err, engine.ErrInvalid):
		return nil
	case err != nil:
		return err
	}
	j.Recurrence = job.When.String()
	if row.Disabled || row.Removed {
		return nil
	}
	timetable, err := job.When.Compile(row.Origin())
	if err != nil {
		return err
	}
	j.Due, _ = timetable.Next(now)
	return nil
}

func compareRefs(a, b engine.JobRef) int {
	return cmp.Or(cmp.Compare(a.Workflow, b.Workflow), cmp.Compare(a.Job, b.Job))
}

// jobCursor names the last job of a page. A page begins after that name, whatever came or went meanwhile.
func jobCursor(ref engine.JobRef) string {
	return base64.RawURLEncoding.EncodeToString([]byte(ref.String()))
}

func readJobCursor(cursor string) (engine.JobRef, error) {
	if cursor == "" {
		return engine.JobRef{}, nil
	}
	name, err := base64.RawURLEncoding.DecodeString(cursor)
	workflow, job, ok := strings.Cut(string(name), "/")
	if err != nil || !ok {
		return engine.JobRef{}, invalid("query.cursor", "the cursor is not one that this list gave")
	}
	return engine.JobRef{Workflow: workflow, Job: job}, nil
}

// noSuchJob says that there is no such job, and which one was probably meant.
func (s *server) noSuchJob(ctx context.Context, ref engine.JobRef) error {
	text := "there is no job " + ref.String()
	rows, err := s.cfg.Jobs.Jobs(ctx)
	if err != nil {
		return fmt.Errorf("list the jobs: %w", err)
	}
	var names []string
	for i := range rows {
		if !rows[i].Removed {
			names = append(names, rows[i].Ref.String())
		}
	}
	if near := engine.Nearest(ref.String(), names); near != "" {
		text += "; did you mean " + near + "?"
	}
	return fmt.Errorf("%w: %s", engine.ErrNotFound, text)
}

// A JobPath names a job in the path of a route. It is exported for the OpenAPI library, which looks at nothing else.
type JobPath struct {
	Workflow string `path:"workflow" maxLength:"128" doc:"The workflow's name"`
	Job      string `path:"job" maxLength:"128" doc:"The job's name"`
}

func (p JobPath) ref() engine.JobRef { return engine.JobRef{Workflow: p.Workflow, Job: p.Job} }

type jobInput struct {
	JobPath
	Known []string `header:"If-None-Match" maxItems:"32" doc:"ETags of definitions that are known already: the answer is 304 when one is the current one"`
}

type jobOutput struct {
	Status int
	ETag   string `header:"ETag" doc:"The id of the version: of the definition alone, not of what time makes of it"`
	Body   *JobDetail
}

func (s *server) getJob(ctx context.Context, in *jobInput) (*jobOutput, error) {
	row, version, err := s.definitionOf(ctx, in.ref(), in.Known)
	if err != nil {
		return nil, err
	}
	if version == nil {
		return &jobOutput{Status: http.StatusNotModified, ETag: jobTag(row)}, nil
	}
	out := &jobOutput{Status: http.StatusOK, ETag: jobTag(row), Body: &JobDetail{Job: NewJob(row), Definition: version.Definition}}
	if err := s.cfg.Rows.Read(ctx, func(v engine.View) error { return pausedNow(v, s.cfg.Now(), &out.Body.Job) }); err != nil {
		return nil, fmt.Errorf("tell whether %s is paused: %w", row.Ref, err)
	}
	job, err := s.cfg.Decode(version.Definition, version.Folder)
	if err != nil {
		out.Body.DefinitionError = err.Error()
		return out, nil //nolint:nilerr // the answer says it
	}
	return out, out.Body.fill(job, row, s.cfg.Now())
}

// definitionOf reads a job and the definition that counts of it, which is nil when it is one of the known ETags.
func (s *server) definitionOf(ctx context.Context, ref engine.JobRef, known []string) (*engine.JobRow, *engine.VersionRow, error) {
	row, err := s.cfg.Jobs.JobByRef(ctx, ref)
	if err != nil {
		if errors.Is(err, engine.ErrNotFound) {
			err = s.noSuchJob(ctx, ref)
		}
		return nil, nil, err
	}
	if matches(known, jobTag(&row)) {
		return &row, nil, nil
	}
	version, err := s.cfg.Jobs.VersionByID(ctx, row.Version)
	if err != nil {
		return nil, nil, fmt.Errorf("read the definition of %s: %w", ref, err)
	}
	return &row, &version, nil
}

// fill adds what follows from the definition.
func (d *JobDetail) fill(job *engine.Job, row *engine.JobRow, now time.Time) error {
	d.Description, d.Tags, d.Recurrence, d.Confirm, d.Concurrency = job.Description, job.Tags, job.When.String(), job.Confirm, job.Concurrency
	d.Period = job.Period.Class.String()
	for i := range job.DependsOn {
		d.DependsOn = append(d.DependsOn, newDependency(&job.DependsOn[i]))
	}
	for _, p := range job.Params {
		shown := Param{
			Name: p.Name, Type: p.Type, Default: p.Default, Required: p.Required, Enum: p.Enum, Min: p.Min, Max: p.Max, Pattern: p.Pattern, Secret: p.Secret, Text: p.Description,
		}
		if p.Secret {
			shown.Default = nil
		}
		d.Params = append(d.Params, shown)
	}
	timetable, err := job.When.Compile(row.Origin())
	if err != nil {
		return fmt.Errorf("compile the recurrence of %s: %w", row.Ref, err)
	}
	d.TimeZone = timetable.Location().String()
	if row.Disabled || row.Removed {
		return nil
	}
	for at := now; len(d.Next) < nextTimes; {
		next, more := timetable.Next(at)
		if !more {
			break
		}
		d.Next, at = append(d.Next, next), next
	}
	return nil
}

func newDependency(d *engine.Dependency) Dependency {
	return Dependency{
		Workflow: d.Job.Workflow, Job: d.Job.Job, Self: d.Edge.Self, Policy: d.Edge.Policy.String(), Nearest: d.Edge.Nearest, Previous: d.Edge.Previous,
		Select: d.Edge.Select.String(), Hours: d.Edge.Hours, OnMissing: d.OnMissing, OnFailed: d.OnFailed, WaitPreviousEnd: d.WaitPreviousEnd,
	}
}
