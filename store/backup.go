package store

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"modernc.org/sqlite"
)

// A backup is a directory of its own: the database as one file without a log beside it, what else was asked for, and a manifest that was written
// last. It has its name only when all of it is on the disk and was read back.
const (
	manifestName = "manifest.json"
	manifestForm = 1
	logsName     = "logs"
	backupPages  = 1024 // copied between two looks at whether to go on
)

// What is wrong with a backup, or with the place where one should go.
var (
	ErrExists    = errors.New("it exists already, and is never written over")
	ErrNotEmpty  = errors.New("it is not empty")
	ErrNotBackup = errors.New("it is no complete backup")
	ErrDamaged   = errors.New("it is not what the manifest says")
)

// A Manifest says what a backup holds.
type Manifest struct {
	Form    int       `json:"form"`    // of the manifest
	Program string    `json:"program"` // the version of almanac that made it
	Schema  int64     `json:"schema"`
	TakenAt time.Time `json:"takenAt"`
	Counts  Totals    `json:"counts"`
	Event   int64     `json:"event"` // the newest, and its hash
	Hash    string    `json:"hash"`
	Files   []File    `json:"files"` // by name; the database is the first

	// SecretKey is the SHA-256 of the key with which the secrets in the rows are sealed, whether the backup holds it or not; "" when there was none.
	SecretKey string `json:"secretKey,omitempty"`
}

// Totals count the rows of a database.
type Totals struct {
	Jobs      int64 `json:"jobs"`
	Instances int64 `json:"instances"`
	Attempts  int64 `json:"attempts"`
	Events    int64 `json:"events"`
	Outbox    int64 `json:"outbox"`
	Tokens    int64 `json:"tokens"`
}

// A File is one file of a backup.
type File struct {
	Name   string `json:"name"` // below the backup, with slashes
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

// BackupOptions are what the rows do not know.
type BackupOptions struct {
	Program string
	At      time.Time
	Logs    bool // the attempts' logs too
	Key     bool // the key of the sealed secrets too: who reads the backup can open them
}

// Backup writes a backup of the data directory to target, which must not exist. The rows are those of one moment, whatever a server writes
// meanwhile; it is not held up. Nothing of an attempt that fails is left behind.
func (db *DB) Backup(ctx context.Context, target string, o BackupOptions) (m Manifest, err error) {
	if _, err := os.Lstat(target); err == nil {
		return m, fmt.Errorf("write a backup to %s: %w", target, ErrExists)
	}
	parent := filepath.Dir(target)
	temporary, err := os.MkdirTemp(parent, filepath.Base(target)+".partial-") // 0700
	if err != nil {
		return m, fmt.Errorf("write a backup to %s: %w", target, err)
	}
	defer func() {
		if err != nil {
			m, err = Manifest{}, errors.Join(err, os.RemoveAll(temporary))
		}
	}()
	m = Manifest{Form: manifestForm, Program: o.Program, TakenAt: o.At.UTC()}
	path := filepath.Join(temporary, fileName)
	if err := db.copyTo(ctx, path); err != nil {
		return m, fmt.Errorf("copy the database of %s: %w", db.dir.path, err)
	}
	if err := m.describe(path); err != nil {
		return m, fmt.Errorf("read the copy of %s: %w", db.dir.path, err)
	}
	file, err := hashFile(ctx, temporary, fileName)
	if err != nil {
		return m, fmt.Errorf("read the copy of %s: %w", db.dir.path, err)
	}
	m.Files = []File{file}
	if o.Logs {
		logs, err := copyTree(ctx, filepath.Join(db.dir.path, logsName), temporary, logsName)
		if err != nil {
			return m, fmt.Errorf("copy the logs of %s: %w", db.dir.path, err)
		}
		m.Files = append(m.Files, logs...)
	}
	if err := m.backupKey(ctx, db.dir.path, temporary, o.Key); err != nil {
		return m, fmt.Errorf("read the key of the secrets of %s: %w", db.dir.path, err)
	}
	if err := m.write(temporary); err != nil {
		return m, fmt.Errorf("write the manifest of %s: %w", target, err)
	}
	if _, err := VerifyBackup(ctx, temporary); err != nil {
		return m, fmt.Errorf("read the backup back: %w", err)
	}
	// A directory takes the name of an empty one at most.
	if err := os.Rename(temporary, target); err != nil {
		return m, fmt.Errorf("write a backup to %s: %w", target, err)
	}
	return m, syncDir(parent)
}

// copyTo copies the pages of one snapshot into a new file and syncs it.
func (db *DB) copyTo(ctx context.Context, path string) (err error) {
	s, err := db.openReader()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	source, ok := s.conn.(interface {
		NewBackup(string) (*sqlite.Backup, error)
	})
	if !ok {
		return errors.New("the SQLite driver cannot copy a database")
	}
	// While this transaction is open every page is read as it was when it began, so that the copy does not begin anew with each write.
	if err := s.control("BEGIN"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.control("ROLLBACK")) }()
	if err := s.read(`SELECT count(*) FROM sqlite_schema`, func(*columns) error { return nil }, nil); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	b, err := source.NewBackup("file:" + (&url.URL{Path: path}).EscapedPath() + "?mode=rw")
	if err != nil {
		return err
	}
	for more := true; more; {
		if err := ctx.Err(); err != nil {
			return errors.Join(err, b.Finish())
		}
		if more, err = b.Step(backupPages); err != nil {
			return errors.Join(err, b.Finish())
		}
	}
	copied, err := b.Commit()
	if err != nil {
		return err
	}
	// One file alone: what is copied by hand later must not need a log.
	t := &session{conn: copied, ctx: context.Background(), stmts: map[string]*statement{}}
	err = t.control("PRAGMA journal_mode = DELETE")
	if err = errors.Join(err, t.close()); err != nil {
		return err
	}
	return syncFile(path)
}

