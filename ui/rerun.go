package ui

import (
	"maps"
	"slices"
	"strings"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/fold"
	"github.com/svcflow/svc/engine/layout/cards"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/ui/editor/doc"
	"github.com/svcflow/svc/ui/runs"
	"github.com/svcflow/svc/ui/workspace"
)

// StartOnly runs the selected node with its inputs of the run that is shown; in a body, with
// those of the iteration that is shown.
func (r *runCommands) StartOnly() {
	r.again(func(_ *doc.Document, id string) []string { return []string{id} })
}

// StartFrom runs the selected node and all that follow, with their inputs of the run that is
// shown.
func (r *runCommands) StartFrom() {
	r.again(func(d *doc.Document, id string) []string { return d.Downstream(id) })
}

// rerun are the nodes of a level to run again. The nodes before them keep their earlier
// outputs.
type rerun struct {
	*runCommands

	work  *workspace.Session
	nodes []string
	step  fold.Path // of the chosen node; it has the iteration of a loop's body
	part  *workflow.Definition
	q     run.Request
}

// again runs nodes again.
func (r *runCommands) again(nodes func(d *doc.Document, id string) []string) {
	work := r.workspace.Active()
	if work == nil || r.Past() {
		return
	}
	id, ok := work.Board.Selection.Sole()
	if !ok {
		return
	}
	a := &rerun{runCommands: r, work: work, nodes: nodes(work.Document, id), step: r.stepOf(work.Document, id)}
	ran, err := a.prepare()
	if err != nil {
		r.views.Complain(err)
		return
	}
	delete(a.q.Pins, id) // it is to run
	if a.step.Inside() {
		r.try(work, a.part, a.q, trialRun{within: a.step})
		return
	}
	r.try(work, a.part, a.q, trialRun{stops: r.stops(), ran: ran})
}

// prepare makes the workflow of the part of the level to run, and its pins.
func (a *rerun) prepare() (ran *runs.Ran, err error) {
	if a.part, err = a.work.Document.Part(a.nodes...); err != nil {
		return nil, err
	}
	a.q = run.Request{Inputs: map[string]any{}, Pins: map[string]engine.Pin{}}
	if !a.step.Inside() {
		if ran, err = a.begin(); err != nil {
			return nil, err
		}
	}
	for i := range a.part.Nodes {
		if err := a.take(&a.part.Nodes[i]); err != nil {
			return nil, err
		}
	}
	maps.Copy(a.q.Pins, a.work.PinsIn(a.part, a.work.Document.Path()...))
	return ran, nil
}

// begin sets the inputs of the workflow's run.
func (a *rerun) begin() (ran *runs.Ran, err error) {
	if a.q.Inputs, err = a.views.runTab.Inputs(); err != nil {
		return nil, err
	}
	if f, ok := a.fires(a.work, a.part); ok {
		a.q.Trigger, a.q.Payload = f.trigger, f.payload
	} else {
		a.q.Trigger = engine.FirstTrigger(a.part, a.work.Document.Specs().All())
	}
	return ranOf(a.work, a.part, a.q), nil
}

// take pins a node of the level to its outputs in the run that is shown, unless it is one to
// run again.
func (a *rerun) take(n *workflow.Node) error {
	role := node.RoleStep
	if spec, known := a.work.Document.Specs().Lookup(n.Type); known {
		role = spec.Role
	}
	given := role == node.RoleTrigger || role == node.RoleInput && a.step.Inside() // its outputs come from outside of the level
	pinned := a.work.Pinned(fold.Join(a.work.Document.Path(), n.ID))
	if !given && (role != node.RoleStep || slices.Contains(a.nodes, n.ID)) || pinned || n.Disabled {
		return nil
	}
	pin, err := a.gave(n.ID)
	switch {
	case role == node.RoleTrigger && (err != nil || n.ID != a.q.Trigger || a.q.Payload != nil):
		return nil // it fires as for the first time, or as the user has chosen
	case role == node.RoleTrigger:
		a.q.Payload = pin.Outputs
	case err != nil:
		return err
	case given:
		name, _ := n.Config["name"].(string)
		for _, v := range pin.Outputs { // it has one
			a.q.Inputs[strings.TrimSpace(name)] = v
		}
	default:
		a.q.Pins[n.ID] = pin
	}
	return nil
}

// gave returns the outputs of a node of the level in the run that is shown, in the iteration
// that runs again.
func (a *rerun) gave(id string) (engine.Pin, error) {
	if !a.step.Inside() {
		return a.runCommands.gave(id)
	}
	var step *fold.Step
	if shown := a.runs.Shown(); shown != nil {
		step = shown.Record.Step(a.step.Beside(id))
	}
	return a.pinOf(fold.Join(a.work.Document.Path(), id), step)
}

// stepOf returns the step of a node of the level to run again. In a body it is in the
// iteration that the user looks at, or in the last one with any step.
func (r *runCommands) stepOf(d *doc.Document, id string) fold.Path {
	if len(d.Path()) == 0 {
		return fold.Path(id)
	}
	if shown := r.runs.Shown(); shown != nil {
		at := r.views.output.Step()
		if containers, _ := fold.Split(at.Node()); slices.Equal(containers, d.Path()) && shown.Record.Step(at) != nil {
			return at.Beside(id)
		}
		for i := range d.Nodes() {
			n := shown.Record.Node(fold.Join(d.Path(), d.Nodes()[i].ID))
			if n != nil && n.Last != nil {
				return n.Last.Path.Beside(id)
			}
		}
	}
	return fold.Path(strings.Join(d.Path(), "/0/") + "/0/" + id)
}

// ranOf returns what a run is started with.
func ranOf(work *workspace.Session, def *workflow.Definition, q run.Request) *runs.Ran {
	return &runs.Ran{Def: def, Inputs: q.Inputs, Trigger: q.Trigger, Payload: q.Payload, Pins: work.PinsIn(def)}
}

// reuse makes nodes repeat their outputs of the run that is shown if they would compute the
// same again, except those in anew.
func (r *runCommands) reuse(q *run.Request, next *runs.Ran, anew []string) {
	shown := r.runs.Shown()
	if shown == nil || shown.Running || shown.Ran == nil {
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
