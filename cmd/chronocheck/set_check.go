package main

import (
	"errors"
	"fmt"
	"slices"
	"sort"
	"strings"
)

type edgeKey struct {
	down, up *version
	n        int
	ended    bool
}

// checkSets holds the recorded sets of an instance against the rules of the version that wrote them.
func (c *checker) checkSets(i *instance, edges map[edgeKey]*edge) {
	if i.version.def == nil {
		c.report.notChecked(c6, 1, i.version.err.Error())
		return
	}
	if rezoned := c.rezoned[i.job.id]; i.plan < rezoned && len(i.version.def.dependsOn) > 0 {
		c.report.notChecked(c6, 1, "planned with other rules of its time zone")
		return
	}
	look := c.lookAtSets(i, i.version, edges)
	for _, v := range c.otherWriters(i) {
		if len(look.wrong) == 0 {
			break
		}
		if other := c.lookAtSets(i, v, edges); len(other.wrong) == 0 {
			look = other
		}
	}
	for range look.right {
		c.report.checked(c6)
	}
	for _, words := range look.wrong {
		c.report.checked(c6)
		c.report.violate(c6, i, "%s", words)
	}
	for _, why := range look.open {
		c.report.notChecked(c6, 1, why)
	}
}

// A setsLook is what the recorded sets of an instance are by the rules of one version of its job.
type setsLook struct {
	right       int
	wrong, open []string // in words
}

func (c *checker) lookAtSets(i *instance, v *version, edges map[edgeKey]*edge) *setsLook {
	look, d := &setsLook{}, v.def
	recorded := map[[2]int64][]wait{}
	for _, w := range i.waits {
		k := [2]int64{w.dependency, 0}
		if w.ended {
			k[1] = 1
		}
		recorded[k] = append(recorded[k], w)
	}
	for n := range d.dependsOn {
		for _, ended := range []bool{false, true} {
			if ended && !d.dependsOn[n].WaitPreviousEnd {
				continue
			}
			k := [2]int64{int64(n), 0}
			if ended {
				k[1] = 1
			}
			c.lookAtSet(look, i, edgeKey{down: v, n: n, ended: ended}, recorded[k], edges)
			delete(recorded, k)
		}
	}
	for k := range recorded {
		look.wrong = append(look.wrong, fmt.Sprintf("it waits for dependency %d, and its definition has %d", k[0]+1, len(d.dependsOn)))
	}
	return look
}

func (c *checker) lookAtSet(look *setsLook, i *instance, key edgeKey, group []wait, edges map[edgeKey]*edge) {
	def := &key.down.def.dependsOn[key.n]
	self := def.Job == "self"
	up := i.job
	if !self {
		name := def.Job
		if !strings.Contains(name, "/") {
			name = i.job.workflow + "/" + name
		}
		if up = c.byName[name]; up == nil {
			look.wrong = append(look.wrong, fmt.Sprintf("its definition depends on %s, and there is no such job", name))
			return
		}
	}
	bound, exact := c.lookInForce(look, i, key, up, self, group)
	if bound {
		return
	}
	var candidates []*version // the one in force first: an edit that came while the plan was made may have left the one before
	if self {
		candidates = []*version{key.down}
	} else {
		if v := up.inForce(i.plan); v != nil {
			candidates = append(candidates, v)
		}
		for _, v := range up.versions {
			if !slices.Contains(candidates, v) {
				candidates = append(candidates, v)
			}
		}
	}
	found := ""
	for k, v := range candidates {
		key.up = v
		e := edges[key]
		if e == nil {
			var err error
			if e, err = newEdge(def, key.down, v, self); err != nil {
				look.open = append(look.open, edgeWords(err))
				return
			}
			if key.ended {
				e.ended, e.previous = true, e.previous+1
			}
			edges[key] = e
		}
		set, err := e.set(i.plan)
		if err != nil {
			look.open = append(look.open, edgeWords(err))
			return
		}
		set, away := i.cut(up, set)
		wrong := differs(set, away, group, i)
		switch {
		case wrong == "" && k == 0:
			look.right++
			return
		case wrong == "":
			look.open = append(look.open, "the set is that of another version of the upstream job")
			return
		case k == 0:
			found = wrong
		}
	}
	if !exact && len(up.versions)+len(i.job.versions) > 2 && len(group) > 0 {
		look.open = append(look.open, "definitions have changed since it was found out")
		return
	}
	if c.mayBeTouched(i) && len(group) > 0 {
		look.open = append(look.open, actedOn)
		return
	}
	look.wrong = append(look.wrong, fmt.Sprintf("dependency %d, on %s: %s", key.n+1, up, found))
}

