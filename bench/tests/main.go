// Command tests runs go test and says at its end what was not run: `go run ./bench/tests ./...`.
package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"

	"github.com/almanac-sched/almanac/engine/fault/effort"
)

func main() {
	c := exec.Command("go", append([]string{"test", "-json"}, os.Args[1:]...)...)
	c.Stderr = os.Stderr
	out, err := c.StdoutPipe()
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "tests:", err)
		os.Exit(1)
	}
	s := newSummary()
	told := s.read(out, os.Stdout)
	err = c.Wait()
	s.tell(os.Stdout)
	s.tellSlow(os.Stdout)
	tellOthers(os.Stdout)
	if err = errors.Join(told, err); err != nil {
		fmt.Fprintln(os.Stderr, "tests:", err)
		os.Exit(1)
	}
}

// tellOthers names the tests that are not go's, and what they need that is not here.
func tellOthers(w io.Writer) {
	fmt.Fprintln(w, "\nNot part of this: the page in a browser (make ui-test), fuzzing (make fuzz), the long runs (make torture).")
	browser := os.Getenv("ALMANAC_TEST_CHROMIUM")
	if browser == "" {
		browser = "/usr/bin/chromium"
	}
	for _, need := range []struct{ path, name, install string }{
		{browser, "Chromium", "sudo apt-get install chromium fonts-noto-cjk"}, {"npm", "npm", "sudo apt-get install npm"},
	} {
		if _, err := exec.LookPath(need.path); err != nil {
			fmt.Fprintf(w, "  make ui-test needs %s, which is not here: %s\n", need.name, need.install)
		}
	}
	if !effort.Long() {
		fmt.Fprint(w, "Tests that draw their cases drew few of them. CI draws many: make test-long\n")
	}
}

// An event is a line of go test -json.
type event struct {
	Action, Package, ImportPath, Test, Output string
	Elapsed                                   float64
}

// name is the test, or the package where it is none of its tests.
type name struct{ pkg, test string }

// A summary is what is known of the tests so far.
type summary struct {
	said    map[name][]string // what each that is under way has printed
	skipped []string          // reasons, in the order in which they came
	why     map[string][]name
	took    map[name]float64 // seconds, of the tests that are through
}

func newSummary() *summary {
	return &summary{said: map[name][]string{}, why: map[string][]name{}, took: map[name]float64{}}
}

// read prints what go test would: a line for each package, and all that one has said that failed.
func (s *summary) read(in io.Reader, w io.Writer) error {
	lines := bufio.NewReader(in)
	for {
		line, err := lines.ReadBytes('\n')
		var e event
		switch {
		case len(line) == 0 || line[0] != '{' || json.Unmarshal(line, &e) != nil:
			fmt.Fprintf(w, "%s", line)
		default:
			s.take(e, w)
		}
		if errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
	}
}

func (s *summary) take(e event, w io.Writer) {
	of := name{e.Package, e.Test}
	if e.Elapsed > 0 && e.Test != "" && !strings.Contains(e.Test, "/") {
		s.took[of] = e.Elapsed
	}
	switch e.Action {
	case "build-output":
		fmt.Fprint(w, e.Output)
	case "output":
		if e.Test == "" && (strings.HasPrefix(e.Output, "ok ") || strings.HasPrefix(e.Output, "FAIL\t") || strings.HasPrefix(e.Output, "? ")) {
			fmt.Fprint(w, e.Output)
			return
		}
		s.said[of] = append(s.said[of], e.Output)
	case "skip":
		// A line of a corpus that its fuzz target has no use for is nothing that was not run.
		if e.Test != "" && !strings.HasPrefix(e.Test, "Fuzz") {
			s.skip(of)
		}
		delete(s.said, of)
	case "fail":
		s.tellOf(of, w)
		if e.Test == "" { // a test that was under way when the time was over has no end of its own
			for _, open := range slices.SortedFunc(maps.Keys(s.said), byTest) {
				if open.pkg == e.Package {
					s.tellOf(open, w)
				}
			}
		}
	case "pass":
		delete(s.said, of)
	}
}

// mostLines is how much is told of one test: the stacks of a whole program are longer.
const mostLines = 400

func (s *summary) tellOf(of name, w io.Writer) {
	lines := s.said[of]
	for _, line := range lines[:min(mostLines, len(lines))] {
		fmt.Fprint(w, line)
	}
	delete(s.said, of)
}

func byTest(a, b name) int { return strings.Compare(a.test, b.test) }

// skip notes the words with which a test was skipped: those behind the place in its file.
func (s *summary) skip(of name) {
	why := "it does not say why"
	for _, line := range s.said[of] {
		if place, text, ok := strings.Cut(strings.TrimSpace(line), ": "); ok && strings.Contains(place, ".go:") {
			why = text
		}
	}
	if s.why[why] == nil {
		s.skipped = append(s.skipped, why)
	}
	s.why[why] = append(s.why[why], of)
}

// tell names what was skipped, by the reason.
func (s *summary) tell(w io.Writer) {
	if len(s.skipped) == 0 {
		fmt.Fprintln(w, "\nNo test was skipped.")
		return
	}
	fmt.Fprintln(w, "\nNot run:")
	for _, why := range s.skipped {
		fmt.Fprintf(w, "  %s\n", why)
		for _, of := range s.why[why] {
			fmt.Fprintf(w, "    %s in %s\n", of.test, of.pkg)
		}
	}
}

// mostSlow is how many of the slowest tests are named, and slow is how many seconds make one.
const (
	mostSlow = 12
	slow     = 5
)

// tellSlow names the tests that took longest.
func (s *summary) tellSlow(w io.Writer) {
	list := slices.SortedFunc(maps.Keys(s.took), func(a, b name) int {
		return cmp.Or(cmp.Compare(s.took[b], s.took[a]), byTest(a, b))
	})
	list = slices.DeleteFunc(list, func(of name) bool { return s.took[of] < slow })
	if len(list) == 0 {
		return
	}
	fmt.Fprintln(w, "\nThe slowest:")
	for _, of := range list[:min(mostSlow, len(list))] {
		fmt.Fprintf(w, "  %6.0f s  %s in %s\n", s.took[of], of.test, of.pkg)
	}
}
