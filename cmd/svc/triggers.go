package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/engine/workflow"
)

type activateCmd struct {
	ID          string `arg:"" name:"id" complete:"workflow" help:"Id of the workflow."`
	Revision    int    `placeholder:"N" help:"The revision to activate. By default the current one."`
	Concurrency int    `placeholder:"N" help:"How many runs of its triggers may execute at once. By default any number."`
	Leave       bool   `help:"Do not resume runs that a crash has interrupted."`
	outputFlag
	serverFlags
}

// Help implements kong.HelpProvider.
func (c *activateCmd) Help() string {
	return `From now on the triggers of the workflow start runs. Saving the workflow does not change what they run; activate it again for that.

Examples:

    svc workflows activate digest
    svc workflows activate digest --revision 3 --concurrency 1`
}

// Run arms the triggers of a workflow.
func (c *activateCmd) Run(ctx context.Context, h *host) error {
	server, err := c.client(h)
	if err != nil {
		return err
	}
	how := run.Arming{Revision: c.Revision, Concurrency: c.Concurrency}
	if c.Leave {
		how.OnInterrupted = run.Leave
	}
	made, err := server.Activate(ctx, c.ID, how)
	if err != nil {
		return err
	}
	text := fmt.Sprintf("active %s revision %d\n", oneLine(made.WorkflowID), made.Revision)
	armed := slices.Clone(made.Triggers)
	for i := range armed {
		armed[i].WorkflowID = made.WorkflowID // only lists of all triggers have it
	}
	return c.answer(h, made, text+triggersText(armed))
}

type deactivateCmd struct {
	ID string `arg:"" name:"id" complete:"workflow" help:"Id of the workflow."`
	serverFlags
}

// Help implements kong.HelpProvider.
func (c *deactivateCmd) Help() string {
	return `The triggers of the workflow start no more runs. Its runs continue; waiting runs of its triggers are dropped.

Example:

    svc workflows deactivate digest`
}

// Run disarms the triggers of a workflow.
func (c *deactivateCmd) Run(ctx context.Context, h *host) error {
	server, err := c.client(h)
	if err != nil {
		return err
	}
	if err := server.Deactivate(ctx, c.ID); err != nil {
		return err
	}
	return h.print("not active " + oneLine(c.ID) + "\n")
}

type triggersCmd struct {
	List listTriggersCmd `cmd:"" default:"withargs" help:"List the triggers of active workflows, in the order of their next firings."`
	Fire fireTriggerCmd  `cmd:"" help:"Start a stored workflow as if one of its triggers had fired."`
}

// Help implements kong.HelpProvider.
func (c *triggersCmd) Help() string {
	return `Lists and fires triggers. svc workflows activate activates a workflow.

Examples:

    svc triggers list
    svc triggers fire digest morning`
}

type listTriggersCmd struct {
	ID string `arg:"" optional:"" name:"id" complete:"workflow" help:"Only triggers of this workflow."`
	outputFlag
	serverFlags
}

// Help implements kong.HelpProvider.
func (c *listTriggersCmd) Help() string {
	return `Prints each trigger in a few lines: why it cannot fire, its next three times, its last firing with result and run, how many firings wait or were dropped and why the last one was, and the address of a hook. Times are those of your zone.

Examples:

    svc triggers list
    svc triggers list digest --output json`
}

// Run lists triggers.
func (c *listTriggersCmd) Run(ctx context.Context, h *host) error {
	server, err := c.client(h)
	if err != nil {
		return err
	}
	all, err := server.Triggers(ctx)
	if err != nil {
		return err
	}
	if c.ID != "" {
		all = slices.DeleteFunc(all, func(t run.Trigger) bool { return t.WorkflowID != c.ID })
	}
	return c.answer(h, all, triggersText(all))
}

// triggersText describes triggers, each in a few lines that fit a terminal.
func triggersText(all []run.Trigger) string {
	if len(all) == 0 {
		return "no active triggers\n"
	}
	var b strings.Builder
	for i := range all {
		x := &all[i]
		b.WriteString(wrapped("", x.WorkflowID+" "+x.NodeID))
		line := func(name, text string) {
			if text != "" && text != "-" {
				b.WriteString(wrapped("  "+name+strings.Repeat(" ", 9-len(name)), text))
			}
		}
		line("type", x.Type)
		line("problem", x.Problem)
		line("next", zoned(x.Next))
		for _, at := range x.Upcoming[min(1, len(x.Upcoming)):] {
			line("then", zoned(at))
		}
		if !x.LastFiredAt.IsZero() {
			line("last", zoned(x.LastFiredAt)+" "+outcomeText(x))
			line("run", x.LastRunID)
		}
		line("counts", fmt.Sprintf("waiting %d, missed %d, refused %d", x.Waiting, x.Missed, x.Refused))
		line("address", x.URL)
		if x.LastError != x.Problem {
			line("error", x.LastError)
		}
	}
	return b.String()
}

