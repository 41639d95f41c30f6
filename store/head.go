package store

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
)

// headName is a file of one line: the newest event that this directory has held. It is written after each commit, so it never runs ahead of the rows
// however a process or a machine ends; a database that ends before it is an older copy, or lost its log. SQLite cannot tell: both look whole.
const headName = "head"

const headForm = "almanac-head 1 %020d %064x"

// A headFile is the open head of a directory.
type headFile struct{ f *os.File }

func openHead(dir string) (*headFile, error) {
	f, err := os.OpenFile(filepath.Join(dir, headName), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	return &headFile{f}, nil
}

// write records where the history ends. A failure is no matter: the head then lags behind, which is what it may.
func (h *headFile) write(c chain) {
	_, _ = h.f.WriteAt(encodeHead(c), 0)
}

// begin writes the head of a server that starts, and makes it durable: from then on only what is
// written beside a log may be torn by a loss of power. A failure is no matter here either: what is
// there then was durable before.
func (h *headFile) begin(c chain) {
	h.write(c)
	_ = h.f.Truncate(int64(len(encodeHead(c))))
	_ = syncSmall(h.f)
}

// close makes the head durable before the log is removed, see checkHead.
func (h *headFile) close() error { return errors.Join(syncSmall(h.f), h.f.Close()) }

func encodeHead(c chain) []byte {
	line := fmt.Appendf(nil, headForm, c.id, c.hash)
	return fmt.Appendf(line, " %08x\n", crc32.ChecksumIEEE(line))
}

// readHead returns what the directory has held; false when nothing is known of it: no file, or one that the power cut short.
func readHead(dir string) (c chain, known bool) {
	data, err := os.ReadFile(filepath.Join(dir, headName))
	if err != nil {
		return chain{}, false
	}
	var hash []byte
	if _, err := fmt.Fscanf(bytes.NewReader(data), "almanac-head 1 %d %x", &c.id, &hash); err != nil || len(hash) != sha256.Size {
		return chain{}, false
	}
	copy(c.hash[:], hash)
	return c, bytes.Equal(data, encodeHead(c))
}

// garbledHead refuses a head that is no such line: then nothing says whether the database is the last one. One that is empty, or in the form of the line, the
// power has cut short or torn; that is no more than none.
func garbledHead(dir string) error {
	form := []byte("almanac-head 1 ")
	data, err := os.ReadFile(filepath.Join(dir, headName))
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("%w: %w", ErrHead, err)
	case len(bytes.Trim(data, "\x00")) == 0, bytes.HasPrefix(data, form), bytes.HasPrefix(form, data):
		return nil
	}
	return fmt.Errorf("%w: it is not one that this program wrote", ErrHead)
}

// checkHead refuses a history that is not the continuation of what the directory has held. The head
// is written without a sync while a server runs, so that the power may have left garbage in it
// where a log is there; a server that is stopped syncs it before it removes the log.
func checkHead(s *session, dir *directory) error {
	held, known := readHead(dir.path)
	switch {
	case !known && dir.log:
		return nil
	case !known:
		return garbledHead(dir.path)
	}
	end, err := readChain(s)
	if err != nil {
		return err
	}
	if end.id < held.id {
		return fmt.Errorf("%w: its history ends with event %d, and event %d has been here", ErrStale, end.id, held.id)
	}
	hash := end.hash
	if end.id > held.id {
		found, err := s.one(`SELECT hash FROM event WHERE id = ?`, func(c *columns) error {
			copy(hash[:], c.blob())
			return nil
		}, held.id)
		if err != nil || !found { // retention has removed it
			return err
		}
	}
	if hash != held.hash {
		return fmt.Errorf("%w: its event %d is another than the one that has been here", ErrStale, held.id)
	}
	return nil
}

// CheckHead compares the database with what its directory has held: an error that wraps ErrStale when it is an older or another one.
func (db *DB) CheckHead() error {
	s, err := db.openReader()
	if err != nil {
		return db.unusable("open the database in", err)
	}
	if err = checkHead(s, db.dir); errors.Is(err, ErrStale) || errors.Is(err, ErrHead) {
		err = db.unusable("open the database in", err)
	}
	return errors.Join(err, s.close())
}
