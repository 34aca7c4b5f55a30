package inspector

import (
	"slices"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/lang"
	"fyne.io/fyne/v2/widget"

	"github.com/svcflow/svc/ui/kit"
)

// through shows what a wire carried in the run that is shown: the beginning of it, and
// ways to have all of it.
type through struct {
	desk     *desk
	id, port string
	about    *kit.Text
	text     *markdown
	ways     *fyne.Container // to copy the value and to see more of it
	whole    *fyne.Container
	lines    []string
	copied   func() string
}

func newThrough(d *desk) *through {
	t := &through{desk: d, about: kit.NewText("", kit.Style{Size: kit.Caption, Ink: kit.Dim, Cut: true}), text: newMarkdown()}
	t.ways = kit.Row(12, newLink(lang.L("Copy value"), func() { d.cfg.Copy(t.copied()) }), newLink(lang.L("Open the value"), func() { d.cfg.OpenValue(t.id, t.port) }))
	title := kit.NewText(lang.L("Went through"), kit.Style{Size: kit.Secondary, Bold: true, Ink: kit.Dim})
	t.whole = kit.Column(8, widget.NewSeparator(), title, t.about, t.text.whole, t.ways)
	t.whole.Hide()
	return t
}

// set shows what came out at a port, and reports whether that is something else.
func (t *through) set(id, port string) bool {
	if t.desk.cfg.Through == nil {
		return false
	}
	t.id, t.port = id, port
	lines, text := t.desk.cfg.Through(id, port)
	t.copied = text
	if slices.Equal(lines, t.lines) {
		return false
	}
	t.lines = lines
	t.whole.Hidden = len(lines) == 0
	t.ways.Hidden = text == nil
	if len(lines) > 0 {
		t.about.SetText(lines[0])
		t.text.setPlain(strings.Join(lines[1:], "\n"))
	}
	return true
}
