package azure

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"github.com/almanac-sched/almanac/engine"
)

// What clients ask of the Azure Resource Manager beside the scheduler: whether the provider is registered, and resource groups. They are answered as
// far as those clients need.

// A providerType is a type of resource of the provider.
type providerType struct {
	ResourceType string   `json:"resourceType"`
	Locations    []string `json:"locations"`
	APIVersions  []string `json:"apiVersions"`
}

func (f *Face) getProvider(q *request) (int, any, error) {
	types := []providerType{}
	for _, name := range []string{"jobcollections", "operations", "operationResults"} {
		types = append(types, providerType{name, []string{}, versions})
	}
	return http.StatusOK, map[string]any{
		"id": "/subscriptions/" + q.Subscription + "/providers/Microsoft.Scheduler", "namespace": "Microsoft.Scheduler",
		"resourceTypes": types, "registrationState": "Registered",
	}, nil
}

// A storedGroup is the body of a resource group's row, and what an answer shows.
type storedGroup struct {
	ID         string            `json:"id"`
	Name       string            `json:"name"`
	Location   string            `json:"location,omitempty"`
	Tags       map[string]string `json:"tags,omitempty"`
	Properties map[string]string `json:"properties"`
}

func noGroup(p place) *Refusal {
	return refuse(codeNoGroup, "Resource group '%s' could not be found.", p.Group)
}

// hasGroup reports whether there is a resource group: the server's own, one that was put, or one with a collection.
func (f *Face) hasGroup(v engine.View, p place) (bool, error) {
	if f.own(p) {
		return true, nil
	}
	_, err := v.Resource(kindGroup, p.key())
	if !errors.Is(err, engine.ErrNotFound) {
		return err == nil, err
	}
	rows, err := v.Resources(kindCollection, p.key()+"/", "", 1)
	return len(rows) > 0, err
}

func (f *Face) headGroup(q *request) (int, any, error) {
	there := false
	err := f.read(q, func(v View) (err error) {
		there, err = f.hasGroup(v, q.place)
		return err
	})
	if err == nil && !there {
		err = noGroup(q.place)
	}
	return http.StatusNoContent, nil, err
}

func (f *Face) putGroup(q *request) (int, any, error) {
	var g storedGroup
	if err := json.Unmarshal(q.body, &struct {
		Location *string            `json:"location"`
		Tags     *map[string]string `json:"tags"`
	}{&g.Location, &g.Tags}); err != nil || len(q.body) > maxChars {
		return 0, nil, refuse(codeBadRequest, "The request content is invalid: it must be an object of at most %d characters with a location and tags.", maxChars)
	}
	g.ID, g.Name, g.Properties = q.group().id(), q.Group, map[string]string{"provisioningState": "Succeeded"}
	body, err := json.Marshal(g)
	if err != nil {
		return 0, nil, fmt.Errorf("write the resource group: %w", err)
	}
	status := http.StatusOK
	err = f.edit(q.Context(), q.actor, q.now, func(e *engine.Edit) error {
		status = http.StatusOK
		there, err := f.hasGroup(e.Tx(), q.place)
		if err != nil {
			return err
		}
		if !there {
			status = http.StatusCreated
		}
		return e.Tx().PutResource(engine.ResourceRow{Kind: kindGroup, Key: q.group().key(), Body: body})
	})
	return status, g, err
}

// deleteGroup takes a resource group away with its collections. What is in the folder stays.
func (f *Face) deleteGroup(q *request) (int, any, error) {
	err := f.edit(q.Context(), q.actor, q.now, func(e *engine.Edit) error {
		there, err := f.hasGroup(e.Tx(), q.place)
		if err != nil {
			return err
		}
		if !there {
			return noGroup(q.place)
		}
		rows, err := all(e.Tx(), kindCollection, q.group().key()+"/")
		if err != nil {
			return err
		}
		for _, row := range rows {
			c, err := decodeCollection(row)
			if err == nil {
				err = c.remove(e)
			}
			if err != nil {
				return err
			}
		}
		_, err = e.Tx().DeleteResource(kindGroup, q.group().key())
		return err
	})
	return http.StatusOK, nil, err
}
