package runview_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"
	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value/view"
	"github.com/svcflow/svc/ui/editor/doc"
	"github.com/svcflow/svc/ui/kit"
	"github.com/svcflow/svc/ui/runview"
	"github.com/svcflow/svc/ui/runview/record"
	"github.com/svcflow/svc/ui/theme"
	"github.com/svcflow/svc/ui/uitest"
)

// panel is an output panel in a window, and what it has copied.
type panel struct {
	*runview.Output

	window fyne.Window
	back   *uitest.Queue
	copied string
}

func newPanel(t *testing.T, c runview.OutputConfig) *panel {
	t.Helper()
	p := &panel{}
	c.Values.Copy = func(text string) { p.copied = text }
	c.Values.Jobs, p.back = uitest.Jobs(t)
	p.Output = runview.NewOutput(c)
	p.window = show(t, theme.Dark, p.Object(), 850, 300)
	return p
}

// value returns the value that the panel shows for an entry of the list.
func (p *panel) value(t *testing.T, entry int) string {
	t.Helper()
	if entry >= 0 {
		uitest.First[*kit.LongList](t, p.window.Content()).Select(entry)
	}
	press(t, p.window, "Copy value")
	return p.copied
}

func subject(t *testing.T, d *doc.Document, id string) runview.Subject {
	t.Helper()
	s, ok := runview.SubjectOf(d, id)
	require.True(t, ok, id)
	return s
}

func TestOutputOfARealRun(t *testing.T) {
	test.NewTempApp(t)
	a := newApp(t)
	d := document(t, a, loop)
	var shown string
	p := newPanel(t, runview.OutputConfig{OnShow: func(path string) { shown = path }})
	require.Contains(t, texts(p.window), "Run the workflow to see what comes out.")

	p.Update(recorded(t, a, uitest.Definition(t, loop), nil))
	require.Contains(t, texts(p.window), "greetings", "the outputs of the workflow")
	require.JSONEq(t, `["Hi Ada","Hi Bo","Hi Cy"]`, p.value(t, -1))

	p.Show(subject(t, d, "each"))
	require.JSONEq(t, `["Hi Ada","Hi Bo","Hi Cy"]`, p.value(t, -1), "what is worth a look comes first")
	require.Contains(t, texts(p.window), "Greet everyone")
	press(t, p.window, "Show node")
	require.Equal(t, "each", shown)

	require.NoError(t, d.Enter("each"))
	p.Show(subject(t, d, "fmt"))
	require.Contains(t, texts(p.window), "Step 3 of 3")
	require.Equal(t, "Hi Cy", p.value(t, -1))
	press(t, p.window, "‹")
	require.Contains(t, texts(p.window), "Step 2 of 3")
	require.Equal(t, "Hi Bo", p.value(t, -1))
	require.Equal(t, "Hi {name}", p.value(t, 3), "an input from the config")
	last := uitest.First[*kit.LongList](t, p.window.Content()).Length() - 1
	require.Equal(t, "Bo", p.value(t, last), "an input from a wire, of the same round")
	press(t, p.window, "‹")
	require.Equal(t, "Ada", p.value(t, -1), "the port stays when the step changes")
}

func TestOutputTellsWhyANodeFailed(t *testing.T) {
	test.NewTempApp(t)
	p := newPanel(t, runview.OutputConfig{OnShow: func(string) {}})
	p.Update(record.Past(&engine.Result{RunID: "r", Status: engine.StatusFailed, Nodes: map[string]engine.NodeResult{
		"a": {Status: engine.StatusFailed, Attempts: 3, Error: &engine.Failure{Code: "http_403", Message: "no scope"}},
		"b": {Status: engine.StatusSkipped, SkippedBecause: &engine.Skip{NodeID: "a", Reason: "failed"}},
	}}))
	p.Show(runview.Subject{Path: "a", Title: "Fetch"})
	require.Equal(t, "no scope\n\nCode: http_403\nAttempts: 3", p.value(t, -1))
	p.Show(runview.Subject{Path: "b", Title: "Send"})
	require.Contains(t, texts(p.window), "skipped · because a failed")
	p.Show(runview.Subject{Path: "c", Title: "Other"})
	require.Contains(t, texts(p.window), "The run has not reached this node.")
}

func TestLargeValuesAreLoadedOnDemand(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		test.NewTempApp(t)
		big := strings.Repeat("x", 70_000)
		fail := true
		p := newPanel(t, runview.OutputConfig{Full: func(_ context.Context, runID, nodeID string) (map[string]any, error) {
			if fail {
				return nil, errors.New("the server is away")
			}
			require.Equal(t, [2]string{"r", "a"}, [2]string{runID, nodeID})
			return map[string]any{"text": big}, nil
		}})
		p.Update(record.Past(&engine.Result{RunID: "r", Status: engine.StatusCompleted, Nodes: map[string]engine.NodeResult{
			"a": {Status: engine.StatusSucceeded, Outputs: map[string]any{"text": map[string]any{"$elided": map[string]any{"bytes": 70_002}}}},
		}}))
		p.Show(runview.Subject{Path: "a", Title: "Fetch"})
		require.Contains(t, texts(p.window), "Too large to show here: 70 kB.")
		press(t, p.window, "Load")
		p.back.Settle()
		require.Contains(t, texts(p.window), "It cannot be loaded: the server is away")
		fail = false
		press(t, p.window, "Try again")
		p.back.Settle()
		require.Equal(t, big, p.value(t, -1))
	})
}

func TestPicturesOfThePreviewAreShown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		test.NewTempApp(t)
		p := newPanel(t, runview.OutputConfig{})
		p.Update(record.Past(&engine.Result{RunID: "r", Status: engine.StatusCompleted, Nodes: map[string]engine.NodeResult{
			"a": {Status: engine.StatusSucceeded, Outputs: map[string]any{"source": "https://example.com/ada"}},
		}}))
		p.Show(runview.Subject{Path: "a", Title: "Image", Shows: node.Shows{Port: "source", Kind: view.Picture}})
		p.back.Settle()
		require.Contains(t, texts(p.window), "Pictures from the web are not loaded here. Copy the address and open it in a browser.")
	})
}
