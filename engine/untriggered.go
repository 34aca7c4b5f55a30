package engine

import (
	"fmt"
	"strings"
)

// NeedsTrigger returns a problem if a run without a firing would skip every result of the
// workflow, because only triggers feed them. Nodes without a wire out of them are its results.
func (p *Plan) NeedsTrigger() *ValidationError {
	triggers := p.Triggers()
	if len(triggers) == 0 {
		return nil
	}
	silent := p.silentNodes()
	for i := range p.nodes {
		if !silent[i] && !p.graph.disabled[i] && p.graph.leadsNowhere(int32(i)) {
			return nil
		}
	}
	names := make([]string, len(triggers))
	for i, t := range triggers {
		names[i] = fmt.Sprintf("%.60q", t.Node)
	}
	return &ValidationError{
		Code: CodeNeedsTrigger, Message: "only triggers feed this workflow, and the request fires none, so nothing would run",
		Hint: `name the node that is to fire in "trigger": ` + strings.Join(names[:min(len(names), 10)], ", "),
	}
}

// silentNodes returns which nodes emit nothing in a run without a firing: triggers, and those
// that are skipped because of them.
func (p *Plan) silentNodes() []bool {
	g := &p.graph
	silent := make([]bool, g.nodes())
	var next []int32
	for i := range p.nodes {
		if p.fires(int32(i)) {
			silent[i] = true
			next = append(next, int32(i))
		}
	}
	for len(next) > 0 {
		i := next[len(next)-1]
		next = next[:len(next)-1]
		for _, to := range g.edges[g.edgeLo[g.outLo[i]]:g.edgeLo[g.outLo[i+1]]] {
			if !silent[to] && g.starves(to, silent) {
				silent[to] = true
				next = append(next, to)
			}
		}
	}
	return silent
}

// leadsNowhere reports whether no edge leads out of node i.
func (g *graph) leadsNowhere(i int32) bool {
	return g.edgeLo[g.outLo[i]] == g.edgeLo[g.outLo[i+1]]
}

// starves reports whether node i is skipped because wires from silent nodes bring nothing: all
// of one port, or all of its partial ports.
func (g *graph) starves(i int32, silent []bool) bool {
	partial, fed := false, false
	for slot := g.inLo[i]; slot < g.inLo[i+1]; slot++ {
		wires := g.wires[g.wireLo[slot]:g.wireLo[slot+1]]
		if len(wires) == 0 {
			continue
		}
		dry := true
		for _, w := range wires {
			dry = dry && silent[g.owner[w]]
		}
		if dry && !g.partial[slot] {
			return true
		}
		partial, fed = partial || g.partial[slot], fed || g.partial[slot] && !dry
	}
	return partial && !fed
}
