package main

import (
	"errors"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/svcflow/svc/app"
)

type templatesCmd struct {
	Name string `arg:"" optional:"" help:"The template to print."`
}

// Help implements kong.HelpProvider.
func (c *templatesCmd) Help() string {
	return `A template can be run as it is, or printed into a file to build on.

Examples:

    svc templates
    svc templates api-ingest > ingest.json`
}

// Run lists the templates, or prints one.
func (c *templatesCmd) Run(h *host) error {
	if c.Name != "" {
		def, err := app.FindTemplate(strings.TrimPrefix(c.Name, templatePrefix))
		if errors.Is(err, app.ErrNoTemplate) {
			return usageError{err}
		}
		if err != nil {
			return err
		}
		return h.print(string(def.Format()))
	}
	all, err := app.Templates()
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(h.stdout, 0, 0, 2, ' ', 0)
	for _, t := range all {
		fmt.Fprintf(w, "%s\t%s\n", t.Name, firstSentence(t.Definition.Description)) //nolint:errcheck // Flush says it
	}
	return w.Flush()
}
