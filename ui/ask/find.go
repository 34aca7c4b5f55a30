package ask

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/lang"
	"fyne.io/fyne/v2/widget"

	"github.com/svcflow/svc/ui/kit"
)

// Hit is an occurrence of the searched text.
type Hit struct{ Title, Text string }

// Finder searches and replaces. All fields are required, except Replace.
type Finder struct {
	// Find returns the occurrences of a text; more means that there are others.
	Find func(text string, matchCase bool) (hits []Hit, more bool)
	// Show shows one of the hits that Find has returned last.
	Show func(i int)
	// Replace replaces all occurrences by another text; nil hides that control.
	Replace func(text string, matchCase bool, with string)
}

// Find lets the user search a document, go to the hits, and replace them.
func (d *Dialogs) Find(f Finder) {
	search, with := kit.NewEntry(), kit.NewEntry()
	search.SetPlaceHolder(lang.L("Ids, labels, values, expressions, notes"))
	told := kit.NewText("", kit.Style{Size: kit.Caption, Ink: kit.Dim, Cut: true})
	var hits []Hit
	list := kit.NewLongList(func() int { return len(hits) }, func() fyne.CanvasObject { return newHitRow() }, func(i widget.ListItemID, o fyne.CanvasObject) {
		o.(*hitRow).set(&hits[i])
	})
	var shown interface{ Hide() }
	list.OnSelected = func(i widget.ListItemID) {
		shown.Hide()
		f.Show(i)
	}
	var matchCase *kit.Check
	find := func() {
		var more bool
		hits, more = f.Find(search.Text, matchCase.Checked)
		told.SetText(countOf(len(hits), more, search.Text))
		list.UnselectAll()
		list.Refresh()
	}
	matchCase = kit.NewCheck(lang.L("Match case"), func(bool) { find() })
	search.OnChanged = func(string) { find() }
	search.OnSubmitted = func(string) {
		if len(hits) > 0 {
			list.Select(0)
		}
	}
	all := kit.NewButton(lang.L("Replace all"), func() {
		f.Replace(search.Text, matchCase.Checked, with.Text)
		find()
	})
	fields := widget.NewForm(widget.NewFormItem(lang.L("Find"), search))
	if f.Replace != nil {
		fields.Append(lang.L("Replace by"), container.NewBorder(nil, nil, nil, all, with))
	}
	content := container.NewBorder(kit.Column(8, fields, container.NewBorder(nil, nil, nil, matchCase, told)), nil, nil, nil, list)
	shut := kit.NewButton(lang.L("Close"), func() { shown.Hide() })
	const width, height = 560, 440
	shown = d.over(lang.L("Find in the whole workflow"), content, []*kit.Button{shut}, fyne.NewSize(width, height), nil)
	d.config.Window.Canvas().Focus(search)
}

func countOf(n int, more bool, text string) string {
	switch {
	case text == "":
		return ""
	case more:
		return lang.L("More than {{.N}} places; here are the first", map[string]any{"N": n})
	}
	return lang.LocalizePlural("{{.N}} places", n, map[string]any{"N": n})
}

// hitRow is a line of the list.
type hitRow struct {
	widget.BaseWidget

	title, text *kit.Text
}

func newHitRow() *hitRow {
	r := &hitRow{title: kit.NewText("", kit.Style{Size: kit.Secondary, Bold: true}), text: kit.NewText("", kit.Style{Size: kit.Secondary, Ink: kit.Dim, Cut: true})}
	r.ExtendBaseWidget(r)
	return r
}

func (r *hitRow) set(h *Hit) {
	r.title.SetText(h.Title)
	r.text.SetText(h.Text)
	r.Refresh()
}

// CreateRenderer implements fyne.Widget.
func (r *hitRow) CreateRenderer() fyne.WidgetRenderer {
	return widget.NewSimpleRenderer(kit.Pad(2, 8, container.NewBorder(nil, nil, r.title, nil, kit.Pad(0, 8, r.text))))
}
