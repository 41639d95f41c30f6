package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/engine/spec"
	"github.com/almanac-sched/almanac/web"
)

// sourceWriter makes a file of the recorded definitions of one workflow: that of the server's own folder as it stands, with its comments, when it says just
// what they say; else a written one.
func sourceWriter(own string) func(string, []web.StoredDefinition) (web.SourceText, error) {
	return func(workflow string, jobs []web.StoredDefinition) (web.SourceText, error) {
		var notes []string
		if folder := jobs[0].Folder; own != "" && (folder == own || strings.HasPrefix(folder, own+string(filepath.Separator))) {
			text, why := standing(os.DirFS(folder), folder, workflow, jobs)
			if text.Own {
				return text, nil
			}
			notes = append(notes, why...)
		}
		stored := make([]spec.StoredJob, len(jobs))
		for i, d := range jobs {
			stored[i] = spec.StoredJob{Ref: engine.JobRef{Workflow: d.Workflow, Job: d.Job}, Definition: d.Definition, Folder: d.Folder}
		}
		files, more, err := spec.ExportFiles(stored)
		if err != nil {
			return web.SourceText{}, err
		}
		return web.SourceText{Name: files[0].Name, Text: string(files[0].Text), Notes: append(notes, more...)}, nil
	}
}

// standing looks among the files of a folder, not those below it, for the one that holds the workflow. Without one that says what is recorded, why says so.
func standing(folder fs.FS, at, workflow string, jobs []web.StoredDefinition) (text web.SourceText, why []string) {
	entries, err := fs.ReadDir(folder, ".")
	if err != nil {
		return text, []string{fmt.Sprintf("the folder %s cannot be read: the text is written of what is loaded", at)}
	}
	for _, entry := range entries {
		name := entry.Name()
		if strings.HasPrefix(name, ".") || !slices.Contains([]string{".yaml", ".yml", ".json"}, strings.ToLower(filepath.Ext(name))) {
			continue
		}
		data, err := fs.ReadFile(folder, name)
		if err != nil || !bytes.Contains(data, []byte(workflow)) {
			continue
		}
		// Decoded by itself, so that what it needs of other files does not count as being in it.
		w, _ := spec.Decode(filepath.Join(at, name), data, spec.Options{Folder: at})
		if w == nil {
			why = append(why, fmt.Sprintf("the file %s is not valid by itself now; it may hold this workflow", name))
			continue
		}
		if w.Name != workflow {
			continue
		}
		if !slices.EqualFunc(w.Jobs, jobs, func(j *engine.Job, d web.StoredDefinition) bool {
			return j.Name == d.Job && bytes.Equal(j.Definition, d.Definition)
		}) {
			return text, []string{fmt.Sprintf("the file %s in the folder says something else than what is loaded; this is what is loaded", name)}
		}
		return web.SourceText{Name: name, Text: string(data), Own: true}, nil
	}
	return text, append(why, "the text is written of what is loaded: comments of a file are not in it")
}
