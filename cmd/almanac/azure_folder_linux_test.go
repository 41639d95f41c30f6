package main

import (
	"bytes"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// words is what a server says while it runs.
type words struct {
	mu sync.Mutex
	bytes.Buffer
}

func (w *words) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.Buffer.Write(p)
}

func (w *words) say(text string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return strings.Contains(w.String(), text)
}

// A folder that comes to hold the name of a collection that a client has made, while the server runs and before it starts, is refused whole and in
// words; nothing of the collection is lost.
func TestAFolderThatTakesTheNameOfACollectionIsRefused(t *testing.T) {
	dir := t.TempDir()
	folder, data := filepath.Join(dir, "pipelines"), filepath.Join(dir, "data")
	require.NoError(t, os.Mkdir(folder, 0o755))
	file := func(name string) {
		text := "workflow: " + name + "\njobs:\n  other: {trigger: manual, action: {type: none}}\n"
		require.NoError(t, os.WriteFile(filepath.Join(folder, name+".yaml"), []byte(text), 0o644))
	}
	file("filed")
	said := new(words)
	serve := func() *exec.Cmd {
		c := exec.Command(builtProgram(t), "serve", folder, "--data", data, "--listen", "127.0.0.1:0", "--dev")
		c.Stdout, c.Stderr = said, said
		require.NoError(t, c.Start())
		t.Cleanup(func() {
			_ = c.Process.Kill()
			_ = c.Wait()
			if t.Failed() {
				t.Logf("server %d:\n%s", c.Process.Pid, said.String())
			}
		})
		return c
	}
	var at string
	up := func(c *exec.Cmd) {
		poll(t, "the server", func() bool {
			f, ok := readServerFile(data)
			at = f.Address + "/subscriptions/00000000-0000-0000-0000-000000000000/resourceGroups/almanac/providers/Microsoft.Scheduler/jobCollections"
			return ok && f.PID == c.Process.Pid && answers(f.Address+"/readyz")
		})
	}
	ask := func(method, path, body string) (int, string) {
		r, err := http.NewRequestWithContext(t.Context(), method, at+path+"?api-version=2016-03-01", strings.NewReader(body))
		require.NoError(t, err)
		r.Header.Set("Content-Type", "application/json")
		answer, err := http.DefaultClient.Do(r)
		require.NoError(t, err)
		defer answer.Body.Close()
		text, err := io.ReadAll(answer.Body)
		require.NoError(t, err)
		return answer.StatusCode, string(text)
	}
	c := serve()
	up(c)
	code, text := ask(http.MethodPut, "/made", "{}")
	require.Equal(t, http.StatusCreated, code, text)
	code, job := ask(http.MethodPut, "/made/jobs/j", `{"properties": {"startTime": "`+now().AddDate(0, 1, 0).Format("2006-01-02")+`", "action": {"type": "http", "request": {"method": "GET", "uri": "http://h/"}}}}`)
	require.Equal(t, http.StatusCreated, code, job)
	code, text = ask(http.MethodPut, "/Filed", "{}")
	require.Equal(t, http.StatusConflict, code)
	require.Contains(t, text, "it is changed in its file")

	const refused = "the workflow MADE has the name of the job collection /subscriptions/00000000-0000-0000-0000-000000000000/resourceGroups/almanac/providers/Microsoft.Scheduler/jobCollections/made"
	file("MADE")
	require.NoError(t, c.Process.Signal(syscall.SIGHUP))
	poll(t, "the refusal", func() bool { return said.say(refused) })
	require.True(t, said.say("nothing was changed"))
	same := func() {
		t.Helper()
		code, text := ask(http.MethodGet, "/made/jobs/j", "")
		require.Equal(t, http.StatusOK, code)
		require.Equal(t, job, text)
		_, text = ask(http.MethodGet, "/made/jobs", "")
		require.NotContains(t, text, "other")
	}
	same()
	require.NoError(t, c.Process.Signal(os.Interrupt))
	require.NoError(t, c.Wait())

	said.Reset()
	c = serve()
	require.Error(t, c.Wait(), "with such a folder no server starts")
	require.True(t, said.say(refused))
	require.NoError(t, os.Remove(filepath.Join(folder, "MADE.yaml")))
	c = serve()
	up(c)
	same()
	code, _ = ask(http.MethodDelete, "/made", "")
	require.Equal(t, http.StatusOK, code)
	file("MADE")
	require.NoError(t, c.Process.Signal(syscall.SIGHUP))
	poll(t, "the workflow of the file as a collection", func() bool { code, _ := ask(http.MethodGet, "/made/jobs/other", ""); return code == http.StatusOK })
}
