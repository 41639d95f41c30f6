package azure

import (
	"maps"
	"slices"
	"time"

	"github.com/almanac-sched/almanac/recurrence"
)

// A Collection is a job collection as the service shows it (`azure-scheduler.md` §2).
type Collection struct {
	ID         string                `json:"id,omitempty"`
	Type       string                `json:"type,omitempty"`
	Name       string                `json:"name,omitempty"`
	Location   string                `json:"location,omitempty"` // as it was sent
	Tags       map[string]string     `json:"tags,omitempty"`
	Properties *CollectionProperties `json:"properties,omitempty"`
}

// CollectionProperties are what a collection is.
type CollectionProperties struct {
	SKU   *SKU   `json:"sku,omitempty"`
	State string `json:"state,omitempty"`
	Quota *Quota `json:"quota,omitempty"`
}

// The states of a collection. The last two are the service's own.
const (
	CollectionEnabled   = "Enabled"
	CollectionDisabled  = "Disabled"
	CollectionSuspended = "Suspended"
	CollectionDeleted   = "Deleted"
)

// The plans. Premium is the P10Premium of the older api-versions.
const (
	PlanFree       = "Free"
	PlanStandard   = "Standard"
	PlanP10Premium = "P10Premium"
	PlanP20Premium = "P20Premium"
	PlanPremium    = "Premium"
)

// A SKU names the plan of a collection.
type SKU struct {
	Name string `json:"name"`
}

// A Quota limits the jobs of a collection.
type Quota struct {
	MaxJobCount      int            `json:"maxJobCount,omitempty"`
	MaxJobOccurrence int            `json:"maxJobOccurrence,omitempty"` // has no effect
	MaxRecurrence    *MaxRecurrence `json:"maxRecurrence,omitempty"`
}

// A MaxRecurrence is the shortest recurrence that a collection allows.
type MaxRecurrence struct {
	Frequency string `json:"frequency"`
	Interval  int    `json:"interval"`
}

// Plan is what a plan gives a collection that says nothing itself.
type Plan struct {
	MaxJobCount   int
	MaxRecurrence MaxRecurrence
	Collections   int // per subscription
}

// Plans are the plans by name.
var Plans = map[string]Plan{
	PlanFree:       {5, MaxRecurrence{"hour", 1}, 1},
	PlanStandard:   {50, MaxRecurrence{"minute", 1}, 100},
	PlanP10Premium: {50, MaxRecurrence{"minute", 1}, 10_000},
	PlanPremium:    {50, MaxRecurrence{"minute", 1}, 10_000},
	PlanP20Premium: {1000, MaxRecurrence{"minute", 1}, 10_000},
}

// mostJobs is the largest maxJobCount that a collection of a paid plan may ask for.
const mostJobs = 1000

var (
	maxRecurrenceShape        = newShape(nil, plain("frequency", "interval")...)
	quotaShape                = newShape(nil, plain("maxJobCount", "maxJobOccurrence")...).with(shapeMember{name: "maxRecurrence", of: maxRecurrenceShape})
	skuShape                  = newShape(nil, plain("name")...)
	collectionPropertiesShape = newShape(nil, plain("state")...).with(shapeMember{name: "sku", of: skuShape}, shapeMember{name: "quota", of: quotaShape})
	tagsShape                 = &shape{free: true}
	collectionShape           = newShape(nil, plain("id", "type", "name", "location")...).
					with(shapeMember{name: "tags", of: tagsShape}, shapeMember{name: "properties", of: collectionPropertiesShape})
)

// ReadCollection reads the body of a PUT, or a stored collection, and fills in what it leaves out: Standard, Enabled, the plan's quota.
func ReadCollection(body []byte) (*Collection, Mistakes) {
	root, err := parse(body)
	if err != nil {
		return nil, Mistakes{{Message: "The request content is invalid: " + err.Error() + "."}}
	}
	return readCollection(root, "")
}

