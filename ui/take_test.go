package ui

import (
	"testing"

	"fyne.io/fyne/v2"
	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/ui/runview"
)

func TestAPartOfTheOutputIsDraggedToTheInspector(t *testing.T) {
	inWindow(t, func(t *testing.T, b *bench) {
		b.opens(priced)
		require.True(t, b.board().Show("dear"))
		b.views.Refresh()
		field := fyne.CurrentApp().Driver().AbsolutePositionForObject(b.views.inspector.Object())
		what := runview.Taken{Path: "in", Port: "value", Steps: []any{1, "total"}}
		b.views.takeOver(what, field)
		b.views.takeTo(what, field.AddXY(-5, -5))
		require.Contains(t, b.message(), "Drop it on a field")
		for y := float32(0); y < 400 && b.doc().CanUndo() == ""; y += 8 {
			b.views.takeTo(what, field.AddXY(30, y)) // until a field takes it
		}
		require.NotEmpty(t, b.doc().CanUndo())
		b.views.takeTo(runview.Taken{Path: "loop/in", Port: "value"}, field)
		require.Contains(t, b.message(), "another level")
	})
}
