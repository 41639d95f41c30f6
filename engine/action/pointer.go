package action

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/almanac-sched/almanac/engine"
)

// pointed takes outputs out of the answer's body by JSON pointers (RFC 6901). An answer that has not what is asked for is no success.
func (r reply) pointed(pointers map[string]string) reply {
	if len(pointers) == 0 || r.err != nil || !r.accepted {
		return r
	}
	values, err := pointOut(r.body.Bytes(), pointers)
	if err == nil && r.truncated {
		err = errors.New("the body is too long")
	}
	if err != nil {
		r.accepted, r.words = false, fmt.Sprintf("%s, but its outputs cannot be read: %s", r.words, err)
		return r
	}
	r.outputs = values
	return r
}

func pointOut(body []byte, pointers map[string]string) (map[string]string, error) {
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	var document any
	if err := d.Decode(&document); err != nil {
		return nil, errors.New("the body is no JSON")
	}
	values, total := map[string]string{}, 0
	for _, name := range slices.Sorted(maps.Keys(pointers)) {
		value, err := engine.Point(document, pointers[name])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if total += len(name) + len(value); total > outputLimit {
			return nil, fmt.Errorf("the outputs are longer than %d KiB", outputLimit>>10)
		}
		values[name] = value
	}
	return values, nil
}
