package main

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/almanac-sched/almanac/engine"
)

// A graphNode is an instance in the drawing of a plan.
type graphNode struct {
	ref     engine.JobRef
	at      time.Time
	planned bool // in the window; else it is only waited for
}

// A graphEdge leads from an upstream instance to the one that waits for it.
type graphEdge struct {
	from, to int
	rule     string
}

// A graph is the instances of a plan and their waits, in an order that depends on nothing but the plan.
type graph struct {
	nodes []graphNode
	edges []graphEdge
}

// instanceGraph draws the plan: its instances chronologically, then what they wait for outside of it in the order of first mention.
func instanceGraph(plan *engine.Plan) graph {
	type key struct {
		ref engine.JobRef
		at  int64
	}
	var g graph
	index := map[key]int{}
	node := func(ref engine.JobRef, at time.Time, planned bool) int {
		k := key{ref, at.UnixMilli()}
		n, ok := index[k]
		if !ok {
			n = len(g.nodes)
			index[k] = n
			g.nodes = append(g.nodes, graphNode{ref, at, planned})
		}
		return n
	}
	for p := range plan.Chronological() {
		node(p.Job.Ref(), p.PlanTime(), true)
	}
	for p := range plan.Chronological() {
		to := node(p.Job.Ref(), p.PlanTime(), true)
		for i := range p.Dependencies {
			d := &p.Dependencies[i]
			if d.Ended {
				continue
			}
			b := &d.Bindings[p.N]
			for _, t := range engine.PlanTimes(b) {
				g.edges = append(g.edges, graphEdge{node(d.Upstream.Ref(), t, false), to, b.Reason.String()})
			}
		}
	}
	return g
}

// writeDot prints the graph in the language of Graphviz.
func writeDot(w io.Writer, g graph, v viewer) error {
	out := bufio.NewWriter(w)
	quote := strings.NewReplacer(`\`, `\\`, `"`, `\"`)
	fmt.Fprintln(out, "digraph plan {")
	fmt.Fprintln(out, "  rankdir=LR; node [shape=box];")
	for i, n := range g.nodes {
		style := ""
		if !n.planned {
			style = ", style=dashed"
		}
		fmt.Fprintf(out, "  n%d [label=\"%s\\n%s\"%s];\n", i, quote.Replace(n.ref.String()), v.clock(n.at), style)
	}
	for _, e := range g.edges {
		fmt.Fprintf(out, "  n%d -> n%d [label=\"%s\"];\n", e.from, e.to, e.rule)
	}
	fmt.Fprintln(out, "}")
	return out.Flush()
}

// writeMermaid prints the graph in the language of Mermaid.
func writeMermaid(w io.Writer, g graph, v viewer) error {
	out := bufio.NewWriter(w)
	quote := strings.NewReplacer(`"`, "#quot;", "<", "#lt;", ">", "#gt;")
	fmt.Fprintln(out, "flowchart LR")
	outside := false
	for i, n := range g.nodes {
		class := ""
		if !n.planned {
			class, outside = ":::outside", true
		}
		fmt.Fprintf(out, "  n%d[\"%s<br/>%s\"]%s\n", i, quote.Replace(n.ref.String()), v.clock(n.at), class)
	}
	for _, e := range g.edges {
		fmt.Fprintf(out, "  n%d -- %s --> n%d\n", e.from, e.rule, e.to)
	}
	if outside {
		fmt.Fprintln(out, "  classDef outside stroke-dasharray: 4 4")
	}
	return out.Flush()
}
