package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/engine/spec"
	"github.com/almanac-sched/almanac/web"
)

// recordedIn are the definitions of one workflow file as they are recorded when a folder is loaded.
func recordedIn(t *testing.T, folder, text string) []web.StoredDefinition {
	t.Helper()
	w, problems := spec.Decode(filepath.Join(folder, "x.yaml"), []byte(text), spec.Options{Folder: folder})
	require.Empty(t, problems)
	var list []web.StoredDefinition
	for _, j := range w.Jobs {
		list = append(list, web.StoredDefinition{Workflow: w.Name, Job: j.Name, Folder: folder, Definition: j.Definition})
	}
	return list
}

func TestTheSourceIsTheFileAsLongAsItSaysWhatIsLoaded(t *testing.T) {
	own := t.TempDir()
	below := filepath.Join(own, "team")
	require.NoError(t, os.Mkdir(below, 0o755))
	write := func(folder, name, text string) {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644))
	}
	text := "# a remark\nworkflow: shop\njobs:\n  orders: {trigger: manual, action: {type: none}}\n"
	jobs := recordedIn(t, below, text)
	source := sourceWriter(own)

	s, err := source("shop", jobs)
	require.NoError(t, err)
	require.False(t, s.Own)
	require.Equal(t, "shop.yaml", s.Name)
	require.Contains(t, s.Notes[0], "comments of a file are not in it")
	require.Equal(t, jobs, recordedIn(t, below, s.Text), "what is written says the same")

	write(below, "other.yaml", "workflow: other\ndescription: not shop\njobs: {a: {trigger: manual, action: {type: none}}}\n")
	write(below, ".hidden.yaml", text)
	write(below, "the shop.yaml", text)
	s, err = source("shop", jobs)
	require.NoError(t, err)
	require.Equal(t, web.SourceText{Name: "the shop.yaml", Text: text, Own: true}, s)

	write(below, "the shop.yaml", text+"  more: {trigger: manual, action: {type: none}}\n")
	s, err = source("shop", jobs)
	require.NoError(t, err)
	require.False(t, s.Own)
	require.Contains(t, s.Notes[0], "says something else than what is loaded")

	write(below, "the shop.yaml", "workflow: shop\njobs: [\n")
	s, err = source("shop", jobs)
	require.NoError(t, err)
	require.Contains(t, s.Notes[0], "is not valid by itself now")

	// A folder beside the server's own is never looked at, whoever says that jobs stand there.
	elsewhere := own + "-beside"
	require.NoError(t, os.Mkdir(elsewhere, 0o755))
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(elsewhere)) })
	write(elsewhere, "shop.yaml", text)
	s, err = source("shop", recordedIn(t, elsewhere, text))
	require.NoError(t, err)
	require.False(t, s.Own)
	require.Empty(t, s.Notes)
}
