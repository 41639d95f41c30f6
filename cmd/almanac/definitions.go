package main

import (
	"cmp"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing/fstest"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/engine/spec"
	"github.com/almanac-sched/almanac/web"
)

// definitionReader reads what a request sent, or the server's own folder again; "" is none.
func definitionReader(own string) func(web.DefinitionSource) ([]*engine.Workflow, []web.DefinitionProblem, error) {
	return func(source web.DefinitionSource) ([]*engine.Workflow, []web.DefinitionProblem, error) {
		files, folder := source.Files, cmp.Or(source.Folder, own)
		if folder == "" {
			return nil, nil, fmt.Errorf("%w: this server was started without a folder; send the files, and say where they stand", engine.ErrConflict)
		}
		folder, err := absolute(folder)
		if err != nil {
			return nil, nil, err
		}
		tree := os.DirFS(folder)
		if len(files) > 0 {
			tree = memoryFolder(files)
		} else if folder != own {
			return nil, nil, fmt.Errorf("%w: this server reads no folder but its own; send the files", engine.ErrConflict)
		}
		workflows, found := spec.LoadBeside(tree, folder, source.Beside, now())
		problems := make([]web.DefinitionProblem, len(found))
		for i, p := range found {
			text := p.String()
			if below, err := filepath.Rel(folder, p.File); err == nil && len(files) > 0 && filepath.IsAbs(p.File) {
				p.File = filepath.ToSlash(below)
			}
			problems[i] = web.NewDefinitionProblem(web.DefinitionProblem{
				File: p.File, Line: p.Line, Column: p.Column, Severity: p.Severity.String(), Message: p.Message, Hint: p.Hint, Kind: string(p.Kind),
			}, text)
		}
		return workflows, problems, nil
	}
}

// memoryFolder is the files of a request, each of which has another name, as a folder.
func memoryFolder(files []web.DefinitionFile) fs.FS {
	tree := fstest.MapFS{}
	for _, f := range files {
		tree[f.Name] = &fstest.MapFile{Data: []byte(f.Text), Mode: 0o444}
	}
	return tree
}

// folderFiles collects the files of a folder that definitions are made of.
func folderFiles(folder string) ([]web.DefinitionFile, error) {
	var files []web.DefinitionFile
	root := os.DirFS(folder)
	err := fs.WalkDir(root, ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case name != "." && strings.HasPrefix(entry.Name(), "."):
			if entry.IsDir() {
				return fs.SkipDir
			}
			return nil
		case entry.IsDir() || !slices.Contains([]string{".yaml", ".yml", ".json", ".ics"}, strings.ToLower(filepath.Ext(name))):
			return nil
		}
		data, err := fs.ReadFile(root, name)
		files = append(files, web.DefinitionFile{Name: name, Text: string(data)})
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read the files of %s: %w", folder, err)
	}
	return files, nil
}

// sent is a folder as a request carries it. A server on this machine takes it for standing where it stands; another for its own folder.
func sent(f *folder, n *connection) (web.Definitions, error) {
	files, err := folderFiles(f.path)
	d := web.Definitions{Files: files}
	if n.server == "" {
		d.Folder = filepath.Clean(f.path)
	}
	return d, err
}
