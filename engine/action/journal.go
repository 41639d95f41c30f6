package action

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"sync"
	"time"
)

const (
	syncRest     = 10 * time.Millisecond // between two syncs: what ends meanwhile shares the next
	sumLength    = 8                     // hexadecimal digits of a checksum
	compactAbove = 1 << 20               // bytes; a smaller journal is not worth rewriting
	ackDelay     = 2 * time.Minute       // an outcome is kept so long after its acknowledgement: the server may still be committing it
	outcomeAge   = 60 * 24 * time.Hour   // an outcome that no server asked for is forgotten then
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// journal is the supervisor's memory on disk: a line when a child has begun, a line when it has ended. A line is a CRC-32C in hex, a
// blank and JSON, appended by one write.
//
// What has ended is synced, so that it is known after the death of the machine too; what has only begun is lost with it anyway. The report does
// not wait for that: nothing follows from an outcome before the server has committed it, with a sync of its own, and whichever of the two
// is first on disk keeps it. Only if the power fails before both is it lost, as it would be during a sync that the report waited for. The first
// outcome after a pause is synced at once, those within 10 ms of it together (group commit): while a server lives its commit comes first.
type journal struct {
	log  *slog.Logger
	due  chan struct{} // something is to be synced
	mu   sync.Mutex
	root *os.Root
	file *os.File
	size int64
	live int64 // bytes of lines that a compaction would keep
	torn bool  // the last append was cut short: the next one begins a line of its own

	begun map[int64]beginning
	ended map[int64]*ending
	acked []ack // in the order of time
}

// birth tells one process from every other: its pid, the machine's boot, and the bounds of its start in units of that boot's clock.
type birth struct {
	Attempt int64  `json:"attempt"`
	Fence   int64  `json:"fence"`
	Pid     int    `json:"pid"`
	Boot    string `json:"boot"`
	From    int64  `json:"from"`
	To      int64  `json:"to"`
}

// beginning is a birth and the length of its line.
type beginning struct {
	birth
	size int64
}

// ending says where the line of an outcome lies in the file; kept is the outcome itself when the file would not take it.
type ending struct {
	at, size int64
	kept     *report
}

type ack struct {
	attempt int64
	at      time.Time
}

// entry is the JSON of one line: one of its fields is set.
type entry struct {
	Begun *birth  `json:"begun,omitempty"`
	Ended *report `json:"ended,omitempty"`
}

// openJournal reads the journal and returns the children that began under an earlier supervisor and whose end nobody saw. They are no
// longer in the journal: their outcome cannot be known. What is damaged is put aside: those attempts are unknown, and no others.
func openJournal(root *os.Root, now time.Time, log *slog.Logger) (j *journal, orphans []birth, err error) {
	j = &journal{log: log, due: make(chan struct{}, 1), root: root, begun: map[int64]beginning{}, ended: map[int64]*ending{}}
	text, err := readAll(root, journalFile)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, nil, fmt.Errorf("read the journal: %w", err)
	}
	entries, bad := parseJournal(text)
	for _, e := range entries {
		switch {
		case e.Begun != nil:
			j.begun[e.Begun.Attempt] = beginning{birth: *e.Begun}
		case e.Ended != nil:
			delete(j.begun, e.Ended.Attempt)
			if now.Sub(e.Ended.EndedAt) < outcomeAge {
				j.ended[e.Ended.Attempt] = &ending{kept: e.Ended}
			}
		}
	}
	if err := j.putAside(bad); err != nil {
		return nil, nil, err
	}
	for _, b := range j.begun {
		orphans = append(orphans, b.birth)
	}
	clear(j.begun)
	if err := j.compact(); err != nil {
		return nil, nil, err
	}
	return j, orphans, nil
}

// begin records that a child has begun. An error means that its end could not be recorded either: the child must not go on.
func (j *journal) begin(b birth) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	n, err := j.append(entry{Begun: &b})
	if err != nil {
		return err
	}
	j.begun[b.Attempt] = beginning{b, n}
	j.live += n
	return nil
}

