package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/httpapi/client"
	"github.com/svcflow/svc/store/runlog"
)

type runsCmd struct {
	List   listRunsCmd   `cmd:"" help:"List runs of a server, newest first."`
	Show   showRunCmd    `cmd:"" help:"Show a run, with its outputs or its failure."`
	Follow followRunCmd  `cmd:"" help:"Show the events of a run until it ends."`
	Cancel cancelRunsCmd `cmd:"" help:"Cancel runs."`
	Resume resumeRunCmd  `cmd:"" help:"Resume a run that did not complete."`
	Delete deleteRunsCmd `cmd:"" help:"Delete runs from a server."`
}

// Help implements kong.HelpProvider.
func (c *runsCmd) Help() string {
	return `A server records all asynchronous runs, such as those of ` + "`svc run --server`" + `, and all runs of stored workflows. Name a run by its id, by the beginning of its id, or by last for the newest.

Examples:

    export SVC_SERVER=http://127.0.0.1:8080 SVC_API_KEY_FILE=data/api-key
    svc runs list --status failed
    svc runs show last
    svc runs resume 0199a0c4`
}

type listRunsCmd struct {
	Workflow string `placeholder:"ID" complete:"workflow" help:"Only runs of this workflow."`
	Status   string `enum:",waiting,running,completed,failed,cancelled" default:"" placeholder:"STATUS" help:"Only runs in this state: waiting, running, completed, failed or cancelled."`
	Limit    int    `short:"n" default:"50" placeholder:"N" help:"Maximum number of runs; 0 for all."`
	outputFlag
	serverFlags
}

// Help implements kong.HelpProvider.
func (c *listRunsCmd) Help() string {
	return `Prints each run: id, state, when it started, how long it took, its workflow, and why it failed.

Examples:

    svc runs list --server http://127.0.0.1:8080 --key-file data/api-key
    svc runs list --workflow greeting --status failed --output json`
}

// Run lists the runs.
func (c *listRunsCmd) Run(ctx context.Context, h *host) error {
	records, err := c.records(ctx, h)
	if err != nil {
		return err
	}
	t := newTable("RUN", "STATE", "STARTED", "TOOK", "WORKFLOW", "ERROR")
	for i := range records {
		r := &records[i]
		failure := ""
		if r.Error != nil {
			failure = value.Shorten(failureText(r.Error), shownFailure)
		}
		t.row(r.RunID, r.Status.String(), r.StartedAt.Local().Format(time.DateTime), took(r), r.WorkflowID, failure)
	}
	return c.answer(h, records, t.text())
}

// shownFailure is how many bytes of a failure a list shows.
const shownFailure = 100

// records requests pages until the limit is reached.
func (c *listRunsCmd) records(ctx context.Context, h *host) ([]run.Record, error) {
	server, err := c.client(h)
	if err != nil {
		return nil, err
	}
	q := run.Query{WorkflowID: c.Workflow}
	if c.Status != "" {
		if err := q.Status.UnmarshalText([]byte(c.Status)); err != nil {
			return nil, usageError{Err: err}
		}
	}
	records := []run.Record{}
	for {
		q.Limit = run.MaxLimit
		if c.Limit > 0 {
			q.Limit = min(q.Limit, c.Limit-len(records))
		}
		page, err := server.Runs(ctx, q)
		if err != nil {
			return nil, err
		}
		records = append(records, page.Items...)
		if q.Cursor = page.NextCursor; q.Cursor == "" || c.Limit > 0 && len(records) >= c.Limit {
			return records, nil
		}
	}
}

func took(r *run.Record) string {
	if r.FinishedAt.IsZero() {
		return "-"
	}
	return duration(r.FinishedAt.Sub(r.StartedAt))
}

type showRunCmd struct {
	RunID string `arg:"" name:"run" help:"${runid}"`
	outputFlag
	Raw string `placeholder:"DIR" help:"Print the lines of the run from the run log in this data directory, unchanged. Needs the complete id. Works without a server, or beside a running one."`
	serverFlags
}

// Help implements kong.HelpProvider.
func (c *showRunCmd) Help() string {
	return `Examples:

    svc runs show 0199a0c4-7d1e-7000-8000-5a3b1c2d4e5f --raw data

    svc runs show 0199a0c4-7d1e-7000-8000-5a3b1c2d4e5f
    svc runs show 0199a0c4-7d1e-7000-8000-5a3b1c2d4e5f --output json | jq .result.nodes`
}

