package spec

import (
	"fmt"
	"path/filepath"

	"github.com/almanac-sched/almanac/engine"
)

// An Outside looks up what definitions name outside of themselves, on the machine that is to run them. Each answers with what is wrong,
// in words, or nil.
type Outside struct {
	Script func(path string) error                // whether the file at the path can be run as a script
	Secret func(source engine.SecretSource) error // whether the secret can be read
	Strict bool                                   // a secret that cannot be read is an error: else it is a warning, as another machine may have it
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
				if err := o.Script(filepath.Join(j.Folder, filepath.FromSlash(s.script))); err != nil {
					problems = append(problems, Problem{File: w.File, Line: s.line, Column: s.column, Message: fmt.Sprintf("the script %s of %s %s", s.script, j.Name, err)})
				}
			}
			for _, name := range sortedKeys(j.Secrets) {
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
