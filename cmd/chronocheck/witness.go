package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// errorStep is what an error action writes as its step.
const errorStep = "!error"

// A runID is what a witness line says about who wrote it.
type runID struct {
	instance, attempt int64
	step              string // "" is the unnamed one
}

// A moment is one witness line.
type moment struct {
	fence int64
	exit  int64 // of an end
	at    int64 // ns
}

// A runWitness is all that one attempt wrote.
type runWitness struct {
	runID
	begins, ends []moment
	marks        int64 // lines that it says it has printed
}

// witnesses is the witness file.
type witnesses struct {
	name string // base name of the file
	runs map[runID]*runWitness
	of   map[int64][]*runWitness // by instance, in order of the file
	last int64                   // ns
}

// readLines calls take for each whole line of a file.
func readLines(what, path string, take func(line string) error) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("read the %s: %w", what, err)
	}
	text = text[:bytes.LastIndexByte(text, '\n')+1]
	n := 0
	for line := range strings.Lines(string(text)) {
		n++
		line = strings.TrimSuffix(line, "\n")
		if line == "" {
			continue
		}
		if err := take(line); err != nil {
			return fmt.Errorf("read the %s: line %d, %q: %w", what, n, line, err)
		}
	}
	return nil
}

func integers(words ...string) ([]int64, error) {
	list := make([]int64, len(words))
	for i, word := range words {
		n, err := strconv.ParseInt(word, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("%q is not a whole number", word)
		}
		list[i] = n
	}
	return list, nil
}

func readWitnesses(path string) (*witnesses, error) {
	w := &witnesses{name: filepath.Base(path), runs: map[runID]*runWitness{}, of: map[int64][]*runWitness{}}
	err := readLines("witness file", path, func(line string) error {
		f := strings.Split(line, " ")
		if len(f) != 7 || f[0] != "begin" && f[0] != "end" && f[0] != "log" {
			return fmt.Errorf("want begin, end or log, and then instance, attempt, step, fence, exit and nanoseconds")
		}
		if f[0] == "begin" && f[5] == "-" {
			f[5] = "0"
		}
		n, err := integers(f[1], f[2], f[4], f[5], f[6])
		if err != nil {
			return err
		}
		id := runID{instance: n[0], attempt: n[1], step: f[3]}
		if id.step == "-" {
			id.step = ""
		}
		r := w.runs[id]
		if r == nil {
			r = &runWitness{runID: id}
			w.runs[id] = r
			w.of[id.instance] = append(w.of[id.instance], r)
		}
		m := moment{fence: n[2], exit: n[3], at: n[4]}
		switch f[0] {
		case "begin":
			r.begins = append(r.begins, m)
		case "end":
			r.ends = append(r.ends, m)
		default:
			r.marks = max(r.marks, m.exit)
		}
		w.last = max(w.last, m.at)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return w, nil
}

// A fault is one line of the nemesis log.
type fault struct {
	at         int64 // ns
	what, whom string
}

// nemesis is what was done to the server.
type nemesis struct {
	faults []fault
	down   []span // ms, by start, apart from each other; the server did not work in them
	clock  bool   // its clock was moved
	last   int64  // ns
	well   int64  // ms: since when it has been up; 0 when it was never down
	isDown bool   // at the end
}

func readNemesis(path string) (*nemesis, error) {
	n := &nemesis{}
	err := readLines("nemesis log", path, func(line string) error {
		f := strings.Fields(line)
		if len(f) < 2 {
			return fmt.Errorf("want nanoseconds and a word")
		}
		at, err := integers(f[0])
		if err != nil {
			return err
		}
		x := fault{at: at[0], what: f[1]}
		if len(f) > 2 {
			x.whom = f[2]
		}
		n.faults = append(n.faults, x)
		n.last = max(n.last, x.at)
		return nil
	})
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(n.faults, func(a, b fault) int { return int(min(1, max(-1, a.at-b.at))) })
	var since int64
	for _, x := range n.faults {
		ms := x.at / 1e6
		alone := x.whom == "supervisor" || x.whom == "runner"
		switch x.what {
		case "kill", "pause", "start":
			if !alone && !n.isDown {
				n.isDown, since = true, ms
			}
		case "ready", "resume", "heal":
			n.well = ms + 1
			if !alone && n.isDown {
				n.isDown = false
				n.down = append(n.down, span{since, ms + 1})
			}
		case "clock":
			n.clock = true
		}
	}
	if n.isDown {
		n.down = append(n.down, span{since, forever})
	}
	return n, nil
}

// An ack is a command that the API has accepted.
type ack struct {
	At       int64  `json:"at"` // ns
	Command  string `json:"command"`
	Instance int64  `json:"instance"`
	Job      string `json:"job"`
	Key      string `json:"key"`
	Removed  bool   `json:"removed"`
}

func readAcks(path string) (acks []ack, err error) {
	err = readLines("acknowledgement log", path, func(line string) error {
		var a ack
		if err := json.Unmarshal([]byte(line), &a); err != nil {
			return err
		}
		acks = append(acks, a)
		return nil
	})
	return acks, err
}
