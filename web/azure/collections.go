package azure

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/engine/azure"
)

// usualCollections is how many collections a page has.
const usualCollections = 1000

func (f *Face) listCollections(q *request) (int, any, error) {
	w, err := q.window(usualCollections)
	if err != nil {
		return 0, nil, err
	}
	list := []*azure.Collection{}
	err = f.read(q, func(v View) error {
		rows, err := all(v, kindCollection, q.key()+"/")
		if err != nil {
			return err
		}
		made := map[string]bool{}
		for _, row := range rows {
			c, err := decodeCollection(row)
			if err != nil {
				return err
			}
			made[c.key()] = true
			list = append(list, c.Entity)
		}
		if !equal(q.Subscription, f.Subscription) || q.Group != "" && !equal(q.Group, f.Group) {
			return nil
		}
		index, err := f.folder.at(v)
		if err != nil {
			return err
		}
		for _, w := range index.workflows {
			if c := f.ofFolder(w); !made[c.key()] {
				list = append(list, c.Entity)
			}
		}
		return nil
	})
	if err != nil {
		return 0, nil, err
	}
	slices.SortStableFunc(list, func(a, b *azure.Collection) int {
		return strings.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name))
	})
	return http.StatusOK, cut(q, w, list), nil
}

func (f *Face) getCollection(q *request) (int, any, error) {
	var c *collection
	err := f.read(q, func(v View) (err error) {
		c, err = f.find(v, q.place)
		return err
	})
	if err != nil {
		return 0, nil, err
	}
	return http.StatusOK, c.Entity, nil
}

func (f *Face) putCollection(q *request) (int, any, error) {
	if !azure.NameForm.MatchString(q.Collection) {
		return 0, nil, badName("job collection", q.Collection)
	}
	entity, mistakes := azure.ReadCollection(q.body)
	if len(mistakes) > 0 {
		return 0, nil, refuseMistakes(mistakes)
	}
	for _, m := range []struct{ member, given, value string }{{"id", entity.ID, q.id()}, {"type", entity.Type, azure.CollectionType}, {"name", entity.Name, q.Collection}} {
		if m.given != "" && !equal(m.given, m.value) {
			return 0, nil, refuse(codeBadRequest, "%s: The value '%s' is not the one of the request's path, '%s'.", m.member, m.given, m.value)
		}
	}
	// Merged into nothing, the document has the service's spelling.
	stated, mistakes := azure.PatchCollection([]byte("{}"), q.body, azure.Collection{ID: entity.ID, Type: entity.Type, Name: entity.Name})
	if len(mistakes) > 0 {
		return 0, nil, refuseMistakes(mistakes)
	}
	return f.writeCollection(q, func(*collection) ([]byte, error) { return stated, nil })
}

func (f *Face) patchCollection(q *request) (int, any, error) {
	return f.writeCollection(q, func(old *collection) ([]byte, error) {
		if old == nil {
			return nil, missing(q.place)
		}
		before, err := old.stated()
		if err != nil {
			return nil, err
		}
		after, mistakes := azure.PatchCollection(before, q.body, *old.Entity)
		if len(mistakes) > 0 {
			return nil, refuseMistakes(mistakes)
		}
		return after, nil
	})
}

func (f *Face) enableCollection(q *request) (int, any, error) {
	return f.switchCollection(q, azure.CollectionEnabled)
}

func (f *Face) disableCollection(q *request) (int, any, error) {
	return f.switchCollection(q, azure.CollectionDisabled)
}

func (f *Face) switchCollection(q *request, state string) (int, any, error) {
	change, err := json.Marshal(azure.Collection{Properties: &azure.CollectionProperties{State: state}})
	if err != nil {
		return 0, nil, fmt.Errorf("write a change: %w", err)
	}
	q.body = change
	_, _, err = f.patchCollection(q)
	return http.StatusOK, nil, err
}

// writeCollection makes what document says the collection, and has its jobs follow.
func (f *Face) writeCollection(q *request, document func(old *collection) ([]byte, error)) (int, any, error) {
	var c *collection
	created := false
	err := f.edit(q.Context(), q.actor, q.now, func(e *engine.Edit) error {
		old, err := stored(e.Tx(), q.place)
		if errors.Is(err, errAbsent) {
			old, err = nil, f.refuseFolder(e.Tx(), q.place)
		}
		if err != nil {
			return err
		}
		created = old == nil
		stated, err := document(old)
		if err != nil {
			return err
		}
		if c, err = f.judge(q, old, stated); err != nil {
			return err
		}
		if err := f.refuseCollection(e.Tx(), c, old); err != nil {
			return err
		}
		if old == nil {
			if c.row.ID, err = e.Tx().Reserve(1); err != nil {
				return fmt.Errorf("reserve an id: %w", err)
			}
		}
		if err := e.Tx().PutResource(c.row); err != nil {
			return err
		}
		if old == nil {
			return nil
		}
		return f.follow(e, c, old)
	})
	switch {
	case err != nil:
		return 0, nil, err
	case created:
		return http.StatusCreated, c.Entity, nil
	}
	return http.StatusOK, c.Entity, nil
}

// refuseFolder refuses to take the name of a workflow of the folder.
func (f *Face) refuseFolder(v engine.View, p place) error {
	if !f.own(p) {
		return nil
	}
	index, err := f.folder.at(v)
	if err == nil && index.workflow(p.Collection) != nil {
		return refuse(codeConflict, "The job collection '%s' is a workflow of the server's folder; it is changed in its file.", p.Collection)
	}
	return err
}

