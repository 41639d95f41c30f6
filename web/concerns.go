package web

import (
	"context"
	"net/http"
	"time"

	"github.com/almanac-sched/almanac/engine"
)

// ConcernControl says what is wrong now. *engine.Engine is one.
type ConcernControl interface {
	Concerns(ctx context.Context, limit int) (list []engine.Concern, all int, err error)
}

// A Concern is what is wrong now: an open incident, or an instance that waits for a person.
type Concern struct {
	Root           IncidentInstance   `json:"root" doc:"The instance from which it comes"`
	State          engine.State       `json:"state,omitempty" doc:"Of the root, now; absent when retention has removed it"`
	Gate           engine.Gate        `json:"gate,omitempty" doc:"What holds the root, when it waits"`
	Reason         Reason             `json:"reason" doc:"Of the root, now"`
	Since          time.Time          `json:"since" doc:"When the incident began, or the plan time of what waits for a person"`
	Needs          bool               `json:"needsSomebody" doc:"It stays as it is until somebody does something; otherwise time is enough"`
	Help           string             `json:"help,omitempty" doc:"The command that would help" example:"almanac rerun retail/stores@2026-11-21T05:00:00+01:00"`
	Incident       *ID                `json:"incident,omitempty" doc:"Absent when no incident is open and only a person is waited for"`
	Kind           engine.AlertKind   `json:"kind,omitempty" enum:"never-started,will-be-late,still-running,ended-late,failed,lost,cancelled" doc:"Of the incident"`
	Title          string             `json:"title,omitempty" doc:"Of the incident, in one line"`
	AcknowledgedBy string             `json:"acknowledgedBy,omitempty" doc:"Who knows of it"`
	Blocked        int                `json:"blocked" doc:"Waiting instances that cannot start because of it, when it was last looked at; at most 10,000 are counted"`
	Holds          []IncidentInstance `json:"holds" doc:"The first few of them"`
}

// A ConcernList is what is wrong now.
type ConcernList struct {
	Concerns []Concern `json:"concerns" doc:"What needs somebody first, and of that what holds up most"`
	All      int       `json:"all" doc:"How many there are, among the newest 200 open incidents and the 200 instances that have waited longest for a person"`

	Definitions *FolderTrouble `json:"definitions,omitempty" doc:"Why what stands in the server's folder is not what runs; absent when it is"`
}

// A FolderTrouble is why what stands in the folder of a server is not what runs: a file of it is bad, or the load of it was refused.
type FolderTrouble struct {
	Text     string              `json:"text" doc:"In a sentence, with what runs in its place"`
	Since    time.Time           `json:"since" doc:"When the folder was read"`
	Kept     []string            `json:"kept" doc:"Workflows that run as they were recorded last, in the place of what a bad file says; none when the whole load was refused"`
	Mistakes []DefinitionProblem `json:"mistakes" doc:"The first 50 errors in the files"`
	Errors   int                 `json:"errors" doc:"How many errors there are"`
}

// mostMistakes is how many mistakes of a folder are told; the log has all.
const mostMistakes = 50

// NewFolderTrouble is a trouble with the errors among the problems.
func NewFolderTrouble(text string, since time.Time, kept []string, problems []DefinitionProblem) *FolderTrouble {
	t := &FolderTrouble{Text: text, Since: since.UTC(), Kept: append([]string{}, kept...), Mistakes: []DefinitionProblem{}}
	for i := range problems {
		if problems[i].Severity != severityError {
			continue
		}
		if t.Errors++; len(t.Mistakes) < mostMistakes {
			t.Mistakes = append(t.Mistakes, problems[i])
		}
	}
	return t
}

type concernsInput struct {
	Limit int `query:"limit" minimum:"1" maximum:"50" default:"20" doc:"At most so many"`
}

type concernListOutput struct{ Body ConcernList }