// end records an outcome. When the disk does not take it, it is kept in memory, and the error says so.
func (j *journal) end(r *report, now time.Time) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	at := j.size
	n, err := j.append(entry{Ended: r})
	e := &ending{at: at, size: n}
	if err != nil {
		e.kept = r
	}
	j.live -= j.begun[r.Attempt].size
	delete(j.begun, r.Attempt)
	j.ended[r.Attempt] = e
	j.live += n
	j.expire(now)
	if j.size > compactAbove && j.size > 2*j.live {
		err = errors.Join(err, j.compact())
	}
	return err
}

// putAside keeps what is damaged for a look.
func (j *journal) putAside(bad []byte) error {
	if len(bad) == 0 {
		return nil
	}
	j.log.Warn("damaged lines of the journal put aside; what they said is lost", "file", quarantine, "bytes", len(bad))
	if err := appendTo(j.root, quarantine, bad); err != nil {
		return fmt.Errorf("put damaged journal lines aside: %w", err)
	}
	return nil
}

// wantSync asks keepSynced to sync what has been appended.
func (j *journal) wantSync() {
	select {
	case j.due <- struct{}{}:
	default: // somebody has asked already, and it has not begun
	}
}

// keepSynced syncs what has been appended whenever it is asked to, for as long as the process lives.
func (j *journal) keepSynced() {
	for range j.due {
		j.mu.Lock()
		file := j.file
		j.mu.Unlock()
		if file == nil {
			return
		}
		if err := syncData(file); err != nil {
			j.afterFailedSync(file, err)
		}
		time.Sleep(syncRest)
	}
}

// afterFailedSync writes the journal anew: nothing is known of what is on disk, and another sync of the same file could succeed without having
// written it.
func (j *journal) afterFailedSync(file *os.File, err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.file != file {
		return // replaced meanwhile, by a compaction that synced what it kept
	}
	j.log.Error("the journal could not be synced; it is written anew", "error", err)
	if err := j.compact(); err != nil {
		j.log.Error("outcomes that no server has recorded may not survive a power failure", "error", err)
	}
}

// find returns the recorded outcome of an attempt, if there is one.
func (j *journal) find(attempt int64) (*report, bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.read(attempt)
}

// ack says that the server has these outcomes; a later compaction leaves them out.
func (j *journal) ack(attempts []int64, now time.Time) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, id := range attempts {
		if _, ok := j.ended[id]; ok {
			j.acked = append(j.acked, ack{id, now})
		}
	}
	j.expire(now)
}

// close leaves a journal behind that holds nothing but outcomes that nobody has asked for yet.
func (j *journal) close(now time.Time) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.expire(now.Add(ackDelay))
	err := errors.Join(j.compact(), j.file.Close())
	j.file = nil
	return err
}

// expire forgets what was acknowledged longer than ackDelay ago.
func (j *journal) expire(now time.Time) {
	n := 0
	for ; n < len(j.acked) && now.Sub(j.acked[n].at) >= ackDelay; n++ {
		if e := j.ended[j.acked[n].attempt]; e != nil {
			j.live -= e.size
			delete(j.ended, j.acked[n].attempt)
		}
	}
	j.acked = j.acked[n:]
}

func (j *journal) read(attempt int64) (*report, bool) {
	e := j.ended[attempt]
	if e == nil {
		return nil, false
	}
	if e.kept != nil {
		return e.kept, true
	}
	got, ok := parseLine(bytes.TrimSpace(j.raw(attempt)))
	if !ok || got.Ended == nil {
		return nil, false
	}
	return got.Ended, true
}

// raw is the line of an outcome as it lies in the file; what cannot be read is zeros.
func (j *journal) raw(attempt int64) []byte {
	e := j.ended[attempt]
	line := make([]byte, e.size)
	_, _ = j.file.ReadAt(line, e.at)
	return line
}

// append writes one line and returns its length, a line break before it included.
func (j *journal) append(e entry) (int64, error) {
	line := make([]byte, 0, 512)
	if j.torn {
		line = append(line, '\n')
	}
	line = appendLine(line, e)
	n, err := j.file.Write(line)
	j.size += int64(n)
	j.torn = err != nil && (n > 0 || j.torn)
	if err != nil {
		return 0, fmt.Errorf("append to the journal: %w", err)
	}
	return int64(n), nil
}

