package outline

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/lang"
	"fyne.io/fyne/v2/widget"

	"github.com/svcflow/svc/ui/kit"
	"github.com/svcflow/svc/ui/wording"
)

// problemView shows a problem: what is wrong, what to do, where it is, and the code that the
// documentation explains.
type problemView struct {
	widget.BaseWidget

	dot           *kit.Dot
	message, hint *kit.Paragraph
	place, code   *kit.Text
}

func newProblemView() *problemView {
	v := &problemView{
		dot:     kit.NewDot(kit.Error, 8),
		message: kit.NewParagraph("", kit.Style{}),
		hint:    kit.NewParagraph("", kit.Style{Size: kit.Secondary, Ink: kit.Dim}),
		place:   kit.NewText("", kit.Style{Size: kit.Secondary, Bold: true, Cut: true}),
		code:    kit.NewText("", kit.Style{Size: kit.Caption, Ink: kit.Dim, Mono: true, Cut: true}),
	}
	v.ExtendBaseWidget(v)
	return v
}

func (v *problemView) set(p problem) {
	v.place.SetText(p.place)
	v.code.SetText(p.Code)
	dot, style := kit.Error, kit.Style{}
	if p.doubt {
		dot, style.Ink = kit.Dim, kit.Dim
		v.code.SetText(lang.L("Hint"))
	}
	v.dot.SetInk(dot)
	v.message.SetStyle(style)
	v.message.SetText(sentence(wording.Of(p.Message)))
	v.hint.SetText(sentence(wording.Of(p.Hint)))
	v.hint.Hidden = p.Hint == ""
}

const (
	problemLeft, problemRight, problemPad = 34, 14, 8
	problemGap                            = 2
)

// lines returns the parts of v from top to bottom, each with its height at a width.
func (v *problemView) lines(width float32) []line {
	lines := []line{{v.place, v.place.MinSize().Height}, {v.message, v.message.HeightAt(width)}}
	if !v.hint.Hidden {
		lines = append(lines, line{v.hint, v.hint.HeightAt(width)})
	}
	return append(lines, line{v.code, v.code.MinSize().Height})
}

type line struct {
	fyne.CanvasObject

	height float32
}

// heightAt returns the height of a row at a width, in dp.
func (v *problemView) heightAt(width float32) float32 {
	height := float32(2*problemPad - problemGap)
	for _, l := range v.lines(width - problemLeft - problemRight) {
		height += l.height + problemGap
	}
	return height
}

// CreateRenderer implements fyne.Widget.
func (v *problemView) CreateRenderer() fyne.WidgetRenderer {
	return kit.RowRenderer(v, kit.RowHeight, v.layOut, v.dot, v.place, v.message, v.hint, v.code)
}

func (v *problemView) layOut(size fyne.Size) {
	room, y := max(size.Width-problemLeft-problemRight, 0), float32(problemPad)
	v.dot.Move(fyne.NewPos(14, y))
	v.dot.Resize(fyne.NewSize(12, v.place.MinSize().Height))
	for _, l := range v.lines(room) {
		l.Move(fyne.NewPos(problemLeft, y))
		l.Resize(fyne.NewSize(room, l.height))
		y += l.height + problemGap
	}
}
