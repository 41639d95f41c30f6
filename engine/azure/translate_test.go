package azure_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/engine/azure"
)

// A target says where secrets come from and what the definition calls them; texts stay as they are.
func TestATargetNamesSecrets(t *testing.T) {
	d, mistakes := azure.ReadJob([]byte(`{"properties": {"action": {"type": "http", "request": {"uri": "http://a", "method": "GET", "headers": {"X-MS-Own": "mine ${{ now }}"}},
		"errorAction": {"type": "https", "request": {"uri": "https://b", "method": "GET", "authentication": {"type": "Basic", "username": "u", "password": "p"}}}}}}`))
	require.NoError(t, mistakes.Err())
	translation, mistakes := d.Translate(azure.Target{Workflow: "jc1", Job: "j1",
		SecretName: func(name string) string { return "my_" + name },
		Source:     func(name string) engine.SecretSource { return engine.SecretSource{File: "/run/secrets/" + name} }})
	require.NoError(t, mistakes.Err())
	job := translation.Job
	require.Equal(t, map[string]engine.Text{"X-MS-Own": "mine $${{ now }}"}, job.Steps[0].Action.HTTP.Headers)
	require.Equal(t, engine.Text("${{ secrets.my_errorPassword }}"), job.ErrorAction.HTTP.Basic.Password)
	require.Equal(t, map[string]engine.SecretSource{"my_errorPassword": {File: "/run/secrets/my_errorPassword"}}, job.Secrets)
	require.Equal(t, []azure.Secret{{Name: "my_errorPassword", Path: "properties.action.errorAction.request.authentication.password", Value: "p"}}, translation.Secrets)
}

func TestEnvName(t *testing.T) {
	for want, parts := range map[string][]string{
		"JC1_J1_SAS_TOKEN": {"jc1", "j1", "sasToken"}, "MY_JOBS_A_B": {"my-jobs", "a b"}, "_9_TO_5": {"9-to-5"}, "___X": {"日报", "x"}, "_": {""},
	} {
		require.Equal(t, want, azure.EnvName(parts...))
	}
}

// In a collection of the Free plan no retry comes within the hour, also where the job leaves the interval to the service (seed 003).
func TestTheFreePlanRetriesHourly(t *testing.T) {
	const request = `"type": "http", "request": {"method": "GET", "uri": "http://h/"}`
	for _, test := range []struct {
		name, action  string
		free          bool
		main, onError time.Duration
	}{
		{"no policy, Free", request, true, time.Hour, time.Hour},
		{"no policy, Standard", request, false, 30 * time.Second, 30 * time.Second},
		{"no interval, Free", request + `, "retryPolicy": {"retryType": "fixed", "retryCount": 2}`, true, time.Hour, time.Hour},
		{"a longer one, Free", request + `, "retryPolicy": {"retryType": "fixed", "retryInterval": "PT2H"}`, true, 2 * time.Hour, 2 * time.Hour},
		{"none, Free", request + `, "retryPolicy": {"retryType": "none"}`, true, 0, 0},
	} {
		d, mistakes := azure.ReadJob([]byte(`{"properties": {"action": {` + test.action + `, "errorAction": {` + request + `}}}}`))
		require.Empty(t, mistakes, test.name)
		translation, mistakes := d.Translate(azure.Target{Workflow: "w", Job: "j", Limits: &azure.Limits{Now: time.Now(), Free: test.free}})
		require.Empty(t, mistakes, test.name)
		job := translation.Job
		interval := func(r engine.RetryPolicy) time.Duration {
			if r.Type == engine.RetryNone {
				return 0
			}
			return r.Interval
		}
		require.Equal(t, test.main, interval(job.Steps[0].Action.Retry), test.name)
		require.NotNil(t, job.ErrorAction, test.name)
		require.Equal(t, test.onError, interval(job.ErrorAction.Retry), test.name)
	}
}
