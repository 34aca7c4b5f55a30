// Package commands is the table of everything that the user can do in the window: titles,
// menus, keys, and when each command is enabled. Other packages do the work; the table calls
// them by small interfaces.
package commands

import (
	"slices"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/ui/command"
	"github.com/svcflow/svc/ui/editor/board"
	"github.com/svcflow/svc/ui/kit"
)

// Ports are the interfaces that commands call. All are required.
type Ports struct {
	Files  Files
	Hosts  Hosts
	Edit   Edit
	Runs   Runs
	View   View
	Panels Panels
	Looks  Looks
	Tabs   Tabs
	// Containers are the node types that a selection can be collapsed into.
	Containers []*node.Spec
}

// Files opens workflows and saves them.
type Files interface {
	New()
	ChooseFile()
	ChooseStored()
	Start() // opens the start page
	Save()
	SaveAs()
	CopyCurl()
	Export()            // a picture
	Compare()           // with the saved state; the second call ends it
	Comparing() bool    // with another state
	HasRevisions() bool // the host stores revisions of the workflow
	Revisions()         // chooses one to compare with
	Quit()
}

// Hosts knows where workflows are kept and run.
type Hosts interface {
	Choose()
	Ask()
	Away() bool // whether the current host is a server
	Forget()
	Serving() bool
	Serve()
	Accounts()
	Needs() // shows the accounts and variables that the workflow needs
}

// Edit changes the document.
type Edit interface {
	Do(func(*board.Board) error)
	Look(func(*board.Board))
	Undo()
	Redo()
	Cut()
	Copy()
	Paste()
	Pick()
	Connect()
	Replace()
	Note()
	HasBody() bool
	Enter()
	InBody() bool
	CanUnfold() bool
	Unfolded() bool
	Arrange()
	Group()
	Ungroup()
	NextProblem(step int)
}

// Runs starts runs and shows them.
type Runs interface {
	Running() bool
	Past() bool // a read-only run is shown
	Start()
	StartTo()
	CanActivate() bool
	ShowActivation() // shows whether the triggers fire by themselves
	CanFire() bool
	StartWith()       // with a trigger and an event of the user's choice
	StartOnly()       // the selected node, with its last inputs
	StartFrom()       // the selected node and what follows, with their last inputs
	HasOutputs() bool // there is something in the run that is shown which can be used again
	Pinned() bool
	CanPin() bool
	TogglePin() // of the selected nodes
	CanSaveTest() bool
	SaveTest() // saves the run as a case for svc test
	CanWritePin() bool
	WritePin() // edits the pin of the selected node
	Waiting() bool
	Step() // runs the next node
	Continue()
	CanStop() bool
	Stopped() bool
	ToggleStop() // before the selected nodes
	StopsAtErrors() bool
	ToggleStopAtErrors()
	Cancel()
	Leave()
}

// View is the view of the window.
type View interface {
	Board() *board.Board // nil while nothing is open
	Edit(port string)    // shows the settings of the selection
	Back()               // focuses the canvas
	ShowOutline()
	Find() // finds and replaces in the whole document
	SearchTypes()
	ShowCommands()
	ShowShortcuts()
	ShowAbout()
}

// Panels are the panels around the canvas.
type Panels interface {
	Sides() kit.Sides
	ToggleLeft()
	ToggleRight()
	ToggleBottom()
	ShowInputs()
	ShowTimeline()
	ShowOutput()
	ShowRuns()
}

// Looks are the themes.
type Looks interface {
	Scheme() string
	SetScheme(name string)
	MapShown() bool
	ToggleMap()
}

// The names of the themes, which FYNE_THEME accepts, too.
const (
	SchemeSystem   = "system"
	SchemeLight    = "light"
	SchemeDark     = "dark"
	SchemeContrast = "contrast"
)

// Table returns all commands of the window, in the order of the menus.
func Table(p Ports) []command.Command {
	t := &table{p}
	return slices.Concat(t.fileCommands(), t.tabCommands(), t.editCommands(), t.nodeCommands(), t.arrangeCommands(), t.viewCommands(), t.runCommands(), t.helpCommands())
}

type table struct{ Ports }

// Conditions for commands to be enabled.

func (t *table) board() *board.Board { return t.View.Board() }

func (t *table) opened() bool { return t.board() != nil }

// changeable reports whether a document is open that can be changed.
func (t *table) changeable() bool { return t.opened() && !t.Runs.Past() }

// picked reports whether nodes are selected that can be changed.
func (t *table) picked() bool { return t.changeable() && len(t.board().Selection.Set().Nodes) > 0 }

func (t *table) several() bool { return t.changeable() && len(t.board().Selection.Set().Nodes) > 1 }

func (t *table) single() bool {
	if !t.changeable() {
		return false
	}
	_, ok := t.board().Selection.Sole()
	return ok
}

// wired reports whether one wire is selected that can be changed.
func (t *table) wired() bool { return t.changeable() && len(t.board().Selection.Set().Wires) == 1 }

// led reports whether wires with points are selected.
func (t *table) led() bool { return t.changeable() && t.board().Led() }

func (t *table) something() bool { return t.opened() && !t.board().Selection.Empty() }

// act returns a command that changes the document, and look one that changes only the view or
// the selection.
func (t *table) act(do func(*board.Board) error) func() { return func() { t.Edit.Do(do) } }

func (t *table) look(do func(*board.Board)) func() { return func() { t.Edit.Look(do) } }
