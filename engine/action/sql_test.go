package action_test

import (
	"context"
	"database/sql"
	"fmt"
	"net/netip"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib"
	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/engine/action"
	"github.com/almanac-sched/almanac/engine/action/actiontest"
)

const sqlPassword = "pass#word with 1 blank"

// postgres starts a PostgreSQL of the test's own and returns the address of a connection.
func postgres(t *testing.T) string {
	t.Helper()
	server := actiontest.Program(t, actiontest.PostgreSQL)
	server, err := filepath.EvalSymlinks(server)
	require.NoError(t, err)
	dir := serverFolder(t, "postgres")
	address, port := actiontest.FreeAddress(t)
	words := filepath.Join(dir, "password")
	require.NoError(t, os.WriteFile(words, []byte(sqlPassword), 0o644))
	data := filepath.Join(dir, "data")
	command := serverCommand(t, dir, "postgres", filepath.Join(filepath.Dir(server), "initdb"), "-D", data, "-U", "almanac", "--auth=scram-sha-256", "--pwfile", words, "--no-sync")
	said, err := command.CombinedOutput()
	require.NoError(t, err, "%s", said)
	actiontest.Launch(t, address, serverCommand(t, dir, "postgres", server, "-D", data, "-p", port, "-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories=",
		"-c", "fsync=off"))
	connection := fmt.Sprintf("postgres://almanac:pass%%23word%%20with%%201%%20blank@%s/postgres?sslmode=disable", address)
	answers(t, "pgx", connection)
	return connection
}

// answers waits until a server that listens also does its work.
func answers(t *testing.T, driver, source string) {
	t.Helper()
	db, err := sql.Open(driver, source)
	require.NoError(t, err)
	defer db.Close()
	eventually(t, "the server answers", func() bool { return db.PingContext(t.Context()) == nil })
}

// mariadb does the same for MariaDB.
func mariadb(t *testing.T) string {
	t.Helper()
	server := actiontest.Program(t, actiontest.MariaDB)
	install := actiontest.Program(t, actiontest.MariaDBInstall)
	dir := serverFolder(t, "mysql")
	address, port := actiontest.FreeAddress(t)
	data := filepath.Join(dir, "data")
	command := serverCommand(t, dir, "mysql", install, "--no-defaults", "--datadir="+data, "--auth-root-authentication-method=normal", "--skip-test-db")
	said, err := command.CombinedOutput()
	require.NoError(t, err, "%s", said)
	script := filepath.Join(dir, "init.sql")
	require.NoError(t, os.WriteFile(script, fmt.Appendf(nil, "CREATE DATABASE shop;\nCREATE USER almanac@'127.0.0.1' IDENTIFIED BY '%s';\nGRANT ALL ON shop.* TO almanac@'127.0.0.1';\n", sqlPassword), 0o644))
	actiontest.Launch(t, address, serverCommand(t, dir, "mysql", server, "--no-defaults", "--datadir="+data, "--port="+port, "--bind-address=127.0.0.1",
		"--socket="+filepath.Join(dir, "s"), "--pid-file="+filepath.Join(dir, "pid"), "--init-file="+script, "--skip-name-resolve"))
	answers(t, "mysql", fmt.Sprintf("almanac:%s@tcp(%s)/shop", sqlPassword, address))
	return fmt.Sprintf("mysql://almanac:pass%%23word%%20with%%201%%20blank@%s/shop", address)
}

// serverFolder is a short folder that the user of that name may write to.
func serverFolder(t *testing.T, name string) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "almanac-sql")
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	require.NoError(t, os.Chmod(dir, 0o755))
	if uid, gid, other := serverUser(t, name); other {
		require.NoError(t, os.Chown(dir, uid, gid))
	}
	return dir
}

// serverUser is as whom a database server runs: it refuses to be root.
func serverUser(t *testing.T, name string) (uid, gid int, other bool) {
	t.Helper()
	if os.Getuid() != 0 {
		return 0, 0, false
	}
	u, err := user.Lookup(name)
	require.NoError(t, err)
	uid, _ = strconv.Atoi(u.Uid)
	gid, _ = strconv.Atoi(u.Gid)
	return uid, gid, true
}

func serverCommand(t *testing.T, dir, name string, line ...string) *exec.Cmd {
	t.Helper()
	c := exec.Command(line[0], line[1:]...)
	if uid, gid, other := serverUser(t, name); other {
		c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}
	}
	c.Dir = dir
	c.Env = append(os.Environ(), "LC_ALL=C", "HOME="+dir)
	return c
}

