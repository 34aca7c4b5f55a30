package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/svcflow/svc/app"
	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/store"
)

type validateCmd struct {
	Workflows []string `arg:"" name:"workflow" help:"${source}"`
	dataFlag
}

// Help implements kong.HelpProvider.
func (c *validateCmd) Help() string {
	return `All problems of all workflows are printed, one per line: file, code, place, message and what to do. Nothing is run. The exit status is 2 if there are any.
Hints on standard error name places of valid workflows that may not do what you mean; they do not change the exit status.

Examples:

    svc validate flow.json
    svc validate flows/*.json`
}

// Run checks the workflows.
func (c *validateCmd) Run(ctx context.Context, h *host) error {
	a, err := h.open(c.Data, true)
	if err != nil {
		return err
	}
	valid := true
	for _, arg := range c.Workflows {
		ok, err := h.validate(ctx, a, stored(c.Data), arg)
		if err != nil {
			return err
		}
		valid = valid && ok
	}
	if !valid {
		return status(exitInvalid)
	}
	return nil
}

// validate prints what is wrong with one workflow.
func (h *host) validate(ctx context.Context, a *app.App, s store.WorkflowStore, arg string) (valid bool, err error) {
	def, err := h.load(ctx, s, arg)
	switch {
	case errors.As(err, new(formError)):
		return false, h.print(oneLine(err.Error()) + "\n")
	case errors.As(err, new(usageError)): // the others are looked at all the same
		h.errorf("%s", oneLine(err.Error()))
		return false, nil
	case err != nil:
		return false, err
	}
	hints, err := a.Hints(ctx, def)
	problems, invalid := errors.AsType[engine.ValidationErrors](err)
	switch {
	case err == nil:
		for _, hint := range hints {
			fmt.Fprintf(h.stderr, "%s: hint: %s\n", arg, hintText(hint)) //nolint:errcheck // the answer is on standard output
		}
		return true, h.print(arg + ": valid\n")
	case !invalid:
		return false, err
	}
	for _, p := range problems {
		if err := h.print(fmt.Sprintf("%s: %s\n", arg, problemText(p))); err != nil {
			return false, err
		}
	}
	return false, nil
}
