package ui

import (
	"context"
	"errors"
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/lang"

	"github.com/svcflow/svc/engine/fold"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/ui/accounts"
	"github.com/svcflow/svc/ui/canvas"
	"github.com/svcflow/svc/ui/documents"
	"github.com/svcflow/svc/ui/editor/board"
	"github.com/svcflow/svc/ui/editor/doc"
	"github.com/svcflow/svc/ui/inspector"
	"github.com/svcflow/svc/ui/kit"
	"github.com/svcflow/svc/ui/outline"
	"github.com/svcflow/svc/ui/palette"
	"github.com/svcflow/svc/ui/runview"
	"github.com/svcflow/svc/ui/start"
)

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

// build makes the views and lays them out.
func (w *Window) build() {
	w.buildCanvas()
	w.buildEditing()
	w.buildRuns()
	w.start = start.New(w.startConfig())
	w.accounts = accounts.New(w.place.Accounts, w.accountsConfig())
	w.stage = newStage(w)
	w.top = newTopBar(topActions{
		rename: func() { w.deselect() }, commands: w.showCommands, place: w.showPlaces, run: w.runOrCancel, save: func() { w.commands.Run("file.save") },
		commandKey: w.commands.Keys("help.commands").Label(),
	})
	w.status = newStatusBar(func() { w.commands.Run("view.next-problem") })
	w.left = kit.NewTabs(nil, kit.Tab{Title: lang.L("Nodes"), Content: w.palette.Object()}, kit.Tab{Title: lang.L("Outline"), Content: w.outline.Object()})
	w.left.OnSelect = func(int) { w.showOutlined() }
	w.side = kit.NewTabs(nil,
		kit.Tab{Title: lang.L("Inspector"), Content: w.inspector.Object()},
		kit.Tab{Title: lang.L("Run"), Content: w.runTab.Object()},
		kit.Tab{Title: problemsTitle(0), Content: w.problems.Object()})
	w.bottom = kit.NewTabs(container.NewCenter(kit.Pad(0, 12, w.summary.Object())),
		kit.Tab{Title: lang.L("Timeline"), Content: w.timeline.Object()},
		kit.Tab{Title: lang.L("Output"), Content: w.output.Object()},
		kit.Tab{Title: lang.L("Runs"), Content: w.history.Object()})
	w.bottom.OnSelect = func(tab int) {
		if tab == tabRuns {
			w.history.Reload()
		}
		w.refreshRun()
	}
	w.panels = kit.NewShell(kit.Parts{
		Top: w.top.whole, Status: w.status.whole,
		Left: w.left.Object(), Right: w.side.Object(), Bottom: w.bottom.Object(), Centre: w.stage.whole,
	})
	w.panels.SetSides(w.settings.sides())
	w.panels.OnChange = func() { w.settings.setSides(w.sides()) }
	w.win.SetContent(kit.WithTips(w.panels))
}

func (w *Window) buildCanvas() {
	w.canvas = canvas.New(board.New(doc.New(blank(), w.specs), 1, 1))
	w.canvas.OnRequest = w.request
	w.canvas.OnChange, w.canvas.OnView = w.changed, w.looked
	w.canvas.OnShortcut = func(s fyne.Shortcut) { w.commands.Handle(s) }
	w.canvas.OnKey = w.commands.HandleKey
	w.minimap = canvas.NewMinimap(w.canvas)
	if !w.settings.BoolWithFallback(settingMinimap, true) {
		w.minimap.Hide()
	}
}

