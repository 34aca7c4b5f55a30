package ui

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/lang"

	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/ui/accounts"
	"github.com/svcflow/svc/ui/ask"
	"github.com/svcflow/svc/ui/canvas"
	"github.com/svcflow/svc/ui/editor/board"
	"github.com/svcflow/svc/ui/editor/doc"
	"github.com/svcflow/svc/ui/editor/scene"
	"github.com/svcflow/svc/ui/inspector"
	"github.com/svcflow/svc/ui/job"
	"github.com/svcflow/svc/ui/kit"
	"github.com/svcflow/svc/ui/outline"
	"github.com/svcflow/svc/ui/palette"
	"github.com/svcflow/svc/ui/runview"
	"github.com/svcflow/svc/ui/start"
	"github.com/svcflow/svc/ui/workspace"
)

// views are the views of a window.
type views struct {
	*parts

	config   *Config
	settings settings
	win      fyne.Window
	names    *names
	panels   *panels
	looks    *themeCommands
	tabbing  *tabCommands

	canvas     *canvas.Canvas
	minimap    *canvas.Minimap
	stage      *stage
	strip      *kit.Strip
	banner     *banner
	top        *topBar
	status     *statusBar
	palette    *palette.Palette
	outline    *outline.Outline
	inspector  *inspector.Inspector
	runTab     *runview.RunTab
	problems   *outline.Problems
	timeline   *runview.Timeline
	output     *runview.Output
	history    *runview.Runs
	summary    *runview.Summary
	peeked     portLinesCache
	arrived    nodeInputs
	evaluating map[string]*job.Latest // by field
	panes      *panes
	opened     copies
	stopAt     func(id string) scene.Stop
	start      *start.Page
	accounts   *accounts.View

	openTemplate func(name string)
	title        string // of the window
}

// build makes the views and lays them out.
func (v *views) build(f *fileCommands, at *hostCommands, r *runCommands) {
	v.openTemplate = f.openTemplate
	v.names = &names{here: v.hosts.Here, asking: v.jobs.Latest(0), choosing: v.jobs.Latest(0)}
	v.panes = &panes{views: v}
	v.evaluating = map[string]*job.Latest{}
	v.stopAt = r.stopAt
	v.buildCanvas()
	v.buildEditing(f, at, r)
	v.buildRuns(r)
	v.start = start.New(f.startConfig())
	v.accounts = accounts.New(v.hosts.Here().Accounts, v.jobs, v.accountsConfig())
	v.banner = newBanner(v.hosts.Look, func() { v.hosts.Correct(v.hosts.Lost().Err) })
	v.strip = v.newStrip()
	v.stage = newStage(v)
	v.top = newTopBar(topActions{
		rename: v.deselect, commands: v.ShowCommands, place: at.Choose, run: v.runOrCancel, save: v.command("file.save"),
		commandKey: v.commands.Keys("help.commands").Label(),
	})
	v.status = newStatusBar(v.command("view.next-problem"))
	v.panels.left = kit.NewTabs(nil, kit.Tab{Title: lang.L("Nodes"), Content: v.palette.Object()}, kit.Tab{Title: lang.L("Outline"), Content: v.outline.Object()})
	v.panels.left.OnSelect = func(int) { v.showOutlined() }
	v.panels.right = kit.NewTabs(nil,
		kit.Tab{Title: lang.L("Inspector"), Content: v.inspector.Object()},
		kit.Tab{Title: lang.L("Run"), Content: v.runTab.Object()},
		kit.Tab{Title: problemsTitle(0), Content: v.problems.Object()})
	v.panels.bottom = kit.NewTabs(kit.Middle(kit.Pad(0, 12, v.summary.Object())),
		kit.Tab{Title: lang.L("Timeline"), Content: v.timeline.Object()},
		kit.Tab{Title: lang.L("Output"), Content: v.output.Object()},
		kit.Tab{Title: lang.L("Runs"), Content: v.history.Object()})
	v.panels.bottom.OnSelect = func(tab int) {
		if tab == tabRuns {
			v.history.Reload()
		}
		v.refreshRun()
	}
	v.panels.build(v.top.whole, v.stage.whole, v.status.whole)
	v.win.SetContent(kit.WithTips(v.panels.shell))
}

// command returns a function that runs a command.
func (v *views) command(id string) func() { return func() { v.commands.Run(id) } }

