package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/engine/spec"
	"github.com/almanac-sched/almanac/web"
)

// someGood reports whether a file of the folder is good by itself.
func someGood(path string) bool {
	folder, err := absolute(path)
	if err != nil {
		return false
	}
	workflows, _, _ := spec.LoadGood(os.DirFS(folder), folder, nil)
	return len(workflows) > 0
}

// salvage loads what can be loaded of a folder with bad files: one bad file stops one workflow. In the place of what is bad runs what was recorded last.
func (s *server) salvage(ctx context.Context) error {
	path, err := absolute(s.cfg.folder)
	if err != nil {
		return err
	}
	recorded, err := s.engine.FolderWorkflows(ctx)
	if err != nil {
		return err
	}
	workflows, kept, problems := spec.LoadGood(os.DirFS(path), path, recorded)
	if len(workflows) == 0 {
		return s.bad
	}
	s.folder = newFolder(path, workflows, problems)
	if missing := unknownSinks(s.folder, s.told); len(missing) > 0 {
		return s.bad
	}
	why := s.bad.Error()
	if len(kept) > 0 {
		why += "; as recorded last runs " + strings.Join(kept, ", ")
	}
	s.log.Error("one bad file stops one workflow: the others are served", "error", why)
	s.misdefined(why, problems, kept, kept)
	return nil
}

// misdefined tells whoever asks how the server is that its folder is not loaded, and the first mistake. The workflows run as they were recorded. kept are
// those of them that alone do so: none where all that was loaded before runs.
func (s *server) misdefined(why string, problems spec.Problems, workflows, kept []string) {
	s.trouble.Store(web.NewFolderTrouble(why, s.clock(), kept, shownProblems(problems)))
	for _, p := range problems {
		if p.Severity == spec.Error {
			why += "; the first mistake: " + p.String()
			break
		}
	}
	s.engine.Misdefined(why, append(workflows, s.namedIn(problems)...)...)
}

// folderTrouble is web.Config.FolderTrouble. A review that was applied may have put right what the
// files still say.
func (s *server) folderTrouble() *web.FolderTrouble {
	if !s.engine.IsMisdefined() {
		return nil
	}
	return s.trouble.Load()
}

// workflowLine is where a file that cannot be read says which workflow it holds.
var workflowLine = regexp.MustCompile(`(?m)^workflow:[ \t]*["']?([^\s"'#]+)`)

