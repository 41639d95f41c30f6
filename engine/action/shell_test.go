package action_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/engine/action"
)

func TestExitCodesAreReportedAsTheyAre(t *testing.T) {
	t.Parallel()
	b := setup(t)
	running := map[int]<-chan engine.Result{}
	for _, code := range []int{0, 1, 2, 3, 42, 77, 99, 125, 126, 127, 128, 129, 137, 143, 200, 254, 255} {
		running[code] = b.start(b.shell(fmt.Sprintf("exit %d", code)))
	}
	for code, c := range running {
		r := await(t, c)
		require.NotNil(t, r.Exit, "exit %d", code)
		require.Equal(t, code, *r.Exit)
		require.Equal(t, code, r.Code())
		require.Empty(t, r.Signal)
		require.False(t, r.StartedAt.IsZero())
		require.False(t, r.EndedAt.Before(r.StartedAt))
		if code == 0 {
			require.Equal(t, engine.OutcomeSucceeded, r.Outcome)
			require.Empty(t, r.Message)
		} else {
			require.Equal(t, engine.OutcomeFailed, r.Outcome)
			require.Equal(t, fmt.Sprintf("exit %d", code), r.Message)
		}
	}
}

func TestSignalsAreReportedAsTheyAre(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for signal, name := range map[string]string{"KILL": "killed", "TERM": "terminated", "SEGV": "segmentation fault", "HUP": "hangup", "USR1": "user defined signal 1"} {
		r := b.run(b.shell("kill -" + signal + " $$"))
		require.Equal(t, engine.OutcomeFailed, r.Outcome, signal)
		require.Nil(t, r.Exit, signal)
		require.Equal(t, name, r.Signal)
		require.Equal(t, "ended by signal: "+name, r.Message)
	}
}

func TestArgumentsReachTheCommandUntouched(t *testing.T) {
	t.Parallel()
	b := setup(t)
	args := []string{
		"plain", "", "two words", "  edges  ", "line\nbreak\n", "it's", `say "hi"`, "$(touch pwned)", "`touch pwned`", "; touch pwned", "$HOME", "*", "-c",
		`back\slash`, "中文", "\xff\xfe not UTF-8", "${{ planTime }}", "a=b", "&&", strings.Repeat("long ", 20_000),
	}
	r := b.run(b.shell(`printf '%s\0' "$0" "$@" > got`, args...))
	require.Equal(t, engine.OutcomeSucceeded, r.Outcome, r.Message)
	got, err := os.ReadFile(filepath.Join(b.folder, "got"))
	require.NoError(t, err)
	require.Equal(t, append([]string{"sh"}, args...), strings.Split(strings.TrimSuffix(string(got), "\x00"), "\x00"))
	require.NoFileExists(t, filepath.Join(b.folder, "pwned"))
}

func TestWithoutShellNothingIsRun(t *testing.T) {
	t.Parallel()
	b := setup(t, func(c *action.Config) { c.NoShell = true })
	r := b.run(b.shell(`touch ran`))
	require.Equal(t, engine.OutcomeFailed, r.Outcome)
	require.Equal(t, "cannot start: refused: this server runs no shell actions: it was started with --no-shell; without that flag it runs them", r.Message)
	require.True(t, r.Refused, "another attempt would be refused too")
	require.NoFileExists(t, filepath.Join(b.folder, "ran"))
	require.Equal(t, engine.OutcomeSucceeded, b.run(b.attempt(engine.Action{Type: engine.ActionNone})).Outcome)
}

func TestScripts(t *testing.T) {
	t.Parallel()
	b := setup(t)
	write := func(name, text string, mode os.FileMode) {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(b.folder, name)), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(b.folder, name), []byte(text), mode))
	}
	write("plain.sh", `echo "by sh: $# $1"`, 0o600)
	write("sub/direct.cat", "#!/bin/cat\nby cat\n", 0o700)
	write("noline", `echo "executable without a first line: $1"`, 0o700)
	write("broken", "#!/no/such/interpreter\n", 0o700)
	require.NoError(t, os.WriteFile(filepath.Join(b.folder, "..", filepath.Base(b.folder)+"-outside"), []byte("echo out"), 0o600))

	run := func(script string) (engine.Result, string) {
		a := b.shell("", "a b", "c")
		a.Action.Shell.Script = script
		r := b.run(a)
		if strings.HasPrefix(r.Message, "cannot start") {
			return r, ""
		}
		return r, b.log(a.ID)
	}
	r, out := run("plain.sh")
	require.Equal(t, engine.OutcomeSucceeded, r.Outcome)
	require.Equal(t, "by sh: 2 a b\n", out)
	_, out = run("sub/direct.cat")
	require.True(t, strings.HasPrefix(out, "#!/bin/cat\nby cat\n"), out)
	_, out = run("noline")
	require.Equal(t, "executable without a first line: a b\n", out)

	for script, why := range map[string]string{
		"../" + filepath.Base(b.folder) + "-outside": "is not inside the workflow's folder",
		filepath.Join(b.folder, "plain.sh"):          "is not inside the workflow's folder",
		"none.sh":                                    "no such file",
		"sub":                                        "is not a file",
		"broken":                                     "no such file",
	} {
		r, _ := run(script)
		require.Equal(t, engine.OutcomeFailed, r.Outcome, script)
		require.Contains(t, r.Message, "cannot start: ", script)
		require.Contains(t, r.Message, why, script)
	}
}

