package engine

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"time"
)

// plan is the draft as a document with a part of its list.
func (d *draft) plan(part PlanPart) *BackfillPlan {
	p := &BackfillPlan{Format: BackfillFormat, At: d.at, Request: d.request, Why: map[string]int{}}
	sums := map[JobRef]*digest{}
	jobs := map[JobRef]*BackfillPlanJob{}
	for i := range d.scope.jobs {
		def := &d.scope.jobs[i]
		sum := sha256.Sum256(def.job.Definition)
		p.Jobs = append(p.Jobs, BackfillPlanJob{Ref: def.row.Ref, Definition: hex.EncodeToString(sum[:8]), Note: d.note(def)})
		sums[def.row.Ref] = &digest{Hash: sha256.New()}
	}
	for i := range p.Jobs {
		jobs[p.Jobs[i].Ref] = &p.Jobs[i]
	}
	var waits []Wait
	p.Instances = make([]BackfillPlanInstance, 0, max(0, min(part.Most, len(d.order)-part.Skip)))
	for _, i := range d.order {
		job, sum := jobs[i.part.row.Ref], sums[i.part.row.Ref]
		p.Why[i.why]++
		list := false
		if part.takes(i) {
			list = p.Matching >= part.Skip && p.Matching-part.Skip < part.Most
			p.Matching++
		}
		sum.words = list
		row := BackfillPlanInstance{Ref: i.part.row.Ref, PlanTime: i.at(), In: i.in, Why: i.why, Text: i.text}
		sum.number(i.at().UnixMilli())
		sum.text(i.why)
		if i.record != nil {
			sum.text(i.record.Key)
		} else {
			sum.text("")
		}
		sum.text(string(i.state()))
		if i.in {
			sum.text("in")
		}
		if i.in {
			job.In++
			p.In++
			var texts []string
			waits, texts = d.waits(waits[:0], i, 0, "", sum)
			if list {
				row.Waits = texts
			}
		} else {
			job.Out++
			p.Out++
		}
		if list {
			p.Instances = append(p.Instances, row)
		}
	}
	whole := sha256.New()
	request, err := json.Marshal(d.request)
	if err != nil {
		panic("stuck, this is a bug: " + err.Error()) // texts, numbers and flags can always be written
	}
	fmt.Fprintf(whole, "%s\n%s\n", BackfillFormat, request)
	for i := range p.Jobs {
		j := &p.Jobs[i]
		j.Ranges = d.parts[j.Ref].ranges()
		sums[j.Ref].spill(0)
		j.Fingerprint = hex.EncodeToString(sums[j.Ref].Sum(nil)[:8])
		fmt.Fprintf(whole, "%s %s %s\n", j.Ref, j.Definition, j.Fingerprint)
	}
	p.Fingerprint = hex.EncodeToString(whole.Sum(nil)[:16])
	p.ID = backfillID(p.Fingerprint, p.At)
	return p
}

// backfillID names a plan by what it was made of, and when.
func backfillID(fingerprint string, at time.Time) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %d", fingerprint, at.UnixMilli()))
	return "bf-" + hex.EncodeToString(sum[:6])
}

// note says what of a job's days its effective range cuts off.
func (d *draft) note(def *definition) string {
	part := d.parts[def.row.Ref]
	if len(part.items) == 0 {
		return "not due on any of these days: " + def.job.When.String()
	}
	from, to := part.items[0].plan.Timetable.Effective()
	switch {
	case !def.job.When.Start.IsZero() && from.After(part.items[0].plan.From):
		return "its effective range begins at " + from.Format(time.RFC3339)
	case !to.IsZero() && to.Before(part.items[len(part.items)-1].plan.To):
		return "its effective range ends at " + to.Format(time.RFC3339)
	}
	return ""
}

// TimesDigest is a digest of plan times, in ascending order: what a backfill holds of a job can be held against it later.
func TimesDigest(times []time.Time) string {
	sum := sha256.New()
	for _, t := range times {
		fmt.Fprintf(sum, "%d\n", t.UnixMilli())
	}
	return hex.EncodeToString(sum.Sum(nil)[:16])
}

// parts lists what the backfill holds of each job.
func (d *draft) held() []BackfillPart {
	var list []BackfillPart
	for i := range d.scope.jobs {
		part := d.parts[d.scope.jobs[i].row.Ref]
		var times []time.Time
		for _, item := range part.items {
			if item.in {
				times = append(times, item.at())
			}
		}
		slices.SortFunc(times, time.Time.Compare)
		list = append(list, BackfillPart{
			Job: part.row.ID, Ref: part.row.Ref, Version: part.row.Version, Asked: part.asked, Instances: len(times), Times: TimesDigest(times),
		})
	}
	return list
}
