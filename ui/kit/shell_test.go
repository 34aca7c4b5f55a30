package kit_test

import (
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/driver/desktop"
	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/ui/kit"
	"github.com/svcflow/svc/ui/theme"
	"github.com/svcflow/svc/ui/uitest"
)

// house is a shell whose parts can be measured.
type house struct {
	*kit.Shell

	left, right, bottom, centre *canvas.Rectangle
	window                      fyne.Window
	changes                     int
}

func newHouse(t *testing.T, w, h float32) *house {
	t.Helper()
	area := func() *canvas.Rectangle { return canvas.NewRectangle(nil) }
	b := &house{left: area(), right: area(), bottom: area(), centre: area()}
	b.window = show(t, theme.Dark, func() fyne.CanvasObject {
		b.Shell = kit.NewShell(kit.Parts{Top: area(), Status: area(), Left: b.left, Right: b.right, Bottom: b.bottom, Centre: b.centre})
		b.OnChange = func() { b.changes++ }
		return b.Shell
	}, w, h)
	return b
}

// drag sends the events of a drag as a window does.
func (b *house) drag(t *testing.T, from fyne.Position, dx, dy float32) {
	t.Helper()
	var edge fyne.Draggable
	for _, o := range uitest.Seen[fyne.CanvasObject](b.Shell) {
		d, ok := o.(fyne.Draggable)
		in := box(b.window, o)
		if ok && from.X >= in[0] && from.Y >= in[1] && from.X <= in[0]+in[2] && from.Y <= in[1]+in[3] {
			edge = d
		}
	}
	require.NotNil(t, edge, "no edge is there")
	mouse := func(at fyne.Position) *desktop.MouseEvent {
		return &desktop.MouseEvent{PointEvent: fyne.PointEvent{AbsolutePosition: at}, Button: desktop.MouseButtonPrimary}
	}
	edge.(desktop.Mouseable).MouseDown(mouse(from))
	for _, part := range []float32{0.5, 1} {
		edge.Dragged(&fyne.DragEvent{PointEvent: fyne.PointEvent{AbsolutePosition: from.AddXY(dx*part, dy*part)}})
	}
	edge.(desktop.Mouseable).MouseUp(mouse(from.AddXY(dx, dy)))
	edge.DragEnd()
}

func TestShellLayout(t *testing.T) {
	b := newHouse(t, 1440, 900)
	require.Equal(t, [4]float32{0, 48, 232, 826}, box(b.window, b.left))
	require.Equal(t, [4]float32{1120, 48, 320, 826}, box(b.window, b.right))
	require.Equal(t, [4]float32{232, 690, 888, 184}, box(b.window, b.bottom))
	require.Equal(t, [4]float32{232, 48, 888, 642}, box(b.window, b.centre))
}

func TestShellFolds(t *testing.T) {
	b := newHouse(t, 1440, 900)
	b.SetLeftVisible(false)
	b.SetBottomVisible(false)
	require.Equal(t, [4]float32{0, 48, 1120, 826}, box(b.window, b.centre), "the centre keeps what they free")
	b.SetRightVisible(false)
	require.Equal(t, [4]float32{0, 48, 1440, 826}, box(b.window, b.centre))
	for _, o := range uitest.Seen[fyne.CanvasObject](b.Shell) {
		require.NotImplements(t, (*desktop.Cursorable)(nil), o, "no edge is left")
	}
	sides := b.Sides()
	require.True(t, sides.LeftFolded && sides.RightFolded && sides.BottomFolded)
	b.SetLeftVisible(true)
	require.Equal(t, [4]float32{232, 48, 1208, 826}, box(b.window, b.centre))
}

func TestShellEdgesAreDragged(t *testing.T) {
	tests := []struct {
		name   string
		from   fyne.Position
		dx, dy float32
		want   kit.Sides
	}{
		{"left", fyne.NewPos(231, 300), 60, 9, kit.Sides{Left: 292, Right: 320, Bottom: 184}},
		{"left, too far", fyne.NewPos(231, 300), 900, 0, kit.Sides{Left: 420, Right: 320, Bottom: 184}},
		{"left, too small", fyne.NewPos(231, 300), -220, 0, kit.Sides{Left: 180, Right: 320, Bottom: 184}},
		{"right", fyne.NewPos(1121, 300), -40, 0, kit.Sides{Left: 232, Right: 360, Bottom: 184}},
		{"bottom", fyne.NewPos(500, 690), 7, -100, kit.Sides{Left: 232, Right: 320, Bottom: 284}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := newHouse(t, 1440, 900)
			b.drag(t, tt.from, tt.dx, tt.dy)
			require.Equal(t, tt.want, b.Sides())
			require.Equal(t, 1, b.changes)
			require.InDelta(t, tt.want.Left, b.left.Size().Width, 0)
		})
	}
}

func TestShellInASmallWindow(t *testing.T) {
	b := newHouse(t, 640, 400)
	require.InDelta(t, 380, b.centre.Size().Width, 0.01, "panels shrink first")
	require.GreaterOrEqual(t, b.centre.Size().Height, float32(160))
	require.True(t, b.Shown().LeftFolded, "and fold where there is no room for both")
	require.False(t, b.Shown().RightFolded)
	b.SetLeftVisible(true)
	require.Equal(t, []bool{false, true}, []bool{b.Shown().LeftFolded, b.Shown().RightFolded}, "what one asks for is there")
	require.InDelta(t, 400, b.centre.Size().Width+b.left.Size().Width-240, 0.01)
	require.Equal(t, kit.DefaultSides(), b.Sides(), "and come back when there is room")
	b.window.Resize(fyne.NewSize(1440, 900))
	require.InDelta(t, 232, b.left.Size().Width, 0)
	require.InDelta(t, 320, b.right.Size().Width, 0)
	b.window.Resize(fyne.NewSize(880, 640))
	require.InDelta(t, 380, b.centre.Size().Width, 0.01)
	require.InDelta(t, 207.86, b.left.Size().Width, 0.01, "both give of what they can")
}

func TestShellTakesStoredSides(t *testing.T) {
	b := newHouse(t, 1440, 900)
	b.SetSides(kit.Sides{Left: 5, Right: 1e6, RightFolded: true})
	require.Equal(t, kit.Sides{Left: 180, Right: 640, Bottom: 184, RightFolded: true}, b.Sides())
	require.Equal(t, [4]float32{180, 48, 1260, 642}, box(b.window, b.centre))
	require.Zero(t, b.changes, "OnChange is called for changes by the user only")
}
