package spec_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/engine/spec"
)

// What the program makes itself may say two things that no file may: where else a secret is kept, and a name that no file can have.
func TestMadeDefinitions(t *testing.T) {
	const text = `{"workflow": "orders~1f2e3d4c", "secrets": {"token": {"resource": "kind/key#token"}},
		"jobs": {"j": {"trigger": "manual", "action": {"type": "http", "request": {"method": "GET", "uri": "http://h/${{ secrets.token }}"}}}}}`
	w, problems := spec.Decode("job", []byte(text), spec.Options{Made: true})
	require.False(t, problems.HasErrors(), "%v", problems)
	job := w.Jobs[0]
	require.Equal(t, "orders~1f2e3d4c", job.Workflow)
	require.Equal(t, map[string]engine.SecretSource{"token": {Resource: "kind/key#token"}}, job.Secrets)
	again, err := spec.DecodeJob(job.Definition, "")
	require.NoError(t, err)
	require.Equal(t, job.Definition, again.Definition)
	require.Equal(t, job.Secrets, again.Secrets)

	const atOnce = `{"workflow": "w", "jobs": {"j": {"atOnce": true,
		"recurrence": {"frequency": "day", "schedule": {"hours": [2]}}, "action": {"type": "none"}}}}`
	w, problems = spec.Decode("job", []byte(atOnce), spec.Options{Made: true})
	require.False(t, problems.HasErrors(), "%v", problems)
	require.True(t, w.Jobs[0].When.AtOnce)
	again, err = spec.DecodeJob(w.Jobs[0].Definition, "")
	require.NoError(t, err)
	require.True(t, again.When.AtOnce)
	_, problems = spec.Decode("job", []byte(atOnce), spec.Options{})
	require.Contains(t, problems[0].Message, "unknown key \"atOnce\"")

	_, problems = spec.Decode("job", []byte(text), spec.Options{})
	require.Len(t, problems, 2, "%v", problems)
	require.Contains(t, problems[0].Message, "orders~1f2e3d4c")
	require.Contains(t, problems[1].Message, "resource")
	for _, name := range []string{"orders~", "orders~1F2E3D4C", "orders~1f2e3d4", "~1f2e3d4c", "orders~1f2e3d4c~1f2e3d4c"} {
		_, problems = spec.Decode("job", []byte(`{"workflow": "`+name+`", "jobs": {"j": {"trigger": "manual", "action": {"type": "none"}}}}`), spec.Options{Made: true})
		require.True(t, problems.HasErrors(), name)
	}
}
