package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/web"
)

// patient is the client for what may take long: a plan of millions of instances.
func (c *client) patient() *client {
	slow, waiting := *c.api, *c.api.HTTP
	waiting.Timeout = 10 * time.Minute
	slow.HTTP = &waiting
	return &client{&slow}
}

// writeBackfillPlan writes a plan as JSON, an instance a line, so that two of them can be compared line by line.
func writeBackfillPlan(w io.Writer, p *web.BackfillPlan) error {
	head := *p
	head.Instances = nil
	text, err := encodeIndented(head)
	if err != nil || len(p.Instances) == 0 {
		_, err = w.Write(text)
		return err
	}
	var out bytes.Buffer
	out.Write(bytes.TrimSuffix(bytes.TrimRight(text, "\n"), []byte("\n}")))
	out.WriteString(",\n  \"instances\": [")
	for i := range p.Instances {
		line, err := json.Marshal(&p.Instances[i])
		if err != nil {
			return err
		}
		if i > 0 {
			out.WriteByte(',')
		}
		out.WriteString("\n    ")
		out.Write(line)
	}
	out.WriteString("\n  ]\n}\n")
	_, err = w.Write(out.Bytes())
	return err
}

func encodeIndented(v any) ([]byte, error) {
	var b bytes.Buffer
	err := writeJSON(&b, v)
	return b.Bytes(), err
}

// saveBackfillPlan writes a plan to a file, whole or not at all.
func saveBackfillPlan(file string, p *web.BackfillPlan) (err error) {
	f, err := os.CreateTemp(filepath.Dir(file), ".almanac-plan-*")
	if err != nil {
		return fmt.Errorf("save the plan: %w", err)
	}
	defer func() {
		if err != nil {
			_ = os.Remove(f.Name())
		}
	}()
	if err := errors.Join(f.Chmod(0o644), writeBackfillPlan(f, p), f.Close()); err != nil {
		return fmt.Errorf("save the plan in %s: %w", file, err)
	}
	if err := os.Rename(f.Name(), file); err != nil {
		return fmt.Errorf("save the plan in %s: %w", file, err)
	}
	return nil
}

// readBackfillPlan reads a saved plan, and refuses one that is none or was changed by hand. Plans of the version
// before are read too: some of them list many instances.
func readBackfillPlan(file string) (*web.BackfillPlan, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, usagef("read the plan: %v", err)
	}
	defer f.Close()
	var p web.BackfillPlan
	decoder := json.NewDecoder(bufio.NewReader(f))
	decoder.DisallowUnknownFields()
	switch err := decoder.Decode(&p); {
	case err != nil:
		return nil, &invalidError{fmt.Sprintf("%s is no saved plan of a backfill: %v; make one with `almanac backfill plan -o %s`", file, err, file)}
	case p.Format != engine.BackfillFormat && p.Format != engine.BackfillFormatOld:
		return nil, &invalidError{fmt.Sprintf(
			"%s is of the format %q, and this program reads %s and %s; plan again", file, p.Format, engine.BackfillFormat, engine.BackfillFormatOld)}
	case p.Listing != web.ListingOf(&p):
		return nil, &invalidError{file + " was changed since it was made: its instances are not those that it lists; choose others by planning again"}
	}
	return &p, nil
}

// isDrift reports whether the server says that the plan does not hold any more.
func isDrift(err error) bool {
	var answer *answerError
	return errors.As(err, &answer) && answer.Status == http.StatusPreconditionFailed && answer.Code == "drift"
}

// planChanges lists how a plan differs from an earlier one, at most some lines.
func planChanges(then, now *web.BackfillPlan) (lines []string) {
	if len(then.Instances) == 0 || len(now.Instances) == 0 {
		return rangeChanges(then, now)
	}
	const most = 20
	type place struct {
		job string
		at  int64
	}
	words := func(n *web.BackfillPlanInstance) string {
		in := "out"
		if n.In {
			in = "in"
		}
		if n.Text != "" {
			return fmt.Sprintf("%s (%s: %s)", in, n.Why, n.Text)
		}
		return fmt.Sprintf("%s (%s)", in, n.Why)
	}
	was := map[place]*web.BackfillPlanInstance{}
	for i := range then.Instances {
		n := &then.Instances[i]
		was[place{n.Job, n.PlanTime.UnixMilli()}] = n
	}
	more := 0
	add := func(format string, args ...any) {
		if len(lines) == most {
			more++
			return
		}
		lines = append(lines, fmt.Sprintf(format, args...))
	}
	for i := range now.Instances {
		n := &now.Instances[i]
		at := place{n.Job, n.PlanTime.UnixMilli()}
		old := was[at]
		delete(was, at)
		switch {
		case old == nil:
			add("%s@%s is new: %s", n.Job, stamp(n.PlanTime), words(n))
		case words(old) != words(n):
			add("%s@%s was %s, is %s", n.Job, stamp(n.PlanTime), words(old), words(n))
		case fmt.Sprint(old.Waits) != fmt.Sprint(n.Waits):
			add("%s@%s waits for others now", n.Job, stamp(n.PlanTime))
		}
	}
	for i := range then.Instances {
		if n := &then.Instances[i]; was[place{n.Job, n.PlanTime.UnixMilli()}] != nil {
			add("%s@%s is not due any more", n.Job, stamp(n.PlanTime))
		}
	}
	if more > 0 {
		lines = append(lines, fmt.Sprintf("and %d more", more))
	}
	return lines
}
