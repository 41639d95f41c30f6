package main

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/web"
)

func TestMain(m *testing.M) {
	testscript.Main(cleaned{m}, map[string]func(){
		"receiver": receiver,
		"almanac": func() {
			os.Exit(run(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr, os.Environ()))
		},
	})
}

// TestScript runs testdata/script: each file is what a user types, and what comes of it.
func TestScript(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", "script"),
		RequireExplicitExec: true,
		UpdateScripts:       *update,
		Setup: func(e *testscript.Env) error {
			e.Setenv("TZ", "UTC")
			e.Setenv("ALMANAC_DATA", filepath.Join(e.WorkDir, "data"))
			e.Setenv("XDG_CONFIG_HOME", filepath.Join(e.WorkDir, "config"))
			return nil
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"exits":   exitsCommand,
			"ready":   readyCommand,
			"await":   awaitCommand,
			"signal":  signalCommand,
			"loaded":  loadedCommand,
			"field":   fieldCommand,
			"spoil":   spoilCommand,
			"deliver": deliverCommand,
			"state":   stateCommand,
			"item":    itemCommand,
			"address": addressCommand,
			"secret":  secretCommand,
			"lines":   linesCommand,
			"private": privateCommand,
			"fetch":   fetchCommand,
			"until":   untilCommand,
			"free":    freeCommand,
			"narrow":  narrowCommand,
		},
	})
}

// exits STATUS program args... runs the program, which must end with that exit status.
func exitsCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits STATUS program args...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	got := 0
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		got = exit.ExitCode()
	case err != nil:
		ts.Fatalf("%v", err)
	}
	if got != want {
		ts.Fatalf("exit status %d, not %d", got, want)
	}
}

// ready DIR waits until the server of the data directory answers that it is ready.
func readyCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: ready DIR")
	}
	poll(ts, "the server of "+args[0], func() bool {
		f, ok := readServerFile(ts.MkAbs(args[0]))
		return ok && f.alive() && answers(f.Address+"/readyz")
	})
}

func answers(url string) bool {
	response, err := http.Get(url)
	if err != nil {
		return false
	}
	defer response.Body.Close()
	return response.StatusCode == http.StatusOK
}

// await FILE waits until the file exists; ! await FILE until it does not.
func awaitCommand(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 1 {
		ts.Fatalf("usage: [!] await FILE")
	}
	poll(ts, args[0], func() bool {
		_, err := os.Stat(ts.MkAbs(args[0]))
		return (err == nil) != neg
	})
}

// signal NAME DIR sends a signal to the server of the data directory.
func signalCommand(ts *testscript.TestScript, neg bool, args []string) {
	signals := map[string]syscall.Signal{"HUP": syscall.SIGHUP, "TERM": syscall.SIGTERM, "KILL": syscall.SIGKILL}
	if neg || len(args) != 2 || signals[args[0]] == 0 {
		ts.Fatalf("usage: signal HUP|TERM|KILL DIR")
	}
	f, ok := readServerFile(ts.MkAbs(args[1]))
	if !ok {
		ts.Fatalf("no server in %s", args[1])
	}
	ts.Check(syscall.Kill(f.PID, signals[args[0]]))
}

// until REGEXP program args... runs the program again and again until it says so; until REGEXP fetch DIR PATH asks the server.
func untilCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 || args[1] == "fetch" && len(args) != 4 {
		ts.Fatalf("usage: until REGEXP program args... | until REGEXP fetch DIR PATH")
	}
	says, err := regexp.Compile("(?m)" + args[0])
	ts.Check(err)
	poll(ts, args[0], func() bool {
		if args[1] != "fetch" {
			ts.Check(ts.Exec(args[1], args[2:]...))
			return says.MatchString(ts.ReadFile("stdout"))
		}
		answer := fetched(ts, false, args[2:])
		if !says.Match(answer) {
			return false
		}
		_, err := ts.Stdout().Write(answer)
		ts.Check(err)
		return true
	})
}

// loaded DIR WORKFLOW/JOB waits until the server of the data directory knows the job.
func loadedCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: loaded DIR WORKFLOW/JOB")
	}
	f, ok := readServerFile(ts.MkAbs(args[0]))
	if !ok {
		ts.Fatalf("no server in %s", args[0])
	}
	ref, err := parseRef(args[1])
	ts.Check(err)
	poll(ts, args[1], func() bool {
		return newClient(f.Address, f.Token).get(context.Background(), path("jobs", ref.Workflow, ref.Job), nil, nil) == nil
	})
}

// state BACKFILL STATE waits until a backfill of the server of the data directory is in a state.
func stateCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: state BACKFILL STATE")
	}
	f, ok := readServerFile(ts.MkAbs(ts.Getenv("ALMANAC_DATA")))
	if !ok {
		ts.Fatalf("no server in %s", ts.Getenv("ALMANAC_DATA"))
	}
	poll(ts, args[0]+" to be "+args[1], func() bool {
		var b web.Backfill
		ts.Check(newClient(f.Address, f.Token).get(context.Background(), path("backfills", args[0]), nil, &b))
		return string(b.State) == args[1]
	})
}

// field VARIABLE MEMBER keeps a member of the JSON object on the last standard output: its name, or the path to it, such as items.0.id.
func fieldCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: field VARIABLE MEMBER")
	}
	var value any
	ts.Check(json.Unmarshal([]byte(ts.ReadFile("stdout")), &value))
	for name := range strings.SplitSeq(args[1], ".") {
		switch of := value.(type) {
		case map[string]any:
			value = of[name]
		case []any:
			n, err := strconv.Atoi(name)
			if err != nil || n >= len(of) {
				ts.Fatalf("standard output has no member %s", args[1])
			}
			value = of[n]
		}
	}
	text, ok := value.(string)
	if !ok {
		ts.Fatalf("standard output has no text member %s", args[1])
	}
	ts.Setenv(args[0], text)
}

// item VARIABLE args... keeps the id of the first item that a list of the program prints as JSON.
func itemCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: item VARIABLE args...")
	}
	ts.Check(ts.Exec("almanac", append(args[1:], "-o", "json")...))
	var page struct {
		Items []struct {
			ID string `json:"id"`
		} `json:"items"`
	}
	ts.Check(json.Unmarshal([]byte(ts.ReadFile("stdout")), &page))
	if len(page.Items) == 0 {
		ts.Fatalf("the list is empty")
	}
	ts.Setenv(args[0], page.Items[0].ID)
}

// poll waits for something that announces itself to nobody: for so long that only what never comes is missed, however much the machine has to do.
func poll(t interface{ Fatalf(string, ...any) }, what string, done func() bool) {
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	deadline := time.After(2 * time.Minute)
	for !done() {
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatalf("waited too long for %s", what)
		}
	}
}

// The programs that scripts may run beside our own: those that every Linux has, and git.
var declared = []string{"almanac", "receiver", "cat", "git", "grep", "sh", "sort", "touch"}

// What a script needs is declared: a newcomer's machine has no other tools.
func TestScriptsRunDeclaredTools(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("testdata", "script", "*.txtar"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		commands, _, _ := strings.Cut(string(text), "\n-- ")
		for line := range strings.Lines(commands) {
			words := strings.Fields(strings.TrimPrefix(strings.TrimSpace(line), "! "))
			if len(words) > 1 && words[0] == "exec" {
				require.Contains(t, declared, words[1], "%s: %s", file, line)
			}
		}
	}
}
