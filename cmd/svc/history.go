package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/svcflow/svc/engine/workflow"
)

type historyWorkflowCmd struct {
	ID string `arg:"" name:"id" complete:"workflow" help:"Id of the workflow."`
	outputFlag
	targetFlags
}

// Help implements kong.HelpProvider.
func (c *historyWorkflowCmd) Help() string {
	return `Prints each revision, newest first: its number, whether it can run, when it was saved, and how many nodes it has.

Examples:

    svc workflows history greeting
    svc workflows history greeting --server https://svc.example.org --output json`
}

// Run lists the revisions.
func (c *historyWorkflowCmd) Run(ctx context.Context, h *host) error {
	place, err := c.backend(h)
	if err != nil {
		return err
	}
	metas, err := place.Revisions(ctx, c.ID)
	if errors.Is(err, workflow.ErrNotFound) {
		return noStored(c.ID)
	}
	if err != nil {
		return err
	}
	t := newTable("REVISION", "STATE", "SAVED", "NODES", "NAME")
	for i := range metas {
		m := &metas[i]
		t.row(strconv.Itoa(m.Revision), stateOf(m), m.UpdatedAt.Local().Format(time.DateTime), strconv.Itoa(m.NodeCount), m.Name)
	}
	return c.answer(h, metas, t.text())
}

type restoreWorkflowCmd struct {
	ID       string `arg:"" name:"id" complete:"workflow" help:"Id of the workflow."`
	Revision int    `arg:"" name:"revision" help:"Number of the revision, as svc workflows history lists it."`
	outputFlag
	targetFlags
}

// Help implements kong.HelpProvider.
func (c *restoreWorkflowCmd) Help() string {
	return `Saves the earlier revision as a new one; no revision is lost. Fails if somebody else changes the workflow at the same time.

Examples:

    svc workflows restore greeting 1
    svc workflows restore greeting 1 --server https://svc.example.org`
}

// Run saves the revision again.
func (c *restoreWorkflowCmd) Run(ctx context.Context, h *host) error {
	place, err := c.backend(h)
	if err != nil {
		return err
	}
	current, err := loadStored(ctx, place.Workflow, c.ID)
	if err != nil {
		return err
	}
	earlier, err := loadRevision(ctx, place, c.ID, c.Revision)
	if err != nil {
		return err
	}
	meta, err := place.Save(ctx, earlier, workflow.Condition{Match: []string{current.Digest()}})
	if errors.Is(err, workflow.ErrConflict) {
		return fmt.Errorf("somebody else has saved %q meanwhile; check that version and try again", oneLine(c.ID))
	}
	if err != nil {
		return err
	}
	return c.answer(h, meta, savedText(&meta))
}

type diffWorkflowCmd struct {
	Workflow string `arg:"" complete:"file,workflow,template:" help:"A file, - for standard input, template:NAME, or the id of a stored workflow."`
	From     int    `placeholder:"N" help:"Compare this revision. By default the stored workflow; for an id, the revision before it."`
	To       int    `placeholder:"N" help:"With this revision. By default the file; for an id, the stored workflow."`
	Check    bool   `help:"Exit with 1 if there is a difference."`
	outputFlag
	targetFlags
}

// Help implements kong.HelpProvider.
func (c *diffWorkflowCmd) Help() string {
	return `Compares a file with the stored workflow of the same id: the lines show what saving the file would change. For an id, compares two revisions. Canonical forms are compared, so spaces and the order of fields do not matter.

Examples:

    svc workflows diff greeting.json --server https://svc.example.org
    svc workflows diff greeting --from 1 --to 3`
}

// difference is the answer of svc workflows diff.
type difference struct {
	ID      string `json:"id"`
	From    string `json:"from"` // a revision, a file, or nothing
	To      string `json:"to"`
	Changed bool   `json:"changed"`
	Diff    string `json:"diff"` // unified; empty if nothing has changed
}

// Run prints the differences.
func (c *diffWorkflowCmd) Run(ctx context.Context, h *host) error {
	place, err := c.backend(h)
	if err != nil {
		return err
	}
	from, to, err := c.sides(ctx, h, place)
	if err != nil {
		return err
	}
	d := differ(from, to)
	if err := c.answer(h, d, d.Diff); err != nil {
		return err
	}
	if d.Changed && c.Check {
		return status(exitFailed)
	}
	return nil
}

// side is one of two workflows to compare. Its definition is nil if the workflow does not exist.
type side struct {
	name string
	def  *workflow.Definition
}

// text returns the canonical form.
func (s side) text() []byte {
	if s.def == nil {
		return nil
	}
	return s.def.Format()
}

// differ prints the changes from one side to the other.
func differ(from, to side) difference {
	d := difference{From: from.name, To: to.name}
	for _, s := range []side{from, to} {
		if s.def != nil {
			d.ID = s.def.ID
		}
	}
	d.Diff = string(diff.Diff(from.name, from.text(), to.name, to.text()))
	d.Changed = d.Diff != ""
	return d
}

// sides returns the two workflows to compare.
func (c *diffWorkflowCmd) sides(ctx context.Context, h *host, place backend) (from, to side, err error) {
	if !isWorkflowHere(c.Workflow) {
		return c.revisions(ctx, place)
	}
	if c.To != 0 {
		return from, to, usagef("--to compares revisions of an id; a file has none")
	}
	to.name = c.Workflow
	if to.def, err = h.load(ctx, stored(c.dir()).Load, c.Workflow); err != nil {
		return from, to, err
	}
	if c.From != 0 {
		from, err = revisionSide(ctx, place, to.def.ID, c.From)
		return from, to, err
	}
	from.name = "stored/" + to.def.ID
	from.def, err = place.Workflow(ctx, to.def.ID)
	if errors.Is(err, workflow.ErrNotFound) {
		return side{name: "nothing"}, to, nil
	}
	return from, to, err
}

// revisions returns two revisions of a stored workflow.
func (c *diffWorkflowCmd) revisions(ctx context.Context, place backend) (from, to side, err error) {
	id := storedID(c.Workflow)
	metas, err := place.Revisions(ctx, id)
	if errors.Is(err, workflow.ErrNotFound) {
		return from, to, noStored(id)
	}
	if err != nil {
		return from, to, err
	}
	newer, older := c.To, c.From
	if newer == 0 {
		newer = metas[0].Revision
	}
	for i := range metas { // newest first
		if older == 0 && metas[i].Revision < newer {
			older = metas[i].Revision
		}
	}
	if older == 0 {
		return from, to, usagef("%q has no revision before %d to compare with", oneLine(id), newer)
	}
	if from, err = revisionSide(ctx, place, id, older); err != nil {
		return from, to, err
	}
	to, err = revisionSide(ctx, place, id, newer)
	return from, to, err
}

func revisionSide(ctx context.Context, place backend, id string, n int) (side, error) {
	def, err := loadRevision(ctx, place, id, n)
	return side{fmt.Sprintf("%s@%d", id, n), def}, err
}
