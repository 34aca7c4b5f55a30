package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"github.com/svcflow/svc/app"
	"github.com/svcflow/svc/app/flowtest"
	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/store"
)

// localRun is a run on this machine.
type localRun struct {
	app     *app.App
	def     *workflow.Definition
	request run.Request
	outputs []node.Port
	record  *recording // nil unless it is to be recorded
	kept    string     // where the files of the run are, if it is no sandbox
	passing bool       // they go with it
}

// runHere runs the workflow on this machine.
func (c *runCmd) runHere(ctx context.Context, h *host) (err error) {
	runs, err := h.openRuns(c.dir())
	if err != nil {
		return err
	}
	l, err := c.prepare(ctx, h, runs)
	defer func() { err = errors.Join(err, l.close(context.WithoutCancel(ctx), runs)) }()
	if err != nil {
		return err
	}
	if c.DryRun {
		return c.runDry(ctx, h, l)
	}
	var observe func(engine.Event)
	end := func() {}
	if !c.Quiet {
		observe, end = h.progress()
	}
	if c.Record == "" && !c.asJSON() && !onTerminal(h.stdout) {
		l.request.KeepOutputs = engine.KeepShown // nobody sees those of nodes
	}
	r, err := l.app.Execute(ctx, l.def, l.request, l.record.over(observe))
	end()
	if err != nil {
		return err
	}
	if err := c.print(h.stdout, r, portNames(l.outputs)); err != nil {
		return err
	}
	if !c.asJSON() && onTerminal(h.stdout) {
		if err := c.show(ctx, h, l.app, l.def, r.Result()); err != nil {
			return err
		}
	}
	if err := l.record.write(h, c, l, r.Result()); err != nil {
		return err
	}
	return errors.Join(c.saveHere(ctx, h, l, r.Outputs()), h.outcome(r))
}

// close waits until the run is recorded, which the App does, if there is one.
func (l *localRun) close(ctx context.Context, runs store.RunStore) error {
	var err error
	switch {
	case l != nil && l.app != nil:
		err = l.app.Close(ctx)
	case runs != nil:
		err = runs.Close()
	}
	if l != nil && l.passing {
		err = errors.Join(err, os.RemoveAll(l.kept))
	}
	return err
}

// keep finds a place for the files of the run: the data directory, if it is recorded there, and
// else a folder that goes with it.
func (l *localRun) keep(data string) (err error) {
	if l.request.Record {
		l.kept = filepath.Join(data, filesDir)
		return nil
	}
	l.kept, err = os.MkdirTemp("", "svc-run-")
	l.passing = err == nil
	return err
}

// prepare reads everything that the run needs. What it returns is to be closed, also with
// an error.
func (c *runCmd) prepare(ctx context.Context, h *host, runs store.RunStore) (*localRun, error) {
	l := &localRun{}
	l.request.Record = runs != nil && !c.DryRun
	err := l.keep(c.dir())
	if err != nil {
		return l, err
	}
	if l.record, err = c.recording(); err != nil {
		return l, err
	}
	if l.app, err = h.openFor(c.dir(), c.Sandbox, purpose{between: l.record.between(), runs: runs, exec: c.ExecAllow, kept: l.kept}); err != nil {
		return l, err
	}
	if l.def, err = h.load(ctx, stored(c.dir()).Load, c.Workflow); err != nil {
		return l, err
	}
	if l.request.Overrides, err = c.overrides(l.app, l.def); err != nil {
		return l, err
	}
	inputs, outputs, err := l.app.Interface(ctx, l.def, l.request.Overrides)
	if err != nil {
		return l, err
	}
	l.outputs = outputs
	give := giver(here)
	if c.Sandbox {
		give = c.sending(ctx, h, savedBy(l.app))
	}
	if l.request.Inputs, err = c.inputs(h, inputs, give); err != nil {
		return l, err
	}
	if l.request.Pins, err = c.mocks(h); err != nil {
		return l, err
	}
	if err = c.fire(ctx, h, l.app, l.def, &l.request); err != nil {
		return l, err
	}
	return l, l.record.outside(ctx, l)
}

// mocks reads the pins of --mock.
func (c *runCmd) mocks(h *host) (map[string]engine.Pin, error) {
	pins := map[string]engine.Pin{}
	for _, arg := range c.Mock {
		a, err := parseAssignment("mock", arg)
		if err != nil {
			return nil, err
		}
		text, err := h.read(a.text)
		if err != nil {
			return nil, err
		}
		pin, err := flowtest.DecodePin(text)
		if syntax, ok := errors.AsType[*value.SyntaxError](err); ok {
			return nil, formError{misplaced(a.text, text, syntax)}
		}
		if err != nil {
			return nil, err
		}
		pins[a.name] = pin
	}
	return pins, nil
}

// maxSteps bounds how many nodes a workflow may have, with those of the workflows that it
// calls, for its nodes to be looked at one by one.
const maxSteps = 100_000

// reaching returns the types of the nodes that reach outside of the run, by their paths.
// Inline ones take no more than a look, as at the clock.
func (l *localRun) reaching(ctx context.Context, inlineToo bool) (map[string]string, error) {
	steps, err := l.app.Steps(ctx, l.def, l.request.Overrides)
	if err != nil {
		return nil, err
	}
	found, n := map[string]string{}, 0
	for step := range steps {
		if n++; n > maxSteps {
			return nil, usagef("the workflow has more than %d nodes, with those of the workflows that it calls; that is too much for this", maxSteps)
		}
		spec, ok := l.app.NodeType(step.Type)
		steers := ok && (spec.Pure || spec.Container || spec.Plugin() == "control")
		if ok && !steers && (inlineToo || !spec.Inline) {
			found[step.Path] = step.Type
		}
	}
	return found, nil
}
