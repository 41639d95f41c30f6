package main

import (
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
func definitionReader(own string) func([]web.DefinitionFile, string) ([]*engine.Workflow, []web.Mistake, error) {
	return func(files []web.DefinitionFile, folder string) ([]*engine.Workflow, []web.Mistake, error) {
		if folder == "" {
			folder = own
		}
		if folder == "" {
			return nil, nil, fmt.Errorf("%w: this server was started without a folder; send the files, and say where they stand", engine.ErrConflict)
		}
		folder, err := absolute(folder)
		if err != nil {
			return nil, nil, err
		}
		tree, mistakes := os.DirFS(folder), []web.Mistake(nil)
		if len(files) > 0 {
			tree, mistakes = memoryFolder(files)
		} else if folder != own {
			return nil, nil, fmt.Errorf("%w: this server reads no folder but its own; send the files", engine.ErrConflict)
		}
		if len(mistakes) > 0 {
			return nil, mistakes, nil
		}
		workflows, problems := spec.Load(tree, folder)
		for _, p := range problems {
			if p.Severity == spec.Error {
				mistakes = append(mistakes, web.Mistake{Message: p.String()})
			}
		}
		return workflows, mistakes, nil
	}
}

// memoryFolder is the files of a request as a folder.
func memoryFolder(files []web.DefinitionFile) (fs.FS, []web.Mistake) {
	tree := fstest.MapFS{}
	var mistakes []web.Mistake
	for i, f := range files {
		switch _, twice := tree[f.Name]; {
		case !fs.ValidPath(f.Name) || f.Name == ".":
			mistakes = append(mistakes, web.Mistake{Location: fmt.Sprintf("body.files[%d].name", i), Message: "it is no path below the folder"})
		case twice:
			mistakes = append(mistakes, web.Mistake{Location: fmt.Sprintf("body.files[%d].name", i), Message: "the file is there twice"})
		default:
			tree[f.Name] = &fstest.MapFile{Data: []byte(f.Text), Mode: 0o444}
		}
	}
	return tree, mistakes
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
