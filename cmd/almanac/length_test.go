package main

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/engine/spec"
)

func TestLengthsOfTimeAreReadAsPeopleWriteThem(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"5m": 5 * time.Minute, "PT5M": 5 * time.Minute, "1h30m": 90 * time.Minute, "2d": 48 * time.Hour, "1d12h": 36 * time.Hour, "P1D": 24 * time.Hour, "250ms": 250 * time.Millisecond,
	} {
		got, err := spec.ParseLength(text)
		require.NoError(t, err, text)
		require.Equal(t, want, got, text)
	}
	for _, text := range []string{"", "soon", "5", "d", "5 minutes", "PT", "99999d1h"} {
		_, err := spec.ParseLength(text)
		require.EqualError(t, err, "\""+text+"\" is no length of time; write 5m, 1h30m, 2d or PT5M")
	}
}

func TestDaysHaveNames(t *testing.T) {
	shanghai, err := time.LoadLocation("Asia/Shanghai")
	require.NoError(t, err)
	evening := time.Date(2026, 10, 31, 20, 0, 0, 0, time.UTC) // the first of November there
	for text, want := range map[string]string{"today": "2026-11-01", "yesterday": "2026-10-31", "tomorrow": "2026-11-02", "2026-10-01": "2026-10-01"} {
		day, err := dateOf("--date", text, evening, shanghai)
		require.NoError(t, err)
		require.Equal(t, want, day.String())
	}
	_, err = dateOf("--date", "later", evening, shanghai)
	require.ErrorContains(t, err, "yesterday, today and tomorrow are understood too")
}
