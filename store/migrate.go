package store

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"

	"github.com/pressly/goose/v3"
)

//go:embed migrations/*.sql
var migrations embed.FS

// migrate brings the schema of the file up to date, and reports whether it was not. A schema that
// is newer than this program's is refused.
func migrate(ctx context.Context, path string) (changed bool, err error) {
	db, err := sql.Open("sqlite", dsn(path, false))
	if err != nil {
		return false, err
	}
	db.SetMaxOpenConns(1)
	defer func() { err = errors.Join(err, db.Close()) }()
	scripts, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return false, err
	}
	p, err := goose.NewProvider(goose.DialectSQLite3, db, scripts, goose.WithDisableGlobalRegistry(true))
	if err != nil {
		return false, fmt.Errorf("read the migrations: %w", err)
	}
	current, target, err := p.GetVersions(ctx)
	switch {
	case err != nil:
		return false, fmt.Errorf("read the version of the schema: %w", err)
	case current > target:
		return false, fmt.Errorf("%w: its schema is %d, this program knows %d", ErrNewer, current, target)
	case current == target:
		return false, nil
	}
	if current == 0 {
		// In the file before anything else: what has our tables has our mark.
		if _, err := db.ExecContext(ctx, fmt.Sprintf("PRAGMA application_id = %d", applicationID)); err != nil {
			return true, err
		}
	}
	if _, err := p.Up(ctx); err != nil {
		return true, fmt.Errorf("bring the schema from %d to %d: %w", current, target, err)
	}
	return true, nil
}