func (s *server) listConcerns(ctx context.Context, in *concernsInput) (*concernListOutput, error) {
	list, all, err := s.cfg.Control.Concerns(ctx, in.Limit)
	if err != nil {
		return nil, err
	}
	out := &concernListOutput{ConcernList{Concerns: make([]Concern, len(list)), All: all}}
	if s.cfg.FolderTrouble != nil {
		out.Body.Definitions = s.cfg.FolderTrouble()
	}
	for n := range list {
		out.Body.Concerns[n] = newConcern(&list[n])
	}
	return out, nil
}

func newConcern(c *engine.Concern) Concern {
	i := &c.Root
	shown := Concern{State: i.State, Gate: i.Gate, Needs: c.Needs, Help: c.Help, Holds: []IncidentInstance{}, Blocked: len(c.Holds)}
	if c.Incident != nil {
		told := newIncident(c.Incident)
		shown.Root, shown.Reason, shown.Since, shown.Incident = told.Root, told.Reason, told.OpenedAt, &told.ID
		shown.Kind, shown.Title, shown.AcknowledgedBy, shown.Blocked = told.Kind, told.Title, told.AcknowledgedBy, told.Blocked
	}
	if i.State != "" {
		shown.Root, shown.Reason = newIncidentInstance(i.ID, i.Ref, i.PlanTime), newReason(i.Reason, i.PlanTime.Location())
	}
	if shown.Since.IsZero() {
		shown.Since = i.PlanTime
	}
	for n := range c.Holds {
		shown.Holds = append(shown.Holds, newIncidentInstance(c.Holds[n].ID, c.Holds[n].Ref, c.Holds[n].PlanTime))
	}
	return shown
}

// An Upcoming is what is due next.
type Upcoming struct {
	Instances []Instance `json:"instances" doc:"Of each job the first that is due, the soonest first"`
	Together  int        `json:"together" doc:"How many are due at the time of the first; at most 1,000 are counted"`
}

type upcomingInput struct {
	Limit int `query:"limit" minimum:"1" maximum:"100" default:"10" doc:"Of at most so many jobs"`
}

type upcomingOutput struct{ Body Upcoming }

func (s *server) listUpcoming(ctx context.Context, in *upcomingInput) (*upcomingOutput, error) {
	list, together, err := s.cfg.History.Upcoming(ctx, s.cfg.Now(), in.Limit)
	if err != nil {
		return nil, err
	}
	out := &upcomingOutput{Upcoming{Instances: make([]Instance, len(list)), Together: together}}
	for n := range list {
		out.Body.Instances[n] = NewInstance(&list[n])
	}
	return out, nil
}

// homeRoutes are the routes of what stands first on the page: what is wrong, and what comes.
func homeRoutes() []route {
	return []route{
		{Method: http.MethodGet, Pattern: prefix + "/concerns", Permission: Viewer, ID: "listConcerns", Tag: "alerts",
			Summary: "What is wrong now, what needs somebody first, with the command that would help",
			Text: "Open incidents with their roots as they are, and instances whose time has come and that wait for a person. What only takes its time is no concern: nothing that waits " +
				"for a slot, and no backfill, of which its own page tells. When a file of the server's folder is bad, definitions says which, where, and what runs instead.",
			Answers: ok(ConcernList{Concerns: []Concern{exampleConcern}, All: 1}), register: operation((*server).listConcerns)},
		{Method: http.MethodGet, Pattern: prefix + "/upcoming", Permission: Viewer, ID: "listUpcoming", Tag: "instances",
			Summary: "What is due next, the soonest first", Text: "Of each job its first instance that is recorded and due from now on. What is frozen is not listed, nor what is of a backfill.",
			Answers: ok(Upcoming{Instances: []Instance{exampleInstance}, Together: 1}), register: operation((*server).listUpcoming)},
	}
}

var exampleConcern = Concern{
	Root: exampleIncident.Root, State: engine.Failed, Reason: exampleFailed, Since: exampleUp.Add(time.Minute), Needs: true,
	Help: "almanac rerun retail/stores@2026-11-21T05:00:00+01:00", Incident: &exampleIncidentID, Kind: engine.AlertFailed, Title: exampleIncident.Title,
	Blocked: 1, Holds: []IncidentInstance{exampleIncident.Members[1].IncidentInstance},
}
