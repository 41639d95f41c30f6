package engine

import (
	"fmt"
	"strconv"
	"strings"
)

// IdempotencyKey names the work that an attempt is at, for a receiver that refuses what it has done already. It has one form for every type of action:
//
//	4711            the instance's only action
//	4711/load       its step load
//	4711/load%5B2%5D  the third item of its step load
//	4711!error-4720 an error action, which tells of one failure; each further failure of the instance has another number
//
// It stays the same through retries, restarts and reruns until the work has succeeded. A rerun of what had succeeded is other work: "~1" and so on
// follows.
func (a *Attempt) IdempotencyKey() string {
	key := strconv.FormatInt(a.Instance, 10)
	if a.Step != "" {
		key += "/" + pathOf(a.Step)
	}
	if a.Again > 0 {
		key += "~" + strconv.Itoa(a.Again)
	}
	if a.Error {
		key += "!error"
		if a.Errand != 0 {
			key += "-" + strconv.FormatInt(a.Errand, 10)
		}
	}
	return key
}

// pathOf writes a name as a path of a URL has it, with no character that a key has of its own.
func pathOf(name string) string {
	var b strings.Builder
	for _, c := range []byte(name) {
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', strings.IndexByte("-_.", c) >= 0:
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

// successes counts how often each step has succeeded so far. A step that is tried now has not succeeded in this run: all of them are of earlier ones.
func successes(attempts []AttemptRow) map[string]int {
	times := map[string]int{}
	for _, a := range attempts {
		if !a.Error && a.Result != nil && a.Result.Outcome == OutcomeSucceeded {
			times[a.Step]++
		}
	}
	return times
}
