package accounts

import (
	"context"
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/lang"
	"fyne.io/fyne/v2/layout"
	"fyne.io/fyne/v2/widget"

	"github.com/svcflow/svc/credentials"
	"github.com/svcflow/svc/ui/job"
	"github.com/svcflow/svc/ui/kit"
	"github.com/svcflow/svc/ui/wording"
)

// Config is what a view needs in addition to its source.
type Config struct {
	// Copy copies a text to the clipboard.
	Copy func(text string)
	// Confirm asks the user a question, and calls then if the answer is yes.
	Confirm func(question string, then func())
	// Changed is called after an account was connected or disconnected. It may be nil.
	Changed func()
}

// View lists and manages accounts. The zero value is not usable; see [New]. Its methods
// belong to Fyne's own goroutine.
type View struct {
	source Source
	config Config

	jobs *job.Runner // of the window
	at   *job.Runner // of the source
	list *job.Latest // loads the list

	known    sourceState
	rows     map[credentials.Ref]*row
	form     *form
	storage  *storage
	column   *fyne.Container
	notice   *kit.Paragraph
	again    *kit.Button
	listPage fyne.CanvasObject
	pages    *fyne.Container
	whole    fyne.CanvasObject
}

// sourceState is the last answer of the source.
type sourceState struct {
	accounts []credentials.Status
	err      error
	networks []string
	storage  string
	fine     bool
}

// New returns a view of a source, and loads its accounts. jobs runs what is slow.
func New(source Source, jobs *job.Runner, config Config) *View {
	v := &View{config: config, jobs: jobs, column: kit.Column(8), rows: map[credentials.Ref]*row{}}
	v.form = newForm(v)
	v.storage = newStorage(v.retry)
	v.notice = kit.NewParagraph("", kit.Style{Ink: kit.Dim})
	v.again = kit.NewButton(lang.L("Try again"), v.Reload)
	connect := kit.NewButton(lang.L("Connect an account…"), func() { v.Connect("", nil) })
	connect.Importance = widget.HighImportance
	head := container.NewBorder(nil, nil, nil, connect, kit.NewText(lang.L("Accounts"), kit.Style{Size: kit.Title, Bold: true, Cut: true}))
	body := container.NewVScroll(withBar(kit.Column(8, v.notice, v.again, v.column)))
	v.listPage = container.NewBorder(head, nil, nil, nil, kit.Pad(12, 0, body))
	v.pages = container.NewStack(v.listPage, container.NewVScroll(withBar(v.form.object)))
	foot := container.NewVBox(widget.NewSeparator(), v.storage.object)
	v.whole = kit.Panel(kit.Pad(12, 16, container.NewBorder(nil, foot, nil, nil, v.pages)))
	v.show(false)
	v.SetSource(source)
	return v
}

// Object returns the view's canvas object.
func (v *View) Object() fyne.CanvasObject { return v.whole }

// SetSource shows another source. Operations on the old one are cancelled.
func (v *View) SetSource(source Source) {
	if v.at != nil {
		v.at.Close()
	}
	v.source = source
	v.at = v.jobs.Child()
	v.list = v.at.Latest(0)
	v.known, v.rows = sourceState{fine: true}, map[credentials.Ref]*row{}
	v.form.leave()
	v.update()
	v.notice.SetText(lang.L("Looking for accounts…"))
	v.notice.Show()
	v.Reload()
}

// Reload loads the accounts again.
func (v *View) Reload() {
	source := v.source
	v.list.Now(func(ctx context.Context) func() {
		k := sourceState{networks: source.Networks()}
		k.accounts, k.err = source.Accounts(ctx)
		k.storage, k.fine = source.Storage()
		return func() {
			v.known = k
			v.update()
		}
	})
}

// Connect lets the user connect an account of a network, or of any if network is "". then,
// unless it is nil, is called with the reference of the new account. A login in progress is
// cancelled.
func (v *View) Connect(network string, then func(ref string)) {
	v.form.open(network, then)
}

// show shows the form, or the list.
func (v *View) show(form bool) {
	if form {
		v.pages.Objects[0].Hide()
		v.pages.Objects[1].Show()
	} else {
		v.pages.Objects[1].Hide()
		v.pages.Objects[0].Show()
	}
}

// update shows the loaded state.
func (v *View) update() {
	switch {
	case v.known.err != nil:
		v.notice.SetStyle(kit.Style{Ink: kit.Error})
		v.notice.SetText(wording.Of(v.known.err.Error()))
	case len(v.known.accounts) == 0:
		v.notice.SetStyle(kit.Style{Ink: kit.Dim})
		v.notice.SetText(lang.L("No account is connected. Nodes of a network need one: connect it here once, and name it in all workflows."))
	}
	v.notice.Hidden = v.known.err == nil && len(v.known.accounts) > 0
	v.again.Hidden = v.known.err == nil
	old := v.rows
	v.rows, v.column.Objects = map[credentials.Ref]*row{}, nil
	for _, a := range v.known.accounts {
		r, ok := old[a.Ref]
		if !ok {
			r = newRow(v, a.Ref)
		}
		r.set(a)
		v.rows[a.Ref] = r
		v.column.Add(r.object)
	}
	v.column.Refresh()
	v.storage.set(v.known.storage, v.known.fine)
	v.form.update()
	v.pages.Refresh()
}

// connected reports whether an account is in the list.
func (v *View) connected(ref credentials.Ref) bool {
	return slices.ContainsFunc(v.known.accounts, func(a credentials.Status) bool { return a.Ref == ref })
}

// changed reports that the list of accounts has changed.
func (v *View) changed() {
	v.Reload()
	if v.config.Changed != nil {
		v.config.Changed()
	}
}

// retry tries again to open the keyring.
func (v *View) retry() {
	source := v.source
	v.storage.wait()
	v.at.Go(func(ctx context.Context) func() {
		source.Retry(ctx)
		return func() {
			v.storage.ready()
			v.changed()
		}
	})
}

// withBar leaves room for the scroll bar beside content.
func withBar(content fyne.CanvasObject) fyne.CanvasObject {
	const room = 12
	return container.New(layout.NewCustomPaddedLayout(1, 1, 1, room), content)
}
