package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/engine/action/actiontest"
	"github.com/almanac-sched/almanac/store"
)

// A torturedServer is the real program on a data directory of its own, which a test kills, stops and starts again.
type torturedServer struct {
	t      *testing.T
	binary string
	folder string
	data   string
	env    []string
	args   []string // of serve
	slots  int
	cmd    *exec.Cmd
	work   func(from time.Time) string
}

// newTorturedServer writes the workflow; no server runs yet. Whatever the test does, no process is left afterwards.
func newTorturedServer(t *testing.T, binary, workflow string, env ...string) *torturedServer {
	t.Helper()
	s := newServerOf(t, binary, func(time.Time) string { return workflow }, env...)
	require.NoError(t, os.WriteFile(s.file("work.yaml"), []byte(workflow), 0o644))
	return s
}

// newServerOf does so with work that is due from a time on, which startBefore chooses.
func newServerOf(t *testing.T, binary string, work func(from time.Time) string, env ...string) *torturedServer {
	t.Helper()
	dir := t.TempDir()
	s := &torturedServer{t: t, binary: binary, folder: filepath.Join(dir, "pipelines"), data: filepath.Join(dir, "data"), env: env, slots: 40, work: work}
	require.NoError(t, os.Mkdir(s.folder, 0o755))
	t.Cleanup(func() {
		if s.cmd != nil {
			s.kill()
		}
		if pid := s.supervisor(); pid != 0 {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
		for _, pid := range s.marked() {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	})
	return s
}

// start starts the server and waits until it is ready.
func (s *torturedServer) start() {
	s.t.Helper()
	s.launch()
	poll(s.t, "the server", s.ready)
}

// startBefore starts a new server before its work is due. Of what is due before a server knows it, nothing is recorded: one that was too slow is thrown
// away, and the next has more time.
func (s *torturedServer) startBefore() (from time.Time) {
	s.t.Helper()
	return beforeItIsDue(func(due time.Time) (known time.Time) {
		require.NoError(s.t, os.RemoveAll(s.data))
		require.NoError(s.t, os.WriteFile(s.file("work.yaml"), []byte(s.work(due)), 0o644))
		s.start()
		return s.created()
	}, s.kill)
}

// beforeItIsDue chooses a time, a whole second, for which start is done in time.
func beforeItIsDue(start func(due time.Time) (known time.Time), undo func()) time.Time {
	for lead := 2 * time.Second; ; lead *= 2 {
		due := time.Now().UTC().Truncate(time.Second).Add(lead)
		if start(due).Before(due) {
			return due
		}
		undo()
	}
}

func (s *torturedServer) launch() {
	s.t.Helper()
	var output bytes.Buffer
	c := exec.Command(s.binary, "serve", s.folder, "--data", s.data, "--listen", "127.0.0.1:0", "--dev", "--slots", strconv.Itoa(s.slots))
	c.Args = append(c.Args, s.args...)
	c.Stdout, c.Stderr = &output, &output
	c.Env = append(os.Environ(), s.env...)
	require.NoError(s.t, c.Start())
	s.t.Cleanup(func() {
		_ = c.Process.Kill()
		_ = c.Wait()
		if s.t.Failed() {
			s.t.Logf("server %d:\n%s", c.Process.Pid, output.String())
		}
	})
	s.cmd = c
}

func (s *torturedServer) ready() bool {
	f, ok := readServerFile(s.data)
	return ok && f.PID == s.cmd.Process.Pid && answers(f.Address+"/readyz")
}

// client speaks to the running server.
func (s *torturedServer) client() *client {
	f, ok := readServerFile(s.data)
	require.True(s.t, ok)
	return newClient(f.Address, f.Token)
}

func (s *torturedServer) signal(signal syscall.Signal) {
	s.t.Helper()
	require.NoError(s.t, s.cmd.Process.Signal(signal))
}

func (s *torturedServer) kill() {
	_ = s.cmd.Process.Kill()
	_ = s.cmd.Wait()
}

// stop ends the server as a person does.
func (s *torturedServer) stop() {
	s.t.Helper()
	s.signal(syscall.SIGINT)
	require.NoError(s.t, s.cmd.Wait(), "a server that is interrupted ends well")
}

// supervisor is the pid of the data directory's supervisor, 0 when none runs.
func (s *torturedServer) supervisor() (pid int) {
	eachProcess(func(candidate int) {
		line, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", candidate))
		words := strings.Split(string(line), "\x00")
		if err == nil && len(words) > 3 && words[1] == "supervise" && words[3] == s.data && stateOf(candidate) != 'Z' {
			pid = candidate
		}
	})
	return pid
}

// marked lists the processes that are attempts of this data directory, or came from one.
func (s *torturedServer) marked() (pids []int) {
	eachProcess(func(pid int) {
		env, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
		if err == nil && bytes.Contains(env, []byte("ALMANAC_OUTPUT="+s.data+"/")) && stateOf(pid) != 'Z' {
			pids = append(pids, pid)
		}
	})
	return pids
}

func eachProcess(look func(pid int)) {
	entries, _ := os.ReadDir("/proc")
	for _, e := range entries {
		if pid, err := strconv.Atoi(e.Name()); err == nil {
			look(pid)
		}
	}
}

// stateOf is the state of a process as the kernel says it, 0 when there is none.
func stateOf(pid int) byte {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	end := bytes.LastIndexByte(text, ')')
	if err != nil || end < 0 || end+2 >= len(text) {
		return 0
	}
	return text[end+2]
}

// file is a path in the workflow's folder, where the actions run.
func (s *torturedServer) file(name string) string { return filepath.Join(s.folder, name) }

// lines reads a file that actions append to.
func (s *torturedServer) lines(name string) []string {
	text, err := os.ReadFile(s.file(name))
	if err != nil {
		return nil
	}
	return strings.Fields(string(text))
}

// release makes a file that actions wait for.
func (s *torturedServer) release(name string) {
	s.t.Helper()
	require.NoError(s.t, os.WriteFile(s.file(name), nil, 0o644))
}

// instances returns what is recorded, by job and plan time.
func (s *torturedServer) instances() map[string]engine.Instance {
	s.t.Helper()
	all := map[string]engine.Instance{}
	for _, i := range instancesOf(s.t, s.data) {
		if i.Kind == engine.Scheduled {
			require.NotContains(s.t, all, i.Name(), "doubled")
			all[i.Name()] = i
		}
	}
	return all
}

// one returns the only instance of a job.
func (s *torturedServer) one(job string) (found engine.Instance) {
	s.t.Helper()
	n := 0
	for _, i := range instancesOf(s.t, s.data) {
		if i.Ref.Job == job {
			found = i
			n++
		}
	}
	require.Equal(s.t, 1, n, "instances of %s", job)
	return found
}

// await waits until the only instance of a job is in a state.
func (s *torturedServer) await(job string, state engine.State) engine.Instance {
	s.t.Helper()
	poll(s.t, fmt.Sprintf("%s to be %s", job, state), func() bool { return s.one(job).State == state })
	return s.one(job)
}

// attempts lists the main attempts of an instance.
func (s *torturedServer) attempts(instance int64) (main []engine.AttemptRow) {
	s.t.Helper()
	db, err := store.Open(context.Background(), store.Config{Dir: s.data, ReadOnly: true})
	require.NoError(s.t, err)
	defer func() { require.NoError(s.t, db.Close()) }()
	all, err := db.Attempts(context.Background(), instance)
	require.NoError(s.t, err)
	for _, a := range all {
		if !a.Error {
			main = append(main, a)
		}
	}
	return main
}

// TestEveryExitIsTrueAfterTheServersDeath kills the server while commands run, lets them end while nobody looks, and has another server say how.
func TestEveryExitIsTrueAfterTheServersDeath(t *testing.T) {
	t.Parallel()
	codes := []int{0, 1, 2, 3, 7, 64, 99, 100, 125, 126, 127, 128, 130, 137, 143, 200, 254, 255}
	signals := map[string]string{
		"HUP": "hangup", "INT": "interrupt", "ABRT": "aborted", "KILL": "killed", "USR1": "user defined signal 1", "SEGV": "segmentation fault",
		"PIPE": "broken pipe", "ALRM": "alarm clock", "TERM": "terminated",
	}
	binary := builtProgram(t)
	workflow := "workflow: work\ndefaults: {at: [%q]}\njobs:\n"
	job := func(name, end string) {
		workflow += fmt.Sprintf("  %s: {action: {type: shell, command: 'ulimit -c 0; echo %s >> begun; while [ ! -e go ]; do sleep 0.05; done; %s'}}\n", name, name, end)
	}
	for _, code := range codes {
		job(fmt.Sprintf("exit-%d", code), fmt.Sprintf("exit %d", code))
	}
	for name := range signals {
		job("signal-"+name, "kill -"+name+" $$")
	}
	s := newServerOf(t, binary, func(from time.Time) string { return fmt.Sprintf(workflow, from.Format(time.RFC3339)) })
	s.startBefore()
	poll(t, "every command", func() bool { return len(s.lines("begun")) == len(codes)+len(signals) })
	s.kill()
	s.release("go")
	poll(t, "their end", func() bool { return len(s.marked()) == 0 })
	s.start()
	for _, code := range codes {
		state := engine.Failed
		if code == 0 {
			state = engine.Succeeded
		}
		i := s.await(fmt.Sprintf("exit-%d", code), state)
		attempts := s.attempts(i.ID)
		require.Len(t, attempts, 1, i.Name())
		require.NotNil(t, attempts[0].Result.Exit, i.Name())
		require.Equal(t, code, *attempts[0].Result.Exit)
	}
	for name, words := range signals {
		i := s.await("signal-"+name, engine.Failed)
		attempts := s.attempts(i.ID)
		require.Len(t, attempts, 1, i.Name())
		require.Nil(t, attempts[0].Result.Exit, i.Name())
		require.Equal(t, words, attempts[0].Result.Signal)
	}
	s.stop()
}

// TestWhatEscapesHoldsNoSlotAndIsGone has commands leave processes behind in every way known to us. All share a pool of one slot, so that the last
// of them runs only when the slots of the others were freed.
func TestWhatEscapesHoldsNoSlotAndIsGone(t *testing.T) {
	actiontest.Program(t, actiontest.Setsid)
	t.Parallel()
	const timeout, grace, margin = time.Second, 10 * time.Second, 9 * time.Second // less than a grace: none was waited out
	binary := builtProgram(t)
	commands := map[string]string{
		"session":  `setsid sleep 600 & sleep 0.05`,
		"twice":    `(setsid sh -c "sleep 600 & exec sleep 600" &) ; sleep 0.05`,
		"pipe":     `sleep 600 & echo held`,
		"cleared":  `setsid env -i PATH="$PATH" sh -c "exec sleep 600" & sleep 0.05`,
		"stubborn": `trap "" TERM; while :; do sleep 0.1; done`,
	}
	workflow := ""
	for name, command := range commands {
		priority, limit := 7, "PT1H"
		if name == "stubborn" {
			priority, limit = 3, "PT1S" // before the last, after the others
		}
		workflow += fmt.Sprintf("  %s: {priority: %d, timeout: %s, action: {type: shell, command: 'echo $$ >> pids; %s'}}\n", name, priority, limit, command)
	}
	workflow += "  last: {priority: 1, action: {type: shell, command: \"true\"}}\n"
	s := newServerOf(t, binary, func(from time.Time) string {
		return fmt.Sprintf("workflow: work\ndefaults: {at: [%q], pool: one, slots: 1}\njobs:\n", from.Format(time.RFC3339)) + workflow
	})
	s.startBefore()
	s.await("last", engine.Succeeded)
	for name := range commands {
		i := s.one(name)
		if name == "stubborn" {
			require.Equal(t, engine.Failed, i.State)
			attempts := s.attempts(i.ID)
			require.Equal(t, engine.OutcomeTimeout, attempts[0].Result.Outcome)
			require.Less(t, i.EndedAt.Sub(i.StartedAt), timeout+grace+margin)
			continue
		}
		require.Equal(t, engine.Succeeded, i.State, "%s: %s", name, i.Reason.Describe())
		require.Less(t, i.EndedAt.Sub(i.StartedAt), margin, name)
	}
	s.stop()
	poll(t, "the supervisor to end, which it does when nothing of its children is left", func() bool { return s.supervisor() == 0 })
	require.Empty(t, s.marked())
}

// TestAnotherBootAndAReusedPid changes what the journal says of two running commands, after server and supervisor were killed: as if the machine had
// been started anew, and as if their pid belonged to a stranger by now. Their outcome is unknown, and the stranger lives.
func TestAnotherBootAndAReusedPid(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(birth map[string]any, stranger int){
		"another boot, and the pid is a stranger's": func(birth map[string]any, stranger int) {
			birth["boot"], birth["pid"] = "00000000-0000-0000-0000-000000000000", stranger
			birth["from"], birth["to"] = 0, json.Number("9000000000000000") // the stranger's birth fits
		},
		"the same boot, and the pid is a stranger's": func(birth map[string]any, stranger int) { birth["pid"] = stranger },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			binary := builtProgram(t)
			s := newServerOf(t, binary, func(from time.Time) string {
				return fmt.Sprintf(`workflow: work
defaults: {at: [%q]}
jobs:
  held: {onLost: hold, action: {type: shell, command: 'echo held >> begun; exec sleep 600'}}
  again: {action: {type: shell, command: 'echo again >> begun; [ $ALMANAC_ATTEMPT = 2 ] || exec sleep 600'}}
`, from.Format(time.RFC3339))
			})
			s.startBefore()
			journal := filepath.Join(s.data, "run", "journal")
			poll(t, "both commands, and what the journal says of them", func() bool {
				text, err := os.ReadFile(journal)
				return err == nil && len(s.lines("begun")) == 2 && bytes.Count(text, []byte(`{"begun":`)) == 2
			})
			supervisor := s.supervisor()
			require.NotZero(t, supervisor)
			s.kill()
			require.NoError(t, syscall.Kill(supervisor, syscall.SIGKILL))
			poll(t, "the supervisor and its children to die", func() bool { return s.supervisor() == 0 && len(s.marked()) == 0 })
			<-time.After(50 * time.Millisecond) // five units of the clock by which births are told apart
			stranger := exec.Command("sleep", "600")
			stranger.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
			require.NoError(t, stranger.Start())
			defer func() {
				_ = stranger.Process.Kill()
				_ = stranger.Wait()
			}()
			require.Equal(t, 2, changeBirths(t, journal, func(b map[string]any) { change(b, stranger.Process.Pid) }))

			s.start()
			held := s.await("held", engine.Lost)
			again := s.await("again", engine.Succeeded)
			for _, c := range []struct {
				instance int64
				outcomes []engine.Outcome
			}{{held.ID, []engine.Outcome{engine.OutcomeLost}}, {again.ID, []engine.Outcome{engine.OutcomeLost, engine.OutcomeSucceeded}}} {
				var outcomes []engine.Outcome
				for _, a := range s.attempts(c.instance) {
					outcomes = append(outcomes, a.Result.Outcome)
				}
				require.Equal(t, c.outcomes, outcomes)
			}
			require.Contains(t, "SR", string(stateOf(stranger.Process.Pid)), "the stranger lives")
			s.stop()
		})
	}
}

// changeBirths rewrites what the supervisor's journal says of the children that have begun, with checksums that are right, and returns how many.
func changeBirths(t *testing.T, journal string, change func(birth map[string]any)) (n int) {
	t.Helper()
	text, err := os.ReadFile(journal)
	require.NoError(t, err)
	var changed []byte
	for line := range bytes.Lines(text) {
		_, doc, ok := bytes.Cut(bytes.TrimSpace(line), []byte{' '})
		require.True(t, ok)
		var entry map[string]map[string]any
		d := json.NewDecoder(bytes.NewReader(doc))
		d.UseNumber()
		require.NoError(t, d.Decode(&entry))
		if entry["begun"] != nil {
			change(entry["begun"])
			n++
		}
		doc, err := json.Marshal(entry)
		require.NoError(t, err)
		changed = fmt.Appendf(changed, "%08x %s\n", crc32.Checksum(doc, crc32.MakeTable(crc32.Castagnoli)), doc)
	}
	require.NoError(t, os.WriteFile(journal, changed, 0o600))
	return n
}
