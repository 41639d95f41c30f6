package main

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/almanac-sched/almanac/web"
)

// writeNeighbours draws the instances around one, in the language of Graphviz or of Mermaid. An edge leads from what is waited for to what waits.
func writeNeighbours(w io.Writer, g *web.Graph, form string, v viewer) error {
	out := bufio.NewWriter(w)
	if form == "dot" {
		writeNeighboursDot(out, g, v)
	} else {
		writeNeighboursMermaid(out, g, v)
	}
	return out.Flush()
}

// edgeLabel says by which rule is waited, and for how many.
func edgeLabel(e *web.GraphEdge) string {
	text := e.Rule
	if e.Count > len(e.From) {
		text += fmt.Sprintf(", %d of %d shown", len(e.From), e.Count)
	}
	if e.Satisfied {
		return text + ", satisfied"
	}
	return text
}

// nodeLines are the lines of a node's label.
func nodeLines(n *web.GraphNode, v viewer) []string {
	i := n.Instance
	lines := []string{i.Workflow + "/" + i.Job, v.clock(i.PlanTime), string(i.State)}
	if !n.Planned {
		lines[2] = "not planned yet"
	}
	if !i.State.Ended() && !n.Forecast.End.IsZero() {
		lines = append(lines, "ends about "+v.moment(n.Forecast.End))
	}
	if n.MoreUp > 0 {
		lines = append(lines, fmt.Sprintf("%d more upstream", n.MoreUp))
	}
	if n.MoreDown > 0 {
		lines = append(lines, "more downstream")
	}
	return lines
}

func writeNeighboursDot(out io.Writer, g *web.Graph, v viewer) {
	quote := strings.NewReplacer(`\`, `\\`, `"`, `\"`)
	fmt.Fprintln(out, "digraph instances {")
	fmt.Fprintln(out, "  rankdir=LR; node [shape=box];")
	for k := range g.Nodes {
		n := &g.Nodes[k]
		style := ""
		switch {
		case n.Hop == 0:
			style = ", penwidth=3"
		case !n.Planned:
			style = ", style=dashed"
		}
		fmt.Fprintf(out, "  %s [label=\"%s\"%s];\n", n.Node, strings.ReplaceAll(quote.Replace(strings.Join(nodeLines(n, v), "\n")), "\n", `\n`), style)
	}
	for k := range g.Edges {
		e := &g.Edges[k]
		style := ""
		if e.Satisfied {
			style = ", style=dotted"
		}
		for _, from := range e.From {
			fmt.Fprintf(out, "  %s -> %s [label=\"%s\"%s];\n", from, e.To, quote.Replace(edgeLabel(e)), style)
		}
	}
	fmt.Fprintln(out, "}")
}

func writeNeighboursMermaid(out io.Writer, g *web.Graph, v viewer) {
	quote := strings.NewReplacer(`"`, "#quot;", "<", "#lt;", ">", "#gt;")
	fmt.Fprintln(out, "flowchart LR")
	for k := range g.Nodes {
		n := &g.Nodes[k]
		lines := nodeLines(n, v)
		for i := range lines {
			lines[i] = quote.Replace(lines[i])
		}
		class := ""
		switch {
		case n.Hop == 0:
			class = ":::center"
		case !n.Planned:
			class = ":::outside"
		}
		fmt.Fprintf(out, "  %s[\"%s\"]%s\n", n.Node, strings.Join(lines, "<br/>"), class)
	}
	for k := range g.Edges {
		e := &g.Edges[k]
		line := "--"
		end := "-->"
		if e.Satisfied {
			line, end = "-.", ".->"
		}
		for _, from := range e.From {
			fmt.Fprintf(out, "  %s %s %s %s %s\n", from, line, quote.Replace(edgeLabel(e)), end, e.To)
		}
	}
	fmt.Fprintln(out, "  classDef center stroke-width: 3px")
	fmt.Fprintln(out, "  classDef outside stroke-dasharray: 4 4")
}