// lookInForce holds the set of an instance whose job, or whose upstream job, has had several definitions against what they come to together: the rows say
// when a job was due, as far as it is planned, and its latest definition says the rest. bound is that this is so; exact is that it has to be, since the
// instance still waits and no definition has changed after it was bound.
func (c *checker) lookInForce(look *setsLook, i *instance, key edgeKey, up *job, self bool, group []wait) (bound, exact bool) {
	several := len(up.versions) > 1 || len(i.job.versions) > 1 || up.hasCount() || i.job.hasCount()
	if len(group) == 0 || !several {
		return false, false
	}
	if up.removed || group[0].rule == "retention" {
		look.open = append(look.open, "what it waited for is gone")
		return true, false
	}
	latest, own := up.versions[len(up.versions)-1], i.job.versions[len(i.job.versions)-1]
	e, err := newEdge(&key.down.def.dependsOn[key.n], key.down, latest, self)
	if err != nil || own.whenErr != nil {
		return false, false
	}
	if key.ended {
		e.ended, e.previous = true, e.previous+1
	}
	e.upTimes, e.downTimes = c.inForce(up, latest), c.inForce(i.job, own)
	set, err := e.set(i.plan)
	if err != nil {
		return false, false
	}
	set, away := i.cut(up, set)
	if wrong := differs(set, away, group, i); wrong == "" {
		look.right++
		return true, false
	}
	exact = i.state == "waiting" && !i.touched && !c.pruned && group[0].bound >= max(up.revision, i.job.revision)
	return false, exact
}

// inForce is when a job is due by its rows, as far as it is planned, and beyond that by a version.
func (c *checker) inForce(j *job, v *version) func(from, to int64) []int64 {
	return func(from, to int64) (list []int64) {
		planned := -forever
		if j.hasPlan {
			planned = j.planned
		}
		of := c.byJob[j]
		for n := sort.Search(len(of), func(n int) bool { return of[n].plan >= from }); n < len(of) && of[n].plan < min(to, planned); n++ {
			if of[n].key == "" {
				list = append(list, of[n].plan)
			}
		}
		if begin := max(from, planned); begin < to {
			left := v.when.ever(begin, to)
			if v.when.count > 0 {
				spent := c.spending(j)
				left = left[:min(int64(len(left)), spent.left(v.when.count, begin))]
			}
			list = append(list, left...)
		}
		return list
	}
}

func edgeWords(err error) string {
	if errors.Is(err, errNotUnderstood) {
		return err.Error()
	}
	return "definition: " + err.Error()
}

// differs says how the recorded pieces are not the set; "" when they are. A piece may begin a millisecond behind a time of which the instance was
// detached: what follows it need not have been planned by then.
func differs(set, away []int64, group []wait, i *instance) string {
	times, covered := int64(0), 0
	for _, w := range group {
		times += w.times
		in := 0
		for _, u := range set {
			if w.times > 0 && w.first.Int64 <= u && u <= w.last.Int64 {
				in++
			}
		}
		begins := slices.Contains(set, w.first.Int64) || slices.Contains(away, w.first.Int64-1)
		if int64(in) != w.times || w.times > 0 && (!begins || !slices.Contains(set, w.last.Int64)) {
			covered = -1
			break
		}
		covered += in
	}
	if covered == len(set) && times == int64(len(set)) && len(group) > 0 {
		return ""
	}
	if len(group) == 0 {
		return fmt.Sprintf("nothing is recorded, and the rules say %s", ranges(set, i))
	}
	return fmt.Sprintf("recorded are %s, and the rules say %s", recordedRanges(group, i), ranges(set, i))
}

func ranges(set []int64, i *instance) string {
	if len(set) == 0 {
		return "none"
	}
	return fmt.Sprintf("%d from %s to %s", len(set), stamp(set[0], i.zone()), stamp(set[len(set)-1], i.zone()))
}

func recordedRanges(group []wait, i *instance) string {
	times := int64(0)
	first, last := forever, -forever
	for _, w := range group {
		times += w.times
		if w.times > 0 {
			first, last = min(first, w.first.Int64), max(last, w.last.Int64)
		}
	}
	if times == 0 {
		return "none"
	}
	return fmt.Sprintf("%d from %s to %s", times, stamp(first, i.zone()), stamp(last, i.zone()))
}
