package palette

import (
	"github.com/svcflow/svc/ui/colors"
	"github.com/svcflow/svc/ui/editor/doc"
	"github.com/svcflow/svc/ui/kit"
	"github.com/svcflow/svc/ui/theme"
)

// Choices returns node types as choices of a picker: the label with the matched letters, the
// category dim, and at the end the port that would be wired. pick is called with the picked
// one.
func Choices(found []doc.Choice, pick func(doc.Choice)) []kit.Choice {
	choices := make([]kit.Choice, len(found))
	for i, c := range found {
		choices[i] = kit.Choice{
			Title: c.Spec.Label, Matched: c.Matched, Detail: c.Spec.Category, Trailing: c.Port,
			Dot:  colors.Exact(c.Spec.Card.Color),
			Pick: func() { pick(c) },
		}
		if circle(c.Spec) {
			choices[i].Icon = theme.Icon(c.Spec.Card.Icon, theme.White())
		}
	}
	return choices
}
