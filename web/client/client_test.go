package client_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/web/client"
)

func TestTheClientIsGeneratedFromTheDescription(t *testing.T) {
	templates, err := filepath.Glob("../../.ci/client/*.tmpl")
	require.NoError(t, err)
	slices.Sort(templates)
	h := sha256.New()
	for _, path := range slices.Concat([]string{"../openapi.json", "../../.ci/client/config.yaml"}, templates, []string{"../../.ci/client/go.mod", "client.gen.go"}) {
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		h.Write(data)
	}
	recorded, err := os.ReadFile("generated.sha256")
	require.NoError(t, err)
	require.Equal(t, strings.TrimSpace(string(recorded)), hex.EncodeToString(h.Sum(nil)), "make client generates it anew")
}

// A scripted server answers with the function, and keeps what was asked.
type scripted struct {
	*httptest.Server
	asked []*http.Request
}

func serve(t *testing.T, answer http.HandlerFunc) (*client.Client, *scripted) {
	t.Helper()
	s := &scripted{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.asked = append(s.asked, r)
		answer(w, r)
	}))
	t.Cleanup(s.Close)
	return client.New(s.URL+"/", "alm_x"), s
}

func TestARequestIsWhatTheDescriptionSays(t *testing.T) {
	c, s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/api/v1/instances" {
			fmt.Fprint(w, `{"items":[],"next":"n"}`)
			return
		}
		fmt.Fprint(w, `{}`)
	})
	page, err := c.ListInstances(t.Context(), client.ListInstancesParams{
		Workflow: "a b&c", State: []client.ListInstancesParamsState{"failed", "waiting"}, From: "2026-03-01T06:00:00.005+01:00", Limit: 7,
	})
	require.NoError(t, err)
	require.Equal(t, "n", page.Next)
	r := s.asked[0]
	require.Equal(t, "GET /api/v1/instances?from=2026-03-01T06%3A00%3A00.005%2B01%3A00&limit=7&state=failed&state=waiting&workflow=a+b%26c", r.Method+" "+r.URL.String())
	require.Equal(t, "Bearer alm_x", r.Header.Get("Authorization"))

	_, err = c.GetJob(t.Context(), "a/b", "c?d", client.GetJobParams{})
	require.NoError(t, err)
	require.Equal(t, "/api/v1/jobs/a%2Fb/c%3Fd", s.asked[1].URL.EscapedPath(), "a name is one segment")
	_, err = c.TriggerJob(t.Context(), "w", "j", client.TriggerJobParams{IdempotencyKey: "k"}, client.TriggerRequest{Note: "why"})
	require.NoError(t, err)
	require.Equal(t, "k", s.asked[2].Header.Get("Idempotency-Key"))
	require.Equal(t, "application/json", s.asked[2].Header.Get("Content-Type"))
	_, err = c.GetDefinition(t.Context(), "w", "j", client.GetDefinitionParams{IfNoneMatch: []string{`"1"`, `"2"`}})
	require.NoError(t, err)
	require.Equal(t, `"1", "2"`, s.asked[3].Header.Get("If-None-Match"))
}

func TestARefusalIsAnErrorWithItsProblem(t *testing.T) {
	c, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/api/v1/status" {
			w.WriteHeader(502)
			fmt.Fprint(w, "<html>")
			return
		}
		w.WriteHeader(422)
		fmt.Fprint(w, `{"type":"t","title":"Unprocessable Entity","status":422,"code":"invalid","detail":"validation failed","errors":[{"location":"query.limit","message":"too many"},{"message":"no"}]}`)
	})
	_, err := c.ListJobs(t.Context(), client.ListJobsParams{})
	require.EqualError(t, err, "validation failed\n  query.limit: too many\n  no")
	var refused *client.Error
	require.ErrorAs(t, err, &refused)
	require.Equal(t, "invalid", refused.Problem.Code)
	_, err = c.Status(t.Context())
	require.Equal(t, 502, client.StatusOf(err))
	require.EqualError(t, err, "the server answered 502 Bad Gateway")
	require.Zero(t, client.StatusOf(errors.New("x")))
}