// namedIn lists the workflows that bad files hold, as far as these say so: a file that does not holds the one of its own name.
func (s *server) namedIn(problems spec.Problems) (names []string) {
	for _, p := range problems {
		if p.Severity != spec.Error {
			continue
		}
		name := strings.TrimSuffix(filepath.Base(p.File), filepath.Ext(p.File))
		if data, err := os.ReadFile(p.File); err == nil {
			if m := workflowLine.FindSubmatch(data); m != nil {
				name = string(m[1])
			}
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// reload loads the folder again; an invalid one changes nothing.
func (s *server) reload(ctx context.Context) {
	if s.cfg.folder == "" {
		s.log.Warn("SIGHUP: this server was started without a folder; there is nothing to load")
		return
	}
	loaded, problems, err := s.loadAgain(ctx, false)
	report := &loaded.Report
	for _, p := range problems {
		s.log.Warn("definition", "problem", p.String())
	}
	if err != nil {
		s.log.Error("SIGHUP: nothing was changed", "error", err)
		return
	}
	s.log.Info("SIGHUP: definitions loaded", "jobs", report.Jobs, "added", len(report.Added), "changed", len(report.Changed),
		"removed", len(report.Removed), "replanned", report.Replaced, "due_run", report.DueRun, "due_held", report.DueHeld, "orders_without", len(report.Without))
}

// loadAgain loads the folder again as a whole. When it is refused what was running stays as it was, and the server is not as it should be until a load is good.
func (s *server) loadAgain(ctx context.Context, compare bool) (loaded web.Reloaded, problems spec.Problems, err error) {
	f, problems, err := readFolder(s.cfg.folder)
	if err == nil {
		if missing := unknownSinks(f, s.told); len(missing) > 0 {
			problems, err = append(problems, missing...), &invalidError{"jobs tell sinks that the server does not have"}
		}
	}
	at := s.clock()
	if err == nil && compare {
		var d engine.LoadedDiff
		if d, err = s.engine.DiffLoaded(ctx, f.workflows, at, engine.EndOfDays(f.workflows, at, 2), false, at); err == nil {
			loaded.Diff = &d
		}
	}
	if err == nil {
		loaded.Report, err = s.engine.Load(ctx, f.workflows, at)
	}
	if err != nil {
		s.misdefined("the folder was refused, and what was loaded before runs: "+err.Error(), problems, s.unread(ctx), nil)
		return loaded, problems, err
	}
	s.engine.Misdefined("")
	return loaded, problems, nil
}

// unread names the workflows that are loaded and stand in no good file of the folder.
func (s *server) unread(ctx context.Context) []string {
	recorded, err := s.engine.FolderWorkflows(ctx)
	if err != nil {
		return nil
	}
	_, kept, _ := spec.LoadGood(os.DirFS(s.folder.path), s.folder.path, recorded)
	return kept
}

// reloader is web.Config.Reload; nil when the server has no folder.
func (s *server) reloader() func(ctx context.Context) (web.Reloaded, []web.DefinitionProblem, error) {
	if s.cfg.folder == "" {
		return nil
	}
	return func(ctx context.Context) (web.Reloaded, []web.DefinitionProblem, error) {
		loaded, found, err := s.loadAgain(ctx, true)
		if found.HasErrors() {
			err = nil // the problems say it
		}
		return loaded, shownProblems(found), err
	}
}

// shownProblems are problems as the API tells them.
func shownProblems(found spec.Problems) []web.DefinitionProblem {
	problems := make([]web.DefinitionProblem, len(found))
	for i, p := range found {
		problems[i] = web.NewDefinitionProblem(web.DefinitionProblem{
			File: p.File, Line: p.Line, Column: p.Column, Severity: p.Severity.String(), Message: p.Message, Hint: p.Hint, Kind: string(p.Kind),
		}, p.String())
	}
	return problems
}

// mostReloaded is how many instances reload prints.
const mostReloaded = 100

func (a *app) reloadCommand() *cobra.Command {
	var note string
	c := &cobra.Command{
		Use:   "reload",
		Short: "have the running server load its folder again",
		Long: `Have the running server load its own folder again, as SIGHUP does, and print what changed of the definitions and of the plan of the next two natural days, instance by instance. When a
file of it is not valid nothing is changed, every mistake is printed, and almanac status says that the folder is not loaded until it is. almanac plan diff says before what would change.`,
		Example: "  almanac reload\n  almanac reload -o json",
		Args:    exactly(),
	}
	exits(c, exitFailed, exitInvalid, exitNotPermitted)
	n := a.addConnection(c)
	addNote(c, &note)
	output := addOutput(c)
	c.RunE = func(c *cobra.Command, _ []string) error {
		client, err := a.connect(c.Context(), n)
		if err != nil {
			return err
		}
		var r web.ApplyReport
		if err := client.post(c.Context(), "definitions/reload", nil, web.NoteRequest{Note: note}, &r); err != nil {
			var answer *answerError
			if errors.As(err, &answer) && answer.Status == http.StatusUnprocessableEntity {
				return a.refusedReload(answer.Error())
			}
			return err
		}
		if output.value == "json" {
			return writeJSON(a.stdout, r)
		}
		if d := r.Diff; d != nil && d.Summary.Text != noChange {
			d.After.Name = "folder"
			if err := writeDiffTable(a.stdout, d, a.view, mostReloaded); err != nil {
				return err
			}
		}
		_, err = fmt.Fprintf(a.stdout, "loaded: %s, %d added, %d changed, %d removed; %s planned anew\n", count(r.Jobs, "job"), len(r.Added), len(r.Changed),
			len(r.Removed), count(r.Replaced, "instance"))
		for _, lost := range r.Without {
			fmt.Fprintf(a.stdout, "  the order for %s/%s at %s is kept, without an instance\n", lost.Workflow, lost.Job, a.view.clock(lost.PlanTime))
		}
		return err
	}
	return c
}

// placedLine is a mistake in a file as a line: the file, the line, the column and what is wrong.
var placedLine = regexp.MustCompile(`^(.+?):(\d+):(\d+): (.*)$`)

// refusedReload tells each mistake that the server has found, one a line, and that nothing was changed.
func (a *app) refusedReload(text string) error {
	var problems spec.Problems
	why, rest, several := strings.Cut(text, "\n")
	if !several {
		return &invalidError{text + "; nothing was changed"}
	}
	for line := range strings.SplitSeq(rest, "\n") {
		line = strings.TrimSpace(line)
		p := spec.Problem{Message: line}
		if m := placedLine.FindStringSubmatch(line); m != nil {
			p.File, p.Message = m[1], m[4]
			p.Line, _ = strconv.Atoi(m[2])
			p.Column, _ = strconv.Atoi(m[3])
		}
		problems = append(problems, p)
	}
	a.tellProblems(problems)
	return &invalidError{why + "; nothing was changed"}
}