func (v *views) buildCanvas() {
	v.canvas = canvas.New(blank(v.specs))
	v.canvas.OnRequest, v.canvas.Pace = v.editing.Request, v.config.Pace
	v.canvas.OnChange, v.canvas.OnView = v.changed, v.looked
	v.canvas.OnShortcut = func(s fyne.Shortcut) { v.commands.Handle(s) }
	v.canvas.OnKey = v.commands.HandleKey
	v.minimap = canvas.NewMinimap(v.canvas)
	if !v.settings.BoolWithFallback(settingMinimap, true) {
		v.minimap.Hide()
	}
}

// blank returns an empty board.
func blank(specs *doc.Specs) *board.Board {
	return board.New(doc.New(workspace.Blank(untitled()), specs), 1, 1) // until the canvas reports its size
}

// buildEditing makes the views for editing.
func (v *views) buildEditing(f *fileCommands, at *hostCommands, r *runCommands) {
	v.palette = palette.New(v.paletteConfig())
	v.outline = outline.New(outline.Config{
		Leave: v.Back,
		Show:  v.showNode,
		Open: func(path string) {
			v.showNode(path)
			v.Edit("")
		},
		ShowPart: func(part doc.Set) {
			v.editing.Look(func(b *board.Board) {
				b.Selection.Replace(part)
				b.FitSelection()
			})
		},
		Problem: v.showProblem,
	})
	v.problems = outline.NewProblems(v.showProblem)
	v.inspector = inspector.New(inspector.Config{
		PickFile:  f.pickFile,
		Accounts:  func() []string { return v.names.accounts },
		Connect:   at.showAccounts,
		Choices:   v.names.choices,
		Workflows: func() []string { return v.names.stored },
		Outputs:   r.outputsOf,
		Inputs:    v.came,
		Evaluate:  v.evaluate,
		Through:   v.through,
		Copy:      v.config.App.Clipboard().SetContent,
		OpenValue: v.openValue,
		Changed:   v.Refresh,
		Enter:     v.editing.Open,
		Refused:   v.Complain,
		Leave:     v.Back,
		Shortcut:  func(s fyne.Shortcut) { v.commands.Handle(s) },
	})
}

// buildRuns makes the views of runs.
func (v *views) buildRuns(r *runCommands) {
	v.summary = runview.NewSummary()
	v.summary.OnFailed = func() { v.NextFailure(0) }
	v.timeline = runview.NewTimeline()
	v.timeline.OnShow = v.showRan
	v.timeline.Label = v.titleOf
	v.output = runview.NewOutput(runview.OutputConfig{OnShow: v.showNode, Full: r.wholeOutputs, Dragged: v.takeOver, Dropped: v.takeTo, Values: v.values()})
	v.runTab = runview.NewRunTab()
	v.runTab.Label = v.titleOf
	v.runTab.Attempts = r.attempts
	v.runTab.OnShow = v.showNode
	v.runTab.Copy = v.config.App.Clipboard().SetContent
	v.history = runview.NewRuns(v.hosts.Here().Backend, v.jobs)
	v.history.OnOpen = func(past run.Record) { r.open(past.RunID) }
	v.history.OnResumed, v.history.AskResume = r.open, r.askResume
	v.history.Copy = v.config.App.Clipboard().SetContent
}

func (v *views) accountsConfig() accounts.Config {
	return accounts.Config{
		Changed: v.names.learn,
		Copy:    v.config.App.Clipboard().SetContent,
		Confirm: func(text string, then func()) {
			v.dialogs.Choose(lang.L("Are you sure?"), text, ask.Choice{Text: lang.L("Disconnect"), Do: then})
		},
	}
}

func (v *views) paletteConfig() palette.Config {
	changing := func(do func()) {
		if b := v.board(); b != nil && !b.ReadOnly {
			do()
		}
	}
	return palette.Config{
		Specs: v.specs, Recent: v.settings.StringList(settingTypes), Leave: v.Back,
		Add: func(typ string) {
			changing(func() {
				v.editing.Add(typ)
				v.Back()
			})
		},
		Carry: func(typ string, at fyne.Position) { changing(func() { v.canvas.Carry(typ, at) }) },
		Drop: func(_ string, at fyne.Position) {
			changing(func() {
				v.canvas.DropCarried(at)
				v.Back()
			})
		},
	}
}
