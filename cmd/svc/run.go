package main

import (
	"context"
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/svcflow/svc/app"
	"github.com/svcflow/svc/app/flowtest"
	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/httpapi/client"
	"github.com/svcflow/svc/store"
)

type runCmd struct {
	Workflow  string   `arg:"" complete:"file,workflow,template:" help:"${source}"`
	Input     []string `short:"i" sep:"none" placeholder:"NAME=VALUE" help:"An input of the workflow: text as it is, media as @FILE, all other types as JSON. May be repeated."`
	InputFile []string `sep:"none" placeholder:"NAME=FILE" help:"Like --input, with the value in a file; - for standard input."`
	Override  []string `short:"o" sep:"none" placeholder:"NODE.PORT=VALUE" help:"Set a node's input port for this run. May be repeated."`
	Trigger   string   `placeholder:"NODE" help:"Fire this trigger; by default the first one that is not disabled."`
	Payload   string   `placeholder:"FILE" help:"File with outputs of the trigger, a JSON object by name of the output; - for standard input. Other outputs have the values of the trigger's sample, if any."`
	Quiet     bool     `short:"q" help:"Show no progress."`
	Detach    bool     `short:"d" help:"Start the run on the server, print its id, and do not wait."`
	Sandbox   bool     `help:"Restrict the workflow as on a server: to public addresses, files below DIR/files, and variables SVC_VAR_*."`
	DryRun    bool     `help:"Print what nodes would call outside, and do not call them."`
	Mock      []string `sep:"none" placeholder:"NODE=FILE" help:"Do not call this node; take its outcome from the file: {\"outputs\":{…}} or {\"error\":{\"code\":…,\"message\":…}}. May be repeated."`
	Save      string   `placeholder:"DIR" help:"Copy files among the outputs into this directory, named after the outputs."`
	Record    string   `placeholder:"FILE" help:"Write a case for svc test from this run, or add one to that file."`
	execFlag
	outputFlag
	targetFlags
}

// Help implements kong.HelpProvider.
func (c *runCmd) Help() string {
	return `Prints the outputs of the workflow as "name: value". A text that is the only output is printed without its name. Progress goes to standard error. Ctrl-C cancels the run.

With --data, the run is recorded in DIR/runs like those of a server, which lists it once it uses that directory.

With --server, the run is one of that server, which keeps it. A file or template is sent there; an id is that of a workflow which is stored there.

An input that is a picture, a sound or a video is given as @FILE. With --server, the file is sent to uploads/ there, unless it is there already. --save fetches what comes out.

With --dry-run, nodes that reach outside (requests, files, mail) are not called. What they would be called with is printed, and what only follows from their answers is skipped; --mock gives such an answer. Paths name nodes in bodies: loop/fetch in all rounds, loop/3/fetch in one.

With --record, requests are recorded with their answers, and other nodes that reach outside as pins, so that svc test can run the case anywhere. Secrets of credentials are not recorded; look through the file before you share it all the same.

A workflow with triggers is run as if the first of them had fired, and that is said on standard error.

The exit status is 0 if the run completed, 1 if it failed, 2 if the workflow or its inputs are invalid, and 130 if it was cancelled.

Examples:

    svc run template:greeting --input who=Ada
    svc run flow.json -i 'tags=["a","b"]' -i limit=3 --output json
    svc run flow.json --dry-run --mock fetch=answer.json
    svc run flow.json --record flow.test.json
    svc run cut --input clip=@holiday.mp4 --save results
    svc run greeting --server http://127.0.0.1:8080 --key-file data/api-key`
}

// Run runs the workflow.
func (c *runCmd) Run(ctx context.Context, h *host) error {
	server, err := c.remote(h)
	switch {
	case err != nil:
		return err
	case server != nil && (c.DryRun || c.Record != "" || len(c.Mock) > 0):
		return usagef("--dry-run, --mock and --record are for runs on this machine; give --local")
	case c.Save != "" && (c.DryRun || c.Detach):
		return usagef("--save is for runs that are waited for")
	case server != nil:
		return c.runOnServer(ctx, h, server)
	case c.Detach:
		return usagef("--detach needs a --server that continues the run")
	}
	return c.runHere(ctx, h)
}

// show prints the values of preview nodes, if the outputs go to a terminal.
func (c *runCmd) show(ctx context.Context, h *host, a *app.App, def *workflow.Definition, result *engine.Result) error {
	specs, err := a.NodeTypes(ctx)
	if err != nil {
		return err
	}
	_, err = h.stdout.Write(shownText(def, specs, func(id string) map[string]any { return result.Nodes[id].Outputs }))
	return err
}

// print prints the outputs or the failure of a run.
func (c *runCmd) print(w io.Writer, r ended, order []string) error {
	text := outputsText(r.Outputs(), order)
	if c.asJSON() {
		text = append(value.IndentJSON(nil, r.AppendJSON(nil, engine.NoElision)), '\n')
	}
	_, err := w.Write(text)
	return err
}