func TestWorkingDirectory(t *testing.T) {
	t.Parallel()
	b := setup(t)
	require.NoError(t, os.Mkdir(filepath.Join(b.folder, "sub"), 0o700))
	other := t.TempDir()
	for dir, want := range map[string]string{"": b.folder, "sub": filepath.Join(b.folder, "sub"), other: other} {
		a := b.shell("pwd")
		a.Action.Shell.Dir = dir
		require.Equal(t, engine.OutcomeSucceeded, b.run(a).Outcome)
		require.Equal(t, want+"\n", b.log(a.ID))
	}
	a := b.shell("pwd")
	a.Action.Shell.Dir = "none"
	r := b.run(a)
	require.Equal(t, engine.OutcomeFailed, r.Outcome)
	require.Equal(t, "cannot start: there is no folder "+filepath.Join(b.folder, "none"), r.Message)
}

func TestEnvironmentIsAnAllowList(t *testing.T) {
	t.Setenv("DATABASE_PASSWORD", "seeded-secret")
	t.Setenv("LC_TIME", "C")
	t.Setenv("TZ", "Asia/Shanghai")
	b := setup(t)
	a := b.shell("env")
	a.Step = "load"
	a.Action.Shell.Env = map[string]engine.Text{"DAY": "2026-03-01", "EMPTY": "", "TZ": "UTC", "MULTI": "a\nb=c", "ALMANAC_FENCE": "999"}
	require.Equal(t, engine.OutcomeSucceeded, b.run(a).Outcome)
	got := b.log(a.ID)
	for _, want := range []string{
		"DAY=2026-03-01\n", "EMPTY=\n", "TZ=UTC\n", "MULTI=a\nb=c\n", "LC_TIME=C\n", "PATH=" + os.Getenv("PATH") + "\n",
		"ALMANAC_WORKFLOW=retail\n", "ALMANAC_JOB=orders\n", "ALMANAC_INSTANCE=77\n", "ALMANAC_ATTEMPT=2\n", "ALMANAC_PLAN_TIME=2026-03-01T02:00:00+08:00\n",
		"ALMANAC_FENCE=5\n", "ALMANAC_STEP=load\n", "ALMANAC_OUTPUT=" + b.dir,
	} {
		require.Contains(t, "\n"+got, "\n"+want)
	}
	require.NotContains(t, got, "seeded-secret")
	for _, line := range strings.Split(got, "\n") {
		name, _, _ := strings.Cut(line, "=")
		if !strings.HasPrefix(name, "ALMANAC_") {
			require.Contains(t, []string{"", "DAY", "EMPTY", "TZ", "MULTI", "b", "LC_TIME", "LC_ALL", "PATH", "HOME", "LANG", "TMPDIR", "USER", "SHELL", "PWD", "OLDPWD", "_", "SHLVL"}, name)
		}
	}
}

func TestOutputs(t *testing.T) {
	t.Parallel()
	b := setup(t)
	r := b.run(b.shell(`printf 'rows=12\nname=a=b c\n_x1=\nrows=13\n' >> "$ALMANAC_OUTPUT"`))
	require.Equal(t, engine.OutcomeSucceeded, r.Outcome)
	require.Equal(t, map[string]string{"rows": "13", "name": "a=b c", "_x1": ""}, r.Outputs)
	require.Empty(t, r.Message)

	r = b.run(b.shell(`printf 'ok=1\nno equals\n1x=2\n' >> "$ALMANAC_OUTPUT"; exit 4`))
	require.Equal(t, map[string]string{"ok": "1"}, r.Outputs)
	require.Equal(t, "exit 4; 2 output lines are not name=value, the first is line 2", r.Message)

	r = b.run(b.shell(`i=0; while [ $i -lt 7000 ]; do echo "k$i=xxxxxxxxxx"; i=$((i+1)); done > "$ALMANAC_OUTPUT"`))
	require.Equal(t, engine.OutcomeSucceeded, r.Outcome)
	require.Equal(t, "outputs past 64 KiB ignored", r.Message)
	require.Equal(t, "xxxxxxxxxx", r.Outputs["k0"])
	require.Less(t, len(r.Outputs), 7000)
	for _, v := range r.Outputs {
		require.Equal(t, "xxxxxxxxxx", v, "no value is cut")
	}

	secret := filepath.Join(b.folder, "secret")
	require.NoError(t, os.WriteFile(secret, []byte("stolen=1\n"), 0o600))
	for _, trick := range []string{`ln -s ` + secret + ` "$ALMANAC_OUTPUT"`, `mkfifo "$ALMANAC_OUTPUT"`, `mkdir "$ALMANAC_OUTPUT"; echo x > "$ALMANAC_OUTPUT/y"`} {
		r = b.run(b.shell(trick))
		require.Equal(t, engine.OutcomeSucceeded, r.Outcome, trick)
		require.Empty(t, r.Outputs, trick)
		require.Contains(t, r.Message, "the outputs ", trick)
	}
	left, err := os.ReadDir(filepath.Join(b.dir, "run", "out"))
	require.NoError(t, err)
	require.Empty(t, left, "no output file is left behind")
}

