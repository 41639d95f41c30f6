package engine

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"iter"
	"strconv"
	"time"
)

// plan is the draft as a document with a part of its list.
func (d *draft) plan(part PlanPart) (*BackfillPlan, error) {
	p := &BackfillPlan{Format: BackfillFormat, At: d.at, Request: d.request, Why: map[string]int{}}
	whole := sha256.New()
	request, err := json.Marshal(d.request)
	if err != nil {
		panic("stuck, this is a bug: " + err.Error()) // texts and numbers can always be written
	}
	fmt.Fprintf(whole, "%s\n%s\n", fingerprinted, request)
	var counts [whyUpstream + 1]int
	most := max(leastRanges, planRanges/len(d.parts))
	for _, part := range d.parts {
		definition := sha256.Sum256(part.job.Definition)
		j := BackfillPlanJob{
			Ref: part.row.Ref, Definition: hex.EncodeToString(definition[:8]), Note: part.note(),
		}
		ranges := rangeList{most: most}
		sum := &digest{Hash: sha256.New()}
		edges, err := d.edges(part, keptTimes)
		if err != nil {
			return nil, err
		}
		var waits []Wait
		for _, i := range part.each {
			mark := i.mark()
			counts[mark.why()]++
			ranges.add(i, mark)
			if waits = d.sum(sum, edges, i, waits[:0]); mark.in() {
				j.In++
			}
		}
		j.Out = part.total - j.In
		j.Ranges = ranges.list()
		p.In, p.Out = p.In+j.In, p.Out+j.Out
		sum.spill(0)
		j.Fingerprint = hex.EncodeToString(sum.Sum(nil)[:8])
		fmt.Fprintf(whole, "%s %s %s\n", j.Ref, j.Definition, j.Fingerprint)
		p.Jobs = append(p.Jobs, j)
	}
	for why, n := range counts {
		if n > 0 {
			p.Why[planWords[why]] = n
		}
	}
	p.Fingerprint = hex.EncodeToString(whole.Sum(nil)[:16])
	p.ID = backfillID(p.Fingerprint, p.At)
	if part.Most == 0 && part.whole() {
		p.Matching = d.total
		return p, nil
	}
	unasked, texts := part.whole() && part.Skip == 0 && part.Most == PlanListed, 0
	p.Matching, err = d.list(part, func(i *BackfillPlanInstance) error {
		for _, text := range i.Waits {
			texts += len(text)
		}
		if unasked && texts > listedBytes {
			p.Instances = nil
			return nil
		}
		p.Instances = append(p.Instances, *i)
		return nil
	})
	return p, err
}

// sum adds what an instance is made of.
func (d *draft) sum(sum *digest, edges []*draftEdge, i spot, waits []Wait) []Wait {
	told := d.outcomes[i.s.toldAt(i.n)]
	sum.number(i.s.at(i.n))
	sum.text(i.mark().word())
	sum.text(told.Key)
	sum.text(string(told.State))
	if i.mark().in() {
		sum.text("in")
		waits, _ = d.waits(waits, edges, i, 0, "", sum, false)
	}
	return waits
}

// list hands out the part of the list, by plan time and job, and counts what the conditions leave.
func (d *draft) list(
	part PlanPart, each func(*BackfillPlanInstance) error,
) (matching int, err error) {
	edges, err := d.allEdges()
	if err != nil {
		return 0, err
	}
	var waits []Wait
	all := d.chronological()
	for i, more := all.next(); more; i, more = all.next() {
		if !part.takes(i, func() string { return d.text(edges[i.part.order], i) }) {
			continue
		}
		if matching++; matching <= part.Skip || matching-part.Skip > part.Most {
			continue
		}
		row := BackfillPlanInstance{
			Ref: i.part.row.Ref, PlanTime: i.at(), In: i.mark().in(), Why: i.mark().word(),
			Text: d.text(edges[i.part.order], i),
		}
		if row.In {
			waits, row.Waits = d.waits(waits[:0], edges[i.part.order], i, 0, "", nil, true)
		}
		if err := each(&row); err != nil {
			return matching, err
		}
	}
	return matching, nil
}

// backfillID names a plan by what it was made of, and when.
func backfillID(fingerprint string, at time.Time) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %d", fingerprint, at.UnixMilli()))
	return "bf-" + hex.EncodeToString(sum[:6])
}

// note says what of a job's days its effective range cuts off.
func (p *draftPart) note() string {
	if p.total == 0 {
		return "not due on any of these days: " + p.job.When.String()
	}
	from, to := p.timetable.Effective()
	switch {
	case !p.job.When.Start.IsZero() && from.After(p.items[0].days.from):
		return "its effective range begins at " + from.Format(time.RFC3339)
	case !to.IsZero() && to.Before(p.items[len(p.items)-1].days.to):
		return "its effective range ends at " + to.Format(time.RFC3339)
	}
	return ""
}

// TimesDigest is a digest of plan times, in ascending order: what a backfill holds of a job can be
// held against it later.
func TimesDigest(times iter.Seq[time.Time]) string {
	sum := sha256.New()
	var line []byte
	for t := range times {
		line = append(strconv.AppendInt(line[:0], t.UnixMilli(), 10), '\n')
		sum.Write(line)
	}
	return hex.EncodeToString(sum.Sum(nil)[:16])
}

// held lists what the backfill holds of each job.
func (d *draft) held() []BackfillPart {
	var list []BackfillPart
	for _, part := range d.parts {
		n := 0
		digest := TimesDigest(func(yield func(time.Time) bool) {
			for _, i := range part.each {
				if !i.mark().in() {
					continue
				}
				if n++; !yield(i.at()) {
					return
				}
			}
		})
		list = append(list, BackfillPart{
			Job: part.row.ID, Ref: part.row.Ref, Version: part.row.Version, Asked: part.asked,
			Instances: n, Times: digest,
		})
	}
	return list
}
