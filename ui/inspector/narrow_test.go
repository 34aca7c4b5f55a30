package inspector_test

import (
	"slices"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/test"
	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/ui/kit"
)

// TestNamesOfFieldsAreNotCutInTheNarrowestPanel proves that controls beside the name of a
// field, such as the ways to type a value, never cut the name.
func TestNamesOfFieldsAreNotCutInTheNarrowestPanel(t *testing.T) {
	const smallest = 260
	b := open(t, demo)
	b.window.Resize(fyne.NewSize(smallest, 700))
	for _, n := range b.doc.Nodes() {
		b.node(n.ID)
		spec, ok := b.doc.Specs().Lookup(n.Type)
		if !ok {
			continue
		}
		for _, o := range b.seen() {
			text, ok := o.(*kit.Text)
			if !ok || !slices.ContainsFunc(spec.Inputs, func(p node.Port) bool { return text.Text() == p.Name || text.Text() == p.Name+" *" }) {
				continue
			}
			line := test.WidgetRenderer(text).Objects()[0].(*canvas.Text)
			require.Equal(t, text.Text(), line.Text, "a field of %s", n.Type)
		}
	}
}
