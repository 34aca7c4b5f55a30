package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/svcflow/svc/engine"
)

type validateCmd struct {
	Workflows []string `arg:"" name:"workflow" complete:"file,workflow,template:" help:"${source}"`
	outputFlag
	targetFlags
}

// Help implements kong.HelpProvider.
func (c *validateCmd) Help() string {
	return `Prints all errors of all workflows, one per line: file, code, node and port, message, and what to do. Runs nothing. The exit status is 2 if there are any.
Hints on standard error name places of valid workflows that may not do what you mean; they do not change the exit status.

With --server, the server judges, which may have other node types, and ids are those of workflows that are stored there.

Examples:

    svc validate flow.json
    svc validate flows/*.json --server https://svc.example.org`
}

// judgement is the answer of svc validate for one workflow.
type judgement struct {
	Workflow string                  `json:"workflow"` // the argument that named it
	Valid    bool                    `json:"valid"`
	Problems engine.ValidationErrors `json:"problems,omitempty"`
	Hints    []engine.Hint           `json:"hints,omitempty"`
	Error    string                  `json:"error,omitempty"` // why it could not be read as a workflow
	usage    bool                    // the error is a mistake in the command line
}

// Run validates the workflows.
func (c *validateCmd) Run(ctx context.Context, h *host) error {
	place, err := c.backend(h)
	if err != nil {
		return err
	}
	valid, all := true, make([]judgement, 0, len(c.Workflows))
	for _, arg := range c.Workflows {
		j, err := h.judge(ctx, place, arg)
		if err != nil {
			return err
		}
		valid, all = valid && j.Valid, append(all, j)
		if c.asJSON() {
			continue
		}
		if err := h.printJudgement(&j); err != nil {
			return err
		}
	}
	if err := c.answer(h, all, ""); err != nil {
		return err
	}
	if !valid {
		return status(exitInvalid)
	}
	return nil
}

// judge validates one workflow.
func (h *host) judge(ctx context.Context, place backend, arg string) (judgement, error) {
	j := judgement{Workflow: arg}
	def, err := h.load(ctx, place.Workflow, arg)
	j.usage = errors.As(err, new(usageError))
	switch {
	case j.usage, errors.As(err, new(formError)): // the remaining workflows are still validated
		j.Error = oneLine(err.Error())
		return j, nil
	case err != nil:
		return j, err
	}
	hints, err := place.Hints(ctx, def)
	problems, invalid := errors.AsType[engine.ValidationErrors](err)
	if err != nil && !invalid {
		return j, err
	}
	j.Valid, j.Hints, j.Problems = !invalid, hints, problems
	return j, nil
}

// printJudgement prints a judgement for people. Hints go to standard error.
func (h *host) printJudgement(j *judgement) error {
	switch {
	case j.usage:
		h.errorf("%s", j.Error)
		return nil
	case j.Error != "":
		return h.print(j.Error + "\n")
	case j.Valid:
		for _, hint := range j.Hints {
			fmt.Fprintf(h.stderr, "%s: hint: %s\n", j.Workflow, hintText(hint)) //nolint:errcheck // the answer is on standard output
		}
		return h.print(j.Workflow + ": valid\n")
	}
	for _, p := range j.Problems {
		if err := h.print(fmt.Sprintf("%s: %s\n", j.Workflow, problemText(p))); err != nil {
			return err
		}
	}
	return nil
}