// statement is an attempt at a statement.
func (b *bench) statement(connection, statement string, args ...string) engine.Attempt {
	s := &engine.SQL{Connection: engine.Text(connection), Statement: engine.Text(statement)}
	for _, a := range args {
		s.Args = append(s.Args, engine.Text(a))
	}
	a := b.attempt(engine.Action{Type: engine.ActionSQL, SQL: s})
	a.Secrets = []string{connection}
	return a
}

// A dialect is what the tests need to know of a kind of server.
type dialect struct {
	name    string
	connect func(t *testing.T) string
	mark    string // of the first argument
	second  string
	numbers string // a statement that gives 250 rows of n
	sleep   string
	busy    func(ctx context.Context, t *testing.T, connection string) int // statements with the word napping that run on the server
}

var dialects = []dialect{
	{
		name: "PostgreSQL", connect: postgres, mark: "$1::int", second: "$2", numbers: "SELECT n FROM generate_series(1, 250) AS n", sleep: "SELECT pg_sleep(60) AS napping",
		busy: func(ctx context.Context, t *testing.T, connection string) (n int) {
			db, err := sql.Open("pgx", connection)
			require.NoError(t, err)
			defer db.Close()
			require.NoError(t, db.QueryRowContext(ctx, "SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND query LIKE '%napping' AND pid <> pg_backend_pid()").Scan(&n))
			return n
		},
	},
	{
		name: "MariaDB", connect: mariadb, mark: "?", second: "?", numbers: "SELECT seq AS n FROM seq_1_to_250", sleep: "SELECT SLEEP(60) AS napping",
		busy: func(ctx context.Context, t *testing.T, connection string) (n int) {
			address := strings.TrimPrefix(connection, "mysql://")
			_, hostpath, _ := strings.Cut(address, "@")
			hostport, _, _ := strings.Cut(hostpath, "/")
			db, err := sql.Open("mysql", "almanac:"+sqlPassword+"@tcp("+hostport+")/shop")
			require.NoError(t, err)
			defer db.Close()
			require.NoError(t, db.QueryRowContext(ctx, "SELECT count(*) FROM information_schema.processlist WHERE info LIKE 'SELECT SLEEP%'").Scan(&n))
			return n
		},
	},
	{
		name: "SQLite", connect: func(*testing.T) string { return "sqlite:shop.db" }, mark: "?", second: "?",
		numbers: "WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < 250) SELECT n FROM s",
		sleep:   "WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s) SELECT count(*) AS napping FROM s",
	},
}

func TestSQL(t *testing.T) {
	for _, d := range dialects {
		t.Run(d.name, func(t *testing.T) {
			connection := d.connect(t)
			b := setup(t, func(c *action.Config) { c.AllowLoopback = true })
			good := func(statement string, args ...string) engine.Result {
				t.Helper()
				a := b.statement(connection, statement, args...)
				r := b.run(a)
				require.Equal(t, engine.OutcomeSucceeded, r.Outcome, "%s: %s\n%s", statement, r, b.log(a.ID))
				return r
			}
			good("CREATE TABLE store (id INTEGER PRIMARY KEY, name VARCHAR(40))")
			r := good("INSERT INTO store VALUES ("+d.mark+", "+d.second+")", "7", "o'hara; DROP TABLE store; --")
			require.Equal(t, map[string]string{"rows": "0", "rowsAffected": "1"}, r.Outputs)
			require.Equal(t, "1 row affected", r.Message)
			good("INSERT INTO store VALUES (8, NULL), (9, 'zug')")
			r = good("UPDATE store SET name = 'x' WHERE id > 8")
			require.Equal(t, "1", r.Outputs["rowsAffected"])

			a := b.statement(connection, "SELECT id, name FROM store ORDER BY id")
			r = b.run(a)
			require.Equal(t, map[string]string{"rows": "3", "rowsAffected": "0", "value": "7", "id": "7", "name": "o'hara; DROP TABLE store; --"}, r.Outputs)
			require.Equal(t, "id\tname\n7\to'hara; DROP TABLE store; --\n8\tNULL\n9\tx\n3 rows\n", b.log(a.ID))
			r = good("SELECT name FROM store WHERE id = 8")
			require.Equal(t, map[string]string{"rows": "1", "rowsAffected": "0"}, r.Outputs, "NULL is no output")
			r = good("SELECT name FROM store WHERE id = "+d.mark, "1")
			require.Equal(t, "0", r.Outputs["rows"])

			a = b.statement(connection, d.numbers)
			r = b.run(a)
			require.Equal(t, "250", r.Outputs["rows"])
			require.True(t, r.Truncated)
			require.Contains(t, b.log(a.ID), "\n100\n--- almanac: 150 more rows ---\n250 rows\n")

			a = b.statement(connection, "SELECT nothing FROM store")
			r = b.run(a)
			require.Equal(t, engine.OutcomeFailed, r.Outcome)
			require.Contains(t, r.Message, "nothing")
			require.Contains(t, b.log(a.ID), "nothing", "the server's words")
			r = b.run(b.statement(connection, "SELECT 1; DROP TABLE store"))
			if d.name != "SQLite" {
				require.Equal(t, engine.OutcomeFailed, r.Outcome, "one statement at a time")
			}

			if d.name != "SQLite" {
				a = b.statement(connection, "SELECT '"+sqlPassword+"' AS secret")
				r = b.run(a)
				require.NotContains(t, b.log(a.ID), sqlPassword)
				require.Equal(t, "***", r.Outputs["secret"])
				r = b.run(b.statement(strings.Replace(connection, "pass%23", "wrong", 1), "SELECT 1"))
				require.Equal(t, engine.OutcomeFailed, r.Outcome)
				require.NotContains(t, r.Message, "wrong")
			}
			d.ends(t, b, connection)
		})
	}
}

