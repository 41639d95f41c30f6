package main

import (
	"os"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/engine/spec"
)

// The README's diagram is the transition table: each arrow, and none else.
func TestTheDiagramIsTheTransitionTable(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	require.NoError(t, err)
	drawn := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^  (\w+) --> (\w+): (\w+)$`).FindAllStringSubmatch(string(readme), -1) {
		drawn[m[1]+" "+m[3]+" "+m[2]] = true
	}
	legal := map[string]bool{}
	for _, from := range engine.States {
		for _, event := range engine.Events {
			if to, err := from.On(event); err == nil {
				legal[string(from)+" "+string(event)+" "+string(to)] = true
			}
		}
	}
	require.Equal(t, legal, drawn)
}

// The JSON Schema in docs is what `almanac schema` prints.
func TestTheSchemaInDocsIsTheServedOne(t *testing.T) {
	schema, err := spec.Schema()
	require.NoError(t, err)
	const path = "../../docs/almanac.schema.json"
	if *update {
		require.NoError(t, os.WriteFile(path, schema, 0o644))
	}
	stored, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, string(schema), string(stored), "go test ./cmd/almanac -update writes it anew")
}
