package action_test

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/engine/action"
	"github.com/almanac-sched/almanac/engine/action/actiontest"
)

const hidden = "hunter22/and more=="

// Whatever an action is, what it was given of secrets is in neither its log nor its outputs nor its message: also when it comes in pieces.
func TestSecretsAreMaskedInEveryKindOfAction(t *testing.T) {
	actiontest.Program(t, actiontest.Base64)
	b := setup(t, func(c *action.Config) { c.AllowLoopback, c.LogLimit = true, 4096 })
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		for _, piece := range []string{"it is ", hidden[:7], hidden[7:], " or ", base64.StdEncoding.EncodeToString([]byte(hidden)), " or ", url.QueryEscape(hidden), "\n"} {
			fmt.Fprint(w, piece)
			w.(http.Flusher).Flush()
		}
	}))
	defer server.Close()

	shell := b.shell(`printf 'it is hunter'; sleep 0.2; printf '22/and more== or '; printf %s "$S" | base64; echo "o=$S" >> $ALMANAC_OUTPUT; printf 'hunter2'`)
	shell.Action.Shell.Env = map[string]engine.Text{"S": hidden}
	failing := b.shell(`echo "$S" >&2; exit 3`)
	failing.Action.Shell.Env = map[string]engine.Text{"S": hidden}
	long := b.shell(`i=0; while [ $i -lt 400 ]; do printf 'x%s' "$S"; i=$((i+1)); done`)
	long.Action.Shell.Env = map[string]engine.Text{"S": hidden}
	look := b.attempt(engine.Action{Type: engine.ActionWait, Probe: &engine.Probe{HTTP: &engine.HTTP{Method: "GET", URI: engine.Text(server.URL), Expect: []int{418}}}})
	for name, a := range map[string]engine.Attempt{
		"shell": shell, "shell, failing": failing, "shell, cut": long, "wait": look,
		"http": b.attempt(engine.Action{Type: engine.ActionHTTP, HTTP: &engine.HTTP{Method: "POST", URI: engine.Text(server.URL), Body: hidden}}),
		"sql":  b.statement("sqlite:m.db", "SELECT ? AS s, 'hunter22/and' || ' more==' AS t", hidden),
	} {
		a.Secrets = append(a.Secrets, hidden)
		r := b.run(a)
		log := b.log(a.ID)
		require.Contains(t, log, "***", name)
		for _, form := range []string{hidden, "22/and more", base64.StdEncoding.EncodeToString([]byte(hidden)), url.QueryEscape(hidden)} {
			require.NotContains(t, log, form, name)
			require.NotContains(t, r.Message, form, name)
			require.NotContains(t, fmt.Sprint(r.Outputs), form, name)
		}
		switch name {
		case "shell":
			require.True(t, strings.HasSuffix(log, "\nhunter2"), "what only begins like a secret is shown: %q", log)
			require.Equal(t, map[string]string{"o": "***"}, r.Outputs)
		case "shell, cut":
			require.True(t, r.Truncated || len(log) <= 4096)
		case "sql":
			require.Equal(t, "***", r.Outputs["value"])
			require.Equal(t, "***", r.Outputs["t"])
		}
	}
}

// A child of the child that keeps the log open does not keep the attempt.
func TestAMaskedLogDoesNotWaitForEver(t *testing.T) {
	b := setup(t)
	a := b.shell(`echo begun; (trap '' TERM HUP; sleep 60) & echo "done $S"`)
	a.Action.Shell.Env = map[string]engine.Text{"S": hidden}
	a.Secrets = []string{hidden}
	r := b.run(a)
	require.Equal(t, engine.OutcomeSucceeded, r.Outcome, r.Message)
	require.Equal(t, "begun\ndone ***\n", b.log(a.ID))
}

func TestOutputsOfAnAnswer(t *testing.T) {
	b := setup(t, func(c *action.Config) { c.AllowLoopback = true })
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, `{"data": [{"id": 12345678901234567890, "a/b": "x", "~": true}], "none": null, "key": "hunter22"}`)
	}))
	defer server.Close()
	get := func(outputs map[string]string) engine.Result {
		a := b.attempt(engine.Action{Type: engine.ActionHTTP, HTTP: &engine.HTTP{Method: "GET", URI: engine.Text(server.URL), Outputs: outputs}})
		a.Secrets = []string{"hunter22"}
		return b.run(a)
	}
	r := get(map[string]string{"id": "/data/0/id", "x": "/data/0/a~1b", "t": "/data/0/~0", "first": "/data/0", "n": "/none", "key": "/key"})
	require.Equal(t, engine.OutcomeSucceeded, r.Outcome, r.Message)
	require.Equal(t, map[string]string{
		"id": "12345678901234567890", "x": "x", "t": "true", "first": `{"a/b":"x","id":12345678901234567890,"~":true}`, "n": "null", "key": "***",
	}, r.Outputs)
	r = get(map[string]string{"id": "/data/1/id"})
	require.Equal(t, engine.OutcomeFailed, r.Outcome)
	require.Equal(t, "HTTP 200 OK, but its outputs cannot be read: id: there is nothing at /data/1/id", r.Message)
}
