package ui

import (
	"image/color"
	"strconv"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/lang"
	fynetheme "fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"github.com/svcflow/svc/engine/layout/cards"
	"github.com/svcflow/svc/ui/kit"
)

// topBar is the row at the top: the name of the workflow, the field for commands, the host,
// and the buttons Run and Save.
type topBar struct {
	name   *kit.Text
	edited *kit.Text
	place  *kit.Button
	run    *kit.Button
	save   *kit.Button
	whole  fyne.CanvasObject
}

// topActions are the actions of the top bar.
type topActions struct {
	rename, commands, place, run, save func()
	commandKey                         string // the shortcut shown in the field for commands
}

func newTopBar(do topActions) *topBar {
	b := &topBar{
		name:   kit.NewText("", nameStyle()),
		edited: kit.NewText("", kit.Style{Size: kit.Secondary, Ink: kit.Dim}),
		place:  kit.NewButtonWithIcon("", fynetheme.ComputerIcon(), do.place),
		run:    kit.NewButtonWithIcon(lang.L("Run"), fynetheme.MediaPlayIcon(), do.run),
		save:   kit.NewButton(lang.L("Save"), do.save),
	}
	b.run.Importance = widget.HighImportance
	brand := kit.NewText("Svc", kit.Style{Size: 17, Bold: true})
	title := kit.NewTouch(container.New(titleLayout{}, b.name, b.edited), do.rename)
	right := kit.Row(8, b.place, b.run, b.save)
	search := newCommandField(lang.L("Search nodes and commands"), do.commandKey, do.commands)
	row := container.New(&barLayout{}, brand, title, search, container.NewCenter(right))
	b.whole = kit.Pad(0, 16, row) // the shell draws the background and the hairline
	return b
}

// barLayout centres the field in the row if possible, and gives the name the rest: brand,
// name, field and buttons. In a small window first the field shrinks, then the name is cut.
type barLayout struct{}

const (
	fieldWidth, fieldHeight = 330, 32
	leastField              = 120
	barGap                  = 12
)

// Layout implements fyne.Layout.
func (*barLayout) Layout(o []fyne.CanvasObject, size fyne.Size) {
	brand, right := o[0].MinSize().Width, o[3].MinSize().Width
	from := brand + barGap
	name := max(min(o[1].MinSize().Width, size.Width-right-leastField-2*barGap-from), 0)
	place := func(o fyne.CanvasObject, x, width, height float32) {
		o.Move(fyne.NewPos(x, (size.Height-height)/2))
		o.Resize(fyne.NewSize(width, height))
	}
	place(o[0], 0, brand, o[0].MinSize().Height)
	place(o[1], from, name, o[1].MinSize().Height)
	place(o[3], size.Width-right, right, size.Height)
	end := size.Width - right - barGap
	width := max(min(fieldWidth, end-from-name-barGap), 0)
	start := min(max((size.Width-width)/2, from+name+barGap), end-width)
	place(o[2], start, width, fieldHeight)
}

// MinSize implements fyne.Layout.
func (*barLayout) MinSize(o []fyne.CanvasObject) fyne.Size {
	return fyne.NewSize(o[0].MinSize().Width+o[3].MinSize().Width+leastField+3*barGap, kit.TopHeight-1)
}

// titleLayout puts the state of a workflow behind its name, which it cuts if there is not
// enough room.
type titleLayout struct{}

// Layout implements fyne.Layout.
func (titleLayout) Layout(o []fyne.CanvasObject, size fyne.Size) {
	const gap = 6
	state := o[1].MinSize()
	name := min(nameWidth(o[0]), max(size.Width-state.Width-gap, 0))
	kit.Put(o[0], 0, name, size.Height)
	kit.Put(o[1], name+gap, state.Width, size.Height)
}

// MinSize implements fyne.Layout.
func (titleLayout) MinSize(o []fyne.CanvasObject) fyne.Size {
	const gap = 6
	state := o[1].MinSize()
	return fyne.NewSize(nameWidth(o[0])+gap+state.Width, max(o[0].MinSize().Height, state.Height))
}

// nameStyle is the style of the workflow's name.
func nameStyle() kit.Style { return kit.Style{Size: kit.Title, Bold: true, Cut: true} }

// nameWidth returns the width of a whole name.
func nameWidth(name fyne.CanvasObject) float32 {
	style := nameStyle()
	return fyne.MeasureText(name.(*kit.Text).Text(), style.Size, fyne.TextStyle{Bold: style.Bold}).Width
}

// show sets the contents of the bar.
func (b *topBar) show(name string, edited bool, state string) {
	b.name.SetText(name)
	if edited {
		state = lang.L("edited")
	}
	b.edited.SetText(state)
}

// enable enables or disables Run and Save, which need an open workflow.
func (b *topBar) enable(on bool) {
	for _, button := range []*kit.Button{b.run, b.save} {
		if on {
			button.Enable()
		} else {
			button.Disable()
		}
	}
}

