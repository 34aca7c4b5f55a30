package valueview_test

import (
	"context"
	"image"
	"image/color"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"fyne.io/fyne/v2"
	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/ui/kit"
	"github.com/svcflow/svc/ui/poster"
	"github.com/svcflow/svc/ui/runview/valueview"
	"github.com/svcflow/svc/ui/theme"
	"github.com/svcflow/svc/ui/uitest"
)

// posts is a list of records as a network gives it.
func posts() []any {
	return []any{
		map[string]any{"author": "Ada", "likes": 12, "text": "Engines and looms", "score": 0.75, "pinned": true},
		map[string]any{"author": "Bo", "likes": 3, "text": "A second line\nof text", "score": 0.5},
		map[string]any{"author": "Cy", "likes": 120, "text": "", "tags": []any{"go", "fyne"}},
	}
}

// show opens a view in a window of its usual size at the bottom of the editor. Loaded data is
// shown when the queue settles.
func show(t testing.TB, c valueview.Config) (*valueview.View, fyne.Window, *uitest.Queue) {
	t.Helper()
	uitest.App(t, theme.Dark)
	var back *uitest.Queue
	c.Jobs, back = uitest.Jobs(t)
	v := valueview.New(c)
	return v, uitest.Window(t, kit.Panel(v.Object()), 600, 180), back
}

// host is a host with files, and facts that a workflow returns about them.
type host struct {
	files map[string]string
	done  *engine.Result
	slow  chan struct{} // nil, or closed when there is an answer
}

func (p *host) Execute(context.Context, *workflow.Definition) (*engine.Result, error) {
	if p.done == nil {
		return nil, engine.ValidationErrors{{Code: "unknown_node_type"}}
	}
	return p.done, nil
}

func (p *host) Read(_ context.Context, path string, w io.Writer) error {
	if p.slow != nil {
		<-p.slow
	}
	text, ok := p.files[path]
	if !ok {
		return fs.ErrNotExist
	}
	_, err := io.WriteString(w, text)
	return err
}

func (*host) Forget(string) {}

func (p *host) Local() poster.Host { return p }

// square returns a PNG of one colour.
func square(t testing.TB, c color.Color) []byte {
	t.Helper()
	m := image.NewNRGBA(image.Rect(0, 0, 40, 30))
	for i := range 40 * 30 {
		m.Set(i%40, i/40, c)
	}
	path := filepath.Join(t.TempDir(), "square.png")
	uitest.WritePNG(t, path, m)
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	return data
}
