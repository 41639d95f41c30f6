package sim

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/almanac-sched/almanac/engine"
)

// writeEvidence leaves what the witness saw and when the world suffered beside the rows of Options.Keep, in the form that chronocheck reads: a second
// opinion that shares no code with the planner, nor with this package.
func (w *World) writeEvidence() error {
	var lines strings.Builder
	at := func(t time.Duration) int64 { return w.epoch.Add(t).UnixNano() }
	type line struct {
		at   time.Duration
		seq  int
		text string
	}
	var all []line
	for _, id := range sortedKeys(w.witness.children) {
		c := w.witness.children[id]
		step := cmp.Or(c.step, "-")
		if c.errand {
			step = "!error"
		}
		who := fmt.Sprintf("%d %d %s %d", c.instance, c.number, step, c.fence)
		all = append(all, line{c.began, len(all), fmt.Sprintf("begin %s - %d\n", who, at(c.began))})
		if !c.alive {
			var exit string
			switch c.outcome {
			case engine.OutcomeSucceeded:
				exit = "0"
			case engine.OutcomeFailed:
				exit = fmt.Sprint(c.exit)
			default:
				continue // it was killed: nothing in it could write
			}
			all = append(all, line{c.ended, len(all), fmt.Sprintf("end %s %s %d\n", who, exit, at(c.ended))})
		}
	}
	slices.SortFunc(all, func(a, b line) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.seq, b.seq)) })
	for _, l := range all {
		lines.WriteString(l.text)
	}
	if err := os.WriteFile(filepath.Join(w.opts.Keep, "witness"), []byte(lines.String()), 0o600); err != nil {
		return fmt.Errorf("write what the witness saw: %w", err)
	}
	nemesis := fmt.Sprintf("%d kill server\n", at(w.rested)) // the look at what a restart finds comes after the world
	if !w.opts.Calm {
		nemesis = fmt.Sprintf("%d kill server\n%d heal server\n%s", at(0), at(w.healed), nemesis)
	}
	if err := os.WriteFile(filepath.Join(w.opts.Keep, "nemesis"), []byte(nemesis), 0o600); err != nil {
		return fmt.Errorf("write what the world suffered: %w", err)
	}
	return nil
}
