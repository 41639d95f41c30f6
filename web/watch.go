package web

import (
	"context"
	"errors"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"

	"github.com/almanac-sched/almanac/engine"
)

// watchRoutes are the routes of whoever watches the server from outside, beside the probes.
func watchRoutes() []route {
	return []route{
		{Method: http.MethodGet, Pattern: "/metrics", Permission: Viewer, ID: "metrics", Tag: "server",
			Summary: "Figures for Prometheus", Text: "In the text format of Prometheus or, when asked for, of OpenMetrics. docs/metrics.md explains each.",
			Answers: ok(nil), Usual: metricsResponse(), Refuses: []int{http.StatusNotFound}, register: operation((*server).metrics)},
	}
}

// NewWatch builds the handler of an address of its own for whoever watches the server: the probes and the metrics, and nothing else. With public nobody
// needs a token for the metrics.
func NewWatch(cfg Config, public bool) (http.Handler, error) {
	var routes []route
	for _, rt := range table() {
		switch rt.ID {
		case "metrics":
			if public {
				rt.Permission = Public
			}
			routes = append(routes, rt)
		case "live", "ready":
			routes = append(routes, rt)
		}
	}
	return build(cfg, routes)
}

func (s *server) metrics(context.Context, *struct{}) (*huma.StreamResponse, error) {
	if s.cfg.Metrics == nil {
		return nil, refusal(codeNotFound, "this process has no figures")
	}
	return &huma.StreamResponse{Body: func(hc huma.Context) {
		r, w := humachi.Unwrap(hc)
		s.cfg.Metrics.ServeHTTP(w, r)
	}}, nil
}

// metricsResponse describes the answer, which the OpenAPI library cannot see.
func metricsResponse() *huma.Response {
	return &huma.Response{
		Description: "The figures",
		Content:     map[string]*huma.MediaType{"text/plain": {Schema: &huma.Schema{Type: huma.TypeString}, Example: "almanac_slots 8\n"}},
	}
}

// A Condition is one thing without which a server does not do its work.
type Condition struct {
	Aspect string `json:"aspect" doc:"Of the work: start, store, loop, lease, supervisor, disk, planner, clock, ready or definitions" example:"disk"`
	OK     bool   `json:"ok" doc:"Whether it is as it should be"`
	Detail string `json:"detail,omitempty" doc:"What is wrong" example:"nothing is started: 3 MiB of 51200 MiB are free"`
}

// conditions lists every aspect, in order, with what the error says of it. One that says nothing of aspects leaves them out.
func conditions(err error) []Condition {
	var troubled *engine.TroubledError
	if err != nil && !errors.As(err, &troubled) {
		return nil
	}
	list := make([]Condition, 0, len(engine.Aspects))
	for _, aspect := range engine.Aspects {
		c := Condition{Aspect: string(aspect), OK: true}
		if troubled != nil {
			for _, t := range troubled.Troubles {
				if t.Aspect == aspect {
					c.OK, c.Detail = false, t.Detail
				}
			}
		}
		list = append(list, c)
	}
	return list
}
