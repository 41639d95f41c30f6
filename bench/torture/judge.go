package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/store"
)

// judge holds what is recorded against what the folder asked for, and has chronocheck hold it against everything else.
func (k *killing) judge(ctx context.Context) {
	if err := k.compare(ctx); err != nil {
		k.fail("read the rows: %v", err)
	}
	for _, path := range append(k.backups, k.data) {
		if out, err := k.checkWith(ctx, k.binary, "verify", path); err != nil {
			k.fail("verify %s: %v\n%s", path, err, out)
		}
	}
	if out, err := k.checkWith(ctx, k.checker, "--data", k.data, "--witness", filepath.Join(k.dir, witnessFile), "--nemesis", filepath.Join(k.dir, "nemesis"),
		"--acks", filepath.Join(k.dir, "acks"), "--slots", fmt.Sprint(killSlots), "--svg", filepath.Join(k.dir, "plot.svg")); err != nil {
		k.fail("chronocheck: %v\n%s", err, out)
	} else {
		fmt.Printf("%s\n", bytes.TrimSpace(out))
	}
}

// backup copies the records; one that is cut short leaves nothing of its name.
func (k *killing) backup(ctx context.Context, name string) {
	path := filepath.Join(k.dir, name)
	out, err := k.checkWith(ctx, k.binary, "backup", path, "--data", k.data)
	switch _, missing := os.Stat(path); {
	case err == nil && missing == nil:
		k.backups = append(k.backups, path)
		k.seen["backup"]++
	case ctx.Err() != nil: // the torture is over, and it was cut short
	default:
		k.fail("backup: %v, %v\n%s", err, missing, out)
	}
}

// checkWith runs a program whose exit status is its verdict.
func (k *killing) checkWith(ctx context.Context, program string, args ...string) ([]byte, error) {
	return exec.CommandContext(ctx, program, args...).CombinedOutput()
}

// compare counts the instances and judges their ends by the folder alone.
func (k *killing) compare(ctx context.Context) error {
	db, err := store.Open(ctx, store.Config{Dir: k.data, ReadOnly: true})
	if err != nil {
		return err
	}
	defer db.Close()
	if k.begins, k.ends, err = readWitness(filepath.Join(k.dir, witnessFile)); err != nil {
		return err
	}
	if k.losses, err = readKills(filepath.Join(k.dir, "nemesis")); err != nil {
		return err
	}
	seen := map[string]map[int64]int{}
	for cursor := ""; ; {
		page, next, err := db.Instances(ctx, store.InstanceFilter{}, cursor, 500)
		if err != nil {
			return err
		}
		for i := range page {
			ref := page[i].Ref.String()
			if page[i].Kind == engine.Scheduled {
				if seen[ref] == nil {
					seen[ref] = map[int64]int{}
				}
				seen[ref][page[i].PlanTime.Unix()]++
				k.judgeEnd(&page[i])
			}
			if err := k.judgeAttempts(ctx, db, &page[i]); err != nil {
				return err
			}
		}
		if next == "" {
			break
		}
		cursor = next
	}
	for _, key := range k.sink.repeated() {
		k.fail("instance %s was paid again after an answer that never came, and its job says onLost: hold", key)
	}
	k.seen["socket deleted"] += k.taken
	fmt.Printf("seed %d: %v\n", k.seed, k.seen)
	if k.seen["attempt lost"] > 0 && len(k.begins) == 0 {
		k.fail("the witness file is empty")
	}
	for ref, times := range k.folder.expected {
		for _, at := range times {
			if n := seen[ref][at.Unix()]; n != 1 {
				k.fail("%s@%s has %d instances", ref, at.Format(time.RFC3339), n)
			}
			delete(seen[ref], at.Unix())
		}
		for at := range seen[ref] {
			k.fail("%s@%s was never due", ref, time.Unix(at, 0).UTC().Format(time.RFC3339))
		}
	}
	return db.VerifyChain(ctx)
}

func (k *killing) judgeEnd(i *engine.Instance) {
	if ends, ok := k.folder.ends[i.Ref.String()]; ok && !slices.Contains(ends, string(i.State)) {
		k.fail("%s is %s (%s); it should be %s", i.Name(), i.State, i.Reason.Describe(), strings.Join(ends, " or "))
	}
}

