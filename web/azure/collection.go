package azure

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/engine/azure"
)

// The kinds of the face's resources.
const (
	kindCollection = "azure.collection"
	kindJob        = "azure.job"
	kindKey        = "azure.key" // the one row of this kind holds the SHA-256 of the key that seals the secrets
	kindGroup      = "azure.group"
)

// A storedCollection is the body of a collection's row.
type storedCollection struct {
	Subscription string          `json:"subscription"`
	Group        string          `json:"group"`
	Name         string          `json:"name"`
	Workflow     string          `json:"workflow"`
	Stated       json.RawMessage `json:"stated"` // the document as it was put and patched; what it leaves out is the plan's to say
}

// A collection is a job collection as it was found.
type collection struct {
	place    // as first written
	Workflow string
	Entity   *azure.Collection
	row      engine.ResourceRow
	folder   bool // it is a workflow of the folder, and not to be changed here
}

// disabled reports whether its jobs do not run, whatever their own states.
func (c *collection) disabled() bool { return c.Entity.Properties.State != azure.CollectionEnabled }

// limits are what its jobs are held to.
func (c *collection) limits() azure.Limits {
	l := azure.Limits{Free: c.Entity.Properties.SKU.Name == azure.PlanFree}
	l.MaxFrequency, l.MaxInterval = c.Entity.Properties.Quota.MaxRecurrence.Unit()
	return l
}

// errAbsent says that a resource is not there; the caller knows which.
var errAbsent = fmt.Errorf("azure: %w", engine.ErrNotFound)

// stored reads the collection of a place that was put here; errAbsent when there is none.
func stored(v engine.View, p place) (*collection, error) {
	row, err := v.Resource(kindCollection, p.collection().key())
	if errors.Is(err, engine.ErrNotFound) {
		return nil, errAbsent
	}
	if err != nil {
		return nil, fmt.Errorf("read the collection %s: %w", p.key(), err)
	}
	return decodeCollection(row)
}

func decodeCollection(row engine.ResourceRow) (*collection, error) {
	var body storedCollection
	if err := json.Unmarshal(row.Body, &body); err != nil {
		return nil, fmt.Errorf("read the collection %s: %w", row.Key, err)
	}
	entity, mistakes := azure.ReadCollection(body.Stated)
	if err := mistakes.Err(); err != nil {
		return nil, fmt.Errorf("read the collection %s: %w", row.Key, err)
	}
	c := &collection{place: place{body.Subscription, body.Group, body.Name, ""}, Workflow: body.Workflow, Entity: entity, row: row}
	c.describe()
	return c, nil
}

// describe gives the entity the members that follow from where it is.
func (c *collection) describe() {
	c.Entity.ID, c.Entity.Type, c.Entity.Name = c.id(), azure.CollectionType, c.Collection
}

// encode is the body of the collection's row, with the document that states it.
func (c *collection) encode(stated []byte) ([]byte, error) {
	body, err := json.Marshal(storedCollection{Subscription: c.Subscription, Group: c.Group, Name: c.Collection, Workflow: c.Workflow, Stated: stated})
	if err != nil {
		return nil, fmt.Errorf("write the collection %s: %w", c.key(), err)
	}
	return body, nil
}

// stated is the document of a row.
func (c *collection) stated() ([]byte, error) {
	var body storedCollection
	if err := json.Unmarshal(c.row.Body, &body); err != nil {
		return nil, fmt.Errorf("read the collection %s: %w", c.key(), err)
	}
	return body.Stated, nil
}

// find returns the collection of a place, also one of the folder; a refusal when there is none.
func (f *Face) find(v engine.View, p place) (*collection, error) {
	c, err := stored(v, p)
	if !errors.Is(err, errAbsent) {
		return c, err
	}
	if f.own(p) {
		index, err := f.folder.at(v)
		if err != nil {
			return nil, err
		}
		if w := index.workflow(p.Collection); w != nil {
			return f.ofFolder(w), nil
		}
	}
	return nil, missing(p.collection())
}

// change returns the collection of a place to change it or its jobs.
func (f *Face) change(v engine.View, p place) (*collection, error) {
	c, err := f.find(v, p)
	if err == nil && c.folder {
		return nil, refuse(codeConflict, "The job collection '%s' is a workflow of the server's folder; it is changed in its file.", c.Collection)
	}
	return c, err
}

// all lists the rows of a kind below a prefix.
func all(v engine.View, kind, prefix string) (rows []engine.ResourceRow, err error) {
	const group = 500
	after := ""
	for {
		more, err := v.Resources(kind, prefix, after, group)
		if err != nil {
			return nil, fmt.Errorf("list resources of the kind %s: %w", kind, err)
		}
		rows = append(rows, more...)
		if len(more) < group {
			return rows, nil
		}
		after = more[len(more)-1].Key
	}
}
