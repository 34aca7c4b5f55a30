package ui

import (
	"image/color"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/lang"
	"fyne.io/fyne/v2/widget"

	"github.com/svcflow/svc/ui/hosts"
	"github.com/svcflow/svc/ui/kit"
	"github.com/svcflow/svc/ui/wording"
)

// banner is shown above the canvas while the current server is lost.
type banner struct {
	whole  fyne.CanvasObject
	around fyne.CanvasObject // reserves its height
	title  *kit.Text
	why    *kit.Paragraph
}

func newBanner(retry, key func()) *banner {
	b := &banner{title: kit.NewText("", kit.Style{Bold: true}), why: kit.NewParagraph("", kit.Style{Size: kit.Secondary, Ink: kit.Dim})}
	b.why.Limit(2)
	comfort := kit.NewText(lang.L("Your changes are kept."), kit.Style{Size: kit.Secondary, Cut: true})
	lines := canvas.NewRectangle(color.Transparent) // as high as the longest text
	lines.SetMinSize(fyne.NewSize(0, bannerHeight))
	texts := container.NewStack(lines, kit.Column(2, container.NewBorder(nil, nil, b.title, nil, kit.Pad(0, 8, comfort)), b.why))
	again, other := kit.NewButton(lang.L("Try again"), retry), kit.NewButton(lang.L("Enter its key…"), key)
	again.Importance = widget.HighImportance
	mark := container.NewCenter(kit.NewDot(kit.Error, bannerDot))
	buttons := container.NewCenter(kit.Row(8, other, again))
	row := container.NewBorder(nil, nil, kit.Pad(0, 12, mark), kit.Pad(0, 12, buttons), texts)
	b.whole = kit.Pad(8, 12, kit.Inset(kit.Pad(8, 4, row)))
	b.whole.Hide()
	return b
}

// bannerDot is the size of its dot, and bannerHeight the height of its text, in dp.
const bannerDot, bannerHeight = 10, 54

// show says which server is lost, since when, and why; nil hides the banner.
func (b *banner) show(l *hosts.Loss) {
	defer func(before bool) {
		if b.whole.Visible() != before {
			b.around.Refresh()
		}
	}(b.whole.Visible())
	if l == nil {
		b.whole.Hide()
		return
	}
	b.title.SetText(lang.L("{{.Place}} has been unavailable since {{.Time}}", map[string]any{"Place": l.Place.Name(), "Time": l.Since.Format("15:04:05")}))
	b.why.SetText(wording.Of(l.Err.Error()))
	b.whole.Show()
}

// lost shows that the current server is lost.
func (v *views) lost(l *hosts.Loss) {
	v.banner.show(l)
	for _, t := range v.tabs {
		t.runs.Lost(l.Place.URL)
	}
	v.Refresh()
}

// found shows that the server is back, and reloads what could not be loaded meanwhile.
func (v *views) found(p hosts.Host) {
	v.banner.show(nil)
	v.Tell(lang.L("Connected to {{.Place}} again", map[string]any{"Place": p.Name()}), false)
	for _, t := range v.tabs {
		t.runs.Found(p.URL)
	}
	v.workspace.Recheck()
	v.history.Reload()
	v.names.learn()
	v.Refresh()
}