// Run shows the run.
func (c *showRunCmd) Run(ctx context.Context, h *host) error {
	if c.Raw != "" {
		return runlog.RawRun(h.stdout, filepath.Join(c.Raw, runsDir), c.RunID)
	}
	server, err := c.client(h)
	if err != nil {
		return err
	}
	id, err := runID(ctx, server, c.RunID)
	if err != nil {
		return err
	}
	record, err := server.Run(ctx, id)
	if err != nil {
		return aboutRun(id, err)
	}
	return c.answer(h, record, recordText(&record))
}

// recordText formats a run for people.
func recordText(r *run.Record) string {
	text := fmt.Sprintf("run       %s\nworkflow  %s\nstate     %s\nstarted   %s\n",
		oneLine(r.RunID), oneLine(r.WorkflowID), r.Status, r.StartedAt.Local().Format(time.DateTime))
	if r.ResumedFrom != "" {
		text += "resumed   from " + oneLine(r.ResumedFrom) + "\n"
	}
	if r.Result == nil {
		return text
	}
	text += "took      " + took(r) + "\n"
	if r.Result.Error != nil {
		text += "error     " + failureText(r.Result.Error) + "\n"
	}
	text += warningsText(r.Result)
	text += nodeTable(r.Result)
	for _, name := range slices.Sorted(maps.Keys(r.Result.Outputs)) {
		text += "output    " + oneLine(name) + ": " + string(value.Encode(r.Result.Outputs[name])) + "\n"
	}
	return text
}

// nodeTable lists the nodes of a run in the order in which they ended, as a table.
func nodeTable(r *engine.Result) string {
	if len(r.Nodes) == 0 {
		return ""
	}
	t := newTable("NODE", "STATE", "TOOK", "TRIES", "WHY")
	ids := slices.Clone(r.Order)
	for _, id := range slices.Sorted(maps.Keys(r.Nodes)) {
		if !slices.Contains(r.Order, id) {
			ids = append(ids, id)
		}
	}
	for _, id := range ids {
		n := r.Nodes[id]
		spent, tries := "-", "-"
		if n.Attempts > 0 {
			spent, tries = duration(n.Duration), strconv.Itoa(n.Attempts)
		}
		t.row(id, n.Status.String(), spent, tries, whyText(&n))
	}
	return t.text()
}

// whyText says why a node failed or was skipped.
func whyText(n *engine.NodeResult) string {
	switch {
	case n.Error != nil:
		text := value.Shorten(failureText(n.Error), shownFailure)
		if n.Handled {
			text += ", handled"
		}
		return text
	case n.SkippedBecause != nil:
		return n.SkippedBecause.NodeID + ": " + strings.ReplaceAll(n.SkippedBecause.Reason, "_", " ")
	}
	return ""
}

// warningsText lists the warnings of a run: how many each node gave, and what the first say.
func warningsText(r *engine.Result) string {
	if r.Warnings == 0 {
		return ""
	}
	const shown = 5 // of a node
	var b strings.Builder
	fmt.Fprintf(&b, "warnings  %d\n", r.Warnings)
	for _, id := range r.Order {
		n := r.Nodes[id]
		if n.Warnings == 0 {
			continue
		}
		fmt.Fprintf(&b, "          %s: %d\n", oneLine(id), n.Warnings)
		list, _ := n.Outputs["warnings"].([]any)
		for _, w := range list[:min(shown, len(list))] {
			if record, ok := w.(map[string]any); ok {
				fmt.Fprintf(&b, "            %s\n", warningText(record))
			}
		}
	}
	return b.String()
}

// warningText formats an item of the output warnings: "line 3, Sheet1!B2: message".
func warningText(w map[string]any) string {
	text := oneLine(fmt.Sprint(w["message"]))
	if item, ok := w["item"].(string); ok {
		text = oneLine(item) + ": " + text
	}
	if w["line"] != nil {
		text = fmt.Sprintf("line %v, ", w["line"]) + text
	}
	return text
}

type followRunCmd struct {
	RunID string `arg:"" name:"run" help:"${runid}"`
	outputFlag
	serverFlags
}

