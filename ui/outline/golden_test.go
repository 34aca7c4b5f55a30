package outline_test

import (
	"flag"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"github.com/svcflow/svc/ui/editor/doc"
	"github.com/svcflow/svc/ui/outline"
	"github.com/svcflow/svc/ui/theme"
	"github.com/svcflow/svc/ui/uitest"
)

var update = flag.Bool("update", false, "write the golden files")

func TestLooks(t *testing.T) {
	for name, scheme := range uitest.Schemes() {
		t.Run(name, func(t *testing.T) {
			h := show(t, scheme)
			b := opened(t)
			b.Selection.Replace(doc.Set{Nodes: []string{"loop"}})
			h.Update(b)
			uitest.Golden(t, "outline-"+name, h.window.Canvas().Capture(), *update)

			if name == "light" { // and what is shown takes on a theme that is chosen later
				test.ApplyTheme(t, theme.New(theme.Dark))
				uitest.Golden(t, "outline-dark", h.window.Canvas().Capture(), *update)
				test.ApplyTheme(t, theme.New(theme.Light))
			}
			p := outline.NewProblems(nil)
			p.Update(b)
			win := uitest.Window(t, p.Object(), 320, 400)
			test.TapCanvas(win.Canvas(), fyne.NewPos(100, 30))
			uitest.Golden(t, "problems-"+name, win.Canvas().Capture(), *update)
		})
	}
}
