package model

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/almanac-sched/almanac/engine"
)

func (v *view) Resource(kind, key string) (engine.ResourceRow, error) {
	if v.broken != nil {
		return engine.ResourceRow{}, v.broken
	}
	if row := v.s.resources[resourceKey{kind, key}]; row != nil {
		return ownResource(*row), nil
	}
	return engine.ResourceRow{}, missing("%s %s", kind, key)
}

func (v *view) Resources(kind, prefix, after string, limit int) ([]engine.ResourceRow, error) {
	if v.broken != nil {
		return nil, v.broken
	}
	var rows []engine.ResourceRow
	for k, row := range v.s.resources {
		if k.kind == kind && strings.HasPrefix(k.key, prefix) && k.key > after {
			rows = append(rows, ownResource(*row))
		}
	}
	slices.SortFunc(rows, func(a, b engine.ResourceRow) int { return cmp.Compare(a.Key, b.Key) })
	return rows[:min(limit, len(rows))], nil
}

func (t *tx) PutResource(r engine.ResourceRow) error {
	switch {
	case t.broken != nil:
		return t.broken
	case r.Kind == "" || r.Key == "":
		return t.refuse(fmt.Errorf("resource: %w: a kind or a key is empty", ErrConstraint))
	case r.Job != 0 && t.s.jobs[r.Job] == nil:
		return t.refuse(fmt.Errorf("resource %s: %w: there is no job %d", r.Key, ErrConstraint, r.Job))
	}
	row := ownResource(r)
	set(t, (*state).putResource, resourceKey{r.Kind, r.Key}, &row)
	return nil
}

func (t *tx) DeleteResource(kind, key string) (bool, error) {
	if t.broken != nil {
		return false, t.broken
	}
	k := resourceKey{kind, key}
	if t.s.resources[k] == nil {
		return false, nil
	}
	set(t, (*state).putResource, k, nil)
	return true, nil
}

// ownResource is a row whose body is nobody else's.
func ownResource(r engine.ResourceRow) engine.ResourceRow {
	r.Body = append([]byte{}, r.Body...)
	return r
}
