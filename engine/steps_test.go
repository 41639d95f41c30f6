package engine_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/almanac-sched/almanac/engine"
)

// stepsOf reads "a; b < a; c < a b" as steps with what each needs; "a!continue" sets onFailure, "a*3" a retry count.
func stepsOf(text string) *engine.Job {
	job := &engine.Job{Workflow: "w", Name: "j", OnLost: engine.LostRetry}
	for part := range strings.SplitSeq(text, ";") {
		name, needs, _ := strings.Cut(part, "<")
		name = strings.TrimSpace(name)
		step := engine.Step{OnFailure: engine.StepFail, Needs: strings.Fields(needs), Action: engine.Action{Type: engine.ActionShell}}
		if n, onFailure, found := strings.Cut(name, "!"); found {
			name, step.OnFailure = n, engine.OnFailure(onFailure)
		}
		if n, count, found := strings.Cut(name, "*"); found {
			name = n
			step.Action.Retry = engine.RetryPolicy{Type: engine.RetryFixed, Interval: time.Minute, Count: int(count[0] - '0')}
		}
		step.Name = name
		job.Steps = append(job.Steps, step)
	}
	return job
}

func result(o engine.Outcome) engine.Result {
	exit := 0
	if o == engine.OutcomeFailed {
		exit = 1
	}
	return engine.Result{Outcome: o, Exit: &exit, EndedAt: clock("03 08:00")}
}

// Each script ends steps in the order given and says what is ready after each, and how the instance ends.
func TestSteps(t *testing.T) {
	for _, c := range []struct{ name, steps, script string }{
		{"a chain", "a; b < a; c < b", "start a | a ok: b | b ok: c | c ok: succeed"},
		{"a fan-out and a join", "a; b < a; c < a; d < b c", "start a | a ok: b c | c ok: | b ok: d | d ok: succeed"},
		{"independent steps", "a; b", "start a b | b ok: | a ok: succeed"},
		{"fail stops what has not started", "a; b; c < b", "start a b | a failed: | b ok: fail"},
		{"a retry", "a*1; b < a", "start a | a failed: a | a ok: b | b ok: succeed"},
		{"retries used up", "a*1; b < a", "start a | a failed: a | a failed: fail"},
		{"continue goes on as if it had succeeded", "a!continue; b < a", "start a | a failed: b | b ok: succeed"},
		{"failSuccessors lets the rest go on", "a!failSuccessors; b < a; c; d < c", "start a c | a failed: | c ok: d | d ok: fail"},
		{"pause waits for a person", "a!pause; b; c < b", "start a b | b ok: c | a failed: | c ok: -"},
		{"lost is tried again", "a; b < a", "start a | a lost: a | a ok: b | b ok: succeed"},
		{"cancel lets what runs end", "a; b; c < a", "start a b | cancel: | a ok: | b cancelled: cancel"},
		{"cancel with nothing running", "a; b < a", "start | cancel: cancel"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := engine.NewProgress(stepsOf(c.steps), nil)
			for line := range strings.SplitSeq(c.script, "|") {
				line = strings.TrimSpace(line)
				if rest, ok := strings.CutPrefix(line, "start"); ok {
					if rest != "" {
						require.Equal(t, strings.Fields(rest), names(p, startReady(p)), line)
					}
					continue
				}
				act, want, _ := strings.Cut(line, ":")
				if act == "cancel" {
					p.Cancel(engine.Reason{Code: engine.ReasonPerson})
				} else {
					step, outcome, _ := strings.Cut(act, " ")
					outcome = strings.Replace(outcome, "ok", "succeeded", 1)
					p.Ended(p.Index(step), result(engine.Outcome(outcome)))
				}
				want = strings.TrimSpace(want)
				ready := names(p, startReady(p))
				event, _, ended := p.Outcome()
				switch want {
				case "succeed", "fail", "cancel", "lose":
					require.True(t, ended, line)
					require.Equal(t, engine.Event(want), event, line)
					require.Empty(t, ready, line)
				case "-":
					require.False(t, ended, line)
					require.Equal(t, "a", p.Paused())
				default:
					require.False(t, ended, line)
					require.Equal(t, strings.Fields(want), ready, line)
				}
			}
		})
	}
}

// With onLost hold, an unknown outcome is a person's to decide: nothing further starts.
func TestStepsLostAndHeld(t *testing.T) {
	job := stepsOf("a; b; c < b")
	job.OnLost = engine.LostHold
	p := engine.NewProgress(job, nil)
	startReady(p)
	p.Ended(0, result(engine.OutcomeLost))
	p.Ended(1, result(engine.OutcomeSucceeded))
	require.Empty(t, startReady(p))
	event, _, ended := p.Outcome()
	require.True(t, ended)
	require.Equal(t, engine.Lose, event)
}

// startReady starts every ready step that may start.
func startReady(p *engine.Progress) []int {
	var started []int
	for _, i := range p.TakeReady() {
		if p.Startable(i) {
			p.Started(i)
			started = append(started, i)
		}
	}
	return started
}

func names(p *engine.Progress, steps []int) []string {
	list := []string{}
	for _, i := range steps {
		list = append(list, p.Step(i).Step)
	}
	return list
}

// A step starts once, after all that it needs; and a progress rebuilt from its rows at any moment ends the same way.
func TestStepsProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 20).Draw(t, "steps")
		job := &engine.Job{Workflow: "w", Name: "j"}
		for i := range n {
			step := engine.Step{Name: string(rune('a' + i)), OnFailure: engine.StepFail, Action: engine.Action{Type: engine.ActionShell}}
			for k := range i {
				if rapid.Float64Range(0, 1).Draw(t, "edge") < 0.2 {
					step.Needs = append(step.Needs, string(rune('a'+k)))
				}
			}
			job.Steps = append(job.Steps, step)
		}
		p := engine.NewProgress(job, nil)
		done, started := map[string]bool{}, map[string]bool{}
		var live []int
		for {
			for _, i := range startReady(p) {
				name := p.Step(i).Step
				if started[name] {
					t.Fatalf("%s started twice", name)
				}
				started[name] = true
				for _, need := range job.Steps[i].Needs {
					if !done[need] {
						t.Fatalf("%s started before %s", name, need)
					}
				}
				live = append(live, i)
			}
			if len(live) == 0 {
				break
			}
			k := rapid.IntRange(0, len(live)-1).Draw(t, "which ends")
			p.Ended(live[k], result(engine.OutcomeSucceeded))
			done[p.Step(live[k]).Step] = true
			live = append(live[:k], live[k+1:]...)
			if rapid.Float64Range(0, 1).Draw(t, "crash") < 0.1 {
				rows := append([]engine.StepRow{}, p.Rows()...)
				p = engine.NewProgress(job, rows)
			}
		}
		event, _, ended := p.Outcome()
		if !ended || event != engine.Succeed || len(done) != n {
			t.Fatalf("%d of %d steps ended: %s", len(done), n, event)
		}
	})
}
