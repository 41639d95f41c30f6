package spec

import (
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/almanac-sched/almanac/engine"
)

// Load reads every *.yaml, *.yml and *.json file below the root of fsys, but for *.schema.json, hidden ones and those in hidden folders, and judges them
// together. All mistakes of all files are reported; with an error among them there are no workflows. Folder is where fsys stands: it begins the
// file names of messages, Workflow.Folder and Job.Folder.
//
// Load reads no clock: schedules without a startTime are judged as if created at a fixed time, so a folder that loads once loads always.
func Load(fsys fs.FS, folder string) ([]*engine.Workflow, Problems) {
	return LoadBeside(fsys, folder, nil, time.Time{})
}

// LoadBeside is Load of files that stand beside workflows which are loaded already and stay as they are, but for those of a name that a file has. They
// are judged together, and returned together, those of the files first; that something of the others alone is worth a second look is not told again. What
// has passed by now, and would therefore run at once, is a warning; the zero time judges nothing by a clock.
func LoadBeside(
	fsys fs.FS, folder string, others []*engine.Workflow, now time.Time,
) ([]*engine.Workflow, Problems) {
	return load(fsys, folder, others, nil, now)
}

// LoadHere is Load, and reports besides what the definitions name that cannot be had on this machine, and
// what a load would start at once because its time has passed.
func LoadHere(fsys fs.FS, folder string, outside *Outside) ([]*engine.Workflow, Problems) {
	return load(fsys, folder, nil, outside, outside.Now)
}

func load(
	fsys fs.FS, folder string, others []*engine.Workflow, outside *Outside, now time.Time,
) ([]*engine.Workflow, Problems) {
	workflows, damaged, unread, problems := decodeAll(fsys, folder)
	l := lint{at: anchor, now: now, unread: unread, damaged: damaged, settled: map[string]bool{}}
	for _, other := range others {
		if !slices.ContainsFunc(workflows, func(w *engine.Workflow) bool { return w.Name == other.Name }) &&
			!slices.ContainsFunc(damaged, func(f *damagedFile) bool { return f.workflow.Name == other.Name }) {
			workflows, l.settled[other.Name] = append(workflows, other), true
		}
	}
	if outside != nil {
		problems = append(problems, outside.problems(workflows)...)
		for _, f := range damaged {
			problems = append(problems, outside.problems([]*engine.Workflow{f.workflow})...)
		}
	}
	problems = append(problems, l.run(workflows)...).sorted()
	if problems.HasErrors() {
		return nil, problems
	}
	return workflows, problems
}

// decodeAll decodes every file by itself. What could not be read at all may hold what seems to be missing.
func decodeAll(fsys fs.FS, folder string) (workflows []*engine.Workflow, damaged []*damagedFile, unread bool, problems Problems) {
	fail := func(file string, format string, args ...any) {
		problems = append(problems, Problem{File: file, Message: fmt.Sprintf(format, args...)})
	}
	var names []string
	err := fs.WalkDir(fsys, ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			fail(filepath.Join(folder, filepath.FromSlash(name)), "cannot be read: %s", err)
		case name != "." && strings.HasPrefix(entry.Name(), "."):
			if entry.IsDir() {
				return fs.SkipDir
			}
		case !entry.IsDir() && definitionFile(name):
			names = append(names, name)
		}
		return nil //nolint:nilerr // it is reported, and the other files are read
	})
	if err != nil {
		fail(folder, "cannot be listed: %s", err)
	}
	unread = problems.HasErrors() // what could not be read may hold what seems to be missing
	for _, name := range names {
		file := filepath.Join(folder, filepath.FromSlash(name))
		if info, err := fs.Stat(fsys, name); err == nil && info.Size() > maxFileBytes {
			fail(file, "the file has %d bytes; at most %d (8 MiB) are allowed", info.Size(), maxFileBytes)
			unread = true
			continue
		}
		data, err := fs.ReadFile(fsys, name)
		if err != nil {
			fail(file, "cannot be read: %s", err)
			unread = true
			continue
		}
		w, broken, found := decodeFile(file, data, Options{Folder: filepath.Dir(file), Files: fsys, Dir: path.Dir(name)})
		problems = append(problems, found...)
		switch {
		case w != nil:
			workflows = append(workflows, w)
		case broken != nil:
			damaged = append(damaged, broken)
		default:
			unread = true
		}
	}
	return workflows, damaged, unread, problems
}

// definitionFile reports whether a file is read as a workflow. The JSON Schema for editors lies beside them as *.schema.json.
func definitionFile(name string) bool {
	if strings.HasSuffix(strings.ToLower(name), ".schema.json") {
		return false
	}
	switch strings.ToLower(path.Ext(name)) {
	case ".yaml", ".yml", ".json":
		return true
	}
	return false
}
