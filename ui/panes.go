package ui

import (
	"context"

	"fyne.io/fyne/v2/lang"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/fold"
	"github.com/svcflow/svc/engine/value/view"
	"github.com/svcflow/svc/ui/editor/doc"
	"github.com/svcflow/svc/ui/editor/scene"
	"github.com/svcflow/svc/ui/poster"
	"github.com/svcflow/svc/ui/runview"
	"github.com/svcflow/svc/ui/runview/record"
	"github.com/svcflow/svc/ui/runview/valueview"
	"github.com/svcflow/svc/ui/wording"
)

// panes are the values of the run on the cards of a level. The canvas asks for them whenever
// it is drawn, so they are cached.
type panes struct {
	views *views

	run         *record.Recorder
	doc         *doc.Document
	revision    int // of the document
	runRevision int // revision of the run
	made        map[string]*madePane
}

// madePane is a cached pane and what it was made from.
type madePane struct {
	step    *fold.Step
	current bool // it is up to date with the run
	pane    *scene.Pane
}

// of returns the pane of a node, by its path.
func (p *panes) of(path string) *scene.Pane {
	run, b := p.views.runs.Shown(), p.views.board()
	if b == nil {
		return nil
	}
	d, told := b.Document(), 0
	var recorded *record.Recorder
	if run != nil {
		recorded, told = run.Record, run.Record.Revision()
	}
	if p.run != recorded || p.doc != d || p.revision != d.Revision() || p.made == nil {
		p.run, p.doc, p.revision, p.made = recorded, d, d.Revision(), map[string]*madePane{}
	}
	if p.runRevision != told {
		p.runRevision = told
		for _, m := range p.made {
			m.current = false
		}
	}
	m := p.made[path]
	if m == nil {
		m = &madePane{}
		p.made[path] = m
	}
	if !m.current {
		p.make(m, path)
		m.current = true
	}
	return m.pane
}

// make makes a pane again if the node has run since.
func (p *panes) make(m *madePane, path string) {
	if p.run == nil {
		m.pane = remark(lang.L("Run the workflow to see the value."))
		return
	}
	n := p.run.Node(path)
	if n == nil || n.Last == nil {
		m.pane = remark(lang.L("The run has not reached this node."))
		return
	}
	if m.step == n.Last && m.pane != nil {
		return
	}
	subject, ok := runview.SubjectAt(p.doc, path)
	if !ok {
		return
	}
	m.step, m.pane = n.Last, nil
	through := runview.ThroughPort(p.run, &subject, subject.Shows.Port, true)
	bytes, elided := engine.Elided(through.Value)
	switch {
	case !through.Known:
		m.pane = remark(lang.L("Nothing went through."))
	case elided:
		m.pane = remark(lang.L("Too large to show here: {{.Size}}.", map[string]any{"Size": view.Bytes(bytes)}))
	default:
		m.pane = &scene.Pane{View: view.Of(through.Value, subject.Shows.Wish(runview.InputsAt(p.run, &subject)))}
		if m.pane.Kind == view.Media && poster.CanOpen(m.pane.Media) {
			m.pane.Action = lang.L("Open")
		}
		p.look(m.pane, through.Value)
	}
}

func remark(text string) *scene.Pane {
	return &scene.Pane{View: view.View{Kind: view.Text, Text: text}, Remark: true}
}

// look loads the picture of a value and then shows it.
func (p *panes) look(pane *scene.Pane, v any) {
	m, at := pane.Media, p.views.hosts.Here().Media
	switch {
	case pane.Kind == view.Picture, pane.Kind == view.Media && m.Kind == "image" && m.Path != "":
		about := pane.Text
		p.load(pane, func(ctx context.Context) (poster.Poster, error) {
			picture, err := valueview.ReadPicture(ctx, at, v)
			return poster.Poster{Picture: picture, Facts: about}, err
		})
	case pane.Kind == view.Media && m.Path != "":
		p.load(pane, func(ctx context.Context) (poster.Poster, error) { return poster.Make(ctx, at, m) })
	}
}

// Act opens the file that a card shows.
func (v *views) Act(id string) {
	b := v.board()
	if b == nil {
		return
	}
	if pane := v.panes.of(fold.Join(b.Document().Path(), id)); pane != nil && pane.Action != "" {
		v.play(pane.Media)
	}
}

// load loads the picture of a pane, and shows it or the error.
func (p *panes) load(pane *scene.Pane, look func(context.Context) (poster.Poster, error)) {
	p.views.jobs.Go(func(ctx context.Context) func() {
		made, err := look(ctx)
		return func() {
			pane.Image = made.Picture
			switch {
			case err != nil:
				*pane = *remark(wording.Of(err.Error()))
			case pane.Kind == view.Media:
				pane.Text = made.Facts
			}
			p.views.canvas.Update()
		}
	})
}
