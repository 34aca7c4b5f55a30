package main

import (
	"bytes"
	"fmt"

	"github.com/svcflow/svc/store/durable"
)

type fmtCmd struct {
	Files []string `arg:"" name:"file" help:"Workflow files; - reads standard input and writes standard output."`
	Check bool     `help:"Change nothing; name the files that are not in canonical form, and exit with 1 if there are any."`
}

// Help implements kong.HelpProvider.
func (c *fmtCmd) Help() string {
	return `The canonical form has a fixed order of fields, sorted config and two spaces of indentation, so that a change of a workflow is a small change of its text. A file is replaced in one step, or not at all.

Examples:

    svc fmt flow.json
    svc fmt --check flows/*.json`
}

// Run formats the files.
func (c *fmtCmd) Run(h *host) error {
	unformatted := false
	for _, name := range c.Files {
		text, err := h.read(name)
		if err != nil {
			return err
		}
		def, err := decode(name, text)
		if err != nil {
			return err
		}
		formatted := def.Format()
		same := bytes.Equal(text, formatted)
		switch {
		case c.Check && !same:
			unformatted = true
			err = h.print(name + "\n")
		case name == "-" && !c.Check:
			err = h.print(string(formatted))
		case !c.Check && !same:
			err = replaceFile(name, formatted)
		}
		if err != nil {
			return err
		}
	}
	if unformatted {
		return status(exitFailed)
	}
	return nil
}

// replaceFile gives a file new content in one step. A link stays a link, and the
// permissions stay as they are.
func replaceFile(name string, text []byte) error {
	if err := durable.Rewrite(name, text); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return nil
}
