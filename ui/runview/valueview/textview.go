package valueview

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/lang"

	"github.com/svcflow/svc/engine/value/view"
	"github.com/svcflow/svc/ui/kit"
)

// textView shows a value as text that can be selected and copied, or the beginning of
// it.
type textView struct {
	pane  *textPane
	note  *kit.Text
	whole *fyne.Container
}

func newTextView(copyText func(string)) *textView {
	t := &textView{pane: newTextPane(copyText), note: kit.NewText("", kit.Style{Size: kit.Caption, Ink: kit.Running, Cut: true})}
	t.whole = container.NewBorder(nil, t.note, nil, nil, t.pane.scroll)
	return t
}

func (t *textView) object() fyne.CanvasObject { return t.whole }

func (t *textView) show(v any) {
	text, ok := v.(string)
	if d := view.Of(v, view.Wish{Kind: view.Media}); d.Kind == view.Media {
		text, ok = d.Text, true
	}
	if !ok {
		text, ok = printUpTo(v, MaxText)
	}
	text, cut := cutText(text, MaxText)
	t.note.Hidden = ok && !cut
	switch {
	case !ok:
		t.note.SetText(lang.L("Too long to show as text. Look at the tree instead."))
	case cut:
		t.note.SetText(lang.L("Only the first 256 kB are shown. Copy takes all of it."))
	}
	t.pane.setText(text)
	t.whole.Refresh()
}