// Help implements kong.HelpProvider.
func (c *followRunCmd) Help() string {
	return `Shows all events from the beginning of the run, even if it has ended, and then its outputs. Reconnects if the connection is lost. Ctrl-C stops watching; the run continues.

With --output json, the events are printed, one on a line, instead of progress and outputs.

The exit status is that of ` + "`svc run`" + `: 0 if the run completed, 1 if it failed, 130 if it was cancelled.

Examples:

    svc runs follow 0199a0c4-7d1e-7000-8000-5a3b1c2d4e5f
    svc runs follow 0199a0c4-7d1e-7000-8000-5a3b1c2d4e5f --output json | jq -r .nodeId`
}

// Run shows the events of the run.
func (c *followRunCmd) Run(ctx context.Context, h *host) error {
	server, err := c.client(h)
	if err != nil {
		return err
	}
	id, err := runID(ctx, server, c.RunID)
	if err != nil {
		return err
	}
	observe, end := h.progress()
	if c.asJSON() {
		observe = func(e engine.Event) {
			_ = h.print(string(e.AppendJSON(nil, engine.NoElision)) + "\n") // a reader that has gone ends svc by SIGPIPE
		}
	}
	result, err := follow(ctx, server, id, observe)
	end()
	if err != nil {
		return aboutRun(id, err)
	}
	r := fetched{result}
	if !c.asJSON() {
		if err := h.print(string(outputsText(r.Outputs(), slices.Sorted(maps.Keys(r.Outputs()))))); err != nil {
			return err
		}
	}
	return h.outcome(r)
}

type cancelRunsCmd struct {
	RunIDs []string `arg:"" name:"run" help:"Ids of the runs, or beginnings of ids, or last."`
	outputFlag
	serverFlags
}

// Help implements kong.HelpProvider.
func (c *cancelRunsCmd) Help() string {
	return `Stops their nodes, including nodes in loops and sub-workflows.

Examples:

    svc runs cancel 0199a0c4-7d1e-7000-8000-5a3b1c2d4e5f`
}

// cancelledRuns is the answer of svc runs cancel.
type cancelledRuns struct {
	Cancelled []string `json:"cancelled"`
}

// Run cancels the runs.
func (c *cancelRunsCmd) Run(ctx context.Context, h *host) error {
	server, err := c.client(h)
	if err != nil {
		return err
	}
	done, err := eachRun(ctx, server, c.RunIDs, server.Cancel)
	if err != nil {
		return err
	}
	return c.answer(h, cancelledRuns{done}, "")
}

type deleteRunsCmd struct {
	RunIDs []string `arg:"" name:"run" help:"Ids of the runs, or beginnings of ids, or last."`
	outputFlag
	serverFlags
}

// Help implements kong.HelpProvider.
func (c *deleteRunsCmd) Help() string {
	return `Deletes events, results and inputs of runs that have ended. Cancel other runs first.

Examples:

    svc runs delete 0199a0c4-7d1e-7000-8000-5a3b1c2d4e5f`
}

// Run deletes the runs.
func (c *deleteRunsCmd) Run(ctx context.Context, h *host) error {
	server, err := c.client(h)
	if err != nil {
		return err
	}
	done, err := eachRun(ctx, server, c.RunIDs, server.DeleteRun)
	if err != nil {
		return err
	}
	return c.answer(h, deleted{Deleted: done}, "")
}

type resumeRunCmd struct {
	RunID    string   `arg:"" name:"run" help:"${runid}"`
	Workflow string   `placeholder:"FILE" help:"Run this workflow instead of the recorded one: a file, template:NAME, or current for the stored workflow as it is now."`
	Input    []string `short:"i" sep:"none" placeholder:"NAME=VALUE" help:"A new value for an input, as JSON or else as text. May be repeated."`
	From     string   `placeholder:"NODE" help:"Run this node and all nodes after it again. A node in a body has a name like loop/fmt."`
	outputFlag
	serverFlags
}

// Help implements kong.HelpProvider.
func (c *resumeRunCmd) Help() string {
	return `Starts a new run that continues the earlier one, and prints its id. Nodes that succeeded are not run again, unless their type, settings, body or inputs have changed. Changes of labels, positions, timeouts and retries do not matter.

Examples:

    svc runs resume 0199a0c4-7d1e-7000-8000-5a3b1c2d4e5f --workflow repaired.json
    svc runs resume 0199a0c4-7d1e-7000-8000-5a3b1c2d4e5f --workflow current --from fetch

    svc runs follow "$(svc runs resume 0199a0c4-7d1e-7000-8000-5a3b1c2d4e5f)"`
}

