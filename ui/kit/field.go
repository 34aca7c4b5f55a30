package kit

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
)

// Field is a control with its name above, and its error or hint below, which wraps. The zero
// value is not usable; see [NewField].
type Field struct {
	name    *Text
	message *Paragraph
	column  *fyne.Container
	hint    string
}

// NewField returns a field. kind, at the right end of the name's line, is the unit or type,
// in the colour of ink; hint explains the field and may be empty.
func NewField(name, kind string, ink ColorFunc, hint string, control fyne.CanvasObject) *Field {
	f := &Field{
		name:    NewText(name, Style{Size: Secondary, Bold: true, Cut: true}),
		message: NewParagraph(hint, Style{Size: Caption, Ink: Dim}),
		hint:    hint,
	}
	head := container.NewBorder(nil, nil, nil, NewText(kind, Style{Size: Caption, Mono: true, Ink: ink}), f.name)
	f.column = Column(4, head, control, f.message)
	f.SetError("")
	return f
}

// Object returns the field's canvas object.
func (f *Field) Object() fyne.CanvasObject { return f.column }

// SetError shows an error, or the hint again if it is "".
func (f *Field) SetError(text string) {
	style := Style{Size: Caption, Ink: Error}
	if text == "" {
		style.Ink, text = Dim, f.hint
	}
	f.message.SetStyle(style)
	f.message.SetText(text)
	if text == "" {
		f.message.Hide()
	} else {
		f.message.Show()
	}
	f.column.Refresh()
}
