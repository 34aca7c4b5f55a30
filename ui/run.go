package ui

import (
	"context"
	"errors"
	"slices"

	"fyne.io/fyne/v2/lang"

	"github.com/svcflow/svc/engine/fold"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/ui/ask"
	"github.com/svcflow/svc/ui/job"
	"github.com/svcflow/svc/ui/runs"
	"github.com/svcflow/svc/ui/workspace"
)

// runCommands runs the workflow in front, and shows earlier runs.
type runCommands struct {
	*parts

	views    *views
	stopping breakpoints
}

// at returns the host where runs start.
func (r *runCommands) at() runs.Host {
	here := r.hosts.Here()
	return runs.Host{URL: here.URL, Backend: here.Backend}
}

// Start runs the open document.
func (r *runCommands) Start() {
	if work := r.workspace.Active(); work != nil && !r.Past() {
		r.launch(work, work.Document.Definition(), nil)
	}
}

// StartTo runs the selected nodes and all that lead to them. Nodes that would compute the
// same as in the run that is shown repeat their outputs.
func (r *runCommands) StartTo() {
	work := r.workspace.Active()
	if work == nil || r.Past() {
		return
	}
	ids := work.Board.Selection.Set().Nodes
	part, err := work.Document.UpTo(ids...)
	if err != nil {
		r.views.Complain(err)
		return
	}
	r.launch(work, part, ids)
}

// launch starts a run at the host and follows it. If anew names nodes, these run in any case,
// and others may repeat their outputs of the run that is shown.
func (r *runCommands) launch(work *workspace.Session, def *workflow.Definition, anew []string) {
	inputs, err := r.views.runTab.Inputs()
	if err != nil {
		r.views.panels.ShowInputs()
		r.views.runTab.FocusInputs(r.views.win.Canvas())
		r.views.Complain(err)
		return
	}
	f, ok := r.fires(work, def)
	if !ok {
		r.askFiring(work, def, firing{}, anew)
		return
	}
	q := run.Request{Inputs: inputs, Trigger: f.trigger, Payload: f.payload}
	stops := r.stops()
	q.Pins = work.PinsIn(def)
	ran := ranOf(work, def, q)
	if anew != nil && r.hosts.Here().Try != nil {
		r.reuse(&q, ran, anew)
	}
	if len(q.Pins) > 0 || stops != nil {
		r.try(work, def, q, trialRun{stops: stops, ran: ran})
		return
	}
	r.tellFiring(f)
	r.runs.Start(r.at(), work.Board, def, q)
	r.runs.Shown().Ran = ran
}

// open shows a run of the history. If nothing is open, it opens an empty workflow to go back
// to.
func (r *runCommands) open(runID string) {
	t := r.tab
	r.runs.Open(r.at(), runID, func() *runs.Runs {
		if t == r.tabs[nil] {
			r.workspace.Open(workspace.FromDefinition(workspace.Blank(untitled())))
			t = r.tab
		}
		return t.runs
	})
}

// Running reports whether the run that is shown is in progress.
func (r *runCommands) Running() bool { return r.runs.Running() }

// Past reports whether a read-only run of the history is shown.
func (r *runCommands) Past() bool { return r.runs.Past() != nil }

// Cancel cancels the run in progress.
func (r *runCommands) Cancel() { r.runs.Cancel() }

// Leave returns from a past run to the document.
func (r *runCommands) Leave() {
	if r.Past() {
		r.runs.Forget()
	}
}

// ended shows the end of a run.
func (r *runCommands) ended(shown *runs.Run, err error) {
	r.views.history.Reload()
	r.views.Refresh()
	if err != nil {
		r.views.Complain(err)
		return
	}
	r.views.showOutcome(shown)
}

// attempts returns the maximum number of attempts of a node of the level.
func (r *runCommands) attempts(path string) int {
	b := r.board()
	if b == nil {
		return 0
	}
	containers, id := fold.Split(path)
	n, ok := b.Document().Node(id)
	if !ok || n.Retry == nil || !slices.Equal(containers, b.Document().Path()) {
		return 0
	}
	return n.Retry.MaxAttempts
}

// wholeOutputs loads the outputs of a node of the run, however large.
func (r *runCommands) wholeOutputs(ctx context.Context, runID, nodeID string) (map[string]any, error) {
	whole, err := r.hosts.Here().Backend.Run(ctx, runID)
	if err != nil {
		return nil, err
	}
	if whole.Result == nil {
		return nil, errors.New(lang.L("The run is still in progress: look again when it has ended"))
	}
	return whole.Result.Nodes[nodeID].Outputs, nil
}

// outputsOf returns the outputs of a node of the level in the run that is shown.
func (r *runCommands) outputsOf(id string) map[string]any {
	shown, b := r.runs.Shown(), r.board()
	if shown == nil || b == nil {
		return nil
	}
	n := shown.Record.Node(fold.Join(b.Document().Path(), id))
	if n == nil || n.Last == nil {
		return nil
	}
	return n.Last.Outputs
}

// askResume asks how to resume a run, and from which of its nodes.
func (r *runCommands) askResume(at run.Record, then func(run.Resumption)) {
	backend := r.hosts.Here().Backend
	r.jobs.Go(job.Reporting(user{r.dialogs, r.views}, lang.L("Opening the run…"), func(ctx context.Context) (func(), error) {
		def, err := backend.RunWorkflow(ctx, at.RunID)
		if err != nil {
			return nil, err
		}
		return func() { r.dialogs.AskResumption(stepsOf(def, nil), then) }, nil
	}))
}

// stepsOf returns the nodes of a workflow and of its bodies.
func stepsOf(def *workflow.Definition, path []string) (all []ask.Step) {
	for i := range def.Nodes {
		n := &def.Nodes[i]
		at := fold.Join(path, n.ID)
		title := at
		if n.Label != "" {
			title = n.Label + " (" + at + ")"
		}
		all = append(all, ask.Step{Path: at, Title: title})
		if n.Body != nil {
			all = append(all, stepsOf(n.Body, append(slices.Clone(path), n.ID))...)
		}
	}
	return all
}
