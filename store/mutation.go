//go:build planted

package store

import (
	"regexp"
	"strings"

	"github.com/almanac-sched/almanac/engine/fault"
)

// A mutation is a bug of the store that is another text of its statements.
type mutation struct {
	in       string // what a statement has in it to be meant; "" is all of them
	old, new string
}

var mutations = map[fault.Bug]mutation{
	fault.StoreFence:     {"RETURNING job, key, plan_time", " AND fence = ?", " AND ? >= 0"},
	fault.StoreTakeOver:  {"RETURNING fence", " AND fence = ?", " AND ? >= 0"},
	fault.StoreLease:     {"INSERT INTO lease", "lease.expires_at <= ?", "? IS NOT NULL"},
	fault.StoreState:     {"", "state IN ('failed', 'cancelled')", "state = 'failed'"},
	fault.StoreTies:      {"i.wake <= ?", "ORDER BY i.wake, i.id", "GROUP BY i.wake ORDER BY i.wake"},
	fault.StoreCursor:    {eventList, "WHERE id > ? ORDER BY id LIMIT", "WHERE id > ?1 + (?1 > 0) ORDER BY id LIMIT"},
	fault.StoreRetention: {"FROM instance i CROSS JOIN wait w", "WHERE i.ended_at IS NULL", "WHERE 0 AND i.ended_at IS NULL"},
	fault.StoreWake:      {wakeSet, watchers, strings.Replace(watchers, "WHERE ", "WHERE 0 AND ", 1)},
	fault.StoreAttempt:   {"UPDATE attempt", " AND outcome IS NULL AND fence = ?", " AND ? >= 0"},
	fault.StoreRollback:  {"ROLLBACK", "ROLLBACK", "COMMIT"},
	fault.StoreOnce:      {"INSERT INTO once", "ON CONFLICT DO NOTHING", "ON CONFLICT DO UPDATE SET request = excluded.request, answer = NULL"},
}

// lists is how a statement begins that changes nothing.
var lists = regexp.MustCompile(`^SELECT`)

// mutated is the text of a statement with the bug that is planted.
func mutated(text string) string {
	if fault.Planted(fault.StoreUnreal) && lists.MatchString(text) {
		return strings.ReplaceAll(strings.ReplaceAll(text, real, ""), isReal, "")
	}
	for bug, m := range mutations {
		if fault.Planted(bug) && strings.Contains(text, m.in) {
			return strings.Replace(text, m.old, m.new, 1)
		}
	}
	return text
}
