package engine

import (
	"slices"
	"strings"
)

// Nearest returns the known word nearest to the one written, for a hint; "" when none is near.
func Nearest(word string, known []string) string {
	best, distance := "", 1+max(1, len([]rune(word))/3)
	for _, k := range known {
		if strings.EqualFold(k, word) {
			return k
		}
		if d := editDistance([]rune(strings.ToLower(word)), []rune(strings.ToLower(k)), distance); d < distance {
			best, distance = k, d
		}
	}
	if best == "" && len(word) >= 3 { // an abbreviation
		if i := slices.IndexFunc(known, func(k string) bool { return strings.HasPrefix(strings.ToLower(k), strings.ToLower(word)) }); i >= 0 {
			best = known[i]
		}
	}
	return best
}

// editDistance counts insertions, deletions, replacements and swaps of neighbours; limit or more is returned as limit.
func editDistance(a, b []rune, limit int) int {
	if len(a)-len(b) >= limit || len(b)-len(a) >= limit {
		return limit
	}
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := range a {
		row[0] = i + 1
		for j := range b {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			row[j+1] = min(row[j]+1, last[j+1]+1, last[j]+cost)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, last, row = last, row, before
	}
	return min(last[len(b)], limit)
}
