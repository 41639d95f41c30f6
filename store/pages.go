package store

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"maps"
	"os"
	"slices"
	"sync"
)

// pagesSuffix names the file of the checksums of the pages, beside the database. SQLite has
// checksums for its log and none for its file: a bit that flips in a value is another value, and
// nothing shows it. The pages of the file are written in one way alone: out of the log, see
// checkpointer. Before that their checksums are taken from the log, written here and synced, so
// that each page of the file either has the checksum that stands here or is in the log, however a
// process or a machine ends. What cannot be known is left unknown, and is taken from the file when
// a server starts.
const pagesSuffix = "-pages"

const (
	pagesMagic  = "almanac-pages 1\n"
	pagesHeader = 64
	pagesClean  = 1 // every page of the log has its checksum here: whoever copies the log does no harm
	pagesOpen   = 2 // a server is at work, or ended without a word
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func pageSum(data []byte) uint32 { return crc32.Checksum(data, castagnoli) }

// pageEntry is what stands of a page: its checksum, and one of that and the number, so that damage
// to the entry is no damage of the page. 0 is unknown.
func pageEntry(page, sum uint32) uint64 {
	var b [8]byte
	binary.BigEndian.PutUint32(b[:], page)
	binary.BigEndian.PutUint32(b[4:], sum)
	return uint64(sum)<<32 | uint64(pageSum(b[:]))
}

// A pageSums is the open file of the checksums of a server.
type pageSums struct {
	log string

	mu sync.Mutex
	f  *os.File
	at walPlace // up to which the log was followed

	state  uint32 // as it stands in the file; 0 when nobody knows
	marked [2]uint32
}

// openPages opens the checksums of a database before anything else opens that. fresh says that
// nothing that is there is of this database.
func openPages(path string, fresh bool) (*pageSums, error) {
	f, err := os.OpenFile(path+pagesSuffix, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	p := &pageSums{log: path + "-wal", f: f}
	if fresh || !p.trusted() {
		err = p.forget()
	}
	if err == nil {
		err = p.follow()
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return p, nil
}

// trusted reports whether the checksums are those of the file: nobody can have copied a log of
// which a part was not followed.
func (p *pageSums) trusted() bool {
	header := make([]byte, pagesHeader)
	if _, err := p.f.ReadAt(header, 0); err != nil || string(header[:16]) != pagesMagic || binary.BigEndian.Uint32(header[60:]) != pageSum(header[:60]) {
		return false
	}
	if binary.BigEndian.Uint32(header[16:]) == pagesClean {
		return true
	}
	// The log that was followed last is there, or the one that SQLite began after it, or the first
	// of that server.
	now, err := readLog(p.log, walPlace{}, func(uint32, uint32) {})
	last := [2]uint32{binary.BigEndian.Uint32(header[20:]), binary.BigEndian.Uint32(header[24:])}
	switch begun := now.salt[0] - last[0]; {
	case err != nil || now.at <= walHeaderSize:
		return false
	case last == [2]uint32{}:
		return true
	case begun == 0:
		return now.salt[1] == last[1]
	default:
		return begun <= 2
	}
}

func (p *pageSums) mark(state uint32) error {
	header := make([]byte, pagesHeader)
	copy(header, pagesMagic)
	binary.BigEndian.PutUint32(header[16:], state)
	binary.BigEndian.PutUint32(header[20:], p.at.salt[0])
	binary.BigEndian.PutUint32(header[24:], p.at.salt[1])
	binary.BigEndian.PutUint32(header[60:], pageSum(header[:60]))
	p.state = 0
	if _, err := p.f.WriteAt(header, 0); err != nil {
		return err
	}
	if err := syncSmall(p.f); err != nil {
		return err
	}
	p.state, p.marked = state, p.at.salt
	return nil
}

// syncSmall makes a small file durable. A test that records what is synced notes it.
var syncSmall = (*os.File).Sync

// forget makes every checksum unknown.
func (p *pageSums) forget() error {
	p.state = 0
	if err := p.f.Truncate(0); err != nil {
		return err
	}
	return p.mark(pagesOpen)
}

// follow takes the checksums of what the log has got since. It returns when they are durable: only
// then may the log be copied. When they cannot be written all are forgotten; an error says that not
// even that could be done.
func (p *pageSums) follow() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	sums := map[uint32]uint64{}
	at, err := readLog(p.log, p.at, func(page, sum uint32) { sums[page] = pageEntry(page, sum) })
	if err == nil && len(sums) == 0 && p.state == pagesOpen && p.marked == at.salt {
		p.at = at
		return nil // nothing is new
	}
	if err == nil {
		p.at = at
		err = p.put(sums)
	}
	if err == nil {
		err = p.mark(pagesOpen)
	}
	if err != nil {
		return p.forget()
	}
	return nil
}

// begin follows a log that is another than that of before, or none.
func (p *pageSums) begin() error {
	p.at = walPlace{}
	return p.follow()
}

// put writes entries, neighbours at once.
func (p *pageSums) put(sums map[uint32]uint64) error {
	pages := slices.Sorted(maps.Keys(sums))
	for from := 0; from < len(pages); {
		var run []byte
		to := from
		for ; to < len(pages) && pages[to]-pages[from] == uint32(to-from); to++ {
			run = binary.BigEndian.AppendUint64(run, sums[pages[to]])
		}
		if _, err := p.f.WriteAt(run, pageEntryAt(pages[from])); err != nil {
			return err
		}
		from = to
	}
	return nil
}

func pageEntryAt(page uint32) int64 { return pagesHeader + 8*(int64(page)-1) }

// stop follows the log to its end, after the last write. Whoever copies it from now on does no
// harm.
func (p *pageSums) stop() error {
	err := p.follow()
	p.mu.Lock()
	defer p.mu.Unlock()
	if err == nil {
		err = p.mark(pagesClean)
	}
	return errors.Join(err, p.f.Close())
}

// pagesAtOnce is how many pages are read in one snapshot, which holds up the copying of the log
// meanwhile.
const pagesAtOnce = 2048

// eachPage reads the pages of the file in snapshots: in each, part gets the number of the first
// page, the pages, and the entries that stand of them. With unknown, only where an entry is
// unknown.
func (db *DB) eachPage(ctx context.Context, s *session, sums io.ReaderAt, unknown bool, part func(first uint32, size int, pages, entries []byte) error) error {
	f, err := os.Open(db.dir.file())
	if err != nil {
		return err
	}
	defer f.Close()
	header := make([]byte, 100)
	if _, err := f.ReadAt(header, 0); err != nil {
		return err
	}
	size := int(binary.BigEndian.Uint16(header[16:]))
	if size == 1 {
		size = 65536
	}
	if size < 512 {
		return fmt.Errorf("%w: its pages have %d bytes", ErrCorrupt, size)
	}
	pages, entries := make([]byte, pagesAtOnce*size), make([]byte, pagesAtOnce*8)
	for first := uint32(1); ; first += pagesAtOnce {
		if err := ctx.Err(); err != nil {
			return err
		}
		left := (fileSize(db.dir.file()) - int64(first-1)*int64(size)) / int64(size)
		if left <= 0 {
			return nil
		}
		if unknown {
			clear(entries)
			if _, err := sums.ReadAt(entries, pageEntryAt(first)); err != nil && !errors.Is(err, io.EOF) {
				return err
			}
			if !anyUnknown(entries[:8*min(left, pagesAtOnce)]) {
				continue
			}
		}
		err := func() (err error) {
			if err := s.control("BEGIN"); err != nil {
				return err
			}
			defer func() { err = errors.Join(err, s.control("ROLLBACK")) }()
			if err := s.read(`SELECT count(*) FROM sqlite_schema`, func(*columns) error { return nil }, nil); err != nil {
				return err
			}
			clear(entries)
			if _, err := sums.ReadAt(entries, pageEntryAt(first)); err != nil && !errors.Is(err, io.EOF) {
				return err
			}
			n, err := f.ReadAt(pages, int64(first-1)*int64(size))
			if err != nil && !errors.Is(err, io.EOF) {
				return err
			}
			return part(first, size, pages[:n-n%size], entries)
		}()
		if err != nil {
			return err
		}
	}
}

func anyUnknown(entries []byte) bool {
	for ; len(entries) > 0; entries = entries[8:] {
		if binary.BigEndian.Uint64(entries) == 0 {
			return true
		}
	}
	return false
}

// logged are the pages that the log has.
func (db *DB) logged() (map[uint32]bool, error) {
	pages := map[uint32]bool{}
	_, err := readLog(db.dir.file()+"-wal", walPlace{}, func(page, _ uint32) { pages[page] = true })
	return pages, err
}

// learn takes the checksums that are unknown from the file.
func (db *DB) learn(ctx context.Context) error {
	p := db.pages
	s, err := openSession(db.dir.file(), true)
	if err != nil {
		return err
	}
	err = db.eachPage(ctx, s, p.f, true, func(first uint32, size int, pages, entries []byte) error {
		sums := map[uint32]uint64{}
		for n := range len(pages) / size {
			if binary.BigEndian.Uint64(entries[8*n:]) == 0 {
				page := first + uint32(n)
				sums[page] = pageEntry(page, pageSum(pages[n*size:][:size]))
			}
		}
		if len(sums) == 0 {
			return nil
		}
		p.mu.Lock()
		defer p.mu.Unlock()
		inLog, err := db.logged()
		if err != nil {
			return err
		}
		if _, err := p.f.ReadAt(entries, pageEntryAt(first)); err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		maps.DeleteFunc(sums, func(page uint32, _ uint64) bool {
			return inLog[page] || binary.BigEndian.Uint64(entries[8*(page-first):]) != 0
		})
		return p.put(sums)
	})
	return errors.Join(err, s.close())
}

// checkPages compares the pages of the file with their checksums, and returns the faults, at most
// so many. Each wraps ErrCorrupt.
func (db *DB) checkPages(ctx context.Context, s *session, most int) (faults []error, err error) {
	sums, err := os.Open(db.dir.file() + pagesSuffix)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil // of a copy, or of a database that no server has opened yet
	} else if err != nil {
		return nil, err
	}
	defer sums.Close()
	header := make([]byte, 16)
	if _, err := sums.ReadAt(header, 0); err != nil || string(header) != pagesMagic {
		return nil, nil // it is damaged itself, and the next server makes it anew
	}
	err = db.eachPage(ctx, s, sums, false, func(first uint32, size int, pages, entries []byte) error {
		var inLog map[uint32]bool
		for n := range len(pages) / size {
			page, entry := first+uint32(n), binary.BigEndian.Uint64(entries[8*n:])
			sum := uint32(entry >> 32)
			if entry == 0 || entry != pageEntry(page, sum) || sum == pageSum(pages[n*size:][:size]) {
				continue
			}
			if inLog == nil {
				if inLog, err = db.logged(); err != nil {
					return err
				}
			}
			if !inLog[page] && len(faults) < most {
				faults = append(faults, fmt.Errorf("%w: page %d is not as it was written: a bit has changed on the disk, or another program wrote into the file", ErrCorrupt, page))
			}
		}
		return nil
	})
	return faults, err
}
