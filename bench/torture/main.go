// Command torture does to the real binary what the world does: kills it, restarts it on a long history, and lets it run for hours. What it finds is
// judged by chronocheck, which shares no code with the server, and by the outcomes that the jobs themselves were written to have.
//
//	go run ./bench/torture [kill] [-seed 1] [-runs 1] [-kills 30] [-jobs 12] [-dir DIR] [-bin BIN]
//	go run ./bench/torture restart [-rows 1000000] [-n 5] [-dir DIR]
//	go run ./bench/torture soak [-minutes 60] [-warmup 15] [-csv FILE] [-dir DIR]
//
// A seed replays the same sequence of kills, edits and commands; when exactly they hit is the machine's affair. Linux only.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"time"
)

// errViolated says that a bar was missed or a promise broken, which has been printed.
var errViolated = errors.New("not as it should be")

// A place is where a command works: its scratch folder and the programs.
type place struct {
	dir    string // made by us unless -dir was given
	kept   bool
	binary string
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	args := os.Args[1:]
	command := "kill"
	if len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		command, args = args[0], args[1:]
	}
	commands := map[string]func(context.Context, []string) error{"kill": killCommand, "restart": restartCommand, "soak": soakCommand}
	run := commands[command]
	if run == nil {
		fmt.Fprintf(os.Stderr, "torture: no command %q; there are kill, restart and soak\n", command)
		os.Exit(2)
	}
	switch err := run(ctx, args); {
	case errors.Is(err, flag.ErrHelp):
		os.Exit(2)
	case errors.Is(err, errViolated):
		os.Exit(1)
	case err != nil:
		fmt.Fprintln(os.Stderr, "torture:", err)
		os.Exit(1)
	}
}

// flags makes a flag set with those that every command has.
func flags(name string) (f *flag.FlagSet, dir, binary *string) {
	f = flag.NewFlagSet("torture "+name, flag.ContinueOnError)
	dir = f.String("dir", "", "scratch `folder`, which is kept; by default a temporary one")
	binary = f.String("bin", "", "the almanac `binary`; by default it is built")
	return f, dir, binary
}

// settle makes the scratch folder, and builds the binary unless one is given.
func settle(ctx context.Context, dir, binary string, tags ...string) (*place, error) {
	p := &place{kept: dir != ""}
	var err error
	if p.kept {
		if p.dir, err = filepath.Abs(dir); err == nil {
			err = os.MkdirAll(p.dir, 0o700)
		}
	} else {
		p.dir, err = os.MkdirTemp("", "almanac-torture-")
	}
	if err != nil {
		return nil, err
	}
	if binary != "" {
		p.binary, err = filepath.Abs(binary)
		return p, err
	}
	p.binary, err = p.build(ctx, "almanac", tags...)
	return p, err
}

// build builds a command of this module.
func (p *place) build(ctx context.Context, name string, tags ...string) (string, error) {
	path := filepath.Join(p.dir, name)
	c := exec.CommandContext(ctx, "go", "build", "-tags", strings.Join(tags, ","), "-o", path, "github.com/almanac-sched/almanac/cmd/"+name)
	if out, err := c.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build %s: %w\n%s", name, err, out)
	}
	return path, nil
}

// leave removes the scratch folder unless it was given or holds the evidence of something that went wrong.
func (p *place) leave(evidence bool) {
	switch {
	case p.kept:
	case evidence:
		fmt.Println("kept:", p.dir)
	default:
		_ = os.RemoveAll(p.dir)
	}
}

// commit names the commit that is tortured, as the ledger does.
func commit(ctx context.Context) string {
	out, err := exec.CommandContext(ctx, "git", "describe", "--always", "--dirty").Output()
	if err != nil {
		return "unknown"
	}
	return strings.TrimSpace(string(out))
}

func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
