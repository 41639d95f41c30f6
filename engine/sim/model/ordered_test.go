package model

import (
	"cmp"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestAnOrderedSetIsASortedList puts keys in and takes them out again, by thousands, and holds every answer against a sorted list.
func TestAnOrderedSetIsASortedList(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		set, list := newOrdered(cmp.Compare[int]), []int(nil)
		for range rapid.IntRange(1, 8).Draw(t, "strokes") {
			first, step := rapid.IntRange(0, 3000).Draw(t, "first"), rapid.IntRange(1, 7).Draw(t, "step")
			in, down := rapid.Bool().Draw(t, "in"), rapid.Bool().Draw(t, "downwards")
			for k := range rapid.IntRange(1, 1500).Draw(t, "keys") {
				key := first + k*step
				if down {
					key = first - k*step
				}
				switch at, there := slices.BinarySearch(list, key); {
				case in && !there:
					set.insert(key)
					list = slices.Insert(list, at, key)
				case !in && there:
					set.remove(key)
					list = slices.Delete(list, at, at+1)
				}
			}
			copied := set.clone()
			require.True(t, slices.Equal(list, slices.Collect(copied.all())), "all of it")
			if len(list) > 0 {
				copied.remove(list[0])
			}
			key := rapid.IntRange(-1000, 9000).Draw(t, "key")
			at, _ := slices.BinarySearch(list, key)
			require.True(t, slices.Equal(list[at:], slices.Collect(set.from(key))), "from a key on")
			last, ok := set.before(key)
			require.Equal(t, at > 0, ok)
			if ok {
				require.Equal(t, list[at-1], last)
			}
		}
	})
}

func TestAKeyThatIsInNoIndexIsABug(t *testing.T) {
	set := newOrdered(cmp.Compare[int])
	set.insert(1)
	require.Panics(t, func() { set.remove(2) })
	require.Panics(t, func() { set.remove(0) })
}
