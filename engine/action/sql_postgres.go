package action

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgconn/ctxwatch"
)

// cancelPatience is how long a server may take to end what it was asked to cancel before its connection is closed.
const cancelPatience = 10 * time.Second

type postgresConfig struct{ *pgconn.Config }

type postgresConn struct{ *pgconn.PgConn }

func (q *requests) postgres(address string) (postgresConfig, error) {
	u, err := serverAddress(address)
	if err != nil {
		return postgresConfig{}, err
	}
	for _, local := range []string{"service", "servicefile", "passfile", "host", "hostaddr"} {
		if u.Query().Has(local) {
			return postgresConfig{}, fmt.Errorf("the connection cannot say %s", local)
		}
	}
	c, err := pgconn.ParseConfig(address)
	if err != nil {
		return postgresConfig{}, errors.New("the connection is no URL that PostgreSQL understands")
	}
	c.DialFunc = func(ctx context.Context, network, address string) (net.Conn, error) {
		return q.dialer.DialContext(ctx, network, address)
	}
	if c.ConnectTimeout == 0 {
		c.ConnectTimeout = 30 * time.Second
	}
	if password, given := u.User.Password(); given || c.Password != "" {
		c.Password = password // never what this process's environment or a file says
	}
	c.RuntimeParams["application_name"] = q.userAgent()
	// The server is told to cancel; the connection is cut only when it does not.
	c.BuildContextWatcherHandler = func(conn *pgconn.PgConn) ctxwatch.Handler {
		return &pgconn.CancelRequestContextWatcherHandler{Conn: conn, DeadlineDelay: cancelPatience}
	}
	return postgresConfig{c}, nil
}

func (c postgresConfig) open(ctx context.Context) (database, error) {
	conn, err := pgconn.ConnectConfig(ctx, c.Config)
	if err != nil {
		return nil, bareConnect(err)
	}
	return postgresConn{conn}, nil
}

// bareConnect is why a connection was not made, without user and database.
func bareConnect(err error) error {
	if failed, ok := errors.AsType[*pgconn.ConnectError](err); ok && failed.Unwrap() != nil {
		return failed.Unwrap()
	}
	return err
}

func (c postgresConn) close() {
	ctx, cancel := context.WithTimeout(context.Background(), cancelPatience)
	defer cancel()
	_ = c.Close(ctx)
}

func (c postgresConn) run(ctx context.Context, statement string, args []string, out *table) error {
	params := make([][]byte, len(args))
	for i, arg := range args {
		params[i] = []byte(arg)
	}
	result := c.ExecParams(ctx, statement, params, nil, nil, nil) // every value as text, whose type the server knows
	fields := result.FieldDescriptions()
	names := make([]string, len(fields))
	for i, f := range fields {
		names[i] = f.Name
	}
	begun := false
	for result.NextRow() {
		if !begun {
			begun = true
			out.begin(names)
		}
		row := make([]value, len(names))
		for i, v := range result.Values() {
			row[i] = value{string(v), v == nil}
		}
		out.add(row)
	}
	tag, err := result.Close()
	if err != nil {
		return postgresUnsettled(err)
	}
	if !begun && len(names) > 0 {
		out.begin(names)
	}
	if !tag.Select() {
		out.affected = tag.RowsAffected()
	}
	return nil
}

// postgresUnsettled tells what the server has said of a statement, whose transaction was rolled back then, from an end without its word. One that ends the
// whole session, because an administrator wants it or the server goes down, may come after the commit.
func postgresUnsettled(err error) error {
	said, answered := errors.AsType[*pgconn.PgError](err)
	if answered && said.SeverityUnlocalized != "FATAL" && said.SeverityUnlocalized != "PANIC" || pgconn.SafeToRetry(err) {
		return err
	}
	return unsettledError{err}
}
