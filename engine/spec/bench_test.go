package spec_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/engine/spec"
)

// manyJobs is a file of n jobs as people have them: schedules of several kinds, chains of dependencies, environment and substitutions.
func manyJobs(workflow string, n int) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "workflow: %s\ntimeZone: Asia/Shanghai\ndefaults: {retryPolicy: {retryType: fixed, retryCount: 2}}\njobs:\n", workflow)
	for i := range n {
		fmt.Fprintf(&b, "  job-%04d:\n    description: number %d\n", i, i)
		switch i % 5 {
		case 0:
			fmt.Fprintf(&b, "    recurrence: {frequency: day, schedule: {hours: [2, 5, 15], minutes: [%d]}}\n", i%60)
		case 1:
			fmt.Fprintf(&b, "    cron: \"%d * * * *\"\n", i%60)
		case 2:
			fmt.Fprintf(&b, "    cron: \"%d %d * * *\"\n", i%60, i%24)
		case 3:
			b.WriteString("    recurrence: {frequency: minute, interval: 10}\n    startTime: 2026-01-01T00:00:00+08:00\n")
		case 4:
			fmt.Fprintf(&b, "    recurrence:\n      frequency: month\n      schedule:\n        monthDays: [1, -1]\n        hours: [%d]\n        minutes: [0]\n", i%24)
		}
		if i > 0 {
			fmt.Fprintf(&b, "    dependsOn: [job-%04d]\n", i-1)
		}
		if i > 20 {
			fmt.Fprintf(&b, "    env: {REGION: cn, DAY: \"${{ planDay }}\"}\n")
		}
		b.WriteString("    action: {type: shell, command: ./load.sh, args: [\"${{ planTime | yyyyMMdd }}\"]}\n")
	}
	return []byte(b.String())
}

func folder(jobs int) fstest.MapFS {
	files := fstest.MapFS{}
	for i := range jobs / 100 {
		name := fmt.Sprintf("w%03d", i)
		files[name+".yaml"] = &fstest.MapFile{Data: manyJobs(name, 100)}
	}
	return files
}

func BenchmarkLoad(b *testing.B) {
	for _, jobs := range []int{1000, 10000} {
		b.Run(fmt.Sprint(jobs), func(b *testing.B) {
			files := folder(jobs)
			b.ReportAllocs()
			for b.Loop() {
				_, problems := spec.Load(files, "/jobs")
				require.NoError(b, problems.Err())
			}
		})
	}
}

func BenchmarkDecodeJob(b *testing.B) {
	workflows, problems := spec.Load(folder(100), "/jobs")
	require.NoError(b, problems.Err())
	definition := workflows[0].Jobs[10].Definition
	b.ReportAllocs()
	for b.Loop() {
		if _, err := spec.DecodeJob(definition, "/jobs"); err != nil {
			b.Fatal(err)
		}
	}
}