// compact rewrites the journal with what is still needed and puts it in the place of the old one in one step.
func (j *journal) compact() error {
	const next = journalFile + ".next"
	var text, bad []byte
	moved := make(map[int64]ending, len(j.ended))
	for id := range j.ended {
		r, ok := j.read(id)
		if !ok { // damaged under us: nothing true can be kept of it
			bad = append(bad, j.raw(id)...)
			continue
		}
		at := len(text)
		text = appendLine(text, entry{Ended: r})
		moved[id] = ending{at: int64(at), size: int64(len(text) - at)}
	}
	for id, b := range j.begun {
		at := len(text)
		text = appendLine(text, entry{Begun: &b.birth})
		j.begun[id] = beginning{b.birth, int64(len(text) - at)}
	}
	if err := j.putAside(bad); err != nil {
		return err
	}
	f, err := j.root.OpenFile(next, os.O_RDWR|os.O_CREATE|os.O_TRUNC|os.O_APPEND, 0o600)
	if err != nil {
		return fmt.Errorf("compact the journal: %w", err)
	}
	if _, err = f.Write(text); err == nil {
		err = f.Sync()
	}
	if err == nil {
		err = j.root.Rename(next, journalFile)
	}
	if err != nil {
		f.Close()
		_ = j.root.Remove(next)
		return fmt.Errorf("compact the journal: %w", err)
	}
	// The new file is in place whether or not that is on disk yet; until it is, a power failure brings the old one back, without what follows.
	if err := syncFolder(j.root); err != nil {
		j.log.Error("the folder of the journal could not be synced", "error", err)
	}
	if j.file != nil {
		j.file.Close()
	}
	j.file, j.size, j.live, j.torn = f, int64(len(text)), int64(len(text)), false
	clear(j.ended)
	for id, e := range moved {
		j.ended[id] = &e
	}
	return nil
}

func appendLine(text []byte, e entry) []byte {
	doc, err := json.Marshal(e)
	if err != nil {
		panic("stuck: this is a bug: a journal entry has no JSON: " + err.Error())
	}
	text = append(append(text, checksum(doc)...), ' ')
	return append(append(text, doc...), '\n')
}

func checksum(doc []byte) string {
	return fmt.Sprintf("%0*x", sumLength, crc32.Checksum(doc, castagnoli))
}

func parseLine(line []byte) (e entry, ok bool) {
	sum, doc, found := bytes.Cut(line, []byte{' '})
	if !found || string(sum) != checksum(doc) {
		return entry{}, false
	}
	return e, json.Unmarshal(doc, &e) == nil
}

// parseJournal returns the entries of a journal's text, and what is in between. A line whose checksum is wrong is none, and neither is a last one without
// its break. Damage costs no other line than the one that it lies in, its break included.
func parseJournal(text []byte) (entries []entry, bad []byte) {
	for len(text) > 0 {
		line, rest, whole := bytes.Cut(text, []byte{'\n'})
		text = rest
		if len(line) == 0 {
			continue
		}
		e, ok := parseLine(line)
		if !ok && whole {
			var from int
			if e, from, ok = parseAfter(line); ok {
				bad = append(append(bad, line[:from]...), '\n')
			}
		}
		if ok && whole {
			entries = append(entries, e)
		} else {
			bad = append(append(bad, line...), '\n')
		}
	}
	return entries, bad
}

// parseAfter finds the line that another one runs into because the break between them is damaged, and returns where it begins. Nothing that a child writes looks like one: quotes in a text are escaped.
func parseAfter(line []byte) (e entry, from int, ok bool) {
	for at := 1; ; at++ {
		next := bytes.Index(line[at:], []byte(" {"))
		if next < 0 {
			return entry{}, 0, false
		}
		if at += next; at > sumLength {
			if e, ok := parseLine(line[at-sumLength:]); ok {
				return e, at - sumLength, true
			}
		}
	}
}

func readAll(root *os.Root, name string) ([]byte, error) {
	f, err := root.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(f)
}

func appendTo(root *os.Root, name string, text []byte) error {
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	if _, err = f.Write(text); err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// syncFolder makes durable which files a folder holds.
func syncFolder(root *os.Root) error {
	d, err := root.Open(".")
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
