package powerloss

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
)

// An Image is a tree of files as they are on a disk: a name below the root, with slashes, and the content. A directory has no content, and is
// there for its name.
type Image struct {
	Dirs  []string // in an order in which they can be made; the root is not named
	Files map[string][]byte
}

// ReadImage reads what is below a root.
func ReadImage(root string) (Image, error) {
	i := Image{Files: map[string][]byte{}}
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || path == root {
			return err
		}
		name, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		if name = filepath.ToSlash(name); entry.IsDir() {
			i.Dirs = append(i.Dirs, name)
			return nil
		}
		i.Files[name], err = os.ReadFile(path)
		return err
	})
	return i, err
}

// WriteTo makes the files of the image below a root, which must be empty or missing.
func (i Image) WriteTo(root string) error {
	if err := os.MkdirAll(root, 0o700); err != nil {
		return err
	}
	for _, dir := range i.Dirs {
		if err := os.Mkdir(filepath.Join(root, filepath.FromSlash(dir)), 0o700); err != nil {
			return err
		}
	}
	for _, name := range i.Names() {
		if err := os.WriteFile(filepath.Join(root, filepath.FromSlash(name)), i.Files[name], 0o600); err != nil {
			return err
		}
	}
	return nil
}

// Names lists the files in order.
func (i Image) Names() []string { return slices.Sorted(maps.Keys(i.Files)) }
