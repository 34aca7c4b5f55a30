package main

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/engine/workflow"
)

type stateCmd struct {
	List   listStateCmd   `cmd:"" help:"List the values."`
	Get    getStateCmd    `cmd:"" help:"Print a value."`
	Set    setStateCmd    `cmd:"" help:"Store a value under a key."`
	Delete deleteStateCmd `cmd:"" help:"Delete values."`
}

// Help implements kong.HelpProvider.
func (c *stateCmd) Help() string {
	return `State is small values that remain after a run; nodes such as state.get and state.set use it. It belongs to a workflow or, without --workflow, to all workflows. A server stores it, or the directory DIR/state.

Examples:

    svc state get invoices --workflow invoice
    svc state set greeting '"Hello"' --server https://svc.example.org`
}

// memory stores state: a server, or the data directory.
type memory interface {
	States(ctx context.Context, workflowID, cursor string) (run.StatePage, error)
	State(ctx context.Context, workflowID, key string) (run.State, error)
	SetState(ctx context.Context, workflowID, key string, v any, ttl time.Duration, cond workflow.Condition) (run.State, error)
	DeleteState(ctx context.Context, workflowID, key string, cond workflow.Condition) error
}

// ownerFlag selects the workflow that the state belongs to.
type ownerFlag struct {
	Workflow string `complete:"workflow" placeholder:"ID" help:"The workflow that the state belongs to. By default the state that all workflows share."`
}

type listStateCmd struct {
	ownerFlag
	outputFlag
	targetFlags
}

// Help implements kong.HelpProvider.
func (c *listStateCmd) Help() string {
	return `Prints each value: key, revision, when it expires, and its beginning. --output json prints whole values.

Examples:

    svc state list
    svc state list --workflow invoice --output json --data /var/lib/svc`
}

// shownValue is how many characters of a value the table shows.
const shownValue = 60

// Run lists values.
func (c *listStateCmd) Run(ctx context.Context, h *host) error {
	place, err := c.backend(h)
	if err != nil {
		return err
	}
	all := []run.State{}
	for cursor, first := "", true; first || cursor != ""; first = false {
		page, err := place.States(ctx, c.Workflow, cursor)
		if err != nil {
			return err
		}
		all, cursor = append(all, page.Items...), page.NextCursor
	}
	t := newTable("KEY", "REVISION", "EXPIRES", "VALUE")
	for i := range all {
		s := &all[i]
		t.row(s.Key, strconv.Itoa(s.Revision), moment(s.ExpiresAt), cut(string(value.Append(nil, s.Value)), shownValue))
	}
	return c.answer(h, all, t.text())
}

type getStateCmd struct {
	Key string `arg:"" name:"key" help:"Key of the value."`
	ownerFlag
	outputFlag
	targetFlags
}

// Help implements kong.HelpProvider.
func (c *getStateCmd) Help() string {
	return `Prints the value as JSON on one line. --output json adds its revision and when it expires. It is an error if the key has no value.

Examples:

    svc state get invoices --workflow invoice
    svc state get greeting --output json --data /var/lib/svc`
}

// Run prints a value.
func (c *getStateCmd) Run(ctx context.Context, h *host) error {
	place, err := c.backend(h)
	if err != nil {
		return err
	}
	kept, err := place.State(ctx, c.Workflow, c.Key)
	if err != nil {
		return fmt.Errorf("%s: %w", oneLine(c.Key), err)
	}
	return c.answer(h, kept, string(value.Append(nil, kept.Value))+"\n")
}

type setStateCmd struct {
	Key        string        `arg:"" name:"key" help:"Key of the value."`
	Value      string        `arg:"" name:"value" help:"The value as JSON, a text in quotes; - for standard input."`
	TTL        time.Duration `name:"ttl" placeholder:"TIME" help:"Time after which the value expires, such as 15m or 720h. By default never."`
	IfRevision int           `placeholder:"N" help:"Change the value only if it still has this revision."`
	ownerFlag
	outputFlag
	targetFlags
}

// Help implements kong.HelpProvider.
func (c *setStateCmd) Help() string {
	return `The workflow must be stored on the server, if you use one.

Examples:

    svc state set invoices 1000 --workflow invoice
    svc state set greeting '"Hello"' --ttl 24h
    svc state set rates - < rates.json`
}

// Run stores a value.
func (c *setStateCmd) Run(ctx context.Context, h *host) error {
	text := []byte(c.Value)
	if c.Value == "-" {
		var err error
		if text, err = h.read("-"); err != nil {
			return err
		}
	}
	v, err := value.Decode(text)
	switch {
	case err != nil:
		return usagef("the value is no JSON: %w; a text needs quotes, such as '\"Hello\"'", err)
	case c.TTL != 0 && c.TTL < time.Second:
		return usagef("--ttl is from a second on, such as 90s, 15m or 720h")
	case c.IfRevision < 0:
		return usagef("--if-revision is a number from 1 on")
	}
	var cond workflow.Condition
	if c.IfRevision > 0 {
		cond.Match = []string{strconv.Itoa(c.IfRevision)}
	}
	place, err := c.backend(h)
	if err != nil {
		return err
	}
	kept, err := place.SetState(ctx, c.Workflow, c.Key, v, c.TTL, cond)
	if err != nil {
		return fmt.Errorf("%s: %w", oneLine(c.Key), err)
	}
	return c.answer(h, kept, fmt.Sprintf("kept %s revision %d\n", oneLine(kept.Key), kept.Revision))
}

type deleteStateCmd struct {
	Keys []string `arg:"" name:"key" help:"Keys of the values."`
	ownerFlag
	outputFlag
	targetFlags
}

// Help implements kong.HelpProvider.
func (c *deleteStateCmd) Help() string {
	return `It is not an error if a key has no value.

Examples:

    svc state delete greeting
    svc state delete invoices --workflow invoice --server https://svc.example.org`
}

// Run deletes values.
func (c *deleteStateCmd) Run(ctx context.Context, h *host) error {
	place, err := c.backend(h)
	if err != nil {
		return err
	}
	for _, key := range c.Keys {
		if err := place.DeleteState(ctx, c.Workflow, key, workflow.Condition{}); err != nil {
			return fmt.Errorf("%s: %w", oneLine(key), err)
		}
	}
	return c.answer(h, deleted{Deleted: c.Keys}, "")
}
