package ui

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/lang"
	"fyne.io/fyne/v2/widget"

	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/ui/editor/board"
	"github.com/svcflow/svc/ui/hosts"
	"github.com/svcflow/svc/ui/job"
	"github.com/svcflow/svc/ui/kit"
	"github.com/svcflow/svc/ui/workspace"
)

// Compare shows the workflow with the differences to its saved state, or ends the comparison.
func (f *fileCommands) Compare() {
	if b := f.board(); b != nil && f.Comparing() {
		b.Compare(nil, "")
		f.views.Refresh()
		return
	}
	f.workspace.Compare()
}

// Comparing reports whether differences are shown.
func (f *fileCommands) Comparing() bool {
	b := f.board()
	if b == nil {
		return false
	}
	_, is := b.Comparing()
	return is
}

// HasRevisions reports whether revisions of the workflow are kept where the user works.
func (f *fileCommands) HasRevisions() bool {
	work := f.workspace.Active()
	if work == nil {
		return false
	}
	o := work.Origin()
	return o.File == "" && !o.IsNew() && o.Server == f.hosts.Here().URL
}

// Revisions lets the user choose a revision of the stored workflow to compare with. Taking
// over all differences restores it.
func (f *fileCommands) Revisions() {
	if !f.HasRevisions() {
		f.views.Complain(workspace.ErrNoRevisions)
		return
	}
	place, id := f.hosts.Here(), f.workspace.Active().Origin().ID
	f.jobs.Go(job.Reporting(user{f.dialogs, f.views}, lang.L("Listing revisions…"), func(ctx context.Context) (func(), error) {
		all, err := place.Backend.Revisions(ctx, id)
		return func() { f.pickRevision(place, id, all) }, err
	}))
}

func (f *fileCommands) pickRevision(place hosts.Host, id string, all []workflow.Meta) {
	p := kit.Picker{
		Placeholder: lang.L("Compare with which revision?"), Empty: lang.L("No such revision is stored"), Closed: f.views.Back,
		Search: func(query string) (choices []kit.Choice) {
			for _, m := range slices.Backward(all) {
				title := lang.L("Revision {{.N}}", map[string]any{"N": m.Revision})
				if !strings.Contains(strings.ToLower(title+" "+m.Name), strings.ToLower(query)) {
					continue
				}
				choices = append(choices, kit.Choice{
					Title: title, Detail: m.Name + " · " + strconv.Itoa(m.NodeCount), Trailing: m.UpdatedAt.Local().Format("2006-01-02 15:04"),
					Disabled: m.Damaged, Pick: func() {
						f.workspace.CompareRevision(workspace.Other(m.Revision), func(ctx context.Context) (*workflow.Definition, error) {
							return place.Backend.Revision(ctx, id, m.Revision)
						})
					},
				})
			}
			return choices
		},
	}
	p.Show(f.views.win.Canvas())
}

// compared shows above the canvas what the workflow is compared with, and buttons to take
// that over or to end the comparison.
func (v *views) compared(as string) fyne.CanvasObject {
	what := map[string]any{"What": as}
	line := func(text string) fyne.CanvasObject {
		take := kit.NewButton(lang.L("Take over"), func() { v.editing.Do((*board.Board).Take) })
		leave := kit.NewButton(lang.L("Leave"), func() { v.editing.Look(func(b *board.Board) { b.Compare(nil, "") }) })
		take.Importance = widget.HighImportance
		said := container.NewCenter(kit.NewText(text, kit.Style{Ink: kit.Running}))
		return container.NewHBox(kit.Inset(kit.Pad(4, 12, kit.Row(12, said, take, leave))))
	}
	return kit.Fits(
		line(lang.L("Compared with {{.What}}. Taking over means what is selected, or everything.", what)),
		line(lang.L("Compared with {{.What}}", what)))
}
