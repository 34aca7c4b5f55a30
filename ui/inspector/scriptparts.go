package inspector

import (
	"reflect"
	"slices"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/lang"

	"github.com/svcflow/svc/ui/complete"
	"github.com/svcflow/svc/ui/kit"
)

// offers is the list of completions of a text.
type offers struct {
	from   int
	all    []complete.Proposal
	chosen int
	taken  func(i int)
	whole  *fyne.Container
}

func newOffers(taken func(i int)) *offers {
	o := &offers{taken: taken, whole: kit.Column(2)}
	o.whole.Hide()
	return o
}

func (o *offers) shown() bool { return len(o.all) > 0 }

// set shows proposals, and reports whether its height changes.
func (o *offers) set(from int, all []complete.Proposal) bool {
	resized := len(all) != len(o.all)
	o.from, o.chosen = from, 0
	if !slices.Equal(all, o.all) || resized {
		o.all = all
	}
	o.draw()
	return resized
}

func (o *offers) move(by int) {
	o.chosen = (o.chosen + by + len(o.all)) % len(o.all)
	o.draw()
}

func (o *offers) draw() {
	o.whole.Hidden = len(o.all) == 0
	o.whole.Objects = nil
	for i, p := range o.all {
		ink, lead := kit.Plain, "  "
		if i == o.chosen {
			ink, lead = kit.Accent, "› "
		}
		name := kit.NewText(lead+p.Text, kit.Style{Mono: true, Ink: ink, Cut: true})
		about := kit.NewText(p.About, kit.Style{Size: kit.Caption, Ink: kit.Dim})
		o.whole.Add(kit.NewTouch(container.NewBorder(nil, nil, nil, about, name), func() { o.taken(i) }))
	}
	o.whole.Refresh()
}

// itemChooser shows which item of a list the preview is for, and lets the user choose
// another.
type itemChooser struct {
	at, count int
	changed   func()
	text      *kit.Text
	whole     *fyne.Container
}

func newItemChooser(changed func()) *itemChooser {
	c := &itemChooser{changed: changed, text: kit.NewText("", kit.Style{Size: kit.Caption, Ink: kit.Dim})}
	c.whole = kit.Row(8, newLink("‹", func() { c.move(-1) }), kit.Middle(c.text), newLink("›", func() { c.move(1) }))
	c.whole.Hide()
	return c
}

func (c *itemChooser) move(by int) {
	if c.count > 0 {
		c.at = (c.at + by + c.count) % c.count
		c.changed()
	}
}

// set sets the number of items.
func (c *itemChooser) set(count int) {
	c.count = count
	c.at = max(min(c.at, count-1), 0)
	c.whole.Hidden = count == 0
	c.text.SetText(lang.L("Item {{.N}} of {{.Count}}", map[string]any{"N": c.at + 1, "Count": count}))
}

// pointer shows the line of a text with an error, and a mark below the character.
type pointer struct {
	line, mark *kit.Text
	whole      *fyne.Container
}

func newPointer() *pointer {
	style := kit.Style{Mono: true, Ink: kit.Error}
	p := &pointer{line: kit.NewText("", style), mark: kit.NewText("", style)}
	p.whole = kit.Column(0, p.line, p.mark)
	p.whole.Hide()
	return p
}

// set points at a character, from 1; 0 is none. It reports whether its height changes.
func (p *pointer) set(text string, character int) bool {
	line, mark := "", ""
	if character > 0 && text != "" {
		line, mark = pointing([]rune(text), character-1)
	}
	p.line.SetText(line)
	p.mark.SetText(mark)
	was := p.whole.Hidden
	p.whole.Hidden = mark == ""
	return was != p.whole.Hidden
}

// pointing returns the line of a text around a character, with a mark below it.
func pointing(text []rune, at int) (line, mark string) {
	const around = 14 // the number of items that fit on a line
	at = min(at, len(text))
	from, to := at, at
	for from > 0 && text[from-1] != '\n' && at-from < around {
		from--
	}
	for to < len(text) && text[to] != '\n' && to-at < around {
		to++
	}
	line, mark = strings.ReplaceAll(string(text[from:to]), "\t", " "), strings.Repeat(" ", at-from)+"▲"
	if from > 0 && text[from-1] != '\n' {
		line, mark = "…"+line, " "+mark
	}
	return line, mark
}

func sameMap(a, b map[string]any) bool {
	return reflect.ValueOf(a).Pointer() == reflect.ValueOf(b).Pointer()
}
