package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"regexp"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/web"
)

// TestWhatEndedLateIsNoRoot: the time of an instance comes, and its deadline passes, while no
// server runs. It ends well afterwards, so that its incident has nothing that would be its root.
func TestWhatEndedLateIsNoRoot(t *testing.T) {
	t.Parallel()
	clock := newClockFile(t)
	clock.set(0)
	due := time.Now().Truncate(time.Second).Add(30 * time.Minute)
	s := newTorturedServer(t, faultyProgram(t), fmt.Sprintf(
		"workflow: shop\njobs:\n  tally: {at: [%q], deadline: PT1S, misfire: runAll, action: {type: none}}\n",
		due.UTC().Format(time.RFC3339)), clock.env())
	s.start()
	require.Equal(t, engine.Waiting, s.one("tally").State)
	s.stop()
	clock.set(40 * time.Minute)
	s.start()
	poll(t, "the instance to end", func() bool { return s.one("tally").State == engine.Succeeded })
	var page web.IncidentPage
	poll(t, "its incident", func() bool {
		require.NoError(t, s.client().get(context.Background(), "incidents", map[string][]string{"state": {"all"}}, &page))
		return len(page.Items) > 0
	})
	require.Len(t, page.Items, 1)
	require.Equal(t, engine.AlertEndedLate, page.Items[0].Kind)

	said := func(args ...string) string {
		t.Helper()
		var out bytes.Buffer
		env := append(os.Environ(), "ALMANAC_DATA="+s.data)
		require.Zero(t, run(context.Background(), args, nil, &out, &out, env), out.String())
		return out.String()
	}
	require.Regexp(t, `over .* shop/tally `, said("alerts", "ls", "--all"))
	shown := said("alerts", "show", page.Items[0].ID.String())
	require.Regexp(t, regexp.MustCompile(`(?m)^  late    shop/tally@\S+: `), shown)
	require.NotContains(t, shown, "root")
	require.Regexp(t, regexp.MustCompile(`(?m)^shop/tally@\S+ +ended-late +succeeded$`), shown)
	require.Contains(t, said("alerts", "show", page.Items[0].ID.String(), "-o", "json"), `"kind": "ended-late"`)
	s.stop()
	require.Contains(t, said("alerts", "show", page.Items[0].ID.String()), "late    shop/tally@", "also without a server")
}
