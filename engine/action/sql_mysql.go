package action

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/go-sql-driver/mysql"
)

type mysqlConfig struct{ *mysql.Config }

// A standardConn is a connection that the standard library's package speaks through.
type standardConn struct {
	db        *sql.DB
	conn      *sql.Conn
	affected  string           // the query that tells how many rows the statement before it has changed
	unsettled func(error) bool // of an error of a statement: whether it may have been carried out; nil is never
	cancel    func()           // ends on the server what the connection does; nil where the driver does that by itself
}

func (q *requests) mysql(address string) (mysqlConfig, error) {
	u, err := serverAddress(address)
	if err != nil {
		return mysqlConfig{}, err
	}
	c := mysql.NewConfig()
	c.User = u.User.Username()
	c.Passwd, _ = u.User.Password()
	c.Net, c.Addr = "tcp", net.JoinHostPort(u.Hostname(), orPort(u, "3306"))
	c.DBName = strings.TrimPrefix(u.Path, "/")
	c.Timeout = 30 * time.Second
	c.Logger = log.New(io.Discard, "", 0)
	for name, values := range u.Query() {
		switch {
		case name == "tls" && len(values) == 1 && (values[0] == "true" || values[0] == "skip-verify" || values[0] == "preferred" || values[0] == "false"):
			c.TLSConfig = values[0]
		default:
			return mysqlConfig{}, fmt.Errorf("the connection says %s; allowed is tls=true, preferred, skip-verify or false", url.QueryEscape(name))
		}
	}
	c.DialFunc = func(ctx context.Context, network, address string) (net.Conn, error) {
		return q.dialer.DialContext(ctx, network, address)
	}
	return mysqlConfig{c}, nil
}

func orPort(u *url.URL, port string) string {
	if p := u.Port(); p != "" {
		return p
	}
	return port
}

func (c mysqlConfig) open(ctx context.Context) (database, error) {
	connector, err := mysql.NewConnector(c.Config)
	if err != nil {
		return nil, errors.New("the connection is no address that MySQL understands")
	}
	s, err := openStandard(ctx, sql.OpenDB(connector))
	if err != nil {
		return nil, err
	}
	s.affected, s.unsettled = `SELECT ROW_COUNT()`, mysqlUnsettled
	var id int64
	if err := s.conn.QueryRowContext(ctx, `SELECT CONNECTION_ID()`).Scan(&id); err != nil {
		s.close()
		return nil, err
	}
	s.cancel = func() {
		ctx, cancel := context.WithTimeout(context.Background(), cancelPatience)
		defer cancel()
		_, _ = s.db.ExecContext(ctx, fmt.Sprintf("KILL %d", id)) // the driver only hangs up, which a busy server does not notice
	}
	return s, nil
}

func openStandard(ctx context.Context, db *sql.DB) (*standardConn, error) {
	db.SetMaxOpenConns(2)
	conn, err := db.Conn(ctx)
	if err != nil {
		_ = db.Close()
		return nil, err
	}
	return &standardConn{db: db, conn: conn}, nil
}

func (s *standardConn) close() {
	_ = s.conn.Close()
	_ = s.db.Close()
}

func (s *standardConn) run(ctx context.Context, statement string, args []string, out *table) error {
	err := s.query(ctx, statement, args, out)
	if err != nil && ctx.Err() != nil {
		if s.cancel != nil {
			s.cancel()
		}
		err = errors.Join(ctx.Err(), err)
	}
	if err != nil && s.unsettled != nil && s.unsettled(err) {
		return unsettledError{err}
	}
	if err != nil || s.affected == "" {
		return err
	}
	// What follows is a question about a statement that was carried out: no answer to it makes that undone.
	if err := s.conn.QueryRowContext(ctx, s.affected).Scan(&out.affected); err != nil {
		out.affected, out.uncounted = 0, true
	}
	out.affected = max(0, out.affected) // negative: it was no statement that changes any
	return nil
}

// mysqlUnsettled tells what the server has said of a statement from an end without its word: the connection broke, or the server ended it, for which it has
// errors of its own that may come after the commit.
func mysqlUnsettled(err error) bool {
	if said, answered := errors.AsType[*mysql.MySQLError](err); answered {
		const shutdown, aborting, netRead, netInterrupted, netWrite, netTimedOut, killed = 1053, 1152, 1158, 1159, 1160, 1161, 1927
		return slices.Contains([]uint16{shutdown, aborting, netRead, netInterrupted, netWrite, netTimedOut, killed}, said.Number)
	}
	return !errors.Is(err, driver.ErrBadConn) // which says that nothing was written
}

func (s *standardConn) query(ctx context.Context, statement string, args []string, out *table) error {
	bound := make([]any, len(args))
	for i, arg := range args {
		bound[i] = arg
	}
	rows, err := s.conn.QueryContext(ctx, statement, bound...)
	if err != nil {
		return err
	}
	defer rows.Close()
	names, err := rows.Columns()
	if err != nil {
		return err
	}
	out.begin(names)
	cells, targets := make([]sql.NullString, len(names)), make([]any, len(names))
	for i := range cells {
		targets[i] = &cells[i]
	}
	for rows.Next() {
		if err := rows.Scan(targets...); err != nil {
			return err
		}
		row := make([]value, len(cells))
		for i, c := range cells {
			row[i] = value{c.String, !c.Valid}
		}
		out.add(row)
	}
	return rows.Err()
}