// longestPlace is the maximum width of a host's name, in dp.
const longestPlace = 180

// showPlace shows the name of the host.
func (b *topBar) showPlace(name string, remote bool) {
	icon := fynetheme.ComputerIcon()
	if remote {
		icon = fynetheme.StorageIcon()
	}
	b.place.SetIcon(icon)
	b.place.SetText(cards.Shorten(name, kit.Body, longestPlace))
}

// showRunning turns Run into Cancel and back.
func (b *topBar) showRunning(running bool) {
	text, icon, importance := lang.L("Run"), fynetheme.MediaPlayIcon(), widget.HighImportance
	if running {
		text, icon, importance = lang.L("Cancel"), fynetheme.MediaStopIcon(), widget.MediumImportance
	}
	if b.run.Text == text {
		return
	}
	b.run.Importance = importance
	b.run.SetIcon(icon)
	b.run.SetText(text)
}

// newCommandField returns a button that looks like a search field and opens the command
// palette.
func newCommandField(text, key string, open func()) fyne.CanvasObject {
	label := func() fyne.CanvasObject { return kit.Middle(kit.NewText(text, kit.Style{Ink: kit.Dim, Cut: true})) }
	hint := container.NewCenter(kit.NewText(key, kit.Style{Ink: kit.Dim, Size: kit.Caption, Mono: true}))
	room := canvas.NewRectangle(color.Transparent) // of the label
	room.SetMinSize(fyne.NewSize(fieldWidth/2, 0))
	whole := container.NewBorder(nil, nil, nil, hint, container.NewStack(room, label()))
	return kit.NewTouch(kit.Inset(kit.Pad(0, 14, kit.Fits(whole, label()))), open)
}

// statusBar is the row at the bottom: problems, counts, messages and the state of the draft.
type statusBar struct {
	problems *kit.Text
	counts   *kit.Text
	message  *kit.Text
	draft    string // shown while there is no message
	about    func() // shows the subject of the message; nil without one
	counted  counts // the counts that are shown
	whole    fyne.CanvasObject
}

func newStatusBar(nextProblem func()) *statusBar {
	style := kit.Style{Size: kit.Secondary, Ink: kit.Dim}
	cut := style
	cut.Cut, cut.Align = true, fyne.TextAlignTrailing
	s := &statusBar{problems: kit.NewText("", style), counts: kit.NewText("", style), message: kit.NewText("", cut)}
	left := kit.Row(20, kit.NewTouch(s.problems, nextProblem), s.counts)
	message := kit.NewTouch(s.message, func() { s.about() })
	message.Idle = func() bool { return s.about == nil }
	row := container.NewBorder(nil, nil, left, nil, message)
	s.whole = kit.Pad(4, 12, row) // the shell draws the background and the hairline
	return s
}

// showProblems shows the number of problems, or of failed nodes if there are no problems.
func (s *statusBar) showProblems(n, failed int, key string) {
	style := kit.Style{Size: kit.Secondary, Ink: kit.Dim}
	text := lang.L("No problems")
	switch {
	case n == 0 && failed > 0:
		style.Ink = kit.Error
		text = lang.LocalizePlural("{{.N}} nodes failed · {{.Key}}", failed, map[string]any{"N": failed, "Key": key})
	case n > 0:
		style.Ink = kit.Error
		text = lang.LocalizePlural("{{.N}} problems · {{.Key}}", n, map[string]any{"N": n, "Key": key})
	}
	if s.problems.Text() != text {
		s.problems.SetStyle(style)
		s.problems.SetText(text)
	}
}

// counts are the numbers of a level's parts; percent is the zoom.
type counts struct{ nodes, wires, selected, percent int }

// showCounts shows the size of the level.
func (s *statusBar) showCounts(c counts) {
	if c == s.counted {
		return
	}
	s.counted = c
	number := func(text string, n int) string { return lang.N(text, n, map[string]any{"Count": n}) }
	parts := []string{number("{{.Count}} nodes", c.nodes) + ", " + number("{{.Count}} wires", c.wires)}
	if c.selected > 0 {
		parts = append(parts, lang.L("{{.Count}} selected", map[string]any{"Count": c.selected}))
	}
	s.counts.SetText(strings.Join(append(parts, strconv.Itoa(c.percent)+" %"), " · "))
}

// showDraft shows when the draft was saved, unless a message is shown.
func (s *statusBar) showDraft(text string, bad bool) {
	if s.message.Text() == s.draft {
		s.tell(text, bad)
	}
	s.draft = text
}

// tell shows a message until the next one; a bad one stands out.
func (s *statusBar) tell(text string, bad bool) {
	s.about = nil
	style := kit.Style{Size: kit.Secondary, Ink: kit.Dim, Cut: true, Align: fyne.TextAlignTrailing}
	if bad {
		style.Ink = kit.Error
	}
	s.message.SetStyle(style)
	s.message.SetText(text)
}
