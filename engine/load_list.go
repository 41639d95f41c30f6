package engine

import (
	"bytes"
	"cmp"
	"compress/flate"
	"encoding/json"
	"fmt"
	"io"
	"slices"
)

// A loadItem is what a load does to one job: it puts it, removes it, or plans it anew because it
// waits for one that changes.
type loadItem struct {
	Job     int64 // row id, also that which a new one gets
	Ref     JobRef
	Put     *loadedJob `json:",omitempty"`
	Remove  bool       `json:",omitempty"`
	Rezoned bool       `json:",omitempty"` // its time zone has other rules
	Waits   bool       `json:",omitempty"` // it waits for others

	job *Job // of Put
}

// A loadedJob is the definition of a job that a load puts.
type loadedJob struct {
	Definition string
	Folder     string
	Disabled   bool `json:",omitempty"`
}

// touched reports whether the load changes the job itself.
func (x *loadItem) touched() bool { return x.Put != nil || x.Remove || x.Rezoned }

// goes reports whether the job is planned no more.
func (x *loadItem) goes() bool { return x.Remove || x.Put != nil && x.Put.Disabled }

func newLoadItem(row JobRow, j *Job) loadItem {
	x := loadItem{Job: row.ID, Ref: j.Ref(), Waits: len(j.DependsOn) > 0, job: j}
	x.Put = &loadedJob{string(j.Definition), j.Folder, j.Disabled}
	return x
}

// orderItems sorts the items of a load so that no definition ever waits for a job that is not there:
// what others wait for is put before them, and removed after them.
func orderItems(items []loadItem, upstreams func(*loadItem) []Dependency) {
	of := make(map[JobRef]int, len(items))
	for n := range items {
		of[items[n].Ref] = n
	}
	depth := make(map[JobRef]int, len(items))
	var dive func(n int) int
	dive = func(n int) int {
		x := &items[n]
		if d, known := depth[x.Ref]; known {
			return d
		}
		depth[x.Ref] = 0 // of jobs that wait for one another, one is first
		most := 0
		for _, d := range upstreams(x) {
			if k, there := of[d.Job]; there && k != n {
				most = max(most, dive(k)+1)
			}
		}
		depth[x.Ref] = most
		return most
	}
	rank := func(x *loadItem) int {
		switch {
		case x.Remove:
			return 2
		case x.touched():
			return 0
		}
		return 1
	}
	for n := range items {
		dive(n)
	}
	slices.SortFunc(items, func(a, b loadItem) int {
		order := cmp.Compare(depth[a.Ref], depth[b.Ref])
		if a.Remove {
			order = -order
		}
		return cmp.Or(cmp.Compare(rank(&a), rank(&b)), order, compareRefs(a.Ref, b.Ref))
	})
}

// loadMark begins the list of a load. A list of instances begins with their number, which is not 0.
const loadMark = 0

// encodeItems writes the list of a load.
func encodeItems(items []loadItem) ([]byte, error) {
	var text bytes.Buffer
	text.WriteByte(loadMark)
	w, err := flate.NewWriter(&text, flate.BestSpeed)
	if err != nil {
		return nil, err
	}
	if err := json.NewEncoder(w).Encode(items); err != nil {
		return nil, fmt.Errorf("encode a load: %w", err)
	}
	err = w.Close()
	return text.Bytes(), err
}

func isLoad(text []byte) bool { return len(text) > 1 && text[0] == loadMark }

func decodeItems(text []byte) (items []loadItem, err error) {
	r := flate.NewReader(bytes.NewReader(text[1:]))
	if err = json.NewDecoder(r).Decode(&items); err == nil {
		_, err = io.Copy(io.Discard, r)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errTargets, err)
	}
	return items, nil
}

// LoadedJobs are the jobs of the list of a load, by row id.
func LoadedJobs(list []byte) (jobs []int64, err error) {
	if !isLoad(list) {
		return nil, errTargets
	}
	items, err := decodeItems(list)
	for n := range items {
		jobs = append(jobs, items[n].Job)
	}
	return jobs, err
}
