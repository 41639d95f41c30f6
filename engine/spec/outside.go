package spec

import (
	"fmt"
	"path/filepath"
	"time"

	"github.com/almanac-sched/almanac/engine"
)

// An Outside looks up what definitions name outside of themselves, on the machine that is to run them. Each answers with what is wrong,
// in words, or nil.
type Outside struct {
	Script  func(path string) error                // whether the file at the path can be run as a script
	Command func(path string) error                // whether a shell can start the file at the path
	Secret  func(source engine.SecretSource) error // whether the secret can be read

	// Strict makes errors of a secret that cannot be read and of a command that cannot be started: else
	// they are warnings, as another machine may have them.
	Strict bool
	// Warnings leaves out what would be an error: what is planned here may run elsewhere.
	Warnings bool
	Now      time.Time // what has passed by then is judged; zero judges nothing by a clock
}

// problems reports the scripts and secrets of decoded workflows that cannot be had on this machine.
func (o *Outside) problems(workflows []*engine.Workflow) Problems {
	var problems Problems
	severity := Warning
	if o.Strict {
		severity = Error
	}
	for _, w := range workflows {
		all := marksOf(w)
		for _, j := range w.Jobs {
			marks := all[j.Name]
			for _, s := range marks.scripts {
				if s.command {
					problems = append(problems, o.command(w.File, j, s, severity)...)
					continue
				}
				if o.Warnings {
					continue
				}
				if err := o.Script(filepath.Join(j.Folder, filepath.FromSlash(s.script))); err != nil {
					problems = append(problems, Problem{File: w.File, Line: s.line, Column: s.column, Message: fmt.Sprintf("the script %s of %s %s", s.script, j.Name, err)})
				}
			}
			for _, name := range sortedKeys(j.Secrets) {
				if j.Secrets[name] == (engine.SecretSource{}) {
					continue // the mistake in where it comes from is said
				}
				if err := o.Secret(j.Secrets[name]); err != nil {
					at := marks.secrets[name]
					problems = append(problems, Problem{
						File: w.File, Line: at.line, Column: at.column, Severity: severity, Kind: KindSecret,
						Message: fmt.Sprintf("the secret %s cannot be read here: %s", name, err),
					})
				}
			}
		}
	}
	return problems
}

// command reports that a shell could not start what a command begins with.
func (o *Outside) command(file string, j *engine.Job, s scriptMark, severity Severity) Problems {
	err := o.Command(filepath.Join(j.Folder, filepath.FromSlash(s.script)))
	if err == nil {
		return nil
	}
	return Problems{{
		File: file, Line: s.line, Column: s.column, Severity: severity, Kind: KindCommand,
		Message: fmt.Sprintf("the command of %s begins with %s, which %s", j.Name, s.script, err),
	}}
}
