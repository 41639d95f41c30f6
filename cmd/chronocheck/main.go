package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"time"
	_ "time/tzdata" // zones must not depend on the machine
)

// The exit statuses.
const (
	exitGood       = 0
	exitViolations = 1
	exitUnusable   = 2
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// options is what the user typed.
type options struct {
	data, witness, nemesis, acks string
	svg                          string
	now                          string
	epsilon                      time.Duration
	slots                        int
	json                         bool
}

func run(args []string, stdout, stderr io.Writer) int {
	var o options
	f := flag.NewFlagSet("chronocheck", flag.ContinueOnError)
	f.SetOutput(stderr)
	f.StringVar(&o.data, "data", "", "the data directory, or a copy of its almanac.db")
	f.StringVar(&o.witness, "witness", "", "what the actions wrote")
	f.StringVar(&o.nemesis, "nemesis", "", "what was done to the server")
	f.StringVar(&o.acks, "acks", "", "the commands that were acknowledged")
	f.DurationVar(&o.epsilon, "epsilon", 5*time.Second, "how late is late")
	f.IntVar(&o.slots, "slots", 0, "slots of a server (default: the most attempts ever seen at once)")
	f.StringVar(&o.now, "now", "", "when the rows were read: RFC 3339, or wall (default: the last sign of life)")
	f.StringVar(&o.svg, "svg", "", "draw a plot into this `file`")
	f.BoolVar(&o.json, "json", false, "the report as JSON")
	if err := f.Parse(args); err != nil {
		return exitUnusable
	}
	if o.data == "" || f.NArg() > 0 || o.epsilon < 0 || o.slots < 0 {
		fmt.Fprintln(stderr, "usage: chronocheck --data DIR [--witness FILE] [--nemesis FILE] [--acks FILE] [--epsilon 5s] [--slots N] [--now TIME] [--svg FILE] [--json]")
		return exitUnusable
	}
	c, err := gather(o)
	if err != nil {
		fmt.Fprintln(stderr, "chronocheck:", err)
		return exitUnusable
	}
	r := c.check()
	if o.svg != "" {
		if err := os.WriteFile(o.svg, c.plot(r), 0o644); err != nil {
			fmt.Fprintln(stderr, "chronocheck: draw the plot:", err)
			return exitUnusable
		}
	}
	if o.json {
		e := json.NewEncoder(stdout)
		e.SetIndent("", "  ")
		err = e.Encode(r)
	} else {
		err = r.print(stdout)
	}
	switch {
	case err != nil:
		fmt.Fprintln(stderr, "chronocheck: write the report:", err)
		return exitUnusable
	case r.Violations > 0:
		return exitViolations
	}
	return exitGood
}

// A checker is the inputs, put together.
type checker struct {
	*ledger
	witness *witnesses // nil when none was given
	nemesis *nemesis   // nil when none was given
	acks    []ack
	hasAcks bool

	now     int64 // when the rows were read, in ms
	epsilon int64 // ms
	slots   int   // of a server; 0 is unknown

	report *report
	full   map[string][]span // when each pool had no room
}

// gather reads every input.
func gather(o options) (*checker, error) {
	c := &checker{epsilon: o.epsilon.Milliseconds(), slots: o.slots}
	var err error
	// What is said of attempts outside is read before the rows: a line that is there has its row already.
	if o.witness != "" {
		if c.witness, err = readWitnesses(o.witness); err != nil {
			return nil, err
		}
	}
	if o.nemesis != "" {
		if c.nemesis, err = readNemesis(o.nemesis); err != nil {
			return nil, err
		}
	}
	if o.acks != "" {
		c.hasAcks = true
		if c.acks, err = readAcks(o.acks); err != nil {
			return nil, err
		}
	}
	if c.ledger, err = readLedger(o.data); err != nil {
		return nil, err
	}
	switch o.now {
	case "":
		c.now = c.lastSign()
	case "wall":
		c.now = time.Now().UnixMilli()
	default:
		at, err := time.Parse(time.RFC3339Nano, o.now)
		if err != nil {
			return nil, fmt.Errorf("--now %q is neither wall nor a time such as 2026-10-01T12:00:00Z", o.now)
		}
		c.now = at.UnixMilli()
	}
	return c, nil
}

// lastSign is the latest moment that any input shows.
func (c *checker) lastSign() int64 {
	if c.clockMoved() {
		return c.latest
	}
	last := c.ended
	if c.witness != nil {
		last = max(last, c.witness.last/1e6)
	}
	if c.nemesis != nil {
		last = max(last, c.nemesis.last/1e6)
	}
	return last
}

// clockMoved reports whether times of the record cannot be held against each other, nor against those of the witnesses.
func (c *checker) clockMoved() bool { return len(c.jumps) > 0 || c.nemesis != nil && c.nemesis.clock }

// check runs every check.
func (c *checker) check() *report {
	c.report = newReport(c.now)
	c.checkPlan()
	c.checkHistories()
	c.checkProgress()
	c.checkTruth()
	c.checkEffects()
	c.checkDependencies()
	c.checkLag()
	c.checkSkips()
	c.checkLimits()
	c.checkAcks()
	c.checkErrorActions()
	c.checkLogs()
	c.report.finish()
	return c.report
}
