package action_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/engine/action"
)

// A supervisor that cannot be reached is trouble until one is.
func TestASupervisorThatIsGoneIsTrouble(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	require.NoError(t, err)
	program := filepath.Join(t.TempDir(), "supervisor")
	b := setup(t, func(c *action.Config) { c.Supervisor[0] = program })
	require.NoError(t, b.runner.Trouble(), "there is nothing to look after yet")
	require.Equal(t, engine.OutcomeFailed, b.run(b.shell("true")).Outcome)
	require.ErrorContains(t, b.runner.Trouble(), "the supervisor is not reached: ")
	require.ErrorContains(t, b.runner.Trouble(), program)
	require.NoError(t, os.Symlink(self, program))
	require.Equal(t, engine.OutcomeSucceeded, b.run(b.shell("true")).Outcome)
	require.NoError(t, b.runner.Trouble())
}

func TestActionsAreGivenTheirTrace(t *testing.T) {
	t.Parallel()
	const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
	b := setup(t, loopback)
	a := b.shell(`echo "$TRACEPARENT"`)
	a.Traceparent = traceparent
	require.Equal(t, engine.OutcomeSucceeded, b.run(a).Outcome)
	require.Equal(t, traceparent+"\n", b.log(a.ID))
	a = b.shell(`echo "${TRACEPARENT-none}"`)
	require.Equal(t, engine.OutcomeSucceeded, b.run(a).Outcome)
	require.Equal(t, "none\n", b.log(a.ID))

	s := newSink(t, status(200))
	a = b.http(engine.HTTP{URI: engine.Text(s.URL)})
	b.run(a)
	require.Empty(t, s.last.Load().Header.Values("traceparent"))
	a.Traceparent = traceparent
	b.run(a)
	require.Equal(t, []string{traceparent}, s.last.Load().Header.Values("traceparent"))
	a.Action.HTTP.Headers = map[string]engine.Text{"traceparent": "own"}
	b.run(a)
	require.Equal(t, []string{"own"}, s.last.Load().Header.Values("traceparent"))
}
