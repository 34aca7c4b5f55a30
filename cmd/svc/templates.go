package main

import (
	"errors"
	"strings"

	"github.com/svcflow/svc/app"
)

type templatesCmd struct {
	Name string `arg:"" optional:"" complete:"name:" help:"The template to print."`
	outputFlag
}

// Help implements kong.HelpProvider.
func (c *templatesCmd) Help() string {
	return `A template can be run as it is, or printed into a file to build on.

Examples:

    svc templates
    svc templates api-ingest > ingest.json`
}

// shownTemplate is a template as svc templates lists it.
type shownTemplate struct {
	Name        string `json:"name"`
	Description string `json:"description"`
}

// Run lists the templates, or prints one.
func (c *templatesCmd) Run(h *host) error {
	if c.Name != "" {
		def, err := app.FindTemplate(strings.TrimPrefix(c.Name, templatePrefix))
		if errors.Is(err, app.ErrNoTemplate) {
			return usageError{Err: err}
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
	t, shown := newTable(), make([]shownTemplate, len(all))
	for i, template := range all {
		shown[i] = shownTemplate{Name: template.Name, Description: template.Definition.Description}
		t.row(template.Name, firstSentence(template.Definition.Description))
	}
	return c.answer(h, shown, t.text())
}
