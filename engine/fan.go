package engine

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// MaxItems bounds the list of a step that runs once for each item.
const MaxItems = 1000

// maxJoined bounds what the outputs of the items together may come to, for each name, in bytes.
const maxJoined = 1 << 20

// ForEach says that a step runs once for each item of a list, each time with `${{ item }}`. The list is known when the step is ready, and is the
// same whenever it is asked for: it is made of what the rows say of the instance.
type ForEach struct {
	Items    []Text // written out; either this
	List     Text   // or a text that gives a JSON list
	Parallel int    // items at once, at least 1
}

// values renders the list.
func (f *ForEach) values(s Scope) ([]string, error) {
	if f.List == "" {
		values := make([]string, len(f.Items))
		for n, item := range f.Items {
			value, err := item.Render(s)
			if err != nil {
				return nil, fmt.Errorf("forEach[%d]: %w", n, err)
			}
			values[n] = value
		}
		return values, nil
	}
	text, err := f.List.Render(s)
	if err != nil {
		return nil, fmt.Errorf("forEach: %w", err)
	}
	values, err := ParseList(text)
	if err == nil && len(values) > MaxItems {
		err = fmt.Errorf("the list has %d items; at most %d are allowed", len(values), MaxItems)
	}
	return values, wrap(err, "forEach")
}

// ParseList reads a JSON list. Texts stand for themselves, anything else for its JSON.
func ParseList(text string) ([]string, error) {
	var raw []json.RawMessage
	if err := json.Unmarshal([]byte(text), &raw); err != nil || raw == nil {
		return nil, errors.New(`what it holds is no JSON list such as ["a", "b"]`)
	}
	values := make([]string, len(raw))
	for n, item := range raw {
		if json.Unmarshal(item, &values[n]) != nil || string(item) == "null" {
			values[n] = string(item)
		}
	}
	return values, nil
}

// An itemRow is the place of an item among the rows of its instance.
type itemRow struct{ step, n int }

// A fan is a step whose list is known: a row of its own for each item, named step[n].
type fan struct {
	first  int // of its rows
	n      int
	given  []bool // to be started, or started already
	flight int    // given and not ended
	ended  int
	failed *Reason // of the first item that failed for good
}

func itemName(step string, n int) string { return step + "[" + strconv.Itoa(n) + "]" }

// splitItem takes the name of an item's row apart.
func splitItem(row string) (step string, n int, ok bool) {
	open := strings.LastIndexByte(row, '[')
	if open < 0 || !strings.HasSuffix(row, "]") {
		return "", 0, false
	}
	n, err := strconv.Atoi(row[open+1 : len(row)-1])
	return row[:open], n, err == nil && n >= 0
}

// Item returns which item of its step a row is; false for a step that has none.
func (p *Progress) Item(i int) (step, n int, ok bool) {
	if i < len(p.job.Steps) {
		return i, 0, false
	}
	item := p.items[i-len(p.job.Steps)]
	return item.step, item.n, true
}

// restore takes the stored rows over.
func (p *Progress) restore(stored []StepRow) {
	count := map[int]int{}
	for _, row := range stored {
		if i, ok := p.index[row.Step]; ok {
			p.rows[i] = row
		} else if step, _, ok := splitItem(row.Step); ok {
			if i, known := p.index[step]; known && p.job.Steps[i].ForEach != nil {
				count[i]++
			}
		}
	}
	for i := range p.job.Steps {
		if n := count[i]; n > 0 {
			p.grow(i, n)
		}
	}
	for _, row := range stored {
		if i, ok := p.index[row.Step]; ok && i >= len(p.job.Steps) {
			p.rows[i] = row
		}
	}
	p.grown = false
}

// grow adds the rows of a step's items.
func (p *Progress) grow(i, n int) {
	if p.fans == nil {
		p.fans = map[int]*fan{}
	}
	f := &fan{first: len(p.rows), n: n, given: make([]bool, n)}
	for k := range n {
		name := itemName(p.rows[i].Step, k)
		p.index[name] = len(p.rows)
		p.rows = append(p.rows, StepRow{Step: name, State: StepWaiting})
		p.items = append(p.items, itemRow{i, k})
	}
	p.fans[i], p.grown = f, true
}

// resumeFans finds out from the rows how far the items have come.
func (p *Progress) resumeFans() {
	for i := range p.job.Steps {
		f := p.fans[i]
		if f == nil {
			continue
		}
		for k := range f.n {
			row := &p.rows[f.first+k]
			switch row.State {
			case StepRunning:
				f.given[k] = true
				f.flight++
			case StepWaiting:
				if row.Attempts > 0 { // its next attempt
					f.given[k] = true
					f.flight++
					p.ready = append(p.ready, f.first+k)
				}
			case StepFailed:
				f.given[k] = true
				f.ended++
				if f.failed == nil {
					f.failed = &Reason{Code: ReasonStepFailed, Detail: stepText(row.Step) + "failed"}
				}
			default:
				f.given[k] = true
				f.ended++
			}
		}
		if p.rows[i].State == StepRunning {
			p.spread(i)
		}
	}
}

