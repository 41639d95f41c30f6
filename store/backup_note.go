package store

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// noteName is a file of one line: of when the last backup of this directory is. It is no part of the rows, so that who may only read them can make backups
// while a server runs, and no part of a backup: of what is restored there is none yet.
const noteName = "backup"

const noteForm = "almanac-backup 1 "

// NoteBackup notes in the data directory that a backup of it was made.
func (db *DB) NoteBackup(m *Manifest) (err error) {
	path := filepath.Join(db.dir.path, noteName)
	defer func() {
		if err != nil {
			err = fmt.Errorf("note the backup in %s: %w", path, err)
		}
	}()
	f, err := os.CreateTemp(db.dir.path, noteName+".new-") // two backups at once note one of them
	if err != nil {
		return err
	}
	_, err = f.WriteString(noteForm + strconv.FormatInt(m.TakenAt.UnixMilli(), 10) + "\n")
	if err = errors.Join(err, f.Chmod(0o644), f.Close()); err == nil { // the server may be another user's
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		err = errors.Join(err, os.Remove(f.Name()))
	}
	return err
}

// LastBackup is of when the last backup of the data directory is, as it was noted; zero when none is known.
func (db *DB) LastBackup() time.Time {
	data, err := os.ReadFile(filepath.Join(db.dir.path, noteName))
	text, ours := strings.CutPrefix(strings.TrimSuffix(string(data), "\n"), noteForm)
	at, bad := strconv.ParseInt(text, 10, 64)
	if err != nil || !ours || bad != nil {
		return time.Time{}
	}
	return time.UnixMilli(at).UTC()
}
