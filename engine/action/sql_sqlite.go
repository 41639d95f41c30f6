package action

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"modernc.org/sqlite"
)

// sqliteConfig is the path of a database file, which lies below the workflow's folder.
type sqliteConfig struct{ path string }

// sqliteFile finds the file that a connection names. It may be new; its folder must be there.
func sqliteFile(address, folder string) (sqliteConfig, error) {
	name := filepath.FromSlash(strings.TrimPrefix(strings.TrimPrefix(address, "sqlite:"), "//"))
	if !filepath.IsLocal(name) {
		return sqliteConfig{}, errors.New("the file of the connection is not below the workflow's folder")
	}
	base, err := filepath.EvalSymlinks(folder)
	if err != nil {
		return sqliteConfig{}, fmt.Errorf("find the workflow's folder: %w", err)
	}
	path := filepath.Join(base, name)
	dir, err := filepath.EvalSymlinks(filepath.Dir(path))
	if err != nil {
		return sqliteConfig{}, errors.New("the folder of the connection's file is not there")
	}
	path = filepath.Join(dir, filepath.Base(path))
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	} else if info, e := os.Lstat(path); e == nil && info.Mode()&os.ModeSymlink != 0 {
		return sqliteConfig{}, errors.New("the file of the connection is a link that leads nowhere")
	}
	if within, err := filepath.Rel(base, path); err != nil || !filepath.IsLocal(within) {
		return sqliteConfig{}, errors.New("a link leads from the file of the connection out of the workflow's folder")
	}
	return sqliteConfig{path}, nil
}

func (c sqliteConfig) open(ctx context.Context) (database, error) {
	address := url.URL{Scheme: "file", OmitHost: true, Path: c.path, RawQuery: "_pragma=busy_timeout(60000)&_pragma=trusted_schema(0)"}
	db, err := sql.Open("sqlite", address.String())
	if err != nil {
		return nil, err
	}
	s, err := openStandard(ctx, db)
	if err != nil {
		return nil, err
	}
	// Neither ATTACH nor VACUUM INTO may reach another file.
	const attached = 7
	if _, err := sqlite.Limit(s.conn, attached, 0); err != nil {
		s.close()
		return nil, fmt.Errorf("bound the connection: %w", err)
	}
	return &sqliteConn{s}, nil
}

type sqliteConn struct{ *standardConn }

func (s *sqliteConn) run(ctx context.Context, statement string, args []string, out *table) error {
	total := func() (n int64, err error) {
		err = s.conn.QueryRowContext(ctx, `SELECT total_changes()`).Scan(&n)
		return n, err
	}
	before, err := total()
	if err != nil {
		return err
	}
	if err := s.standardConn.run(ctx, statement, args, out); err != nil {
		return err
	}
	after, err := total()
	if out.affected = after - before; err != nil { // what was carried out is not undone by it
		out.affected, out.uncounted = 0, true
	}
	return nil
}
