package powerloss_test

import (
	"bytes"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/store/powerloss"
)

// played is the disk after the operations, on a root that holds one synced file "f" of 2 KiB of 'a'.
func played(ops ...powerloss.Op) *powerloss.Disk {
	r := &powerloss.Recording{Before: powerloss.Image{Files: map[string][]byte{"f": bytes.Repeat([]byte("a"), 2048)}}, Ops: ops}
	d := powerloss.NewDisk(r)
	for _, op := range ops {
		d.Play(op)
	}
	return d
}

func writing(offset, n int, of string) powerloss.Op {
	return powerloss.Op{Kind: powerloss.Write, File: 1, Offset: int64(offset), Data: bytes.Repeat([]byte(of), n)}
}

func TestWhatWasSyncedStays(t *testing.T) {
	d := played(writing(0, 1024, "b"), powerloss.Op{Kind: powerloss.Sync, File: 1, Since: 1}, writing(0, 512, "c"))
	require.Equal(t, 1, d.Pending())
	for _, mode := range powerloss.Modes {
		for seed := range uint64(50) {
			content := d.Lose(powerloss.Loss{Mode: mode, Seed: seed}).Files["f"]
			require.Len(t, content, 2048)
			require.Equal(t, bytes.Repeat([]byte("b"), 512), content[512:1024], mode)
			require.Equal(t, bytes.Repeat([]byte("a"), 1024), content[1024:], mode)
		}
	}
}

func TestASyncCoversNothingThatCameAfterItBegan(t *testing.T) {
	d := played(writing(0, 1, "b"), writing(1, 1, "c"), powerloss.Op{Kind: powerloss.Sync, File: 1, Since: 1})
	require.Equal(t, "ba", string(d.Lose(powerloss.Loss{Mode: powerloss.Drop}).Files["f"][:2]))
}

// Every mode shows in the sectors what its name says, in some seed.
func TestModes(t *testing.T) {
	d := played(writing(0, 1024, "b"), writing(1024, 1024, "c"))
	seen := map[powerloss.Mode]map[string]bool{}
	for _, mode := range powerloss.Modes {
		seen[mode] = map[string]bool{}
		for seed := range uint64(300) {
			content := d.Lose(powerloss.Loss{Mode: mode, Seed: seed}).Files["f"]
			sectors := ""
			for s := range 4 {
				sector := content[s*512 : s*512+512]
				if bytes.Count(sector, sector[:1]) == 512 {
					sectors += string(sector[:1])
				} else {
					sectors += "?"
				}
			}
			seen[mode][sectors] = true
		}
	}
	one := func(s string) map[string]bool { return map[string]bool{s: true} }
	require.Equal(t, one("bbcc"), seen[powerloss.Keep])
	require.Equal(t, one("aaaa"), seen[powerloss.Drop])
	require.Equal(t, map[string]bool{"aaaa": true, "aacc": true, "bbaa": true, "bbcc": true}, seen[powerloss.Reorder])
	require.Len(t, seen[powerloss.Tear], 16, "any sectors")
	require.True(t, seen[powerloss.Tail]["bbac"] && seen[powerloss.Tail]["abaa"])
	require.False(t, seen[powerloss.Tail]["aacc"], "nothing later than what is lost")
	require.True(t, seen[powerloss.Garble]["b?cc"])
}

func TestTheSameSeedLosesTheSame(t *testing.T) {
	d := played(writing(0, 2048, "b"), writing(1000, 900, "c"), powerloss.Op{Kind: powerloss.Truncate, File: 1, Size: 700}, writing(900, 3000, "d"))
	for _, mode := range powerloss.Modes {
		l := powerloss.Loss{Mode: mode, Seed: 7, Sector: 64}
		require.Equal(t, d.Lose(l), d.Lose(l), l)
	}
}

func TestWhatIsBehindACutIsNotSeenAgain(t *testing.T) {
	d := played(powerloss.Op{Kind: powerloss.Truncate, File: 1, Size: 10}, writing(20, 1, "b"), powerloss.Op{Kind: powerloss.Sync, File: 1, Since: 2})
	want := append(bytes.Repeat([]byte("a"), 10), append(make([]byte, 10), 'b')...)
	require.Equal(t, want, d.Lose(powerloss.Loss{}).Files["f"])
}

func TestARecordingIsReadAsItWasSaved(t *testing.T) {
	r := &powerloss.Recording{
		Before: powerloss.Image{Dirs: []string{"d"}, Files: map[string][]byte{"d/f": []byte("content")}},
		Ops:    []powerloss.Op{writing(5, 3, "x"), {Kind: powerloss.Note, Text: "note"}},
	}
	path := filepath.Join(t.TempDir(), "recording")
	require.NoError(t, r.Save(path))
	got, err := powerloss.Load(path)
	require.NoError(t, err)
	require.Equal(t, r, got)
}
