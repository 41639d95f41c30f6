package web

import (
	"context"
	"strconv"
	"time"

	"github.com/almanac-sched/almanac/engine"
)

// A Graph is the instances around one.
type Graph struct {
	At    time.Time   `json:"at" doc:"As of when"`
	Nodes []GraphNode `json:"nodes" doc:"The instance itself first, then by distance"`
	Edges []GraphEdge `json:"edges"`
	More  bool        `json:"more,omitempty" doc:"There are instances that are not shown; the nodes say where"`
}

// A GraphNode is one instance.
type GraphNode struct {
	Node     string    `json:"node" doc:"Names the node in this graph" example:"n0"`
	Instance *Instance `json:"instance"`
	Planned  bool      `json:"planned" doc:"It is recorded; else it is what the loaded definitions would plan"`
	Hop      int       `json:"hop" doc:"Below 0: so many hops up, waited for; above 0: down"`
	Forecast Forecast  `json:"forecast"`
	MoreUp   int       `json:"moreUp,omitempty" doc:"As many of what it waits for are not shown; where the hops end, only when ends is asked for"`
	MoreDown int       `json:"moreDown,omitempty" doc:"At least as many of what waits for it are not shown"`
}

// A GraphEdge is one wait: of the node to, for the instances of a range, of which the nodes from are shown.
type GraphEdge struct {
	Wait
	From      []string `json:"from" doc:"Nodes of the range that are shown; count says how many there are"`
	To        string   `json:"to"`
	Satisfied bool     `json:"satisfied"`
	Text      string   `json:"text" doc:"The sentence for people"`
	Pair      string   `json:"pair,omitempty" doc:"The rule in words, with both classes"`
	Open      int      `json:"open,omitempty" doc:"Of a range that is not satisfied: how many are not done, those that are not planned yet with them; 100 stands for 100 and more"`
}

func newGraph(n *engine.Neighbourhood) Graph {
	zone := n.Nodes[0].Instance.PlanTime.Location()
	g := Graph{At: in(n.At, zone), Nodes: make([]GraphNode, 0, len(n.Nodes)), Edges: make([]GraphEdge, 0, len(n.Edges)), More: n.Cut}
	name := func(k int) string { return "n" + strconv.Itoa(k) }
	for k := range n.Nodes {
		node := &n.Nodes[k]
		i := NewInstance(&node.Instance)
		g.Nodes = append(g.Nodes, GraphNode{
			Node: name(k), Instance: &i, Planned: node.Planned, Hop: node.Hop, Forecast: newForecast(&node.Forecast, node.Instance.PlanTime.Location()),
			MoreUp: node.MoreUp, MoreDown: node.MoreDown,
		})
	}
	for k := range n.Edges {
		e := &n.Edges[k]
		edge := GraphEdge{Wait: newWait(&e.Wait, zone), To: name(e.To), From: make([]string, 0, len(e.From)), Satisfied: e.Satisfied, Text: e.Reason, Pair: e.Pair, Open: e.Open}
		for _, from := range e.From {
			edge.From = append(edge.From, name(from))
		}
		g.Edges = append(g.Edges, edge)
	}
	return g
}

// GraphExtent is how much of a graph is asked for.
type GraphExtent struct {
	Up    int       `query:"up" minimum:"0" maximum:"100" default:"1" doc:"Hops up: what it waits for"`
	Down  int       `query:"down" minimum:"0" maximum:"100" default:"1" doc:"Hops down: what waits for it"`
	Limit int       `query:"limit" minimum:"1" maximum:"1000" default:"1000" doc:"Nodes"`
	Ends  bool      `query:"ends" doc:"Also count what is not shown beyond the nodes where the hops end"`
	At    time.Time `query:"at" doc:"As of this time, from the history; absent is now"`
}

type graphInput struct {
	ID int64 `path:"id" minimum:"1" doc:"The instance's id"`
	GraphExtent
}

type graphByNameInput struct {
	Instance string `query:"instance" required:"true" maxLength:"300" doc:"workflow/job@plan time; a plan time without an offset is in the job's zone" example:"retail/orders@2026-11-21T06:00"`
	GraphExtent
}

type graphOutput struct{ Body Graph }

func (s *server) graph(ctx context.Context, in *graphInput) (*graphOutput, error) {
	return s.drawn(ctx, engine.ExplainRequest{ID: in.ID, At: in.At}, &in.GraphExtent)
}

func (s *server) graphByName(ctx context.Context, in *graphByNameInput) (*graphOutput, error) {
	ref, at, err := s.instanceName(ctx, in.Instance)
	if err != nil {
		return nil, err
	}
	return s.drawn(ctx, engine.ExplainRequest{Ref: ref, PlanTime: at, At: in.At}, &in.GraphExtent)
}

func (s *server) drawn(ctx context.Context, r engine.ExplainRequest, e *GraphExtent) (*graphOutput, error) {
	n, err := s.cfg.Control.Neighbourhood(ctx, engine.NeighbourRequest{ExplainRequest: r, Up: e.Up, Down: e.Down, Limit: e.Limit, Ends: e.Ends}, s.cfg.Now())
	if err != nil {
		return nil, err
	}
	return &graphOutput{newGraph(&n)}, nil
}