func TestBinaryOutputIsStoredAsItIs(t *testing.T) {
	t.Parallel()
	b := setup(t)
	var all strings.Builder
	for c := range 256 {
		fmt.Fprintf(&all, `\%03o`, c)
	}
	a := b.shell(`printf '` + all.String() + `'; printf err >&2`)
	r := b.run(a)
	require.EqualValues(t, 259, r.LogBytes)
	got := b.log(a.ID)
	for c := range 256 {
		require.Equal(t, byte(c), got[c])
	}
	require.Equal(t, "err", got[256:])
}

func TestWhatCannotStartFailsWithWords(t *testing.T) {
	t.Parallel()
	b := setup(t)
	nul := b.shell("echo", "a\x00b")
	env := b.shell("true")
	env.Action.Shell.Env = map[string]engine.Text{"A=B": "c"}
	long := b.shell("true", strings.Repeat("x", 4<<20))
	for why, a := range map[string]engine.Attempt{
		"this version has no action of type \"teleport\"": b.attempt(engine.Action{Type: "teleport"}),
		"this version has no action of type \"shell\"":    b.attempt(engine.Action{Type: engine.ActionShell}),
		"neither a command nor a script":                  b.shell(""),
		"NUL byte":                                        nul,
		"\"A=B\" cannot be given":                         env,
		"argument list too long":                          long,
	} {
		r := b.run(a)
		require.Equal(t, engine.OutcomeFailed, r.Outcome, why)
		require.True(t, strings.HasPrefix(r.Message, "cannot start: "), r.Message)
		require.Contains(t, r.Message, why)
		require.Equal(t, a.ID, r.Attempt)
	}
	require.Equal(t, engine.OutcomeSucceeded, b.run(b.attempt(engine.Action{Type: engine.ActionNone})).Outcome)
}

func TestASupervisorThatCannotStartFailsTheAttempt(t *testing.T) {
	t.Parallel()
	b := setup(t, func(c *action.Config) { c.Supervisor = []string{"/no/such/program"} })
	r := b.run(b.shell("true"))
	require.Equal(t, engine.OutcomeFailed, r.Outcome)
	require.Contains(t, r.Message, "cannot start: reach the supervisor")
	require.Contains(t, r.Message, "/no/such/program")
}

func TestALongDataDirectoryIsReached(t *testing.T) {
	t.Parallel()
	b := &bench{t: t, dir: filepath.Join(t.TempDir(), strings.Repeat("long/", 30), "data"), folder: t.TempDir(), next: setup(t).next}
	b.open()
	defer b.endSupervisor()
	require.Equal(t, engine.OutcomeSucceeded, b.run(b.shell("true")).Outcome)
	require.Equal(t, engine.OutcomeSucceeded, b.run(b.shell("true")).Outcome)
}

func TestTheUmaskKeepsWhatChildrenWriteFromOthers(t *testing.T) {
	t.Parallel()
	b := setup(t)
	a := b.shell("umask; echo x > made")
	b.run(a)
	require.Equal(t, "0077\n", b.log(a.ID))
	for path, mode := range map[string]os.FileMode{
		filepath.Join(b.dir, "run"): 0o700 | os.ModeDir, filepath.Join(b.dir, "logs"): 0o700 | os.ModeDir, filepath.Join(b.dir, "logs", "0"): 0o700 | os.ModeDir,
		filepath.Join(b.dir, "logs", "0", "1.log"): 0o600, filepath.Join(b.dir, "run", "journal"): 0o600, filepath.Join(b.folder, "made"): 0o600,
	} {
		info, err := os.Stat(path)
		require.NoError(t, err)
		require.Equal(t, mode, info.Mode(), path)
	}
}

func TestManyAtOnceEndOnceEach(t *testing.T) {
	t.Parallel()
	b := setup(t)
	const n = 300
	results := make(chan engine.Result, 2*n)
	for i := range n {
		b.runner.Start(b.shell(fmt.Sprintf("echo %d; exit %d", i, i%7)), func(r engine.Result) { results <- r })
	}
	seen := map[int64]bool{}
	for range n {
		r := await(t, results)
		require.False(t, seen[r.Attempt], "one result each")
		seen[r.Attempt] = true
		require.Equal(t, int(r.Attempt-1)%7, *r.Exit)
	}
	require.Empty(t, results)
	require.Equal(t, "7\n", b.log(8))
}
