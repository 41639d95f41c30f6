package web_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/web"
)

func TestADefinitionIsSentOnlyWhenItIsAnother(t *testing.T) {
	f := newFixture(t)
	const target = "/api/v1/jobs/retail/orders/definition"
	w := f.as("viewer", http.MethodGet, target, "")
	tag := w.Header().Get("ETag")
	d := decode[web.Definition](f, w, 200)
	require.Equal(t, `"`+d.Version.String()+`"`, tag)
	require.JSONEq(t, `{"job":"orders"}`, string(d.Definition))
	for _, known := range []string{tag, "W/" + tag, `"0", ` + tag, "*"} {
		w := f.as("viewer", http.MethodGet, target, "", header("If-None-Match", known))
		require.Equal(t, 304, w.Code, known)
		require.Equal(t, tag, w.Header().Get("ETag"))
		require.Zero(t, w.Body.Len())
	}
	for _, other := range []string{`"0"`, `W/"0"`, d.Version.String()} {
		require.Equal(t, 200, f.as("viewer", http.MethodGet, target, "", header("If-None-Match", other)).Code, other)
	}
	refused(f, f.as("viewer", http.MethodGet, "/api/v1/jobs/retail/nothing/definition", ""), 404, "not-found")
}

func TestPagesOfAnInstance(t *testing.T) {
	f := newFixture(t)
	i := f.at("orders", 12)
	target := fmt.Sprintf("/api/v1/instances/%d/attempts", i.ID)
	f.run(i, "", "")
	require.NoError(t, f.db.Write(t.Context(), func(tx engine.Tx) error {
		for n := range 6 {
			id, err := tx.Reserve(1)
			if err != nil {
				return err
			}
			if _, err := tx.StartAttempt(engine.AttemptRow{ID: id, Instance: i.ID, Job: i.Job, Number: n + 2, Fence: i.Fence + 1, StartedAt: start}); err != nil {
				return err
			}
		}
		return nil
	}))
	all := get[web.AttemptList](f, target)
	require.Len(t, all.Items, 7)
	require.Empty(t, all.Next)
	var paged []web.Attempt
	for cursor := ""; ; {
		page := get[web.AttemptList](f, target+"?limit=3&cursor="+cursor)
		paged = append(paged, page.Items...)
		if cursor = page.Next; cursor == "" {
			break
		}
	}
	require.Equal(t, all.Items, paged)
	refused(f, f.as("viewer", http.MethodGet, target+"?cursor=x", ""), 422, "invalid")
	refused(f, f.as("viewer", http.MethodGet, target+"?limit=501", ""), 422, "invalid")
	waits := get[web.WaitList](f, fmt.Sprintf("/api/v1/instances/%d/waits", i.ID))
	require.NotEmpty(t, waits.Items)
	require.Empty(t, get[web.WaitList](f, fmt.Sprintf("/api/v1/instances/%d/waits?cursor=%d", i.ID, waits.Items[len(waits.Items)-1].N)).Items)
}
