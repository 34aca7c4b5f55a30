package inspector

import "github.com/svcflow/svc/ui/kit"

// caption is small text that wraps. Empty, it takes no room.
type caption struct{ text *kit.Paragraph }

func newCaption() caption {
	c := caption{kit.NewParagraph("", kit.Style{Size: kit.Caption})}
	c.text.Hide()
	return c
}

// set changes the text, and reports whether it was another one.
func (c caption) set(text string, ink kit.Ink) bool {
	if c.text.Text() == text {
		return false
	}
	c.text.SetStyle(kit.Style{Size: kit.Caption, Ink: ink})
	c.text.SetText(text)
	c.text.Hidden = text == ""
	return true
}
