package store

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net/url"
	"sync"
	"time"

	"modernc.org/sqlite"
	"modernc.org/sqlite/lib"
)

// A session is one connection with its prepared statements, used by one goroutine at a time. It speaks to the driver without database/sql,
// whose locks, conversions and goroutines cost more than most of the statements here. No statement has a bare `LIMIT ?`: SQLite looks at that
// value when it plans, and so plans the statement anew each time it is bound.
type session struct {
	conn    driver.Conn
	ctx     context.Context // ends a long statement; one that shares a transaction is never ended
	stmts   map[string]*statement
	scratch []driver.NamedValue

	broken  error    // the first statement that failed since begin: the transaction is worth nothing any more
	changes int      // statements since begin that change rows
	work    int      // statements since begin, and rows of bulk inserts
	taken   int      // rows since begin that were read
	pruned  prunable // where retention goes on looking; nothing depends on it
}

// A statement is prepared once. Its rows must be read to the end before it runs again.
type statement struct {
	exec  driver.StmtExecContext
	query driver.StmtQueryContext
	close func() error
	row   []driver.Value
}

// opener makes connections one at a time: PRAGMAs that switch a file to WAL do not wait for one another.
var opener sync.Mutex

// dsn is how every connection is opened. busy_timeout comes first, so that the other PRAGMAs wait for a lock too.
func dsn(path string, readOnly bool) string {
	q := url.Values{}
	q.Add("_pragma", "busy_timeout(10000)")
	q.Set("_txlock", "immediate")
	if readOnly {
		q.Add("_pragma", "query_only(1)")
		q.Set("mode", "rw") // a reader makes no file where there is none; "ro" could not look into the log
	} else {
		q.Add("_pragma", "journal_mode(WAL)")
		q.Add("_pragma", "synchronous(FULL)")
		q.Add("_pragma", "foreign_keys(1)")
		q.Add("_pragma", "wal_autocheckpoint(0)")
		q.Add("_pragma", "cache_size(-32768)") // 32 MiB: twice as much is no quicker; given back after what needed it, see writer
	}
	return "file:" + (&url.URL{Path: path}).EscapedPath() + "?" + q.Encode()
}

func openSession(path string, readOnly bool) (*session, error) {
	return openConnection(dsn(path, readOnly))
}

func openConnection(dsn string) (*session, error) {
	opener.Lock()
	defer opener.Unlock()
	conn, err := new(sqlite.Driver).Open(dsn)
	if err != nil {
		return nil, err
	}
	return &session{conn: conn, ctx: context.Background(), stmts: map[string]*statement{}}, nil
}

func (s *session) close() error {
	var errs []error
	for _, st := range s.stmts {
		errs = append(errs, st.close())
	}
	return errors.Join(append(errs, s.conn.Close())...)
}

func (s *session) prepare(text string) (*statement, error) {
	if st, ok := s.stmts[text]; ok {
		return st, nil
	}
	prepared, err := s.conn.Prepare(mutated(text))
	if err != nil {
		return nil, fmt.Errorf("prepare %q: %w", text, err)
	}
	st := &statement{close: prepared.Close}
	var ok1, ok2 bool
	st.exec, ok1 = prepared.(driver.StmtExecContext)
	st.query, ok2 = prepared.(driver.StmtQueryContext)
	if !ok1 || !ok2 {
		return nil, errors.Join(errors.New("the SQLite driver lacks ExecContext or QueryContext"), prepared.Close())
	}
	s.stmts[text] = st
	return st, nil
}

func (s *session) values(args []any) []driver.NamedValue {
	v := s.scratch[:0]
	for i, a := range args {
		switch x := a.(type) {
		case int:
			a = int64(x)
		case nil, int64, bool, string, []byte:
		default:
			panic(fmt.Sprintf("stuck, this is a bug: a %T as an argument of SQL", x))
		}
		v = append(v, driver.NamedValue{Ordinal: i + 1, Value: a})
	}
	s.scratch = v
	return v
}

// exec runs a statement that changes rows and returns how many it changed.
func (s *session) exec(text string, args ...any) (int, error) {
	if s.broken != nil {
		return 0, s.broken
	}
	s.changes++
	s.work++
	n, err := s.run(text, s.values(args))
	if err != nil {
		s.broken = err
	}
	return n, err
}

// bulk is exec with arguments that are in the driver's form already, for a statement that inserts so many rows.
func (s *session) bulk(text string, args []driver.NamedValue, rows int) (int, error) {
	if s.broken != nil {
		return 0, s.broken
	}
	s.changes++
	s.work += rows
	n, err := s.run(text, args)
	if err != nil {
		s.broken = err
	}
	return n, err
}

func (s *session) run(text string, args []driver.NamedValue) (int, error) {
	st, err := s.prepare(text)
	if err != nil {
		return 0, err
	}
	r, err := st.exec.ExecContext(s.ctx, args)
	if err != nil {
		return 0, err
	}
	n, err := r.RowsAffected()
	return int(n), err
}

