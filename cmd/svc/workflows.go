package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/svcflow/svc/engine/workflow"
)

type workflowsCmd struct {
	List   listWorkflowsCmd  `cmd:"" help:"List the stored workflows."`
	Show   showWorkflowCmd   `cmd:"" help:"Print a stored workflow."`
	Save   saveWorkflowsCmd  `cmd:"" help:"Store workflows under their ids."`
	Delete deleteWorkflowCmd `cmd:"" help:"Delete stored workflows."`
}

// Help implements kong.HelpProvider.
func (c *workflowsCmd) Help() string {
	return `Stored workflows lie in DIR/workflows, where a server with the same data directory finds them, too.

Examples:

    svc workflows save flow.json
    svc workflows list --data /var/lib/svc`
}

type listWorkflowsCmd struct {
	JSON bool `name:"json" help:"Print a JSON array."`
	dataFlag
}

// Help implements kong.HelpProvider.
func (c *listWorkflowsCmd) Help() string {
	return `Of each workflow: id, revision, whether it can run, when it was changed, and its name.

Examples:

    svc workflows list
    svc workflows list --json --data /var/lib/svc`
}

// Run lists the stored workflows.
func (c *listWorkflowsCmd) Run(ctx context.Context, h *host) error {
	a, err := h.open(c.Data, true)
	if err != nil {
		return err
	}
	metas, err := a.Workflows(ctx)
	if err != nil {
		return err
	}
	if c.JSON {
		return printJSON(h.stdout, metas)
	}
	w := tabwriter.NewWriter(h.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "ID\tREVISION\tSTATE\tCHANGED\tNAME") //nolint:errcheck // Flush says it
	for i := range metas {
		m := &metas[i]
		fmt.Fprintf(w, "%s\t%d\t%s\t%s\t%s\n", //nolint:errcheck // Flush says it
			oneLine(m.ID), m.Revision, stateOf(m), m.UpdatedAt.Local().Format(time.DateTime), oneLine(m.Name))
	}
	return w.Flush()
}

func stateOf(m *workflow.Meta) string {
	switch {
	case m.Damaged:
		return "damaged"
	case m.Valid:
		return "valid"
	}
	return "draft"
}

func printJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

type showWorkflowCmd struct {
	ID string `arg:"" name:"id" help:"Id of the workflow."`
	dataFlag
}

// Help implements kong.HelpProvider.
func (c *showWorkflowCmd) Help() string {
	return `Prints the workflow in its canonical form.

Examples:

    svc workflows show greeting
    svc workflows show greeting --data /var/lib/svc > greeting.json`
}

// Run prints the workflow.
func (c *showWorkflowCmd) Run(ctx context.Context, h *host) error {
	def, err := loadStored(ctx, stored(c.Data), c.ID)
	if err != nil {
		return err
	}
	return h.print(string(def.Format()))
}

type saveWorkflowsCmd struct {
	Files []string `arg:"" name:"file" help:"Workflow files; - for standard input, template:NAME for a template."`
	dataFlag
}

// Help implements kong.HelpProvider.
func (c *saveWorkflowsCmd) Help() string {
	return `What is stored under the same id becomes an earlier revision. A workflow with problems is stored, too, as a draft.

Examples:

    svc workflows save flow.json
    svc workflows save template:greeting --data /var/lib/svc`
}

// Run stores the workflows.
func (c *saveWorkflowsCmd) Run(ctx context.Context, h *host) error {
	a, err := h.open(c.Data, true)
	if err != nil {
		return err
	}
	for _, arg := range c.Files {
		def, err := h.load(ctx, stored(c.Data), arg)
		if err != nil {
			return err
		}
		meta, err := a.Save(ctx, def, workflow.Condition{})
		if err != nil {
			return err
		}
		if err := h.print(fmt.Sprintf("saved %s, revision %d, %s\n", oneLine(meta.ID), meta.Revision, stateOf(&meta))); err != nil {
			return err
		}
	}
	return nil
}

type deleteWorkflowCmd struct {
	IDs []string `arg:"" name:"id" help:"Ids of the workflows."`
	dataFlag
}

// Help implements kong.HelpProvider.
func (c *deleteWorkflowCmd) Help() string {
	return `Deletes the workflows with all their revisions. Ids under which nothing is stored are an error; the others are deleted all the same.

Examples:

    svc workflows delete greeting
    svc workflows delete draft-1 draft-2 --data /var/lib/svc`
}

// Run deletes the workflows.
func (c *deleteWorkflowCmd) Run(ctx context.Context) error {
	s := stored(c.Data)
	var missing []string
	for _, id := range c.IDs {
		err := s.DeleteIf(ctx, id, workflow.Condition{Match: []string{workflow.Any}})
		switch {
		case errors.Is(err, workflow.ErrConflict):
			missing = append(missing, strconv.Quote(id))
		case err != nil:
			return err
		}
	}
	if len(missing) > 0 {
		return usagef("there is no stored workflow %s; `svc workflows list` shows what is stored", strings.Join(missing, ", "))
	}
	return nil
}