// outcome returns why a run did not complete; nil if it did.
func (h *host) outcome(r ended) error {
	failure := r.Err()
	if failure == nil {
		return nil
	}
	if r.Status() == engine.StatusCancelled {
		h.errorf("the run was cancelled")
		return status(exitInterrupted)
	}
	return errors.New("the run failed: " + failureText(failure))
}

// localRun is a run on this machine.
type localRun struct {
	app     *app.App
	def     *workflow.Definition
	request run.Request
	outputs []node.Port
	record  *recording // nil without --record
	kept    string     // folder for the files of the run, unless it is a sandbox
	passing bool       // whether that folder is deleted after the run
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
		l.request.KeepOutputs = engine.KeepShown // outputs of other nodes are not printed
	}
	r, err := l.app.Execute(ctx, l.def, l.request, l.record.observer(observe))
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

// close waits until the App has recorded the run.
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

// makeFolder makes the folder for the files of the run: in the data directory if the run is
// recorded there, else a temporary one.
func (l *localRun) makeFolder(data string) (err error) {
	if l.request.Record {
		l.kept = filepath.Join(data, filesDir)
		return nil
	}
	l.kept, err = os.MkdirTemp("", "svc-run-")
	l.passing = err == nil
	return err
}

// prepare reads everything that the run needs. The caller has to close the result, even if
// there is an error.
func (c *runCmd) prepare(ctx context.Context, h *host, runs store.RunStore) (*localRun, error) {
	l := &localRun{}
	l.request.Record = runs != nil && !c.DryRun
	err := l.makeFolder(c.dir())
	if err != nil {
		return l, err
	}
	if l.record, err = c.recording(); err != nil {
		return l, err
	}
	if l.app, err = h.openFor(c.dir(), c.Sandbox, purpose{between: l.record.transport(), runs: runs, exec: c.ExecAllow, kept: l.kept}); err != nil {
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
	give := stager(here)
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

// maxSteps is how many nodes reaching inspects one by one, including sub-workflows.
const maxSteps = 100_000

// reaching returns the types of the nodes that call something outside the run, by path.
// Inline nodes do not count: at most they read the clock.
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

// runOnServer runs the workflow on the server instead of here.
func (c *runCmd) runOnServer(ctx context.Context, h *host, server *client.Client) error {
	id, order, err := c.start(ctx, h, server)
	if err != nil {
		return err
	}
	if c.Detach {
		return c.answer(h, startedRun{id}, id+"\n")
	}
	observe, end := func(engine.Event) {}, func() {}
	if !c.Quiet {
		observe, end = h.progress()
	}
	result, err := follow(ctx, server, id, observe)
	end()
	if err != nil {
		return errors.Join(err, cancelled(ctx, server, id))
	}
	r := fetched{result}
	if order == nil {
		order = slices.Sorted(maps.Keys(r.Outputs()))
	}
	if err := c.print(h.stdout, r, order); err != nil {
		return err
	}
	err = c.saveAll(ctx, h, r.Outputs(), func(ctx context.Context, path string, w io.Writer) error {
		_, err := server.Download(ctx, path, w)
		return err
	})
	return errors.Join(err, h.outcome(r))
}

// startedRun is the answer of commands that start a run and do not wait for it.
type startedRun struct {
	RunID string `json:"runId"`
}

// start starts the run. It returns the id, and the names of the outputs in order if they are
// known here.
func (c *runCmd) start(ctx context.Context, h *host, server *client.Client) (id string, outputs []string, err error) {
	def, err := h.load(ctx, server.Workflow, c.Workflow)
	if err != nil {
		return "", nil, err
	}
	a, err := h.open(c.dir())
	if err != nil {
		return "", nil, err
	}
	var o run.Request
	if o.Overrides, err = c.overrides(a, def); err != nil {
		return "", nil, err
	}
	in, outputs, err := guessInterface(ctx, a, def, o.Overrides)
	if err != nil {
		return "", nil, err
	}
	if o.Inputs, err = c.inputs(h, in, c.sending(ctx, h, server.Upload)); err != nil {
		return "", nil, err
	}
	if err := c.fire(ctx, h, server, def, &o); err != nil {
		return "", nil, err
	}
	if !isWorkflowHere(c.Workflow) {
		id, err = server.StartStored(ctx, def.ID, o)
	} else {
		id, err = server.Start(ctx, def, o)
	}
	return id, outputs, err
}

// guessInterface returns the inputs and the names of the outputs of a workflow. It returns
// none if only the server knows a node type or a sub-workflow; values are then parsed as if
// each input had the type any.
func guessInterface(ctx context.Context, a *app.App, def *workflow.Definition, overrides map[string]map[string]any) ([]node.Port, []string, error) {
	in, out, err := a.Interface(ctx, def, overrides)
	if errors.As(err, new(engine.ValidationErrors)) {
		return nil, nil, nil
	}
	return in, portNames(out), err
}
