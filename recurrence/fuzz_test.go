package recurrence_test

import (
	"crypto/sha256"
	"errors"
	"testing"
	"time"

	"github.com/robfig/cron/v3"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

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

// FuzzNext looks for a rule, a zone and a window for which the times differ from
// those of the oracle. The bytes are what the properties draw from.
func FuzzNext(f *testing.F) {
	draws(f)
	f.Fuzz(rapid.MakeFuzz(func(t *rapid.T) { agree(t, drawWhen(t, rapid.Bool().Draw(t, "calendar"))) }))
}

// draws are bytes for a property to draw from: as if rapid had drawn them at random, the same each time.
func draws(f *testing.F) {
	for seed := range byte(16) {
		var b []byte
		for n := range byte(128) {
			sum := sha256.Sum256([]byte{seed, n})
			b = append(b, sum[:]...)
		}
		f.Add(b)
	}
}

// FuzzWhen looks for a rule of any numbers at all that makes us panic or search
// for ever, that is valid and cannot be compiled, or whose times do not increase
// or are not those of the window around them.
func FuzzWhen(f *testing.F) {
	day := int64(24 * time.Hour / time.Millisecond)
	now := time.Date(2026, 1, 31, 23, 59, 0, 0, time.UTC).UnixMilli()
	f.Add(int8(1), 1000, 0, []byte{}, []byte{}, []byte{}, []byte{}, []byte{}, now, int64(0), int64(0), uint16(0))
	f.Add(int8(2), 5, 3, []byte{0, 30}, []byte{2, 3, 23}, []byte{}, []byte{}, []byte{}, now, now-day, now+9*day, uint16(1))
	f.Add(int8(4), 2, 0, []byte{}, []byte{}, []byte{1, 3, 5}, []byte{}, []byte{}, now, now, int64(0), uint16(0x1203))
	f.Add(int8(5), 1, 0, []byte{59}, []byte{0}, []byte{}, []byte{31, 225, 255}, []byte{5, 251, 0, 1}, now, int64(0), int64(0), uint16(0x0122))
	f.Add(int8(5), 5, 0, []byte{}, []byte{}, []byte{}, []byte{30}, []byte{}, time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC).UnixMilli(), int64(0), int64(0), uint16(4))
	f.Add(int8(6), 1, 9, []byte{}, []byte{}, []byte{}, []byte{}, []byte{}, time.Date(2024, 2, 29, 1, 30, 0, 0, time.UTC).UnixMilli(), int64(0), int64(0), uint16(0x3305))
	f.Add(int8(3), -1, -1, []byte{60, 200}, []byte{24}, []byte{7}, []byte{0, 32}, []byte{9, 6}, int64(-1)<<62, int64(1)<<62, int64(-1)<<63, uint16(0xffff))
	f.Fuzz(func(t *testing.T, frequency int8, interval, count int, minutes, hours, weekDays, monthDays, occurrences []byte, created, start, end int64, choices uint16) {
		if len(minutes)+len(hours)+len(weekDays)+len(monthDays)+len(occurrences) > 500 {
			return
		}
		signed := func(list []byte) (numbers []int) {
			for _, n := range list {
				numbers = append(numbers, int(int8(n)))
			}
			return numbers
		}
		rule := recurrence.Rule{Frequency: recurrence.Frequency(frequency), Interval: interval, Count: count}
		rule.Schedule.Minutes, rule.Schedule.Hours, rule.Schedule.MonthDays = signed(minutes), signed(hours), signed(monthDays)
		for _, d := range signed(weekDays) {
			rule.Schedule.WeekDays = append(rule.Schedule.WeekDays, time.Weekday(d))
		}
		for n := 0; n+1 < len(occurrences); n += 2 {
			rule.Schedule.MonthlyOccurrences = append(rule.Schedule.MonthlyOccurrences, recurrence.MonthlyOccurrence{
				Day: time.Weekday(int8(occurrences[n])), Occurrence: int(int8(occurrences[n+1])),
			})
		}
		choose := func(bits, of int) int { // one more than there are, so that unknown ones come too
			n := int(choices) % (of + 1)
			choices >>= bits
			return n
		}
		instant := func(ms int64) time.Time {
			if ms == 0 {
				return time.Time{}
			}
			return time.UnixMilli(ms).UTC()
		}
		w := recurrence.When{
			Rule: &rule, Start: instant(start), End: instant(end), Location: zoneNamed(t, oddZones[choose(5, len(oddZones)-2)]),
			Gap: recurrence.Gap(choose(2, 2)), Overlap: recurrence.Overlap(choose(2, 3)), OffCalendar: recurrence.OffCalendar(choose(3, 4)),
		}
		if choose(1, 1) == 1 {
			w.Calendar = &recurrence.Calendar{Name: "c", WorkDays: [7]bool{false, true, true, false, true, true, false}}
		}
		origin := recurrence.Created(instant(created))
		if choose(1, 1) == 1 {
			origin = recurrence.Anchored(instant(created))
		}
		// A search without an end would hang the fuzzer: a panic gives it the input.
		late := time.AfterFunc(time.Minute, func() { panic("it takes longer than a minute") })
		follow(t, w, origin, instant(created))
		late.Stop()
	})
}

func follow(t *testing.T, w recurrence.When, origin recurrence.Origin, created time.Time) {
	wrong := w.Validate()
	_ = w.String()
	timetable, err := w.Compile(origin)
	if len(wrong) > 0 {
		require.Error(t, err, "%v", wrong)
		return
	}
	if err != nil {
		return // it never fires, or is out of range, for this time of creation
	}
	at := created.Add(-time.Hour)
	var times []time.Time
	for range 10 {
		next, ok := timetable.Next(at)
		if !ok {
			break
		}
		require.True(t, next.After(at), "%s: %s is not after %s", w, next, at)
		times, at = append(times, next), next
	}
	if len(times) == 0 {
		return
	}
	require.Equal(t, stamps(times, w.Location), stamps(timetable.Between(times[0], at.Add(time.Millisecond)), w.Location), "%s", w)
}