// PatchCollection merges the body of a PATCH into a stored collection, as Patch does for a job.
func PatchCollection(stored, body []byte, self Collection) ([]byte, Mistakes) {
	base, err := parse(stored)
	if err != nil {
		return nil, Mistakes{{Message: "The stored job collection cannot be read: " + err.Error() + "."}}
	}
	change, err := parse(body)
	if err != nil {
		return nil, Mistakes{{Message: "The request content is invalid: " + err.Error() + "."}}
	}
	if m := patchMistakes(change, Job{ID: self.ID, Type: self.Type, Name: self.Name}); len(m) > 0 {
		return nil, m
	}
	text, err := merge(base, drop(change, "id", "type", "name"), collectionShape).MarshalJSON()
	if err != nil {
		return nil, Mistakes{{Message: err.Error()}}
	}
	return text, nil
}

func readCollection(root *node, path string) (*Collection, Mistakes) {
	r := &reader{written: map[string]string{}}
	f := field{root, path, ""}
	m := r.object(f, collectionShape)
	c := &Collection{ID: r.text(m["id"]), Type: r.text(m["type"]), Name: r.text(m["name"]), Location: r.text(m["location"]), Tags: r.texts(m["tags"], tagsShape)}
	p := r.object(m["properties"], collectionPropertiesShape)
	plan := PlanStandard
	if sku := r.object(p["sku"], skuShape); sku != nil {
		if name := r.word(r.need(sku, p["sku"], "name"), slices.Sorted(maps.Keys(Plans))...); name != "" {
			plan = name
		}
	}
	state := r.word(p["state"], CollectionEnabled, CollectionDisabled, CollectionSuspended, CollectionDeleted)
	if state == "" {
		state = CollectionEnabled
	}
	c.Properties = &CollectionProperties{SKU: &SKU{plan}, State: state, Quota: r.quota(p["quota"], plan)}
	if len(r.mistakes) > 0 {
		return nil, r.mistakes
	}
	return c, nil
}

// quota reads a quota and fills in the plan's. A plan's own limits can be lowered; the paid ones may ask for up to 1000 jobs.
func (r *reader) quota(f field, plan string) *Quota {
	gives := Plans[plan]
	most := gives.MaxRecurrence
	q := &Quota{MaxJobCount: gives.MaxJobCount, MaxRecurrence: &most}
	m := r.object(f, quotaShape)
	limit := mostJobs
	if plan == PlanFree {
		limit = gives.MaxJobCount
	}
	if n, ok := r.integer(m["maxJobCount"], 1, limit); ok {
		q.MaxJobCount = n
	}
	if n, ok := r.integer(m["maxJobOccurrence"], 0, maxCount); ok {
		q.MaxJobOccurrence = n
	}
	own := m["maxRecurrence"]
	if !own.given() {
		return q
	}
	w := r.object(own, maxRecurrenceShape)
	unit, err := recurrence.ParseFrequency(r.text(r.need(w, own, "frequency")))
	if err != nil {
		if w["frequency"].given() {
			r.fail(w["frequency"], "The value %s is not valid; it must be one of minute, hour, day, week, month, year.", w["frequency"].shown())
		}
		return q
	}
	most = MaxRecurrence{unit.String(), 1}
	if n, ok := r.integer(w["interval"], 1, units[unit].most); ok {
		most.Interval = n
	}
	if ShortestGap(unit, most.Interval) < gives.MaxRecurrence.gap() {
		r.fail(own, "The maximum recurrence of a job collection of the plan %s must be no faster than every %d %s.", plan, gives.MaxRecurrence.Interval, gives.MaxRecurrence.Frequency)
	}
	return q
}

// Unit is the frequency and the interval as package recurrence has them.
func (m MaxRecurrence) Unit() (recurrence.Frequency, int) {
	unit, err := recurrence.ParseFrequency(m.Frequency)
	if err != nil {
		return 0, 0
	}
	return unit, max(m.Interval, 1)
}

// gap is the least time between two occurrences that it allows.
func (m MaxRecurrence) gap() time.Duration { return ShortestGap(m.Unit()) }
