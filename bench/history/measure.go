package history

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/almanac-sched/almanac/web"
)

// A Figure is what was measured of one request.
type Figure struct {
	Route   string
	Request Request
	P95     time.Duration
	CPU     time.Duration // of the server for one of them, on average
	Bytes   int
}

// Met reports whether the request keeps its bar.
func (f *Figure) Met() bool { return f.P95 <= f.Request.Bar }

// A request that is slow is asked for so many times at least, and not as often as the others; one that takes longer than patience is a mistake.
const (
	least    = 4
	slow     = time.Second
	patience = 30 * time.Second
)

// A Get asks for a path and returns the status, how long the answer is, and how long it took until it was there: until it has begun when it
// does not end.
type Get func(ctx context.Context, path string, ends bool) (status, bytes int, took time.Duration, err error)

// Measure asks for each request of every route that answers GET so many times. A route that has no requests, and requests of no route, are an error; so is
// an answer that is none. worked is how long the server has worked so far.
func Measure(ctx context.Context, f Facts, times int, get Get, worked func() (time.Duration, error)) ([]Figure, error) {
	requests := Requests(f)
	if missing := Missing(requests); missing != "" {
		return nil, fmt.Errorf("bench/history: %s", missing)
	}
	var figures []Figure
	var wrong []error
	for _, route := range web.Reads() {
		for _, r := range requests[route.ID] {
			var took []time.Duration
			length := 0
			before, err := worked()
			if err != nil {
				return nil, err
			}
			for n := range times + 1 {
				if n >= least && slices.Max(took) > slow {
					break // it is above every bar
				}
				status, bytes, d, err := get(ctx, r.Path, r.Ends)
				if err == nil && status != 200 && !slices.Contains(r.Not, status) {
					err = fmt.Errorf("status %d", status)
				}
				if err == nil && d > patience {
					err = fmt.Errorf("it took %s", d)
				}
				if err != nil {
					wrong = append(wrong, fmt.Errorf("GET %s (%s): %w", r.Path, route.ID, err))
					break
				}
				if length = bytes; n > 0 { // the first one warms the caches
					took = append(took, d)
				}
			}
			if len(took) < min(times, least-1) {
				continue
			}
			after, err := worked()
			if err != nil {
				return nil, err
			}
			slices.Sort(took)
			figures = append(figures, Figure{route.ID, r, took[min(len(took)-1, len(took)*95/100)], (after - before) / time.Duration(len(took)+1), length})
		}
	}
	return figures, errors.Join(wrong...)
}

// Missing says which routes have no requests, and which requests are of no route; "" is that all is well.
func Missing(requests map[string][]Request) string {
	var wrong []string
	known := map[string]bool{}
	for _, route := range web.Reads() {
		known[route.ID] = true
		if len(requests[route.ID]) == 0 {
			wrong = append(wrong, fmt.Sprintf("the route GET %s (%s) has no worst request in requests.go", route.Pattern, route.ID))
		}
		for n := range requests[route.ID] {
			if r := &requests[route.ID][n]; !r.Fits(route.Pattern) {
				wrong = append(wrong, fmt.Sprintf("%s is no request of GET %s (%s)", r.Path, route.Pattern, route.ID))
			}
		}
	}
	for id := range requests {
		if !known[id] {
			wrong = append(wrong, "there is no route "+id)
		}
	}
	slices.Sort(wrong)
	return strings.Join(wrong, "; ")
}
