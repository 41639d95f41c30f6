package action

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/almanac-sched/almanac/engine"
)

const (
	shownRows  = 100 // of a result, in the log
	shownWidth = 200 // characters of a value, in the log
)

// A database carries one statement out. What it gives back goes to the table as it comes.
type database interface {
	// run ends when the server has: when ctx ends, the statement is cancelled there. The error is an unsettledError when the server may have carried the
	// statement out all the same.
	run(ctx context.Context, statement string, args []string, out *table) error
	close()
}

// prepareSQL makes a statement on a database ready.
func (q *requests) prepareSQL(ctx context.Context, s *engine.SQL, folder string) (sending, error) {
	address := string(s.Connection)
	scheme, _, _ := strings.Cut(address, ":")
	var open func(ctx context.Context) (database, error)
	switch scheme {
	case "postgres", "postgresql":
		config, err := q.postgres(address)
		if err != nil {
			return nil, err
		}
		open = config.open
	case "mysql", "mariadb":
		config, err := q.mysql(address)
		if err != nil {
			return nil, err
		}
		open = config.open
	case "sqlite":
		config, err := sqliteFile(address, folder)
		if err != nil {
			return nil, err
		}
		open = config.open
	default:
		return nil, errors.New("the connection is no address that begins with postgres://, mysql:// or sqlite:PATH") // it is a secret, and not repeated
	}
	args := make([]string, len(s.Args))
	for i, arg := range s.Args {
		args[i] = string(arg)
	}
	return func(log *mask) reply {
		log.hideAll([]string{address})
		db, err := open(ctx)
		if err != nil {
			return sqlFailed(ctx, "connect: ", err)
		}
		defer db.close()
		out := &table{log: log}
		err = db.run(ctx, string(s.Statement), args, out)
		out.end()
		if err != nil {
			_, _ = fmt.Fprintln(log, oneLine(err))
			return sqlFailed(ctx, "", err)
		}
		return reply{accepted: true, outputs: out.outputs(), truncated: out.rows > shownRows, receipt: out.words()}
	}, nil
}

// An unsettledError ends a statement that was sent and whose end the server did not tell.
type unsettledError struct{ error }

func (e unsettledError) Unwrap() error { return e.error }

// sqlFailed is a statement that was not carried out, as far as is known: the server's words, or why it was broken off.
func sqlFailed(ctx context.Context, doing string, err error) reply {
	_, unknown := errors.AsType[unsettledError](err)
	if context.Cause(ctx) != nil || unknown {
		return reply{err: err, unknown: unknown}
	}
	return reply{words: doing + oneLine(err)}
}

func oneLine(err error) string {
	return strings.Join(strings.Fields(strings.ToValidUTF8(err.Error(), "\uFFFD")), " ")
}

// serverAddress reads the URL of a server. Whatever is wrong with it, it is not repeated: it holds a password.
func serverAddress(address string) (*url.URL, error) {
	u, err := url.Parse(address)
	switch {
	case err != nil:
		return nil, errors.New("the connection is no URL such as postgres://user:password@host/database")
	case u.Hostname() == "" || strings.HasPrefix(u.Hostname(), "/") || strings.Contains(u.Host, ","):
		return nil, errors.New("the connection names no host, or more than one")
	case u.User == nil || u.User.Username() == "":
		return nil, errors.New("the connection names no user")
	case u.Fragment != "":
		return nil, errors.New("the connection has a fragment: a # in the password is written %23")
	}
	return u, nil
}

// A table is the result of a statement: rows for the log and outputs for the steps that follow.
type table struct {
	log      io.Writer
	columns  []string
	first    []value
	rows     int64
	affected int64

	uncounted bool // nobody knows how many rows were changed
}

// A value is a column of a row as text.
type value struct {
	text string
	null bool
}

// begin takes the names of the columns; none for a statement that gives no rows.
func (t *table) begin(columns []string) {
	t.columns = columns
	if len(columns) > 0 {
		t.line(columns)
	}
}

// add takes a row.
func (t *table) add(row []value) {
	if t.rows++; t.rows == 1 {
		t.first = row
	}
	if t.rows > shownRows {
		return
	}
	shown := make([]string, len(row))
	for i, v := range row {
		shown[i] = v.text
		if v.null {
			shown[i] = "NULL"
		}
	}
	t.line(shown)
}

func (t *table) line(cells []string) {
	for i, c := range cells {
		c = strings.NewReplacer("\t", " ", "\r", " ", "\n", " ").Replace(strings.ToValidUTF8(c, "\uFFFD"))
		if utf8.RuneCountInString(c) > shownWidth {
			c = string([]rune(c)[:shownWidth]) + "…"
		}
		cells[i] = c
	}
	_, _ = fmt.Fprintln(t.log, strings.Join(cells, "\t"))
}

// end writes what a reader wants to know of the whole.
func (t *table) end() {
	if more := t.rows - shownRows; more > 0 {
		_, _ = fmt.Fprintf(t.log, "--- almanac: %d more rows ---\n", more)
	}
	_, _ = fmt.Fprintln(t.log, t.words())
}

func (t *table) words() string {
	switch {
	case len(t.columns) == 0 && t.uncounted:
		return "carried out; the connection broke before the number of rows was told"
	case len(t.columns) == 0:
		return rows(t.affected) + " affected"
	case t.affected == 0:
		return rows(t.rows)
	}
	return fmt.Sprintf("%s, %d affected", rows(t.rows), t.affected)
}

func rows(n int64) string {
	if n == 1 {
		return "1 row"
	}
	return fmt.Sprintf("%d rows", n)
}

// outputs are rows, rowsAffected, value (the first row's first column) and the first row's columns by their names, as far as those are names of outputs.
// NULL gives none. What of it would be too long is left out.
func (t *table) outputs() map[string]string {
	o := map[string]string{}
	total := 0
	put := func(name string, v value) {
		if total += len(name) + len(v.text); !v.null && total <= outputLimit && utf8.ValidString(v.text) {
			o[name] = v.text
		}
	}
	for i := range t.first {
		if validName(t.columns[i]) {
			put(t.columns[i], t.first[i])
		}
	}
	if len(t.first) > 0 {
		delete(o, "value")
		put("value", t.first[0])
	}
	o["rows"], o["rowsAffected"] = strconv.FormatInt(t.rows, 10), strconv.FormatInt(t.affected, 10)
	if t.uncounted {
		delete(o, "rowsAffected")
	}
	return o
}
