package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/engine/action"
	"github.com/almanac-sched/almanac/engine/spec"
)

// A folder is the definitions of one folder, loaded without an error.
type folder struct {
	path      string // absolute
	workflows []*engine.Workflow
	jobs      []*engine.Job
	zones     map[string]*time.Location // of the workflows
	problems  spec.Problems             // warnings only
}

// readFolder loads the definitions. The problems are returned whatever came of it; the folder is nil when one of them is an error.
func readFolder(path string) (*folder, spec.Problems, error) {
	return readFolderBy(path, spec.Load)
}

// readFolderHere is readFolder, and looks besides for the scripts and secrets that the definitions name on this machine.
func (a *app) readFolderHere(path string, strict bool) (*folder, spec.Problems, error) {
	here := a.here()
	here.Strict = strict
	return readFolderBy(path, func(fsys fs.FS, folder string) ([]*engine.Workflow, spec.Problems) {
		return spec.LoadHere(fsys, folder, here)
	})
}

// here looks up on this machine what definitions name.
func (a *app) here() *spec.Outside {
	return &spec.Outside{
		Script: action.CheckScript, Command: action.CheckCommand, Now: now(),
		Secret: func(s engine.SecretSource) error {
			if s.Resource != "" {
				return nil // only the server has it
			}
			_, err := a.secret(s)
			return err
		},
	}
}

func readFolderBy(path string, load func(fs.FS, string) ([]*engine.Workflow, spec.Problems)) (*folder, spec.Problems, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil, &invalidError{fmt.Sprintf("the folder %s does not exist", path)}
	case err != nil:
		return nil, nil, &invalidError{fmt.Sprintf("read the folder %s: %v", path, err)}
	case !info.IsDir():
		return nil, nil, &invalidError{fmt.Sprintf("%s is a file; give the folder that holds it", path)}
	}
	abs, err := absolute(path)
	if err != nil {
		return nil, nil, err
	}
	workflows, problems := load(os.DirFS(abs), abs)
	for i := range problems {
		// Messages name the files as the user would.
		if below, ok := strings.CutPrefix(problems[i].File, abs+string(filepath.Separator)); ok {
			problems[i].File = filepath.Join(path, below)
		}
	}
	if problems.HasErrors() {
		return nil, problems, &invalidError{fmt.Sprintf("%s in %s", count(countErrors(problems), "error"), path)}
	}
	return newFolder(abs, workflows, problems), problems, nil
}

func newFolder(path string, workflows []*engine.Workflow, problems spec.Problems) *folder {
	f := &folder{path: path, workflows: workflows, problems: problems, zones: map[string]*time.Location{}}
	for _, w := range workflows {
		f.jobs = append(f.jobs, w.Jobs...)
		f.zones[w.Name] = w.Location
	}
	return f
}

func countErrors(problems spec.Problems) int {
	n := 0
	for _, p := range problems {
		if p.Severity == spec.Error {
			n++
		}
	}
	return n
}

// inspect reads the folder as validate does. Errors are printed one a line, and so are warnings with all; else those of one kind in one
// file are one line.
func (a *app) inspect(path string, strict, all bool) (*folder, error) {
	f, problems, err := a.readFolderHere(path, strict)
	if all {
		a.tellProblems(problems)
		return f, err
	}
	left := 0
	for _, g := range problems.Summarized() {
		if left += g.Count - 1; g.Count > 1 {
			g.Message = fmt.Sprintf("%d of this kind, such as: %s", g.Count, g.Message)
		}
		a.warn("%s", g.Problem)
	}
	if left > 0 {
		a.warn("%s not shown; --all shows each", count(left, "warning"))
	}
	return f, err
}

// tellProblems prints problems, one a line. Where errors are told as JSON, they are part of the error that the command ends with.
func (a *app) tellProblems(problems spec.Problems) {
	if a.json {
		a.problems = append(a.problems, problems...)
		return
	}
	for _, p := range problems {
		a.warn("%s", p)
	}
}

// load reads the folder and prints every error. Its warnings are only counted: validate is where they are read.
func (a *app) load(path string) (*folder, error) {
	here := a.here()
	here.Warnings = true // as many as validate counts
	f, problems, err := readFolderBy(path, func(fsys fs.FS, folder string) ([]*engine.Workflow, spec.Problems) {
		return spec.LoadHere(fsys, folder, here)
	})
	warnings := len(problems) - countErrors(problems)
	a.tellProblems(slices.DeleteFunc(slices.Clone(problems), func(p spec.Problem) bool { return p.Severity != spec.Error }))
	if err == nil && warnings > 0 {
		a.warn("%s in the definitions: almanac validate %s", count(warnings, "warning"), path)
	}
	return f, err
}

// planned reports whether the job has instances of its own in a plan.
func planned(j *engine.Job) bool { return !j.Disabled && !j.When.Manual }

// completeFolders completes a folder argument.
func completeFolders(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return nil, cobra.ShellCompDirectiveFilterDirs
}