// Unfold makes a step that is ready run once for each of n items.
func (p *Progress) Unfold(i, n int) {
	p.rows[i].State = StepRunning
	p.waiting += n - 1
	p.changed = append(p.changed, i)
	p.grow(i, n)
	p.spread(i)
}

// TakeGrown reports, once, that rows were added.
func (p *Progress) TakeGrown() bool {
	grown := p.grown
	p.grown = false
	return grown
}

// spread gives out as many items of a step as may run at once, and ends it with the last of them.
func (p *Progress) spread(i int) {
	f := p.fans[i]
	if f.ended == f.n {
		p.join(i)
		return
	}
	for k := 0; k < f.n && f.flight < p.job.Steps[i].ForEach.Parallel; k++ {
		if !f.given[k] {
			f.given[k] = true
			f.flight++
			p.ready = append(p.ready, f.first+k)
		}
	}
}

// passOn lets what comes after a step that has ended well, or an item of one, go on.
func (p *Progress) passOn(i int) {
	step, _, item := p.Item(i)
	if !item {
		p.release(i)
		return
	}
	p.itemEnded(step)
}

func (p *Progress) itemEnded(step int) {
	f := p.fans[step]
	f.flight--
	f.ended++
	if p.rows[step].State == StepRunning {
		p.spread(step)
	}
}

// giveUp applies what a failure for good means: of a step, or of an item, which is one of its step as soon as no other is to be started, and else when
// the others have ended.
func (p *Progress) giveUp(i int, reason Reason) {
	step, _, item := p.Item(i)
	mode := p.job.Steps[step].OnFailure
	switch {
	case !item:
		p.fail(i, reason)
		if mode == StepContinue {
			p.release(i)
		}
	default:
		f := p.fans[step]
		if f.failed == nil {
			f.failed = &reason
		}
		if (mode == StepFail || mode == StepPause || mode == "") && p.rows[step].State == StepRunning {
			p.rows[step].State = StepFailed
			p.changed = append(p.changed, step)
			p.fail(step, reason)
		}
		p.itemEnded(step)
	}
}

// join ends a step whose items have all ended.
func (p *Progress) join(i int) {
	f := p.fans[i]
	p.changed = append(p.changed, i)
	if f.failed == nil {
		p.rows[i].State, p.rows[i].Outputs = StepSucceeded, p.joined(f)
		p.release(i)
		return
	}
	p.rows[i].State = StepFailed
	p.fail(i, *f.failed)
	if p.job.Steps[i].OnFailure == StepContinue {
		p.rows[i].Outputs = p.joined(f) // what goes on may ask for those that have some
		p.release(i)
	}
}

// joined are the outputs of the items in the order of the list: of each name a JSON list, with null where an item has none of it. One that would
// become too long is left out.
func (p *Progress) joined(f *fan) map[string]string {
	lists := map[string][]*string{}
	for k := range f.n {
		for name, value := range p.rows[f.first+k].Outputs {
			if lists[name] == nil {
				lists[name] = make([]*string, f.n)
			}
			lists[name][k] = &value
		}
	}
	var outputs map[string]string
	for name, list := range lists {
		text, err := json.Marshal(list)
		if err != nil || len(text) > maxJoined {
			continue
		}
		if outputs == nil {
			outputs = map[string]string{}
		}
		outputs[name] = string(text)
	}
	return outputs
}

// values returns the items of a step of the run.
func (e *Engine) values(r *run, step int, scope func() Scope) ([]string, error) {
	if list, known := r.lists[step]; known {
		return list, nil
	}
	list, err := r.job.Steps[step].ForEach.values(scope())
	if err != nil {
		return nil, err
	}
	if r.lists == nil {
		r.lists = map[int][]string{}
	}
	r.lists[step] = list
	return list, nil
}

// StepOf returns the step of the job to which a step row or an attempt of that name belongs, nil for none. Of a step that runs once for each item of a
// list, the name of a row may be that of an item.
func (j *Job) StepOf(row string) *Step {
	for i := range j.Steps {
		if j.Steps[i].Name == row {
			return &j.Steps[i]
		}
	}
	if name, _, ok := splitItem(row); ok {
		for i := range j.Steps {
			if j.Steps[i].Name == name && j.Steps[i].ForEach != nil {
				return &j.Steps[i]
			}
		}
	}
	return nil
}