const totalsSQL = `SELECT (SELECT count(*) FROM job), (SELECT count(*) FROM instance), (SELECT count(*) FROM attempt), (SELECT count(*) FROM event),
	(SELECT count(*) FROM outbox), (SELECT count(*) FROM token)`

// describe fills in what the rows of a copy say.
func (m *Manifest) describe(path string) (err error) {
	s, err := openOutside(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	if m.Schema, err = schemaVersion(s); err != nil {
		return err
	}
	end, err := readChain(s)
	if err != nil {
		return err
	}
	m.Event, m.Hash = end.id, hex.EncodeToString(end.hash[:])
	return s.read(totalsSQL, func(c *columns) error {
		m.Counts = Totals{Jobs: c.int(), Instances: c.int(), Attempts: c.int(), Events: c.int(), Outbox: c.int(), Tokens: c.int()}
		return nil
	}, nil)
}

func (m *Manifest) write(dir string) error {
	data, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	path := filepath.Join(dir, manifestName)
	if err := os.WriteFile(path, append(data, '\n'), 0o600); err != nil {
		return err
	}
	return errors.Join(syncFile(path), syncDir(dir))
}

// ReadManifest reads what a backup says of itself.
func ReadManifest(backup string) (m Manifest, err error) {
	data, err := os.ReadFile(filepath.Join(backup, manifestName))
	if errors.Is(err, fs.ErrNotExist) {
		return m, fmt.Errorf("read the backup %s: %w: it has no %s", backup, ErrNotBackup, manifestName)
	}
	if err != nil {
		return m, fmt.Errorf("read the backup: %w", err)
	}
	if err := json.Unmarshal(data, &m); err != nil {
		return m, fmt.Errorf("read the backup %s: %w: %s: %w", backup, ErrNotBackup, manifestName, err)
	}
	switch {
	case m.Form != manifestForm:
		return m, fmt.Errorf("read the backup %s: %w: its form is %d, and this program knows %d", backup, ErrNotBackup, m.Form, manifestForm)
	case len(m.Files) == 0 || m.Files[0].Name != fileName:
		return m, fmt.Errorf("read the backup %s: %w: it names no database", backup, ErrNotBackup)
	case m.Schema > KnownSchema():
		return m, fmt.Errorf("read the backup %s: %w: its schema is %d, this program knows %d", backup, ErrNewer, m.Schema, KnownSchema())
	}
	for _, f := range m.Files {
		if !filepath.IsLocal(filepath.FromSlash(f.Name)) || f.Name != fileName && f.Name != SecretKeyFile && !strings.HasPrefix(f.Name, logsName+"/") {
			return m, fmt.Errorf("read the backup %s: %w: %q is no file of one", backup, ErrNotBackup, f.Name)
		}
	}
	return m, nil
}

// VerifyBackup reads every byte of a backup and every row that its manifest counts: the files are those that were written, the pages fit together,
// and the history is whole.
func VerifyBackup(ctx context.Context, backup string) (Manifest, error) {
	m, err := ReadManifest(backup)
	if err != nil {
		return m, err
	}
	for _, want := range m.Files {
		got, err := hashFile(ctx, backup, want.Name)
		if errors.Is(err, fs.ErrNotExist) {
			return m, fmt.Errorf("verify the backup %s: %w: %s is missing", backup, ErrDamaged, want.Name)
		}
		if err != nil {
			return m, fmt.Errorf("verify the backup: %w", err)
		}
		if got != want {
			return m, fmt.Errorf("verify the backup %s: %w: %s has %d bytes with the sum %s, not %d with %s", backup, ErrDamaged, want.Name, got.Bytes, got.SHA256,
				want.Bytes, want.SHA256)
		}
	}
	path := filepath.Join(backup, fileName)
	s, err := openOutside(path)
	if err != nil {
		return m, fmt.Errorf("verify the backup %s: %w", backup, err)
	}
	err = quickCheck(ctx, s, 10)
	v := &view{s: s}
	for c, more := (chain{}), true; more && err == nil; {
		if err = ctx.Err(); err == nil {
			more, err = v.verify(&c)
		}
	}
	if err = errors.Join(err, s.close()); err != nil {
		return m, fmt.Errorf("verify the backup %s: %w", backup, err)
	}
	found := m
	if err := found.describe(path); err != nil {
		return m, fmt.Errorf("verify the backup %s: %w", backup, err)
	}
	if found.Schema != m.Schema || found.Counts != m.Counts || found.Event != m.Event || found.Hash != m.Hash {
		return m, fmt.Errorf("verify the backup %s: %w: %+v", backup, ErrDamaged, found.Counts)
	}
	return m, nil
}

// Restore verifies a backup and makes a data directory of it. dir must not exist or be empty. The database gets its name last, so that a restore that
// was cut short leaves a directory which no server takes for one. key is the file of the key of the secrets, of a backup that does not hold it; "" is none.
func Restore(ctx context.Context, backup, dir, key string) (m Manifest, err error) {
	if m, err = VerifyBackup(ctx, backup); err != nil {
		return m, err
	}
	fail := func(err error) error { return fmt.Errorf("restore %s into %s: %w", backup, dir, err) }
	if key != "" {
		if err := m.checkKey(ctx, key); err != nil {
			return m, fail(err)
		}
	}
	switch entries, err := os.ReadDir(dir); {
	case errors.Is(err, fs.ErrNotExist):
		if err := makeDir(dir); err != nil {
			return m, fail(err)
		}
	case err != nil:
		return m, fail(err)
	case slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() != "lost+found" }): // of a file system of its own
		return m, fail(fmt.Errorf("%w; name a new directory", ErrNotEmpty))
	}
	made := []string{}
	defer func() {
		if err != nil {
			for _, path := range made {
				err = errors.Join(err, os.RemoveAll(path))
			}
		}
	}()
	made = append(made, filepath.Join(dir, logsName), filepath.Join(dir, SecretKeyFile))
	if key != "" && !m.HoldsSecretKey() {
		if err := copyFile(ctx, key, filepath.Join(dir, SecretKeyFile)); err != nil {
			return m, fail(err)
		}
	}
	for _, f := range m.Files[1:] {
		if err := copyFile(ctx, filepath.Join(backup, filepath.FromSlash(f.Name)), filepath.Join(dir, filepath.FromSlash(f.Name))); err != nil {
			return m, fail(err)
		}
	}
	temporary := filepath.Join(dir, newFileName)
	made = append(made, temporary)
	if err := copyFile(ctx, filepath.Join(backup, fileName), temporary); err != nil {
		return m, fail(err)
	}
	got, err := hashFile(ctx, dir, newFileName)
	if err != nil {
		return m, fail(err)
	}
	if got.SHA256 != m.Files[0].SHA256 {
		return m, fail(fmt.Errorf("%w after it was copied", ErrDamaged))
	}
	if err := os.Rename(temporary, filepath.Join(dir, fileName)); err != nil {
		return m, fail(err)
	}
	made = nil
	if err := syncDir(dir); err != nil {
		return m, fail(err)
	}
	return m, nil
}

