package spec

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// longestName is how many characters a name may have.
const longestName = 128

// limited reports whether the pattern is one of names, whose length is checked beside it: a bound on a repetition of Unicode classes makes a
// program of a hundred copies of them, which costs every process of ours its start.
func limited(p *regexp.Regexp) bool {
	switch p {
	case namePattern, madeNamePattern, referencePattern, stepNamePattern, outputPattern, valueNamePattern:
		return true
	}
	return false
}

// matches reports whether the text is as the pattern says, and no name in it is too long.
func matches(p *regexp.Regexp, text string) bool {
	if !p.MatchString(text) {
		return false
	}
	if limited(p) {
		for part := range strings.SplitSeq(text, "/") {
			if utf8.RuneCountInString(part) > longestName {
				return false
			}
		}
	}
	return true
}

// patternText is the pattern for the JSON Schema, with the bound on names in it.
func patternText(p *regexp.Regexp) string {
	if limited(p) {
		return strings.ReplaceAll(p.String(), "]*", "]{0,127}")
	}
	return p.String()
}
