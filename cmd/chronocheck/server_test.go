package main

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"fmt"
	"go/parser"
	"go/token"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// forTests is what its tests may import besides: how hard they look is no code of the server.
var forTests = []string{
	"github.com/stretchr/testify/require", "github.com/almanac-sched/almanac/engine/fault/effort",
}

// What the checker is worth rests on this: nothing of the server's is in it.
func TestNoCodeIsSharedWithTheServer(t *testing.T) {
	files, err := filepath.Glob("*.go")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		require.NoError(t, err)
		for _, i := range file.Imports {
			path, err := strconv.Unquote(i.Path.Value)
			require.NoError(t, err)
			first, _, _ := strings.Cut(path, "/")
			if !strings.Contains(first, ".") {
				continue // the standard library
			}
			allowed := path == "modernc.org/sqlite" || strings.HasSuffix(name, "_test.go") && slices.Contains(forTests, path)
			require.True(t, allowed, "%s imports %s", name, path)
		}
	}
}

const serverWorkflow = `workflow: day
jobs:
  load:
    at: [%[1]s]
    concurrency: 4
    action: {type: shell, command: '%[2]s; w begin -; echo "almanac-mark $ALMANAC_INSTANCE $ALMANAC_ATTEMPT - 1"; w log 1; sleep 0.3; w end 0'}
  check:
    at: [%[1]s]
    concurrency: 4
    dependsOn: [{job: load, window: {from: PT0S, to: PT0S, closed: both}}]
    action: {type: shell, command: '%[2]s; w begin -; w end 3; exit 3'}
    errorAction: {type: shell, command: 'ALMANAC_STEP=!error; %[2]s; w begin -; w end 0'}
  publish:
    at: [%[1]s]
    concurrency: 4
    dependsOn: [{job: check, onFailed: run, window: {from: PT0S, to: PT0S, closed: both}}]
    steps:
      first: {type: shell, command: '%[2]s; w begin -; w end 0'}
      join: {needs: [first], type: none}
  by-hand:
    trigger: manual
    action: {type: shell, command: '%[2]s; w begin -; w end 0'}
  nightly:
    recurrence: {frequency: week, schedule: {weekDays: [sunday], hours: [2], minutes: [30]}}
    timeZone: America/New_York
    startTime: 2026-01-01T00:00:00
    dependsOn: [{job: load, cycle: previous, window: {from: -P1D, to: PT0S}}]
    action: {type: none}
`

const serverWitness = `w() { echo "$1 $ALMANAC_INSTANCE $ALMANAC_ATTEMPT ${ALMANAC_STEP:--} $ALMANAC_FENCE $2 $(date +%s%N)" >> witness; }`

// poll waits until something is so, for so long that only what never is is missed.
func poll(t *testing.T, what string, so func() bool) {
	t.Helper()
	for end := time.Now().Add(2 * time.Minute); ; <-time.After(20 * time.Millisecond) {
		if so() {
			return
		}
		require.True(t, time.Now().Before(end), "waited too long for %s", what)
	}
}

