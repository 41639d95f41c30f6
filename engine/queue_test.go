package engine

import (
	"cmp"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

type queued struct{ rank, number int }

func (q *queued) Before(other *queued) bool { return q.compare(other) < 0 }

func (q *queued) compare(other *queued) int {
	return cmp.Or(cmp.Compare(q.rank, other.rank), cmp.Compare(q.number, other.number))
}

// A queue is held against a list that is sorted for each question.
func TestAQueueGivesWhatGoesBeforeEveryOther(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var q queue[*queued]
		var list []*queued
		for _, rank := range rapid.SliceOf(rapid.IntRange(0, 9)).Draw(t, "there at first") {
			x := &queued{rank, len(list)}
			q, list = append(q, x), append(list, x)
		}
		q.sort()
		for n := range rapid.IntRange(0, 60).Draw(t, "steps") {
			switch rapid.IntRange(0, 2).Draw(t, "what") {
			case 0:
				x := &queued{rapid.IntRange(0, 9).Draw(t, "rank"), 1000 + n}
				q.add(x)
				list = append(list, x)
			case 1:
				if q.Len() > 0 {
					slices.SortFunc(list, (*queued).compare)
					require.Same(t, list[0], q.take())
					list = list[1:]
				}
			case 2:
				if q.Len() > 0 {
					at := rapid.IntRange(0, q.Len()-1).Draw(t, "which")
					q[at].rank = rapid.IntRange(0, 9).Draw(t, "new rank")
					q.moved(at)
				}
			}
			require.Len(t, list, q.Len())
		}
		slices.SortFunc(list, (*queued).compare)
		for _, x := range list {
			require.Same(t, x, q.take())
		}
	})
}