// control runs BEGIN, COMMIT, SAVEPOINT and the like, which are no part of what a transaction did.
func (s *session) control(text string) error {
	_, err := s.run(text, nil)
	return err
}

// query calls each for every row. each must not use the same statement.
func (s *session) query(text string, each func(c *columns) error, args ...any) error {
	if s.broken != nil {
		return s.broken
	}
	s.work++
	err := s.read(text, each, args)
	if isDriverError(err) {
		s.broken = err
	}
	return err
}

// change is query for a statement that changes rows and returns some.
func (s *session) change(text string, each func(c *columns) error, args ...any) error {
	if s.broken == nil {
		s.changes++
	}
	return s.query(text, each, args...)
}

// one reads the only row; ok is false when there is none.
func (s *session) one(text string, each func(c *columns) error, args ...any) (ok bool, err error) {
	err = s.query(text, func(c *columns) error {
		ok = true
		return each(c)
	}, args...)
	return ok, err
}

func (s *session) read(text string, each func(c *columns) error, args []any) (err error) {
	st, err := s.prepare(text)
	if err != nil {
		return err
	}
	rows, err := st.query.QueryContext(s.ctx, s.values(args))
	if err != nil {
		return err
	}
	defer func() {
		if e := rows.Close(); err == nil {
			err = e
		}
	}()
	if st.row == nil {
		st.row = make([]driver.Value, len(rows.Columns()))
	}
	c := columns{values: st.row}
	for {
		if err := rows.Next(c.values); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		c.next = 0
		s.taken++
		if err := each(&c); err != nil {
			return err
		}
		if c.err != nil {
			return c.err
		}
	}
}

// columns hands out the values of one row from left to right. A value of another type than the one asked for is an error of the row.
type columns struct {
	values []driver.Value
	next   int
	err    error
}

func (c *columns) take() driver.Value {
	c.next++
	return c.values[c.next-1]
}

func (c *columns) wrong(v driver.Value, want string) {
	if c.err == nil {
		c.err = fmt.Errorf("column %d holds a %T where %s belongs", c.next, v, want)
	}
}

// int reads an integer; NULL is 0.
func (c *columns) int() int64 {
	switch v := c.take().(type) {
	case int64:
		return v
	case nil:
		return 0
	default:
		c.wrong(v, "an integer")
		return 0
	}
}

func (c *columns) bool() bool { return c.int() != 0 }

// text reads a text; NULL is "".
func (c *columns) text() string {
	switch v := c.take().(type) {
	case string:
		return v
	case nil:
		return ""
	default:
		c.wrong(v, "a text")
		return ""
	}
}

func (c *columns) blob() []byte {
	switch v := c.take().(type) {
	case []byte:
		return v
	case nil:
		return nil
	default:
		c.wrong(v, "a blob")
		return nil
	}
}

// isNull reports whether the next value is NULL, without taking it.
func (c *columns) isNull() bool { return c.values[c.next] == nil }

// RFC 3339 writes the years 0 to 9999. A row may hold another time: made by an earlier version, or by damage. It is read as the nearest of these,
// so that it and what is reckoned from it break no list; verify finds it.
var firstReadable, lastReadable = time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(9000, 1, 1, 0, 0, 0, 0, time.UTC)

// utc reads a time in UTC; NULL is the zero time.
func (c *columns) utc() time.Time {
	if c.isNull() {
		c.next++
		return time.Time{}
	}
	switch t := time.UnixMilli(c.int()).UTC(); {
	case t.Before(firstReadable):
		return firstReadable
	case t.After(lastReadable):
		return lastReadable
	default:
		return t
	}
}

// zoned reads a time and, from the next column, its offset.
func (c *columns) zoned() time.Time {
	t := c.utc()
	offset := int(c.int())
	if t.IsZero() {
		return t
	}
	return t.In(zone(offset))
}

func isDriverError(err error) bool {
	var e *sqlite.Error
	return errors.As(err, &e)
}

// code is the primary result code of SQLite, 0 when err is not one of its errors.
func code(err error) int {
	var e *sqlite.Error
	if errors.As(err, &e) {
		return e.Code() & 0xff
	}
	return 0
}

// isFatal reports whether nothing more may be written with this connection: what is on disk is not known any more.
func isFatal(err error) bool {
	if isFull(err) {
		return false
	}
	switch code(err) {
	case sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_READONLY:
		return true
	}
	return false
}

// endsTransaction reports whether SQLite may have rolled the whole transaction back of itself.
func endsTransaction(err error) bool {
	switch code(err) {
	case sqlite3.SQLITE_FULL, sqlite3.SQLITE_NOMEM, sqlite3.SQLITE_BUSY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_INTERRUPT:
		return true
	}
	return isFatal(err)
}
