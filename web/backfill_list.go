package web

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"

	"github.com/almanac-sched/almanac/engine"
)

// planListRoute is the route of a plan with its whole list.
func planListRoute() route {
	return route{
		Method: http.MethodPost, Pattern: prefix + "/backfills/plan/instances", Permission: Viewer,
		ID: "listBackfillPlan", Tag: "backfills", BodyLimit: maxBody,
		Summary: "What a backfill would do with each instance",
		Text: "Answers with lines, each of which is JSON: the plan without its instances first, and then every " +
			"instance by plan time and job. There are as many lines of instances as the in and the out of the " +
			"plan say; an answer with fewer was cut off. Nothing is changed.",
		Request: exampleBackfillRequest, Answers: ok(nil), Usual: planListResponse(),
		register: operation((*server).listBackfillPlan),
	}
}

type listBackfillPlanInput struct {
	Body BackfillRequest
}

// listed is how many bytes of a list are sent at once.
const listed = 64 << 10

// listBackfillPlan sends a plan with all of its instances. The list is made while it is sent, and
// the rows are not looked at meanwhile: whoever reads slowly holds up nobody.
func (s *server) listBackfillPlan(ctx context.Context, in *listBackfillPlanInput) (*huma.StreamResponse, error) {
	if err := s.dateBackfill(ctx, &in.Body); err != nil {
		return nil, err
	}
	list, err := s.cfg.Control.ListBackfillPlan(ctx, in.Body.engine(), s.cfg.Now())
	if err != nil {
		return nil, err
	}
	return &huma.StreamResponse{Body: func(hc huma.Context) {
		r, w := humachi.Unwrap(hc)
		hc.SetHeader("Content-Type", "application/x-ndjson")
		hc.SetStatus(http.StatusOK)
		to := &deadlined{w: w, control: http.NewResponseController(w), stall: s.cfg.Limits.Stall}
		out := bufio.NewWriterSize(to, listed)
		lines := json.NewEncoder(out)
		err := lines.Encode(NewBackfillPlan(list.Plan, in.Body))
		if err == nil {
			err = list.Each(func(n *engine.BackfillPlanInstance) error {
				if err := r.Context().Err(); err != nil {
					return fmt.Errorf("send the list: %w", err)
				}
				return lines.Encode(newBackfillPlanInstance(n))
			})
		}
		if err == nil {
			err = out.Flush()
		}
		if err != nil {
			s.log.Debug("the list of a plan was not read to its end", "request", exchangeOf(ctx).id, "error", err)
		}
	}}, nil
}

// A deadlined gives each write its own time, in the place of that of a whole answer.
type deadlined struct {
	w       http.ResponseWriter
	control *http.ResponseController
	stall   time.Duration
}

func (d *deadlined) Write(p []byte) (int, error) {
	_ = d.control.SetWriteDeadline(time.Now().Add(d.stall)) // what has no deadline is in this process
	n, err := d.w.Write(p)
	if err != nil {
		err = fmt.Errorf("send the list: %w", err)
	}
	return n, err
}

// planListResponse describes the answer, which the OpenAPI library cannot see.
func planListResponse() *huma.Response {
	return &huma.Response{
		Description: "A BackfillPlan, and then a BackfillPlanInstance a line",
		Content: map[string]*huma.MediaType{"application/x-ndjson": {
			Schema: &huma.Schema{Type: huma.TypeString},
			Example: `{"format":"almanac-backfill/2","in":1,"out":0}
{"job":"retail/orders","planTime":"2026-11-19T05:00:00+01:00","in":true,"why":"missing"}
`,
		}},
	}
}
