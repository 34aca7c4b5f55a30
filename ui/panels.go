package ui

import (
	"fyne.io/fyne/v2"

	"github.com/svcflow/svc/ui/kit"
)

// panels are the panels around the centre of the window. They can be hidden.
type panels struct {
	settings settings
	refresh  func()

	shell  *kit.Shell
	folded *kit.Sides // the layout for when the start page closes; nil while it is hidden
	left   *kit.Tabs
	right  *kit.Tabs
	bottom *kit.Tabs
}

// The pages of the panels.
const (
	tabTypes = iota
	tabOutline
)

const (
	tabInspector = iota
	tabRun
	tabProblems
)

const (
	tabTimeline = iota
	tabOutput
	tabRuns
)

// build arranges the panels around the centre.
func (p *panels) build(top, centre, status fyne.CanvasObject) {
	p.shell = kit.NewShell(kit.Parts{
		Top: top, Status: status, Left: p.left.Object(), Right: p.right.Object(), Bottom: p.bottom.Object(), Centre: centre,
	})
	p.shell.SetSides(p.settings.sides())
	p.shell.OnChange = func() { p.settings.setSides(p.wished()) }
}

// Sides returns the layout of the window, or the one for when the start page closes.
func (p *panels) Sides() kit.Sides {
	if p.folded != nil {
		return *p.folded
	}
	return p.shell.Shown()
}

// wished returns the layout that the user has chosen.
func (p *panels) wished() kit.Sides {
	if p.folded != nil {
		return *p.folded
	}
	return p.shell.Sides()
}

// fold hides the panels while the start page is shown: they would be empty.
func (p *panels) fold() {
	if p.folded != nil {
		return
	}
	kept := p.shell.Sides()
	p.folded = &kept
	none := kept
	none.LeftFolded, none.RightFolded, none.BottomFolded = true, true, true
	p.shell.SetSides(none)
}

// unfold shows the panels again.
func (p *panels) unfold() {
	if p.folded != nil {
		p.shell.SetSides(*p.folded)
		p.folded = nil
	}
}

// ToggleLeft shows or hides the panel with the node types.
func (p *panels) ToggleLeft() { p.fix(p.shell.SetLeftVisible, p.Sides().LeftFolded) }

// ToggleRight shows or hides the panel with the settings.
func (p *panels) ToggleRight() { p.fix(p.shell.SetRightVisible, p.Sides().RightFolded) }

// ToggleBottom shows or hides the panel with the runs.
func (p *panels) ToggleBottom() { p.fix(p.shell.SetBottomVisible, p.Sides().BottomFolded) }

// fix shows or hides a panel, and remembers it.
func (p *panels) fix(show func(bool), on bool) {
	show(on)
	p.settings.setSides(p.wished())
	p.refresh()
}

// ShowInputs shows the fields for the inputs of a run.
func (p *panels) ShowInputs() { p.showRight(tabRun) }

// ShowTimeline shows the timeline of the run.
func (p *panels) ShowTimeline() { p.showBottom(tabTimeline) }

// ShowOutput shows the inputs and outputs of a node.
func (p *panels) ShowOutput() { p.showBottom(tabOutput) }

// ShowRuns shows the list of runs.
func (p *panels) ShowRuns() { p.showBottom(tabRuns) }

func (p *panels) showLeft(tab int) {
	p.shell.SetLeftVisible(true)
	p.left.Select(tab)
}

func (p *panels) showRight(tab int) {
	p.shell.SetRightVisible(true)
	p.right.Select(tab)
}

func (p *panels) showBottom(tab int) {
	p.shell.SetBottomVisible(true)
	p.bottom.Select(tab)
}