// Run resumes the run.
func (c *resumeRunCmd) Run(ctx context.Context, h *host) error {
	server, err := c.client(h)
	if err != nil {
		return err
	}
	how, err := c.how(ctx, h)
	if err != nil {
		return err
	}
	id, err := runID(ctx, server, c.RunID)
	if err != nil {
		return err
	}
	resumed, err := server.Resume(ctx, id, how)
	if err != nil {
		return aboutRun(id, err)
	}
	return c.answer(h, startedRun{resumed}, resumed+"\n")
}

// how returns the changes that the flags ask for.
func (c *resumeRunCmd) how(ctx context.Context, h *host) (run.Resumption, error) {
	how := run.Resumption{From: c.From, Current: c.Workflow == "current"}
	if c.Workflow != "" && !how.Current {
		var err error
		if how.Workflow, err = h.load(ctx, stored(".").Load, c.Workflow); err != nil {
			return how, err
		}
	}
	for _, arg := range c.Input {
		a, err := parseAssignment("input", arg)
		if err != nil {
			return how, err
		}
		if how.Inputs == nil {
			how.Inputs = map[string]any{}
		}
		v, err := value.Decode([]byte(a.text))
		if err != nil {
			v = a.text
		}
		how.Inputs[a.name] = v
	}
	return how, nil
}

// eachRun calls do for each named run in turn, and returns the ids.
func eachRun(ctx context.Context, server *client.Client, meant []string, do func(context.Context, string) error) ([]string, error) {
	done := []string{}
	for _, arg := range meant {
		id, err := runID(ctx, server, arg)
		if err != nil {
			return nil, err
		}
		if err := do(ctx, id); err != nil {
			return nil, fmt.Errorf("%s: %w", oneLine(id), aboutRun(id, err))
		}
		done = append(done, id)
	}
	return done, nil
}

// lastRun is the word for the newest run, where an id is expected.
const lastRun = "last"

// wholeID is the length of the id of a run, in bytes.
const wholeID = len("0199a0c4-7d1e-7000-8000-5a3b1c2d4e5f")

// runIDHelp explains how to name a run.
const runIDHelp = "Id of the run, or its beginning where no other run has the same, or last for the newest."

// runID returns the complete id for a complete id, the beginning of an id, or last. It asks
// the server unless the id is complete.
func runID(ctx context.Context, server *client.Client, meant string) (string, error) {
	if meant == lastRun {
		page, err := server.Runs(ctx, run.Query{Limit: 1})
		switch {
		case err != nil:
			return "", err
		case len(page.Items) == 0:
			return "", errors.New("the server has no runs; `svc run --server URL` starts one")
		}
		return page.Items[0].RunID, nil
	}
	if len(meant) >= wholeID {
		return meant, nil
	}
	var found []run.Record
	q := run.Query{Limit: run.MaxLimit}
	for {
		page, err := server.Runs(ctx, q)
		if err != nil {
			return "", err
		}
		for _, r := range page.Items {
			if strings.HasPrefix(r.RunID, strings.ToLower(meant)) {
				found = append(found, r)
			}
		}
		if q.Cursor = page.NextCursor; q.Cursor == "" {
			return onlyRun(found, meant)
		}
	}
}

// onlyRun returns the id of the only run that was found.
func onlyRun(found []run.Record, meant string) (string, error) {
	const shown = 3
	switch n := len(found); n {
	case 0:
		return "", noRun(meant)
	case 1:
		return found[0].RunID, nil
	default:
		ids := make([]string, 0, shown+1)
		for _, r := range found[:min(n, shown)] {
			ids = append(ids, oneLine(r.RunID)+" ("+oneLine(r.WorkflowID)+")")
		}
		if n > shown {
			ids = append(ids, "…")
		}
		return "", usagef("%d runs begin with %q: %s; give more of the id", n, meant, strings.Join(ids, ", "))
	}
}

func noRun(id string) error {
	return fmt.Errorf("there is no run %s; `svc runs list` lists all runs", oneLine(id))
}

// aboutRun adds what to do to an error of the server about a run.
func aboutRun(id string, err error) error {
	if errors.Is(err, &client.Error{Code: client.CodeNotFound}) {
		return noRun(id)
	}
	return err
}
