package main

import (
	"bytes"
	"slices"

	"github.com/svcflow/svc/cmd/internal/program"
)

type fmtCmd struct {
	Files []string `arg:"" name:"file" complete:"file" help:"Workflow files; - reads standard input and writes standard output."`
	Check bool     `help:"Change nothing; list the files that are not in canonical form, and exit with 1 if there are any."`
	outputFlag
}

// Help implements kong.HelpProvider.
func (c *fmtCmd) Help() string {
	return `The canonical form has a fixed order of fields, sorted config and two spaces of indentation, so that a small change of a workflow is a small change of its text. Each file is replaced atomically.

Examples:

    svc fmt flow.json
    svc fmt --check flows/*.json`
}

// Run formats the files.
func (c *fmtCmd) Run(h *host) error {
	done := formatted{Changed: []string{}}
	for _, name := range c.Files {
		text, err := h.read(name)
		if err != nil {
			return err
		}
		def, err := decode(name, text)
		if err != nil {
			return err
		}
		canonical := def.Format()
		if name == "-" && !c.Check {
			if err := h.print(string(canonical)); err != nil {
				return err
			}
			continue
		}
		if bytes.Equal(text, canonical) {
			continue
		}
		done.Changed = append(done.Changed, name)
		if !c.Check {
			err = program.ReplaceFile(name, canonical)
		} else if !c.asJSON() {
			err = h.print(name + "\n")
		}
		if err != nil {
			return err
		}
	}
	if err := c.report(h, done); err != nil {
		return err
	}
	if c.Check && len(done.Changed) > 0 {
		return status(exitFailed)
	}
	return nil
}

// formatted is the answer of svc fmt.
type formatted struct {
	Changed []string `json:"changed"` // files that were not in canonical form
}

// report prints the answer for programs. For standard input the answer is the workflow.
func (c *fmtCmd) report(h *host, done formatted) error {
	if slices.Contains(c.Files, "-") && !c.Check {
		return nil
	}
	return c.answer(h, done, "")
}