// buildEditing makes the views of what is edited.
func (w *Window) buildEditing() {
	w.palette = palette.New(w.paletteConfig())
	w.outline = outline.New(outline.Config{
		Leave: w.focusCanvas,
		Show:  w.showNode,
		Open: func(path string) {
			w.showNode(path)
			w.edit("")
		},
		ShowPart: func(part doc.Set) {
			w.board().Selection.Replace(part)
			w.board().FitSelection()
			w.refresh()
		},
		Problem: w.showProblem,
	})
	w.problems = outline.NewProblems(w.showProblem)
	w.inspector = inspector.New(inspector.Config{
		PickFile:  w.pickFile,
		Accounts:  func() []string { return w.references },
		Connect:   w.showAccounts,
		Workflows: func() []string { return w.stored },
		Outputs:   w.outputsOf,
		Changed:   w.refresh,
		Enter:     func(id string) { w.openNode(id) },
		Refused:   w.complain,
		Leave:     w.focusCanvas,
		Shortcut:  func(s fyne.Shortcut) { w.commands.Handle(s) },
	})
}

// buildRuns makes the views of runs.
func (w *Window) buildRuns() {
	w.summary = runview.NewSummary()
	w.timeline = runview.NewTimeline()
	w.timeline.OnShow = w.showNode
	w.timeline.Label = w.titleOf
	w.output = runview.NewOutput(runview.OutputConfig{OnShow: w.showNode, Full: w.wholeOutputs})
	w.runTab = runview.NewRunTab()
	w.runTab.Label = w.titleOf
	w.runTab.Attempts = w.attemptsOf
	w.runTab.OnShow = w.showNode
	w.runTab.Copy = w.config.App.Clipboard().SetContent
	w.history = runview.NewRuns(w.place.Backend)
	w.history.OnOpen = w.openRun
	w.history.OnResumed = func(runID string) { w.openRun(run.Record{RunID: runID}) }
	w.history.Copy = w.config.App.Clipboard().SetContent
}

// attemptsOf returns how often a node of the level is tried in all.
func (w *Window) attemptsOf(path string) int {
	containers, id := fold.Split(path)
	n, ok := w.board().Document().Node(id)
	if !ok || n.Retry == nil || !slices.Equal(containers, w.board().Document().Path()) {
		return 0
	}
	return n.Retry.MaxAttempts
}

// wholeOutputs returns what a node of the run that is shown gave, however large.
func (w *Window) wholeOutputs(ctx context.Context, runID, nodeID string) (map[string]any, error) {
	r, err := w.place.Backend.Run(ctx, runID)
	if err != nil {
		return nil, err
	}
	if r.Result == nil {
		return nil, errors.New(lang.L("The run goes on: look again when it has ended"))
	}
	return r.Result.Nodes[nodeID].Outputs, nil
}

// showSubject makes the selected node the one whose values are shown.
func (w *Window) showSubject() {
	var subject runview.Subject
	if id, ok := w.board().Selection.Sole(); ok {
		subject, _ = runview.SubjectOf(w.board().Document(), id)
	}
	w.output.Show(subject)
}

// outputsOf returns what a node gave in the run that is shown.
func (w *Window) outputsOf(id string) map[string]any {
	if w.shown == nil {
		return nil
	}
	n := w.shown.record.Node(fold.Join(w.board().Document().Path(), id))
	if n == nil || n.Last == nil {
		return nil
	}
	return n.Last.Outputs
}

// pickFile lets the user choose a file for an input of a node.
func (w *Window) pickFile(then func(path string)) {
	browser{w: w, then: then}.in(w.folder())
}

func (w *Window) startConfig() start.Config {
	return start.Config{
		Templates: w.templates(), Specs: w.specs,
		OnNew: w.newWorkflow, OnOpen: w.chooseFile, OnBrowse: w.chooseStored, OnTemplate: w.openTemplate, OnRecent: w.openRecent,
		OnForget: func(o documents.Origin) {
			if err := w.config.Recent.Remove(o); err != nil {
				w.complain(err)
			}
			w.showStart()
		},
		OnRestore: w.restore,
		OnDiscard: func(left documents.Left) {
			w.ask(lang.L("Discard the draft?"), lang.L("“{{.Name}}” has changes that were never saved. They are gone for good.", map[string]any{"Name": left.Name}),
				choice{text: lang.L("Discard"), do: func() {
					if err := left.Remove(); err != nil {
						w.complain(err)
					}
					w.showStart()
				}})
		},
	}
}