// hashFile reads a file of a backup.
func hashFile(ctx context.Context, dir, name string) (File, error) {
	f, err := os.Open(filepath.Join(dir, filepath.FromSlash(name)))
	if err != nil {
		return File{}, err
	}
	defer f.Close()
	sum := sha256.New()
	n, err := io.Copy(sum, &interruptible{ctx, f})
	return File{Name: name, Bytes: n, SHA256: hex.EncodeToString(sum.Sum(nil))}, err
}

// copyTree copies the regular files below a directory, as far as they go at this moment: logs grow.
func copyTree(ctx context.Context, from, target, name string) (files []File, err error) {
	err = filepath.WalkDir(from, func(path string, entry fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil // retention removed it, or there is none at all
		}
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		below, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		to := filepath.Join(name, below)
		if err := copyFile(ctx, path, filepath.Join(target, to)); err != nil {
			if errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			return err
		}
		f, err := hashFile(ctx, target, filepath.ToSlash(to))
		files = append(files, f)
		return err
	})
	return files, err
}

// copyFile copies a file into a new one, with the directories above it, and syncs it.
func copyFile(ctx context.Context, from, to string) (err error) {
	source, err := os.Open(from)
	if err != nil {
		return err
	}
	defer source.Close()
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return err
	}
	target, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(target, &interruptible{ctx, source})
	if err == nil {
		err = target.Sync()
	}
	return errors.Join(err, target.Close())
}

// syncFile makes the content of a file survive power loss.
func syncFile(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// interruptible reads until a context ends.
type interruptible struct {
	ctx context.Context
	r   io.Reader
}

func (i *interruptible) Read(p []byte) (int, error) {
	if err := i.ctx.Err(); err != nil {
		return 0, err
	}
	return i.r.Read(p)
}
