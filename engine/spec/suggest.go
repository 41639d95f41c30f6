package spec

import (
	"slices"
	"strings"

	"github.com/almanac-sched/almanac/engine"
)

// didYouMean returns a hint that names the known word nearest to the one written, or "" when none is near.
func didYouMean(word string, known []string) string {
	if best := engine.Nearest(word, known); best != "" {
		return `did you mean "` + best + `"?`
	}
	return ""
}

// orList joins words as "a, b or c".
func orList(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " or " + words[len(words)-1]
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