// judge makes a collection of its document, and refuses what no document may say.
func (f *Face) judge(q *request, old *collection, stated []byte) (*collection, error) {
	if n := utf8.RuneCount(stated); n > maxChars {
		return nil, refuse(codeBadRequest, "The size of the job collection is %d characters; it must be at most %d.", n, maxChars)
	}
	entity, mistakes := azure.ReadCollection(stated)
	if len(mistakes) > 0 {
		return nil, refuseMistakes(mistakes)
	}
	if s := entity.Properties.State; s != azure.CollectionEnabled && s != azure.CollectionDisabled {
		return nil, refuse(codeBadRequest, "properties.state: The state of a job collection cannot be set to '%s'; it must be Enabled or Disabled.", s)
	}
	plan := entity.Properties.SKU.Name
	older := q.version != newest
	if (old == nil || old.Entity.Properties.SKU.Name != plan) &&
		(older && (plan == azure.PlanP10Premium || plan == azure.PlanP20Premium) || !older && plan == azure.PlanPremium) {
		return nil, refuse(codeBadRequest, "properties.sku.name: The value '%s' is not valid in the api-version %s.", plan, q.version)
	}
	c := &collection{place: q.collection(), Entity: entity}
	if old != nil {
		c.place, c.Workflow, c.row = old.place, old.Workflow, old.row
	} else {
		c.Workflow = c.workflow(f.own(c.place))
		c.row = engine.ResourceRow{Kind: kindCollection, Key: c.key()}
	}
	var err error
	c.row.Body, err = c.encode(stated)
	c.describe()
	return c, err
}

// refuseCollection refuses a collection that its plan does not allow beside the others of the subscription.
func (f *Face) refuseCollection(v engine.View, c, old *collection) error {
	plan := c.Entity.Properties.SKU.Name
	if old != nil && old.Entity.Properties.SKU.Name == plan {
		return nil
	}
	rows, err := all(v, kindCollection, strings.ToLower(c.Subscription)+"/")
	if err != nil {
		return err
	}
	same := 0
	for _, row := range rows {
		other, err := decodeCollection(row)
		if err != nil {
			return err
		}
		if row.Key != c.row.Key && other.Entity.Properties.SKU.Name == plan {
			same++
		}
	}
	if most := azure.Plans[plan].Collections; same >= most {
		return refuse(codeConflict, "The subscription has %d job collections of the plan %s; it can have %d.", same, plan, most)
	}
	return nil
}

// follow has the jobs of a collection follow a change of it: they are held to its quota, and rest while it is disabled.
func (f *Face) follow(e *engine.Edit, c, old *collection) error {
	before, after := old.Entity.Properties, c.Entity.Properties
	sameLimits := before.SKU.Name == after.SKU.Name && *before.Quota.MaxRecurrence == *after.Quota.MaxRecurrence
	if after.Quota.MaxJobCount != before.Quota.MaxJobCount {
		if err := c.refuseFull(e.Tx(), 0); err != nil {
			return err
		}
	}
	if sameLimits && old.disabled() == c.disabled() {
		return nil
	}
	rows, err := all(e.Tx(), kindJob, c.key()+"/")
	if err != nil {
		return err
	}
	for _, row := range rows {
		if err := f.followJob(e, c, row); err != nil {
			return err
		}
	}
	return nil
}

func (f *Face) followJob(e *engine.Edit, c *collection, row engine.ResourceRow) error {
	j, err := decodeJob(e.Tx(), c, row)
	if err != nil {
		return err
	}
	if final, err := j.isFinal(e.Tx()); err != nil || final {
		return err
	}
	full, err := f.withSecrets(j)
	if err != nil {
		return err
	}
	entity := j.entity()
	entity.Properties = full
	text, err := json.Marshal(entity)
	if err != nil {
		return fmt.Errorf("write the job %s: %w", j.Ref, err)
	}
	d, mistakes := azure.ReadJob(text)
	if err := mistakes.Err(); err != nil {
		return fmt.Errorf("read the job %s: %w", j.Ref, err)
	}
	t, err := translate(d, c, j.place, e.Now())
	if refusal := (*Refusal)(nil); errors.As(err, &refusal) {
		return refuse(codeConflict, "The job '%s' does not allow this change of its job collection: %s", j.Job, refusal.Message)
	}
	if err != nil {
		return err
	}
	if err := j.beginAnew(e, t.translation.Job); err != nil {
		return err
	}
	put, err := e.Put(t.translation.Job)
	if err != nil || put.ID == row.Job {
		return err
	}
	row.Job = put.ID
	return e.Tx().PutResource(row)
}

func (f *Face) deleteCollection(q *request) (int, any, error) {
	err := f.edit(q.Context(), q.actor, q.now, func(e *engine.Edit) error {
		c, err := f.change(e.Tx(), q.place)
		if err != nil {
			return err
		}
		return c.remove(e)
	})
	return http.StatusOK, nil, err
}

// remove takes a collection and its jobs away.
func (c *collection) remove(e *engine.Edit) error {
	rows, err := all(e.Tx(), kindJob, c.key()+"/")
	if err != nil {
		return err
	}
	for _, row := range rows {
		j, err := decodeJob(e.Tx(), c, row)
		if err == nil {
			err = j.remove(e)
		}
		if err != nil {
			return err
		}
	}
	_, err = e.Tx().DeleteResource(kindCollection, c.row.Key)
	return err
}