// ends breaks a statement off in two ways, and looks on the server whether it has ended there.
func (d *dialect) ends(t *testing.T, b *bench, connection string) {
	t.Helper()
	gone := func() {
		t.Helper()
		if d.busy != nil {
			eventually(t, "the statement has ended on the server", func() bool { return d.busy(t.Context(), t, connection) == 0 })
		}
	}
	a := b.statement(connection, d.sleep)
	a.Action.Timeout = 500 * time.Millisecond
	r := b.run(a)
	require.Equal(t, engine.OutcomeTimeout, r.Outcome, r.Message)
	require.Less(t, r.EndedAt.Sub(r.StartedAt), 10*time.Second)
	gone()

	a = b.statement(connection, d.sleep)
	result := b.start(a)
	if d.busy != nil {
		eventually(t, "it runs on the server", func() bool { return d.busy(t.Context(), t, connection) == 1 })
	}
	b.runner.Cancel(a.ID)
	r = await(t, result)
	require.Equal(t, engine.OutcomeCancelled, r.Outcome, r.Message)
	gone()
}

func TestSQLGoesNoFurtherThanItMay(t *testing.T) {
	b := setup(t)
	outside := t.TempDir()
	require.NoError(t, os.Symlink(outside, filepath.Join(b.folder, "out")))
	require.NoError(t, os.Symlink(filepath.Join(outside, "x.db"), filepath.Join(b.folder, "x.db")))
	for connection, words := range map[string]string{
		"postgres://u:hunter22@127.0.0.1:5/d?sslmode=disable": "loopback address",
		"mysql://u:hunter22@127.0.0.1:5/d":                    "loopback address",
		"mysql://u:hunter22@169.254.169.254/d":                "address of no server",
		"postgres://u:hunter22@/d?host=/run/postgresql":       "names no host",
		"postgres://u:hunter22@h/d?host=/run/postgresql":      "cannot say host",
		"postgres://u:hunter22@h/d?passfile=/etc/passwd":      "cannot say passfile",
		"mysql://u:hunter22@h/d?allowAllFiles=true":           "allowAllFiles",
		"mysql://h/d":        "names no user",
		"sqlite:/etc/passwd": "not below the workflow's folder",
		"sqlite:../x.db":     "not below the workflow's folder",
		"sqlite:out/x.db":    "out of the workflow's folder",
		"sqlite:x.db":        "leads nowhere",
		"oracle:hunter22":    "begins with postgres://, mysql:// or sqlite:PATH",
		"hunter22":           "begins with postgres://",
	} {
		r := b.run(b.statement(connection, "SELECT 1"))
		require.Equal(t, engine.OutcomeFailed, r.Outcome, connection)
		require.Contains(t, r.Message, words, connection)
		require.NotContains(t, r.Message, "hunter22", connection)
	}
	require.NoFileExists(t, filepath.Join(outside, "x.db"))

	for _, statement := range []string{"ATTACH DATABASE 'other.db' AS o", "VACUUM INTO 'copy.db'"} {
		r := b.run(b.statement("sqlite:own.db", statement))
		require.Equal(t, engine.OutcomeFailed, r.Outcome, statement)
	}
	require.NoFileExists(t, filepath.Join(b.folder, "copy.db"))
}

func TestSQLReachesAnAllowedNetwork(t *testing.T) {
	b := setup(t, func(c *action.Config) { c.AllowNetworks = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")} })
	nobody, _ := actiontest.FreeAddress(t)
	r := b.run(b.statement("mysql://u:p@"+nobody+"/d", "SELECT 1"))
	require.Contains(t, r.Message, "connection refused")
}
