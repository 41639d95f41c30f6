package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/store"
)

// builds is where the tests build programs; cleaned removes it after them.
var builds = sync.OnceValues(func() (string, error) { return os.MkdirTemp("", "almanac-binary") })

type cleaned struct{ *testing.M }

func (m cleaned) Run() int {
	code := m.M.Run()
	if dir, err := builds(); err == nil {
		os.RemoveAll(dir)
	}
	return code
}

// program builds the real binary once.
var program = sync.OnceValues(func() (string, error) { return buildProgram("almanac") })

func buildProgram(name string, flags ...string) (path string, err error) {
	dir, err := builds()
	if err != nil {
		return "", err
	}
	path = filepath.Join(dir, name)
	if out, err := exec.Command("go", append(append([]string{"build", "-o", path}, flags...), ".")...).CombinedOutput(); err != nil {
		return "", fmt.Errorf("build %s: %w\n%s", name, err, out)
	}
	return path, nil
}

func builtProgram(t *testing.T) string {
	t.Helper()
	path, err := program()
	require.NoError(t, err)
	return path
}

// The day of the kill test: eleven seconds of it, each second an instance of four jobs that wait for one another, one of which always fails.
const (
	killSeconds = 11
	kills       = 10
)

// killWitness writes lines in the form that chronocheck reads.
const killWitness = `w() { echo "$1 $ALMANAC_INSTANCE $ALMANAC_ATTEMPT ${ALMANAC_STEP:--} $ALMANAC_FENCE $2 $(date +%%s%%N)" >> effects; }`

const killWorkflow = `workflow: day
jobs:
  load:
    at: [%[1]s]
    concurrency: 20
    action: {type: shell, command: '` + killWitness + `; w begin -; sleep 0.4; w end 0'}
  check:
    at: [%[1]s]
    concurrency: 20
    dependsOn: [{job: load, window: {from: PT0S, to: PT0S, closed: both}}]
    action: {type: shell, command: '` + killWitness + `; w begin -; sleep 0.1; w end 3; exit 3'}
  publish:
    at: [%[1]s]
    concurrency: 20
    dependsOn: [{job: check, onFailed: run, window: {from: PT0S, to: PT0S, closed: both}}]
    steps:
      first: {type: shell, command: '` + killWitness + `; w begin -; w end 0'}
      second: {needs: [first], type: shell, command: '` + killWitness + `; w begin -; w end 0'}
  join:
    at: [%[1]s]
    concurrency: 20
    dependsOn: [{job: publish, window: {from: PT0S, to: PT0S, closed: both}}]
    action: {type: none}
`

// TestTenKillsLoseAndDoubleNothing kills the real server ten times with SIGKILL while a day runs, at other moments of its life each time, and
// starts it again. At the end each instance of the day is recorded once with its true outcome, and whatever an attempt did has its attempt.
func TestTenKillsLoseAndDoubleNothing(t *testing.T) {
	binary, dir := builtProgram(t), t.TempDir()
	folder, data := filepath.Join(dir, "pipelines"), filepath.Join(dir, "data")
	require.NoError(t, os.Mkdir(folder, 0o755))
	serve := func() *exec.Cmd {
		var output bytes.Buffer
		c := exec.Command(binary, "serve", folder, "--data", data, "--listen", "127.0.0.1:0", "--dev", "--slots", "8")
		c.Stdout, c.Stderr = &output, &output
		require.NoError(t, c.Start())
		t.Cleanup(func() {
			_ = c.Process.Kill()
			_ = c.Wait()
			if t.Failed() {
				t.Logf("server %d:\n%s", c.Process.Pid, output.String())
			}
		})
		return c
	}
	up := func(c *exec.Cmd) bool {
		f, ok := readServerFile(data)
		return ok && f.PID == c.Process.Pid && answers(f.Address+"/readyz")
	}
	var nemesis []byte
	note := func(what string) { nemesis = fmt.Appendf(nemesis, "%d %s server\n", time.Now().UnixNano(), what) }
	var first *exec.Cmd
	begin := beforeItIsDue(func(due time.Time) (known time.Time) {
		require.NoError(t, os.RemoveAll(data))
		require.NoError(t, os.WriteFile(filepath.Join(folder, "day.yaml"), fmt.Appendf(nil, killWorkflow, eachSecond(due, killSeconds)), 0o644))
		nemesis = nil
		note("start")
		first = serve()
		poll(t, "the server", func() bool { return up(first) })
		return createdIn(t, data)
	}, func() {
		require.NoError(t, first.Process.Kill())
		_ = first.Wait()
	})
	for i := range kills {
		c := first
		if i > 0 {
			note("start")
			c = serve()
		}
		moment := time.Duration(200+i*337%900) * time.Millisecond
		if i == 3 || i == 7 {
			moment = time.Duration(i*10) * time.Millisecond // while it starts
		} else {
			poll(t, "the server", func() bool { return up(c) })
			note("ready")
		}
		<-time.After(moment)
		note("kill")
		require.NoError(t, c.Process.Kill())
		_ = c.Wait()
	}
	last := serve()
	poll(t, "the server", func() bool { return up(last) })
	note("ready")
	const want = 4 * killSeconds
	poll(t, "the end of the day", func() bool {
		all := instancesOf(t, data)
		for _, i := range all {
			if !i.State.Ended() {
				return false
			}
		}
		return len(all) == want
	})
	require.NoError(t, last.Process.Signal(os.Interrupt))
	require.NoError(t, last.Wait(), "a server that is interrupted ends well")

	seen := map[string]int{}
	for _, i := range instancesOf(t, data) {
		seen[i.Name()]++
		outcome := engine.Succeeded
		if i.Ref.Job == "check" {
			outcome = engine.Failed
		}
		require.Equal(t, outcome, i.State, "%s: %s", i.Name(), i.Reason.Describe())
	}
	for n := range killSeconds {
		at := begin.Add(time.Duration(n) * time.Second)
		for _, job := range []string{"load", "check", "publish", "join"} {
			name := fmt.Sprintf("day/%s@%s", job, at.Format(time.RFC3339))
			require.Equal(t, 1, seen[name], name)
		}
	}
	holdEffectsAgainstAttempts(t, data, filepath.Join(folder, "effects"))
	db := openRows(t, data)
	require.NoError(t, db.VerifyChain(context.Background()))

	faults := filepath.Join(dir, "nemesis")
	require.NoError(t, os.WriteFile(faults, nemesis, 0o600))
	check := exec.Command(checkerProgram(t), "--data", data, "--witness", filepath.Join(folder, "effects"), "--nemesis", faults, "--slots", "8", "--epsilon", "20s")
	out, err := check.CombinedOutput()
	require.NoError(t, err, "%s", out)
}

