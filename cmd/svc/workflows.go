package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/svcflow/svc/app"
	"github.com/svcflow/svc/cmd/internal/program"
	"github.com/svcflow/svc/engine/workflow"
)

type workflowsCmd struct {
	List    listWorkflowsCmd   `cmd:"" help:"List the stored workflows."`
	Show    showWorkflowCmd    `cmd:"" help:"Print a stored workflow."`
	Save    saveWorkflowsCmd   `cmd:"" help:"Store workflows under their ids."`
	Diff    diffWorkflowCmd    `cmd:"" help:"Compare a file or a revision with the stored workflow."`
	History historyWorkflowCmd `cmd:"" help:"List the revisions of a stored workflow."`
	Restore restoreWorkflowCmd `cmd:"" help:"Make an earlier revision the current one."`
	Delete  deleteWorkflowCmd  `cmd:"" help:"Delete stored workflows."`

	Activate   activateCmd   `cmd:"" help:"Activate the triggers of a stored workflow."`
	Deactivate deactivateCmd `cmd:"" help:"Deactivate the triggers of a workflow."`
}

// Help implements kong.HelpProvider.
func (c *workflowsCmd) Help() string {
	return `Stored workflows are on a server, or in DIR/workflows, which a server with the same data directory uses, too.

Examples:

    svc workflows save flow.json
    svc workflows list --data /var/lib/svc
    svc workflows diff flow.json --server https://svc.example.org`
}

type listWorkflowsCmd struct {
	outputFlag
	targetFlags
}

// Help implements kong.HelpProvider.
func (c *listWorkflowsCmd) Help() string {
	return `Prints each workflow: id, revision, whether it can run, when it was changed, and its name.

Examples:

    svc workflows list
    svc workflows list --output json --data /var/lib/svc`
}

// Run lists the stored workflows.
func (c *listWorkflowsCmd) Run(ctx context.Context, h *host) error {
	place, err := c.backend(h)
	if err != nil {
		return err
	}
	metas, err := workflow.All(ctx, place.Workflows)
	if err != nil {
		return err
	}
	t := newTable("ID", "REVISION", "STATE", "CHANGED", "NAME")
	for i := range metas {
		m := &metas[i]
		t.row(m.ID, strconv.Itoa(m.Revision), stateOf(m), m.UpdatedAt.Local().Format(time.DateTime), m.Name)
	}
	return c.answer(h, metas, t.text())
}

func stateOf(m *workflow.Meta) string {
	switch {
	case m.Damaged:
		return "damaged"
	case m.Valid:
		return "valid"
	case m.Unchecked:
		return "unchecked"
	}
	return "draft"
}

type showWorkflowCmd struct {
	ID       string `arg:"" name:"id" complete:"workflow" help:"Id of the workflow."`
	Revision int    `placeholder:"N" help:"An earlier revision."`
	outputFlag
	targetFlags
}

// Help implements kong.HelpProvider.
func (c *showWorkflowCmd) Help() string {
	return `Prints the workflow in its canonical form.

Examples:

    svc workflows show greeting
    svc workflows show greeting --revision 1 --data /var/lib/svc > greeting.json`
}

// Run prints the workflow.
func (c *showWorkflowCmd) Run(ctx context.Context, h *host) error {
	place, err := c.backend(h)
	if err != nil {
		return err
	}
	var def *workflow.Definition
	if c.Revision == 0 {
		def, err = loadStored(ctx, place.Workflow, c.ID)
	} else {
		def, err = loadRevision(ctx, place, c.ID, c.Revision)
	}
	if err != nil {
		return err
	}
	return h.print(string(def.Format())) // which is JSON in any case
}

// loadRevision returns a revision of a stored workflow.
func loadRevision(ctx context.Context, place backend, id string, n int) (*workflow.Definition, error) {
	def, err := place.Revision(ctx, id, n)
	if errors.Is(err, workflow.ErrNotFound) {
		return nil, usagef("there is no revision %d of a stored workflow %q; `svc workflows history %s` shows which are kept", n, oneLine(id), program.Shell(id))
	}
	return def, err
}

type saveWorkflowsCmd struct {
	Files []string `arg:"" name:"file" complete:"file,template:" help:"Workflow files; - for standard input, template:NAME for a template."`
	outputFlag
	targetFlags
}

// Help implements kong.HelpProvider.
func (c *saveWorkflowsCmd) Help() string {
	return `A stored workflow with the same id becomes an earlier revision. An invalid workflow is stored as a draft.

Examples:

    svc workflows save flow.json
    svc workflows save template:greeting --server https://svc.example.org`
}

// Run stores the workflows.
func (c *saveWorkflowsCmd) Run(ctx context.Context, h *host) error {
	place, err := c.backend(h)
	if err != nil {
		return err
	}
	saved := make([]workflow.Meta, 0, len(c.Files))
	for _, arg := range c.Files {
		def, err := h.load(ctx, stored(c.dir()).Load, arg)
		if err != nil {
			return err
		}
		meta, err := place.Save(ctx, def, workflow.Condition{})
		if err != nil {
			return err
		}
		saved = append(saved, meta)
		if c.asJSON() {
			continue
		}
		if err := h.print(savedText(&meta)); err != nil {
			return err
		}
	}
	return c.answer(h, saved, "")
}

// savedText formats the result of a save.
func savedText(m *workflow.Meta) string {
	return fmt.Sprintf("saved %s, revision %d, %s\n", oneLine(m.ID), m.Revision, stateOf(m))
}

type deleteWorkflowCmd struct {
	IDs []string `arg:"" name:"id" complete:"workflow" help:"Ids of the workflows."`
	outputFlag
	targetFlags
}

// Help implements kong.HelpProvider.
func (c *deleteWorkflowCmd) Help() string {
	return `Deletes the workflows with all their revisions. An unknown id is an error; the other workflows are deleted even so.

Examples:

    svc workflows delete greeting
    svc workflows delete draft-1 draft-2 --data /var/lib/svc`
}

// deleted is the answer of commands that delete.
type deleted struct {
	Deleted []string `json:"deleted"`
}

// Run deletes the workflows.
func (c *deleteWorkflowCmd) Run(ctx context.Context, h *host) error {
	place, err := c.backend(h)
	if err != nil {
		return err
	}
	done := deleted{Deleted: []string{}}
	var missing []string
	for _, id := range c.IDs {
		err := place.Delete(ctx, id, workflow.Condition{Match: []string{workflow.Any}})
		switch {
		case errors.Is(err, workflow.ErrConflict):
			missing = append(missing, strconv.Quote(id))
		case err != nil:
			return err
		default:
			done.Deleted = append(done.Deleted, id)
		}
	}
	if err := c.answer(h, done, ""); err != nil {
		return err
	}
	if len(missing) > 0 {
		return usagef("there is no stored workflow %s; `svc workflows list` shows what is stored", strings.Join(missing, ", "))
	}
	return nil
}

type templatesCmd struct {
	Name string `arg:"" optional:"" complete:"name:" help:"The template to print."`
	outputFlag
}

// Help implements kong.HelpProvider.
func (c *templatesCmd) Help() string {
	return `You can run a template as it is, or print it into a file and change it.

Examples:

    svc templates
    svc templates api-ingest > ingest.json`
}

// shownTemplate is a template in the list of svc templates.
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
