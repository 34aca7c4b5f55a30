package runview_test

import (
	"maps"
	"slices"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/test"
	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/ui/runview"
	"github.com/svcflow/svc/ui/uitest"
)

// draggables are what can be dragged, by what it says: of several the innermost one.
func draggables(p *panel) map[string]fyne.Draggable {
	all := map[string]fyne.Draggable{}
	for _, o := range uitest.Seen[fyne.Draggable](p.window.Content()) {
		row := o.(fyne.CanvasObject)
		for _, text := range uitest.Texts(row) {
			all[text] = o
		}
		for _, text := range uitest.Seen[*canvas.Text](row) {
			all[text.Text] = o
		}
	}
	return all
}

func TestPartsOfValuesAreDraggedOut(t *testing.T) {
	test.NewTempApp(t)
	a := newApp(t)
	d := document(t, a, loop)
	var over, dropped []runview.Taken
	p := newPanel(t, runview.OutputConfig{
		Dragged: func(what runview.Taken, _ fyne.Position) { over = append(over, what) },
		Dropped: func(what runview.Taken, at fyne.Position) {
			require.Equal(t, fyne.NewPos(5, 6), at)
			dropped = append(dropped, what)
		},
	})
	drag := func(name string) {
		t.Helper()
		row := draggables(p)[name]
		require.NotNil(t, row, "%s is not among %v", name, slices.Sorted(maps.Keys(draggables(p))))
		row.Dragged(&fyne.DragEvent{PointEvent: fyne.PointEvent{AbsolutePosition: fyne.NewPos(5, 6)}})
		row.DragEnd()
	}
	p.Update(recorded(t, a, uitest.Definition(t, loop), nil))
	p.Show(subject(t, d, "each"))
	press(t, p.window, "Tree")
	drag("1")
	require.Equal(t, []runview.Taken{{Path: "each", Port: "result", Steps: []any{1}}}, dropped)
	require.Equal(t, dropped, over)
	drag("result")
	require.Equal(t, runview.Taken{Path: "each", Port: "result"}, dropped[1])

	require.NoError(t, d.Enter("each"))
	p.Show(subject(t, d, "fmt"))
	drag("name")
	require.Equal(t, "each/item", dropped[2].Path, "what came in is what its source gave")
	drag("template")
	require.Len(t, dropped, 3, "no node gave that")
}