// holdEffectsAgainstAttempts compares what the processes wrote with what is recorded of them.
func holdEffectsAgainstAttempts(t *testing.T, data, effects string) {
	t.Helper()
	text, err := os.ReadFile(effects)
	require.NoError(t, err)
	begun, ended := map[string]int{}, map[string]int{}
	for line := range strings.Lines(string(text)) {
		words := strings.Fields(line)
		require.Len(t, words, 7, line)
		attempt := words[1] + " " + strings.TrimPrefix(words[3], "-") + words[2]
		if words[0] == "begin" {
			begun[attempt]++
		} else {
			ended[attempt]++
		}
	}
	recorded := 0
	db := openRows(t, data)
	for _, i := range instancesOf(t, data) {
		err := db.Read(context.Background(), func(v engine.View) error {
			attempts, err := v.Attempts(i.ID)
			for _, a := range attempts {
				if i.Ref.Job == "join" {
					continue
				}
				recorded++
				key := fmt.Sprintf("%d %s%d", i.ID, a.Step, a.Number)
				require.NotNil(t, a.Result, "attempt %s has no outcome", key)
				require.LessOrEqual(t, begun[key], 1, "attempt %s ran twice under one record", key)
				switch a.Result.Outcome {
				case engine.OutcomeLost: // its claim was recorded, and the server killed before it was handed out or while it was
				case engine.OutcomeSucceeded:
					require.Equal(t, 1, ended[key], "attempt %s is recorded as succeeded", key)
					require.NotEqual(t, "check", i.Ref.Job, "%s exits 3", key)
				default:
					require.Equal(t, 1, ended[key], "attempt %s is recorded as %s", key, a.Result.Outcome)
					require.NotNil(t, a.Result.Exit)
					require.Equal(t, 3, *a.Result.Exit)
				}
				delete(begun, key)
			}
			return err
		})
		require.NoError(t, err)
	}
	require.Empty(t, begun, "these ran without being recorded")
	require.GreaterOrEqual(t, recorded, 4*killSeconds)
}

// openRows opens a data directory beside whoever uses it.
func openRows(t *testing.T, data string) *store.DB {
	t.Helper()
	db, err := store.Open(context.Background(), store.Config{Dir: data, ReadOnly: true})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	return db
}

// instancesOf lists every instance of a data directory.
func instancesOf(t *testing.T, data string) []engine.Instance {
	t.Helper()
	db, err := store.Open(context.Background(), store.Config{Dir: data, ReadOnly: true})
	require.NoError(t, err)
	defer func() { require.NoError(t, db.Close()) }()
	var all []engine.Instance
	for cursor := ""; ; {
		page, next, err := db.Instances(context.Background(), store.InstanceFilter{}, cursor, 500)
		require.NoError(t, err)
		all = append(all, page...)
		if next == "" {
			return all
		}
		cursor = next
	}
}
