package azure_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/engine/azure"
)

// What a PUT of an ordinary job costs before anything is stored.
func BenchmarkTranslate(b *testing.B) {
	body := []byte(`{"properties": {"startTime": "2026-07-13T00:00:00Z", "action": {"type": "Http", "request": {"uri": "http://contoso.com/a", "method": "POST",
		"headers": {"Content-Type": "application/json"}, "body": "{\"a\": 1}", "authentication": {"type": "Basic", "username": "u", "password": "p"}},
		"retryPolicy": {"retryType": "fixed", "retryInterval": "00:01:00", "retryCount": 2}, "errorAction": {"type": "Http", "request": {"uri": "http://contoso.com/b", "method": "POST"}}},
		"recurrence": {"frequency": "week", "count": 10000, "interval": 1, "schedule": {"minutes": [0], "hours": [5, 17], "weekDays": ["monday", "friday"]}}, "state": "enabled"}}`)
	for b.Loop() {
		d, mistakes := azure.ReadJob(body)
		require.Empty(b, mistakes)
		_, mistakes = d.Translate(azure.Target{Workflow: "jc1", Job: "j1", Limits: &azure.Limits{Now: created, MaxFrequency: 1, MaxInterval: 1}})
		require.Empty(b, mistakes)
	}
}
