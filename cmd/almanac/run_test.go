package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// runDay runs today's plan of a workflow with the real program and returns its document.
func runDay(t *testing.T, workflow string, args ...string) (dayResult, int) {
	t.Helper()
	dir := t.TempDir()
	folder := filepath.Join(dir, "pipelines")
	require.NoError(t, os.Mkdir(folder, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "work.yaml"), []byte(workflow), 0o644))
	var out, errs bytes.Buffer
	c := exec.Command(builtProgram(t), append([]string{"run", folder, "--data", filepath.Join(dir, "data"), "-o", "json"}, args...)...)
	c.Stdout, c.Stderr = &out, &errs
	_ = c.Run() // its exit status is the result
	var result dayResult
	require.NoError(t, json.Unmarshal(out.Bytes(), &result), "%s%s", out.String(), errs.String())
	return result, c.ProcessState.ExitCode()
}

func TestRunWaitsForTheClockOnlyWhenAsked(t *testing.T) {
	builtProgram(t) // before the clock starts
	for _, wait := range []bool{false, true} {
		due := time.Now().UTC().Truncate(time.Second).Add(time.Hour) // it does not take so long to begin
		if wait {
			due = due.Add(2*time.Second - time.Hour)
		}
		workflow := fmt.Sprintf("workflow: work\njobs:\n  one: {at: [%q], action: {type: shell, command: \"true\"}}\n", due.Format(time.RFC3339))
		args := []string{"--date", due.Format(time.DateOnly)}
		if wait {
			args = append(args, "--wait")
		}
		result, code := runDay(t, workflow, args...)
		require.Zero(t, code)
		require.True(t, result.OK)
		require.Len(t, result.Instances, 1)
		startedAt, err := time.Parse(time.RFC3339, result.Instances[0].StartedAt)
		require.NoError(t, err)
		require.Equal(t, wait, !startedAt.Before(due), "due %s, started %s, wait %t", due, startedAt, wait)
	}
}

// A day that is carried out leaves the traces that a server would.
func TestRunIsTraced(t *testing.T) {
	spans := make(chan []byte, 100)
	collector := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if r.URL.Path == "/v1/traces" {
			spans <- body
		}
		w.Header().Set("Content-Type", "application/x-protobuf")
	}))
	defer collector.Close()
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.URL)
	_, code := runDay(t, "workflow: work\njobs:\n  first: {cron: '0 0 * * *', action: {type: none}}\n"+
		"  then: {cron: '0 0 * * *', dependsOn: [first], action: {type: shell, command: 'true'}}\n", "--date", "2026-03-01")
	require.Zero(t, code)
	close(spans)
	var told []byte
	for body := range spans {
		told = append(told, body...)
	}
	require.Contains(t, string(told), "work/first")
	require.Contains(t, string(told), "work/then")
}

// TestRunWithoutTheRealProgram holds the command line in process: what it prints and the status that it ends with.
func TestRunWithoutTheRealProgram(t *testing.T) {
	var out, errs bytes.Buffer
	code := run(context.Background(), []string{"validate", filepath.Join(t.TempDir(), "nowhere")}, nil, &out, &errs, nil)
	require.Equal(t, exitInvalid, code)
	require.Empty(t, out.String())
	require.Contains(t, errs.String(), "does not exist")
}

// TestRunOfManyStepsKeepsUp is a day of a thousand instances that need no process: each is recorded once, in order of what waits for what.
func TestRunOfManyStepsKeepsUp(t *testing.T) {
	workflow := "workflow: many\njobs:\n"
	for i := range 1000 {
		workflow += fmt.Sprintf("  j%d:\n    cron: \"0 0 * * *\"\n    action: {type: none}\n", i)
		if i > 0 {
			workflow += fmt.Sprintf("    dependsOn: [j%d]\n", i-1)
		}
	}
	result, code := runDay(t, workflow, "--date", time.Now().UTC().Format(time.DateOnly))
	require.Zero(t, code)
	require.Len(t, result.Instances, 1000)
	ended := map[string]string{}
	for _, i := range result.Instances {
		require.Equal(t, "succeeded", i.State)
		ended[i.Job] = i.EndedAt
	}
	for i := 1; i < 1000; i++ {
		before, err := time.Parse(time.RFC3339, ended[fmt.Sprintf("j%d", i-1)])
		require.NoError(t, err)
		after, err := time.Parse(time.RFC3339, ended[fmt.Sprintf("j%d", i)])
		require.NoError(t, err)
		require.False(t, after.Before(before), "j%d ended before what it waits for", i)
	}
}
