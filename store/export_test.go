package store

import (
	"context"
	"errors"
	"os"
)

// OnSync tells of each sync of a small file from now on.
func OnSync(tell func(path string)) {
	syncSmall = func(f *os.File) error {
		err := f.Sync()
		if err == nil {
			tell(f.Name())
		}
		return err
	}
}

// CheckPages compares the pages with their checksums.
func (db *DB) CheckPages() error {
	s, err := db.openReader()
	if err != nil {
		return err
	}
	faults, err := db.checkPages(context.Background(), s, 10)
	return errors.Join(append(faults, err, s.close())...)
}
