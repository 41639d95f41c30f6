package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// What is skipped is told by name with its reason, once; what fails is printed whole, what passes
// is not.
func TestWhatWasNotRunIsTold(t *testing.T) {
	const lines = `{"Action":"run","Package":"p/a","Test":"TestQueue"}
{"Action":"output","Package":"p/a","Test":"TestQueue","Output":"=== RUN   TestQueue\n"}
{"Action":"output","Package":"p/a","Test":"TestQueue","Output":"    q_test.go:12: RabbitMQ is not here: sudo apt-get install rabbitmq-server\n"}
{"Action":"output","Package":"p/a","Test":"TestQueue","Output":"--- SKIP: TestQueue (0.00s)\n"}
{"Action":"skip","Package":"p/a","Test":"TestQueue","Elapsed":0}
{"Action":"output","Package":"p/a","Test":"TestGood","Output":"noise\n"}
{"Action":"pass","Package":"p/a","Test":"TestGood","Elapsed":0}
{"Action":"output","Package":"p/a","Output":"PASS\n"}
{"Action":"output","Package":"p/a","Output":"ok  \tp/a\t0.1s\n"}
{"Action":"pass","Package":"p/a","Elapsed":0.1}
{"Action":"output","Package":"p/b","Test":"TestOther","Output":"    q_test.go:3: RabbitMQ is not here: sudo apt-get install rabbitmq-server\n"}
{"Action":"skip","Package":"p/b","Test":"TestOther","Elapsed":0}
{"Action":"output","Package":"p/b","Test":"TestBad","Output":"    b_test.go:9: 1 is not 2\n"}
{"Action":"fail","Package":"p/b","Test":"TestBad","Elapsed":0}
{"Action":"output","Package":"p/b","Output":"FAIL\tp/b\t0.2s\n"}
{"Action":"fail","Package":"p/b","Elapsed":0.2}
{"Action":"output","Package":"p/c","Output":"?   \tp/c\t[no test files]\n"}
{"Action":"skip","Package":"p/c","Elapsed":0}
{"Action":"output","Package":"p/c","Test":"FuzzX/caf8","Output":"    state.go:1: [rapid] draw up: 1\n"}
{"Action":"skip","Package":"p/c","Test":"FuzzX/caf8","Elapsed":0}
{"ImportPath":"p/d","Action":"build-output","Output":"d.go:1: undefined: x\n"}
not json
`
	s := newSummary()
	var out strings.Builder
	require.NoError(t, s.read(strings.NewReader(lines), &out))
	s.tell(&out)
	require.Equal(t, `ok  	p/a	0.1s
    b_test.go:9: 1 is not 2
FAIL	p/b	0.2s
?   	p/c	[no test files]
d.go:1: undefined: x
not json

Not run:
  RabbitMQ is not here: sudo apt-get install rabbitmq-server
    TestQueue in p/a
    TestOther in p/b
`, out.String())
}

// The tests that took longest are named, and nothing of less than five seconds.
func TestTheSlowestAreTold(t *testing.T) {
	const lines = `{"Action":"pass","Package":"p/a","Test":"TestQuick","Elapsed":4.9}
{"Action":"pass","Package":"p/a","Test":"TestSlow","Elapsed":7}
{"Action":"pass","Package":"p/a","Test":"TestSlow/part","Elapsed":7}
{"Action":"fail","Package":"p/b","Test":"TestSlower","Elapsed":61.4}
{"Action":"pass","Package":"p/a","Elapsed":90}
`
	s := newSummary()
	var out strings.Builder
	require.NoError(t, s.read(strings.NewReader(lines), &out))
	s.tellSlow(&out)
	require.Equal(t, "\nThe slowest:\n      61 s  TestSlower in p/b\n       7 s  TestSlow in p/a\n", out.String())
}

func TestNothingSkippedIsSaidToo(t *testing.T) {
	var out strings.Builder
	newSummary().tell(&out)
	require.Equal(t, "\nNo test was skipped.\n", out.String())
}

// What a test has said that was under way when the time of its package was over is told: it says why.
func TestATestThatDoesNotEndIsTold(t *testing.T) {
	const lines = `{"Action":"output","Package":"p/a","Test":"TestLong","Output":"panic: test timed out after 25m0s\n"}
{"Action":"output","Package":"p/other","Test":"TestRuns","Output":"noise\n"}
{"Action":"output","Package":"p/a","Output":"FAIL\tp/a\t1500s\n"}
{"Action":"fail","Package":"p/a","Elapsed":1500}
`
	var out strings.Builder
	require.NoError(t, newSummary().read(strings.NewReader(lines), &out))
	require.Equal(t, "FAIL\tp/a\t1500s\npanic: test timed out after 25m0s\n", out.String())
}
