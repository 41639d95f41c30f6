package main

import (
	"cmp"
	"math"
	"slices"
)

// Lengths of time in milliseconds.
const (
	secondMS int64 = 1000
	minuteMS       = 60 * secondMS
	hourMS         = 60 * minuteMS
	dayMS          = 24 * hourMS

	forever int64 = math.MaxInt64 / 4
)

// A span is a stretch of time [from, to), in milliseconds.
type span struct{ from, to int64 }

// join sorts spans and merges those that touch.
func join(list []span) []span {
	slices.SortFunc(list, func(a, b span) int { return cmp.Compare(a.from, b.from) })
	var out []span
	for _, s := range list {
		switch n := len(out); {
		case s.from >= s.to:
		case n > 0 && s.from <= out[n-1].to:
			out[n-1].to = max(out[n-1].to, s.to)
		default:
			out = append(out, s)
		}
	}
	return out
}

// longestFree is the longest stretch of [from, to) that none of the joined spans touches.
func longestFree(blocked []span, from, to int64) int64 {
	longest, at := int64(0), from
	for _, s := range blocked {
		if s.to <= at {
			continue
		}
		if s.from >= to {
			break
		}
		longest = max(longest, s.from-at)
		at = s.to
	}
	return max(longest, to-at)
}

// crowded returns the spans in which at least n of the uses hold at once, and the most that ever did.
func crowded(uses []span, n int) (full []span, most int) {
	type edge struct {
		at    int64
		delta int
	}
	edges := make([]edge, 0, 2*len(uses))
	for _, u := range uses {
		if u.from < u.to {
			edges = append(edges, edge{u.from, 1}, edge{u.to, -1})
		}
	}
	// What ends at a moment has ended before what begins at it.
	slices.SortFunc(edges, func(a, b edge) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.delta, b.delta)) })
	held, since := 0, int64(0)
	for _, e := range edges {
		before := held
		held += e.delta
		most = max(most, held)
		switch {
		case before < n && held >= n:
			since = e.at
		case before >= n && held < n:
			full = append(full, span{since, e.at})
		}
	}
	return join(full), most
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

func floorMod(a, b int64) int64 { return a - floorDiv(a, b)*b }