// The connection is cut after every third event, and sometimes in the middle of one.
func TestAStreamThatIsCutGoesOnWithoutLossAndWithoutRepetition(t *testing.T) {
	const last = 20
	cuts := 0
	c, s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		cuts++
		if cuts%4 == 3 {
			w.WriteHeader(503) // away for a moment
			return
		}
		at := 0
		if id := r.Header.Get("Last-Event-ID"); id != "" {
			fmt.Sscan(id, &at)
		}
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprintf(w, "retry: 1000\nid: %d\n\n", at)
		for n := at + 1; n <= min(at+3, last); n++ {
			fmt.Fprintf(w, "id: %d\nevent: change\ndata: {\"id\":\"%d\"}\n\n", n, n)
		}
		fmt.Fprintf(w, "id: %d\nevent: change\nda", at+4)
		w.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	})
	var seen []string
	err := c.FollowChanges(t.Context(), client.StreamChangesParams{Workflow: "w"}, -1, func(change client.Change) error {
		seen = append(seen, change.ID)
		if len(seen) == last {
			return client.ErrStop
		}
		return nil
	})
	require.NoError(t, err)
	for n, id := range seen {
		require.Equal(t, fmt.Sprint(n+1), id)
	}
	require.Equal(t, "-1", s.asked[0].URL.Query().Get("after"))
	require.Empty(t, s.asked[0].Header.Get("Last-Event-ID"))
	require.Equal(t, "3", s.asked[1].Header.Get("Last-Event-ID"))
}

func TestAStreamEndsWhenItMust(t *testing.T) {
	var n atomic.Int64
	c, s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Query().Get("workflow") == "refused", n.Add(1) > 2:
			w.WriteHeader(401)
		default:
			fmt.Fprint(w, "id: 1\n\n")
		}
	})
	err := c.FollowChanges(t.Context(), client.StreamChangesParams{Workflow: "refused"}, 0, nil)
	require.Equal(t, 401, client.StatusOf(err))
	err = c.FollowChanges(t.Context(), client.StreamChangesParams{}, 0, nil)
	require.Equal(t, 401, client.StatusOf(err), "a token that was revoked meanwhile")
	require.Len(t, s.asked, 4)

	s.Close()
	require.Error(t, c.FollowChanges(t.Context(), client.StreamChangesParams{}, 0, nil), "nobody there from the beginning")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, c.FollowChanges(ctx, client.StreamChangesParams{}, 0, nil), context.Canceled)
}

func TestAStreamGivesUpOnAServerThatStaysAway(t *testing.T) {
	var n atomic.Int64
	c, _ := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		if n.Add(1) > 1 {
			w.WriteHeader(503)
			return
		}
		fmt.Fprint(w, "id: 1\n\n")
	})
	c.Patience = 100 * time.Millisecond
	err := c.FollowChanges(t.Context(), client.StreamChangesParams{}, 0, func(client.Change) error { return nil })
	require.Equal(t, 503, client.StatusOf(err))
}

func TestALogIsWrittenAsItWas(t *testing.T) {
	c, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Last-Event-ID") == "" {
			fmt.Fprint(w, "id: 0\n\nid: 4\nevent: log\ndata: {\"offset\":\"0\",\"text\":\"a\\nb\\n\"}\n\n")
			return
		}
		fmt.Fprint(w, "id: 7\nevent: log\ndata: {\"offset\":\"4\",\"base64\":\"/wAK\"}\n\nevent: end\ndata: {\"size\":\"7\",\"outcome\":\"failed\"}\n\n")
	})
	var b strings.Builder
	end, err := c.FollowLog(t.Context(), 7, 0, &b)
	require.NoError(t, err)
	require.Equal(t, "a\nb\n\xff\x00\n", b.String())
	require.Equal(t, client.LogEnd{Size: "7", Outcome: "failed"}, end)
}