// zoned formats a time with the name of its zone.
func zoned(at time.Time) string {
	if at.IsZero() {
		return "-"
	}
	return at.Local().Format(time.DateTime + " MST")
}

// terminalWidth is the width that all terminals have.
const terminalWidth = 80

// wrapped breaks a text into lines that fit a terminal, behind a label and spaces of its width.
// Words that are longer, such as addresses, are left whole.
func wrapped(label, text string) string {
	width := terminalWidth - len(label)
	lines, n := [][]string{nil}, 0
	for word := range strings.FieldsSeq(oneLine(text)) {
		if last := len(lines) - 1; n > 0 && n+1+utf8.RuneCountInString(word) > width {
			lines, n = append(lines, []string{word}), utf8.RuneCountInString(word)
		} else {
			lines[last] = append(lines[last], word)
			n += min(n, 1) + utf8.RuneCountInString(word)
		}
	}
	indent := "\n" + strings.Repeat(" ", len(label))
	var all []string
	for _, line := range lines {
		all = append(all, strings.Join(line, " "))
	}
	return label + strings.Join(all, indent) + "\n"
}

// outcomeText returns the result of the last firing.
func outcomeText(t *run.Trigger) string {
	switch {
	case t.LastRunID == "":
		return "-"
	case t.LastStatus == engine.StatusPending:
		return "not kept"
	}
	return t.LastStatus.String()
}

type fireTriggerCmd struct {
	ID      string `arg:"" name:"id" complete:"workflow" help:"Id of the workflow."`
	Node    string `arg:"" name:"node" help:"Id of the trigger's node."`
	Payload string `placeholder:"FILE" help:"File with outputs of the trigger, a JSON object by name of the output; - for standard input. Other outputs have the values of the trigger's sample, if any."`
	serverFlags
}

// Help implements kong.HelpProvider.
func (c *fireTriggerCmd) Help() string {
	return `Starts a run of the stored workflow, active or not, and prints its id.

Examples:

    svc triggers fire digest morning
    svc triggers fire orders hook --payload order.json`
}

// Run starts a run.
func (c *fireTriggerCmd) Run(ctx context.Context, h *host) error {
	server, err := c.client(h)
	if err != nil {
		return err
	}
	q := run.Request{Trigger: c.Node}
	if c.Payload != "" {
		if q.Payload, err = h.payload(c.Payload); err != nil {
			return err
		}
	}
	id, err := server.StartStored(ctx, c.ID, q)
	if err != nil {
		return err
	}
	return h.print(id + "\n")
}

// typed knows node types: this program, or a server.
type typed interface {
	NodeTypes(ctx context.Context) ([]*node.Spec, error)
}

// fire sets the trigger and its outputs from --trigger and --payload. By default it takes the
// first trigger that is not disabled, and prints its name.
func (c *runCmd) fire(ctx context.Context, h *host, types typed, def *workflow.Definition, q *run.Request) error {
	q.Trigger = c.Trigger
	if q.Trigger == "" {
		specs, err := types.NodeTypes(ctx)
		if err != nil {
			return err
		}
		if q.Trigger = engine.FirstTrigger(def, specs); q.Trigger != "" && !c.Quiet {
			h.errorf("the trigger %q fires; name another one with --trigger", q.Trigger)
		}
	}
	if c.Payload == "" {
		return nil
	}
	var err error
	q.Payload, err = h.payload(c.Payload)
	return err
}

// payload reads the outputs of a trigger.
func (h *host) payload(name string) (map[string]any, error) {
	text, err := h.read(name)
	if err != nil {
		return nil, err
	}
	v, err := value.Decode(text)
	if err != nil {
		return nil, usagef("--payload %s: %w", name, err)
	}
	payload, ok := v.(map[string]any)
	if !ok {
		return nil, usagef("--payload %s: it is an object, output to value", name)
	}
	return payload, nil
}
