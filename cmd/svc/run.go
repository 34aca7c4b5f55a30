package main

import (
	"context"
	"errors"
	"io"

	"github.com/svcflow/svc/app"
	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/engine/workflow"
)

type runCmd struct {
	Workflow  string   `arg:"" complete:"file,workflow,template:" help:"${source}"`
	Input     []string `short:"i" sep:"none" placeholder:"NAME=VALUE" help:"An input of the workflow. Text is taken as it is, media is @FILE, all other types are written as JSON. May be repeated."`
	InputFile []string `sep:"none" placeholder:"NAME=FILE" help:"Like --input, with the value in a file; - for standard input."`
	Override  []string `short:"o" sep:"none" placeholder:"NODE.PORT=VALUE" help:"Set a node's input port for this run. May be repeated."`
	Trigger   string   `placeholder:"NODE" help:"Let this trigger fire; by default the first one that is not disabled, if there is one."`
	Payload   string   `placeholder:"FILE" help:"What the trigger puts out, as a JSON object by output; - for standard input. The rest is what its sample has, or nothing."`
	Quiet     bool     `short:"q" help:"Show no progress."`
	Detach    bool     `short:"d" help:"Only start the run on the server, and print its id."`
	Sandbox   bool     `help:"Let the workflow reach only what it could on a server: public addresses, files below DIR/files, variables SVC_VAR_*."`
	DryRun    bool     `help:"Only tell what nodes would call: those that reach outside are not called."`
	Mock      []string `sep:"none" placeholder:"NODE=FILE" help:"Do not call this node; it answers what the file says: {\"outputs\":{…}} or {\"error\":{\"code\":…,\"message\":…}}. May be repeated."`
	Save      string   `placeholder:"DIR" help:"Put copies of the files among the outputs into this directory, called like the outputs."`
	Record    string   `placeholder:"FILE" help:"Write a case for svc test from this run, or add one to that file."`
	execFlag
	outputFlag
	placeFlags
}

// Help implements kong.HelpProvider.
func (c *runCmd) Help() string {
	return `The outputs of the workflow are printed as "name: value"; the only output, if it is a text, just as it is. Progress goes to standard error. Ctrl-C cancels the run.

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
		return usagef("--detach needs a --server that goes on with the run")
	}
	return c.runHere(ctx, h)
}

// show draws what nodes are there to show, for who reads the outputs on a terminal.
func (c *runCmd) show(ctx context.Context, h *host, a *app.App, def *workflow.Definition, result *engine.Result) error {
	specs, err := a.NodeTypes(ctx)
	if err != nil {
		return err
	}
	_, err = h.stdout.Write(shownText(def, specs, func(id string) map[string]any { return result.Nodes[id].Outputs }))
	return err
}

// print writes what came of a run.
func (c *runCmd) print(w io.Writer, r ended, order []string) error {
	text := outputsText(r.Outputs(), order)
	if c.asJSON() {
		text = append(value.IndentJSON(nil, r.AppendJSON(nil, engine.NoElision)), '\n')
	}
	_, err := w.Write(text)
	return err
}

// outcome says why a run did not complete.
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
