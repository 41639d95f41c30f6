package web_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/web"
)

func TestARequestWithAKeyIsCarriedOutOnce(t *testing.T) {
	f := newFixture(t)
	target := fmt.Sprintf("/api/v1/instances/%d/cancel", f.at("orders", 21).ID)
	key := header("Idempotency-Key", "deploy-4711")
	events := func() int {
		return len(get[web.EventPage](f, fmt.Sprintf("/api/v1/instances/%d/events", f.at("orders", 21).ID)).Items)
	}
	first := f.as("operator", http.MethodPost, target, `{"note":"empty"}`, key)
	require.Equal(t, 200, first.Code)
	n := events()
	f.now = f.now.Add(23 * time.Hour)
	again := f.as("operator", http.MethodPost, target, `{"note":"empty"}`, key)
	require.Equal(t, 200, again.Code)
	require.Equal(t, first.Body.String(), again.Body.String(), "the answer of that time")
	require.Equal(t, first.Header().Get("Content-Type"), again.Header().Get("Content-Type"))
	require.Equal(t, "true", again.Header().Get("Idempotency-Replayed"))
	require.Empty(t, first.Header().Get("Idempotency-Replayed"))
	require.Equal(t, n, events())

	// Another request under the key is a mistake, whatever differs.
	for _, other := range []struct{ target, body string }{
		{target, `{"note":"full"}`}, {target, ""}, {fmt.Sprintf("/api/v1/instances/%d/cancel", f.at("orders", 20).ID), `{"note":"empty"}`},
	} {
		refused(f, f.as("operator", http.MethodPost, other.target, other.body, key), 422, "key-reused")
	}
	require.Equal(t, engine.Waiting, f.at("orders", 20).State)

	// A key belongs to its principal and its operation.
	require.Empty(t, f.as("admin", http.MethodPost, target, `{"note":"full"}`, key).Header().Get("Idempotency-Replayed"))
	w := f.as("operator", http.MethodPost, fmt.Sprintf("/api/v1/instances/%d/confirm", f.at("orders", 22).ID), "", key)
	require.Equal(t, 200, w.Code)
	require.Empty(t, w.Header().Get("Idempotency-Replayed"))

	// After a day it is forgotten.
	f.now = f.now.Add(2 * time.Hour)
	w = f.as("operator", http.MethodPost, target, `{"note":"empty"}`, key)
	require.Empty(t, w.Header().Get("Idempotency-Replayed"))

	for _, bad := range []string{" x", "a b", "ä", strings.Repeat("k", 129), "-x", "a/b"} {
		refused(f, f.as("operator", http.MethodPost, target, "", header("Idempotency-Key", bad)), 422, "invalid")
	}
	refused(f, f.as("viewer", http.MethodPost, target, `{"note":"empty"}`, key), 403, "forbidden")
}

func TestARefusalIsNotKept(t *testing.T) {
	f := newFixture(t)
	i := f.at("stores", 5)
	f.run(i, "", engine.OutcomeSucceeded)
	key := header("Idempotency-Key", "k")
	confirm := fmt.Sprintf("/api/v1/instances/%d/confirm", i.ID)
	refused(f, f.as("operator", http.MethodPost, confirm, "", key), 409, "conflict")
	refused(f, f.as("operator", http.MethodPost, confirm, `{"note":1}`, key), 422, "invalid")
	w := f.as("operator", http.MethodPost, fmt.Sprintf("/api/v1/instances/%d/confirm", f.at("orders", 22).ID), "", key)
	require.Equal(t, 200, w.Code, "nothing was done under the key until now: %s", w.Body)
	f2 := newFixture(t, func(c *web.Config) { c.Control = broken{c.Control} })
	refused(f2, f2.as("operator", http.MethodPost, "/api/v1/instances/1/cancel", "", key), 500, "internal")
	refused(f2, f2.as("operator", http.MethodPost, "/api/v1/instances/1/cancel", "", key), 500, "internal")
}

// The server ends after the change, before the answer was recorded.
func TestAChangeWithoutAnAnswerIsNotMadeAgain(t *testing.T) {
	f := newFixture(t, func(c *web.Config) { c.Control = forgetful{c.Control} })
	target := fmt.Sprintf("/api/v1/instances/%d/cancel", f.at("orders", 21).ID)
	key := header("Idempotency-Key", "k")
	require.Equal(t, 200, f.as("operator", http.MethodPost, target, "", key).Code)
	n, err := f.db.LastEvent(t.Context())
	require.NoError(t, err)
	refused(f, f.as("operator", http.MethodPost, target, "", key), 409, "repeated")
	after, err := f.db.LastEvent(t.Context())
	require.NoError(t, err)
	require.Equal(t, n, after)
	require.Contains(t, f.output.String(), "an answer was not recorded")
}

type forgetful struct{ web.Control }

func (forgetful) AnswerOnce(context.Context, *engine.Once, []byte) error {
	return errors.New("the end")
}

func TestAKeyThatComesManyTimesAtOnce(t *testing.T) {
	f := newFixture(t)
	target := fmt.Sprintf("/api/v1/instances/%d/cancel", f.at("orders", 21).ID)
	bodies := make([]string, 16)
	var wg sync.WaitGroup
	for n := range bodies {
		wg.Go(func() {
			bodies[n] = f.as("operator", http.MethodPost, target, `{"note":"x"}`, header("Idempotency-Key", "k")).Body.String()
		})
	}
	wg.Wait()
	for _, b := range bodies {
		require.Equal(t, bodies[0], b)
	}
}

// Two servers on one store: each looks, finds nothing, and begins.
func TestTheKeyIsTakenWithTheChange(t *testing.T) {
	f := newFixture(t)
	id := f.at("orders", 21).ID
	row := engine.OnceRow{OnceKey: engine.OnceKey{Principal: "a", Operation: "cancelInstance", Key: "k"}, Request: []byte("x"), At: start}
	one, first := engine.WithOnce(t.Context(), row)
	two, second := engine.WithOnce(t.Context(), row)
	_, err := f.engine.Cancel(one, id, "a", "", start)
	require.NoError(t, err)
	require.True(t, first.Taken())
	_, err = f.engine.Cancel(two, f.at("orders", 20).ID, "a", "", start)
	require.ErrorIs(t, err, engine.ErrRepeated)
	require.False(t, second.Taken())
	require.Equal(t, engine.Waiting, f.at("orders", 20).State)
	found, err := f.engine.FindOnce(t.Context(), row.OnceKey, start)
	require.NoError(t, err)
	require.Nil(t, found.Answer)
}
