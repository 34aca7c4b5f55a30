package ui

import (
	"slices"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/layout/cards"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/ui/desk"
	"github.com/svcflow/svc/ui/runs"
)

// ranOf is what a run is started with.
func ranOf(work *desk.Work, def *workflow.Definition, q run.Request) *runs.Ran {
	return &runs.Ran{Def: def, Inputs: q.Inputs, Trigger: q.Trigger, Payload: q.Payload, Pins: work.PinsIn(def)}
}

// reuse has nodes give what they gave in the run that is shown, if they would do the same
// again, but for those that are to run anew.
func (r *running) reuse(q *run.Request, next *runs.Ran, anew []string) {
	shown := r.runs.Shown()
	if shown == nil || shown.Going || shown.Ran == nil {
		return
	}
	role := func(typ string) node.Role {
		spec, ok := r.specs.Lookup(typ)
		if !ok {
			return node.RoleStep
		}
		return spec.Role
	}
	unchanged := runs.Reuse{
		Role: role,
		Acts: func(n *workflow.Node) bool { return cards.Acts(r.views.config.Registry, next.Def, n) },
		Gave: func(id string) (engine.Status, bool) {
			known := shown.Record.Node(id)
			if known == nil || known.Last == nil {
				return engine.StatusPending, false
			}
			_, err := r.gave(id)
			return known.Last.Status, err == nil && !known.Last.Redacted
		},
	}.Unchanged(shown.Ran, next)
	for i := range next.Def.Nodes {
		n := &next.Def.Nodes[i]
		_, pinned := q.Pins[n.ID]
		if !unchanged[n.ID] || pinned || slices.Contains(anew, n.ID) {
			continue
		}
		pin, err := r.gave(n.ID)
		if err != nil {
			continue
		}
		switch role(n.Type) {
		case node.RoleTrigger:
			if n.ID == q.Trigger {
				q.Payload = pin.Outputs
			}
		case node.RoleStep:
			q.Pins[n.ID] = pin
		case node.RoleInput, node.RoleOutput:
		}
	}
}
