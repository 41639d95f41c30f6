package engine_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/engine"
)

func number(f float64) *float64 { return &f }

func TestParamsAreCheckedByTheirType(t *testing.T) {
	types := map[string]engine.Param{
		"string":   {Type: "string"},
		"code":     {Type: "string", Pattern: "[A-Z]+", Min: number(2), Max: number(3)},
		"integer":  {Type: "integer", Min: number(-1), Max: number(10)},
		"number":   {Type: "number", Min: number(0.5)},
		"boolean":  {Type: "boolean"},
		"date":     {Type: "date"},
		"datetime": {Type: "datetime"},
		"enum":     {Type: "enum", Enum: []string{"a", "b"}},
		"list":     {Type: "list", Enum: []string{"a", "3"}, Min: number(1), Max: number(2)},
		"secret":   {Type: "integer", Secret: true},
	}
	const table = `
		string    anything       ok
		code      ABC            ok
		code      A              has 1 characters; allowed are 2 to 3
		code      ABx            is "ABx", which does not match [A-Z]+
		integer   10             ok
		integer   -1             ok
		integer   11             is "11"; allowed is -1 to 10
		integer   1e1            is "1e1", which is no integer
		integer   99999999999999999999999   is "99999999999999999999999"; allowed is -1 to 10
		number    0.5            ok
		number    0.4999         is "0.4999"; allowed is at least 0.5
		number    NaN            is "NaN", which is no number
		number    0x1p4          is "0x1p4", which is no number
		boolean   true           ok
		boolean   yes            is "yes", which is no boolean: write true or false
		date      2026-02-28     ok
		date      2026-02-29     is "2026-02-29", which is no date such as 2026-10-01
		datetime  2026-02-28T01:00:00+08:00   ok
		datetime  2026-02-28     is "2026-02-28", which is no time such as 2026-10-01T02:00:00+08:00
		enum      b              ok
		enum      c              is "c"; allowed are ["a" "b"]
		list      ["a",3]        ok
		list      []             has 0 items; allowed are 1 to 2
		list      ["a","x"]      has the item 1, which is not allowed; allowed are ["a" "3"]
		list      {"a":1}        is "{\"a\":1}", which is no JSON list such as ["a", "b"]
		list      null           is "null", which is no JSON list such as ["a", "b"]
		secret    hunter22       is ***, which is no integer
	`
	for line := range strings.Lines(table) {
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		p, known := types[words[0]]
		require.True(t, known, line)
		_, want, _ := strings.Cut(strings.TrimSpace(line), words[1])
		want = strings.TrimSpace(want)
		err := p.Check(words[1])
		if want == "ok" {
			require.NoError(t, err, line)
		} else {
			require.EqualError(t, err, want, line)
		}
	}
}

func TestPoint(t *testing.T) {
	document := map[string]any{"a": []any{"x", map[string]any{"b/c": true}}, "": "empty"}
	for pointer, want := range map[string]string{"/a/0": "x", "/a/1/b~1c": "true", "/": "empty", "/a/1": `{"b/c":true}`} {
		got, err := engine.Point(document, pointer)
		require.NoError(t, err)
		require.Equal(t, want, got, pointer)
	}
	for _, pointer := range []string{"/b", "/a/2", "/a/-1", "/a/00", "/a/0/x", "/a/+1"} {
		_, err := engine.Point(document, pointer)
		require.Error(t, err, pointer)
	}
}
