package engine

import (
	"path/filepath"
	"slices"
	"strings"
)

// SameWork reports whether instances of two jobs of one name do the same: by their definitions, and by where those were loaded from when what they do names
// files of that folder.
func SameWork(a, b *Job) bool {
	return string(a.Definition) == string(b.Definition) && (a.Folder == b.Folder || !a.namesFiles())
}

// namesFiles reports whether what the job does names a file by its place in the workflow's folder: a script, a working directory, a file that a step waits for,
// or in a command or its arguments a path that begins with a dot. That a command begins in the folder when it says no other is no such name.
func (j *Job) namesFiles() bool {
	if j.ErrorAction != nil && j.ErrorAction.namesFiles() {
		return true
	}
	return slices.ContainsFunc(j.Steps, func(s Step) bool { return s.Action.namesFiles() })
}

func (a *Action) namesFiles() bool {
	if a.Probe != nil && a.Probe.File != nil {
		return true
	}
	s := a.Shell
	if s == nil {
		return false
	}
	dotted := func(t Text) bool { return strings.Contains(string(t), "./") }
	return s.Script != "" || s.Dir != "" && !filepath.IsAbs(s.Dir) || dotted(s.Command) || slices.ContainsFunc(s.Args, dotted)
}