// The real server, killed once in the middle of four seconds of work, keeps every promise; one row changed behind its back is found.
func TestTheRealServer(t *testing.T) {
	binary, err := program()
	require.NoError(t, err)
	dir := t.TempDir()
	folder, data := filepath.Join(dir, "pipelines"), filepath.Join(dir, "data")
	require.NoError(t, os.Mkdir(folder, 0o755))
	var nemesis, acks bytes.Buffer
	note := func(what string) { fmt.Fprintf(&nemesis, "%d %s server\n", time.Now().UnixNano(), what) }
	address := ""
	serve := func() *exec.Cmd {
		var output bytes.Buffer
		note("start")
		c := exec.Command(binary, "serve", folder, "--data", data, "--listen", "127.0.0.1:0", "--dev", "--slots", "6")
		c.Stdout, c.Stderr = &output, &output
		require.NoError(t, c.Start())
		t.Cleanup(func() {
			_ = c.Process.Kill()
			_ = c.Wait()
			if t.Failed() {
				t.Logf("server %d:\n%s", c.Process.Pid, output.String())
			}
		})
		poll(t, "the server", func() bool {
			var f struct {
				Address string `json:"address"`
				PID     int    `json:"pid"`
			}
			text, err := os.ReadFile(filepath.Join(data, "server.json"))
			if err != nil || json.Unmarshal(text, &f) != nil || f.PID != c.Process.Pid {
				return false
			}
			address = f.Address
			answer, err := http.Get(address + "/readyz")
			if err != nil {
				return false
			}
			defer answer.Body.Close()
			return answer.StatusCode == http.StatusOK
		})
		note("ready")
		return c
	}
	// Of what is due before a server is there nothing is recorded: one that was too slow is thrown away, and the next has more time.
	var server *exec.Cmd
	var begin time.Time
	for lead := 3 * time.Second; !time.Now().Before(begin); lead *= 2 {
		if server != nil {
			require.NoError(t, server.Process.Kill())
			_ = server.Wait()
		}
		require.NoError(t, os.RemoveAll(data))
		nemesis.Reset()
		begin = time.Now().UTC().Truncate(time.Second).Add(lead)
		var due []string
		for n := range 4 {
			due = append(due, `"`+begin.Add(time.Duration(n)*time.Second).Format(time.RFC3339)+`"`)
		}
		text := fmt.Sprintf(serverWorkflow, strings.Join(due, ", "), serverWitness)
		text = strings.Replace(text, "cycle: previous, ", "", 1) // a window stands alone
		require.NoError(t, os.WriteFile(filepath.Join(folder, "day.yaml"), []byte(text), 0o644))
		server = serve()
	}
	answer, err := http.Post(address+"/api/v1/jobs/day/by-hand/trigger", "application/json", strings.NewReader("{}"))
	require.NoError(t, err)
	var triggered struct {
		ID string `json:"id"`
	}
	require.NoError(t, json.NewDecoder(answer.Body).Decode(&triggered))
	require.NoError(t, answer.Body.Close())
	require.Equal(t, http.StatusCreated, answer.StatusCode)
	fmt.Fprintf(&acks, `{"at":%d,"command":"trigger","job":"day/by-hand","instance":%s}`+"\n", time.Now().UnixNano(), triggered.ID)

	<-time.After(time.Until(begin.Add(1200 * time.Millisecond)))
	note("kill")
	require.NoError(t, server.Process.Kill())
	_ = server.Wait()
	server = serve()
	poll(t, "the end of the day", func() bool {
		l, err := readLedger(data)
		require.NoError(t, err)
		open, ended := 0, 0
		for _, i := range l.instances {
			if isEnded(i.state) {
				ended++
			} else if i.plan <= begin.UnixMilli()+4000 && i.job.name != "nightly" {
				open++
			}
		}
		for _, o := range l.outbox {
			if o.state == "pending" {
				open++
			}
		}
		return open == 0 && ended == 13
	})
	require.NoError(t, server.Process.Signal(os.Interrupt))
	require.NoError(t, server.Wait())

	args := []string{"--data", data, "--witness", filepath.Join(folder, "witness"), "--slots", "6"}
	for name, text := range map[string]*bytes.Buffer{"nemesis": &nemesis, "acks": &acks} {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, text.Bytes(), 0o644))
		args = append(args, "--"+name, path)
	}
	var out, errs strings.Builder
	require.Equal(t, exitGood, run(append(args, "--json"), &out, &errs), "%s%s", &out, &errs)
	var r report
	require.NoError(t, json.Unmarshal([]byte(out.String()), &r))
	for check, least := range map[int]int{c1: 12, c2: 13, c3: 13, c4: 13, c5: 13, c6: 16, c7: 13, c9: 13, c10: 1, c11: 8, c12: 4} {
		require.GreaterOrEqual(t, r.Checks[check].Checked, least, r.Checks[check].Name)
	}
	require.Empty(t, r.Checks[c6].NotChecked)
	require.Empty(t, r.Checks[c1].NotChecked)

	db, err := sql.Open("sqlite", "file:"+filepath.Join(data, fileName))
	require.NoError(t, err)
	_, err = db.Exec(`UPDATE instance SET state = 'failed' WHERE id = (SELECT i.id FROM instance i JOIN job j ON j.id = i.job WHERE j.name = 'load' LIMIT 1)`)
	require.NoError(t, err)
	require.NoError(t, db.Close())
	out.Reset()
	require.Equal(t, exitViolations, run(args, &out, &errs))
	require.Contains(t, out.String(), "C3  day/load@")
	require.Contains(t, out.String(), "its history ends succeeded, and its row is failed")
}
