package inspector

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/widget"

	"github.com/svcflow/svc/engine/node"
)

// EntryOf returns Fyne's part of an entry; nil if o is none.
func EntryOf(o fyne.CanvasObject) *widget.Entry {
	if w, ok := o.(writing); ok {
		return w.core()
	}
	return nil
}

// ProposalsOf returns what the combo o proposes.
func ProposalsOf(o fyne.CanvasObject) (all []string) {
	if c, ok := o.(*combo); ok {
		for _, p := range c.proposed {
			all = append(all, p.text)
		}
	}
	return all
}

// Offer presses the button of the combo o that shows its list.
func Offer(o fyne.CanvasObject) { o.(*combo).offer() }

// IsGlyph reports whether o is a small button, with what text or icon.
func IsGlyph(o fyne.CanvasObject) (what string, ok bool) {
	if g, ok := o.(*glyph); ok {
		return g.text + string(g.icon), true
	}
	return "", false
}

// SyntaxOf returns how the values of a port are written.
func SyntaxOf(p *node.Port) syntax { return syntaxOf(p) }

// Read reads a text.
func (s syntax) Read(text string) (v any, given bool, err error) { return s.read(text) }

// Write writes a value.
func (s syntax) Write(v any) string { return s.write(v) }

// IsSwatch reports whether o is a colour to choose.
func IsSwatch(o fyne.CanvasObject) bool {
	_, ok := o.(*swatch)
	return ok
}