// judgeAttempts holds the attempts of requests against what the sink received; those of commands are chronocheck's.
func (k *killing) judgeAttempts(ctx context.Context, db *store.DB, i *engine.Instance) error {
	var attempts []engine.AttemptRow
	err := db.Read(ctx, func(v engine.View) (err error) {
		attempts, err = v.Attempts(i.ID)
		return err
	})
	if err != nil {
		return errors.Join(fmt.Errorf("attempts of %s", i.Name()), err)
	}
	lost := false
	for _, a := range attempts {
		if a.Result == nil {
			k.fail("attempt %d of %s has no outcome", a.Number, i.Name())
			continue
		}
		k.seen["attempt "+string(a.Result.Outcome)]++
		k.judgeLoss(i, &a)
		if lost = lost || a.Result.Outcome == engine.OutcomeLost; lost && a.Result.Outcome != engine.OutcomeLost {
			k.seen["instance retried after a loss"]++
		}
		if a.Fence > 1 && !a.Error {
			k.seen["attempt adopted"]++
		}
	}
	switch {
	case i.State == engine.Cancelled:
		k.seen["instance cancelled: "+string(i.Reason.Code)]++
	case lost && (strings.HasPrefix(i.Ref.Job, "hold-") || strings.HasPrefix(i.Ref.Job, "pay-")):
		k.fail("%s is %s, although an attempt was lost and the job says hold", i.Name(), i.State)
	}
	if lost && strings.HasPrefix(i.Ref.Job, "hold-") {
		k.seen["instance lost"]++
	}
	if lost && strings.HasPrefix(i.Ref.Job, "pay-") {
		k.seen["payment lost"]++
	}
	if !strings.HasPrefix(i.Ref.Job, "web-") {
		return nil
	}
	calls := k.sink.received(strconv.FormatInt(i.ID, 10))
	if i.State == engine.Succeeded && calls == 0 {
		k.fail("%s has succeeded, and its request was never received", i.Name())
	}
	if calls > len(attempts) {
		k.fail("%s was received %d times and has %d attempts", i.Name(), calls, len(attempts))
	}
	return nil
}

// judgeLoss holds the times of an attempt against its witness. What has an outcome has ended, lost or not: another attempt may run by then. And the
// outcome of a command which has begun is known as long as its supervisor lives.
func (k *killing) judgeLoss(i *engine.Instance, a *engine.AttemptRow) {
	const blur = 200 * time.Millisecond // between the death of a supervisor and that of its children, and the clocks of the two programs
	id := runID{i.ID, a.Number, stepName(a)}
	begin, begun := k.begins[id]
	if end, ended := k.ends[id]; ended && end.After(a.Result.EndedAt.Add(blur)) {
		k.fail("attempt %d of %s went on until %s and is recorded as %s at %s", a.Number, i.Name(), end.Format(time.StampMilli), a.Result.Outcome, a.Result.EndedAt.Format(time.StampMilli))
	}
	if a.Result.Outcome != engine.OutcomeLost || !begun {
		return
	}
	for _, at := range k.losses {
		if at.After(begin.Add(-blur)) && at.Before(a.Result.EndedAt.Add(blur)) {
			return
		}
	}
	k.fail("attempt %d of %s began at %s and is recorded as lost at %s (%s), and no supervisor was killed in between",
		a.Number, i.Name(), begin.Format(time.StampMilli), a.Result.EndedAt.Format(time.StampMilli), a.Result.Message)
}

// A runID is an attempt as the witness file has it.
type runID struct {
	instance int64
	attempt  int
	step     string
}

func stepName(a *engine.AttemptRow) string {
	switch {
	case a.Error:
		return "!error"
	case a.Step == "":
		return "-"
	}
	return a.Step
}

// readWitness reads when each attempt says that it began and ended.
func readWitness(path string) (begins, ends map[runID]time.Time, err error) {
	begins, ends = map[runID]time.Time{}, map[runID]time.Time{}
	err = eachLine(path, func(words []string) error {
		if len(words) != 7 || words[0] == "log" {
			return nil
		}
		instance, err := strconv.ParseInt(words[1], 10, 64)
		if err != nil {
			return err
		}
		attempt, err := strconv.Atoi(words[2])
		if err != nil {
			return err
		}
		ns, err := strconv.ParseInt(words[6], 10, 64)
		id := runID{instance, attempt, words[3]}
		if words[0] == "begin" {
			begins[id] = time.Unix(0, ns)
		} else {
			ends[id] = time.Unix(0, ns)
		}
		return err
	})
	return begins, ends, err
}

// readKills reads when a supervisor was killed.
func readKills(path string) (kills []time.Time, err error) {
	err = eachLine(path, func(words []string) error {
		if len(words) != 3 || words[1] != "kill" || words[2] == "server" {
			return nil
		}
		ns, err := strconv.ParseInt(words[0], 10, 64)
		kills = append(kills, time.Unix(0, ns))
		return err
	})
	return kills, err
}

func eachLine(path string, take func(words []string) error) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	for line := range strings.Lines(string(text)) {
		if err := take(strings.Fields(line)); err != nil {
			return fmt.Errorf("%s: %q: %w", filepath.Base(path), line, err)
		}
	}
	return nil
}
