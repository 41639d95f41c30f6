package recurrence_test

import (
	"errors"
	"testing"
	"time"

	"github.com/robfig/cron/v3"
	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/recurrence"
)

// FuzzCron looks for text that makes us panic, that we accept and the library
// does not, or whose times differ from the library's in UTC, where there are no
// gaps and folds to differ about.
func FuzzCron(f *testing.F) {
	for _, text := range []string{"*/15 * * * *", "0 0 29 2 *", "0 0 30 2 *", "0 6 13 * 5", "0 0 */2 * 1", "0 0 ? jan-mar sun", "@daily", "@every 1s",
		"TZ=UTC", "TZ=UTC 0 0 * * *", "CRON_TZ= * * * * *", "CRON_TZ=../../etc/passwd * * * * *", "5,,6 * * * *", "*/18446744073709551615 * * * *",
		"0 0 L * *", "0 0 * * 7", "*-5 * * * *", "1-59/58 23 31 12 6", "0-23/5 */5 * * *"} {
		f.Add(text)
	}
	from := time.Date(2026, 1, 31, 23, 59, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, text string) {
		w := recurrence.When{Cron: text}
		w.Warnings()
		if text == "" {
			return // no cron expression at all
		}
		timetable, err := w.Compile(recurrence.Anchored(from))
		var never *recurrence.NeverError
		if errors.As(err, &never) || err == nil && timetable.Location() != time.UTC {
			return
		}
		if err != nil {
			require.NotEmpty(t, w.Validate())
			return
		}
		library, err := cron.ParseStandard(text)
		if err != nil {
			// The library wants shortcuts in lower case and no blanks before a zone.
			return
		}
		at := from
		for range 20 {
			want := library.Next(at)
			got, ok := timetable.Next(at)
			require.True(t, ok)
			if want.IsZero() { // the library gives up after five years
				return
			}
			require.True(t, want.Equal(got), "%q after %s: want %s, got %s", text, at, want, got)
			at = got
		}
	})
}

func FuzzParseDate(f *testing.F) {
	for _, text := range []string{"2026-10-01", "2026-02-29", "2024-02-29", "0001-01-01", "9999-12-31", "2026-1-1", "２026-01-01", "-026-01-01", ""} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		d, err := recurrence.ParseDate(text)
		library, libraryErr := time.Parse(time.DateOnly, text)
		if err != nil {
			require.True(t, libraryErr != nil || library.Year() == 0, "%q is a date for the library: %s", text, err)
			return
		}
		require.NoError(t, libraryErr)
		require.Equal(t, recurrence.DateOf(library), d)
		require.Equal(t, text, d.String())
	})
}
