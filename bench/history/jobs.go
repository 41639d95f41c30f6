package history

import (
	"fmt"
	"strings"
)

// perDay is how many instances a day has, however long the history is.
const perDay = 10_000

// The jobs of a day: 6 each minute, 50 each hour and 160 each day are 10,000 instances.
const (
	minutely = 6
	hourly   = 50
	daily    = 160
)

// Workflow is the definition of the jobs. The hourly ones wait for a minutely one, the daily ones for hourly ones.
func Workflow() string {
	var b strings.Builder
	b.WriteString("workflow: w\ndefaults: {startTime: \"2020-01-01T00:00:00Z\", action: {type: none}}\njobs:\n")
	for n := range minutely {
		fmt.Fprintf(&b, "  m%d: {cron: \"* * * * *\"}\n", n)
	}
	for n := range hourly {
		fmt.Fprintf(&b, "  h%02d: {cron: \"%d * * * *\", dependsOn: [m%d]}\n", n, n, n%minutely)
	}
	for n := range daily {
		fmt.Fprintf(&b, "  d%03d: {cron: \"%d %d * * *\", dependsOn: [h%02d]}\n", n, n%60, n%24, n%hourly)
	}
	return b.String()
}

// slots are the jobs' places in a day: SQL that lists name, and minute of the day.
func slots() string {
	const series = `WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 1439) `
	return fmt.Sprintf(series+`SELECT 'm' || j.i AS name, n.i AS minute FROM n, n j WHERE j.i < %d
		UNION ALL SELECT printf('h%%02d', j.i), n.i * 60 + j.i FROM n, n j WHERE j.i < %d AND n.i < 24
		UNION ALL SELECT printf('d%%03d', i), (i %% 24) * 60 + i %% 60 FROM n WHERE i < %d`, minutely, hourly, daily)
}
