package runview_test

import (
	"context"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/app"
	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/ui/editor/doc"
	"github.com/svcflow/svc/ui/kit"
	"github.com/svcflow/svc/ui/runview/internal/link"
	"github.com/svcflow/svc/ui/runview/record"
	"github.com/svcflow/svc/ui/theme"
	"github.com/svcflow/svc/ui/uitest"
)

// loop greets everybody in a list.
const loop = `{"id":"greet","nodes":[` +
	`{"id":"names","type":"io.input","config":{"name":"names","type":"list<string>","default":["Ada","Bo","Cy"]},"label":"Names"},` +
	`{"id":"each","type":"control.foreach","label":"Greet everyone","body":{"nodes":[` +
	`{"id":"item","type":"io.input","config":{"name":"item","type":"string"}},` +
	`{"id":"fmt","type":"text.format","config":{"template":"Hi {name}"}},` +
	`{"id":"out","type":"io.output","config":{"name":"result"}}],` +
	`"connections":[{"fromNodeId":"item","fromPort":"value","toNodeId":"fmt","toPort":"name"},` +
	`{"fromNodeId":"fmt","fromPort":"result","toNodeId":"out","toPort":"value"}]}},` +
	`{"id":"greetings","type":"io.output","config":{"name":"greetings"}}],` +
	`"connections":[{"fromNodeId":"names","fromPort":"value","toNodeId":"each","toPort":"list"},` +
	`{"fromNodeId":"each","fromPort":"result","toNodeId":"greetings","toPort":"value"}]}`

// at is a time since the start of a run that was made up.
func at(ms int) time.Time { return time.UnixMilli(1_700_000_000_000 + int64(ms)).UTC() }

func newApp(t testing.TB) *app.App {
	t.Helper()
	a, err := app.New(app.Config{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, a.Close(context.Background())) })
	return a
}

// document opens a workflow in the editor.
func document(t testing.TB, a *app.App, text string) *doc.Document {
	t.Helper()
	specs, err := a.NodeTypes(t.Context())
	require.NoError(t, err)
	return doc.New(uitest.Definition(t, text), doc.NewSpecs(specs, nil))
}

// recorded runs a workflow to its end and returns what was recorded.
func recorded(t testing.TB, a *app.App, def *workflow.Definition, inputs map[string]any) *record.Recorder {
	t.Helper()
	id, err := a.Start(t.Context(), def, run.Request{Inputs: inputs})
	require.NoError(t, err)
	r := record.New()
	for e, err := range a.Events(t.Context(), id, 0) {
		require.NoError(t, err)
		r.Apply([]engine.Event{e})
	}
	return r
}

// show shows a view in a window.
func show(t testing.TB, scheme theme.Scheme, o fyne.CanvasObject, w, h float32) fyne.Window {
	t.Helper()
	fyne.CurrentApp().Settings().SetTheme(theme.New(scheme))
	return uitest.Window(t, kit.Panel(o), w, h)
}

// texts returns all lines of text that a window shows, without those of buttons.
func texts(w fyne.Window) (out []string) {
	for _, o := range uitest.Seen[interface{ Text() string }](w.Content()) {
		if _, button := o.(*link.Link); !button && o.Text() != "" {
			out = append(out, o.Text())
		}
	}
	return out
}

// press presses the flat button of that name.
func press(t testing.TB, w fyne.Window, name string) {
	t.Helper()
	for _, l := range uitest.Seen[*link.Link](w.Content()) {
		if l.Text() == name {
			require.False(t, l.Disabled(), name)
			l.Tapped(nil)
			return
		}
	}
	require.Fail(t, "there is no button "+name)
}

// fans is a run that has come halfway: 1.24 s.
func fans() *record.Recorder {
	r := record.New()
	started := func(id string, ms int) engine.Event {
		return engine.Event{Name: engine.EventStarted, NodeID: id, Time: at(ms)}
	}
	ended := func(id string, ms, took int, s engine.Status) engine.Event {
		return engine.Event{Name: engine.EventNode, NodeID: id, Time: at(ms), Duration: time.Duration(took) * time.Millisecond, Status: s}
	}
	r.Apply([]engine.Event{
		{Name: engine.EventStarted, RunID: "r-81", WorkflowID: "fans", Time: at(0)},
		started("term", 0), ended("term", 1, 1, engine.StatusSucceeded),
		started("posts", 10), started("profile", 12),
		ended("profile", 260, 248, engine.StatusFailed), ended("posts", 450, 440, engine.StatusSucceeded),
		ended("send", 452, 0, engine.StatusSkipped),
		started("like", 455),
		{Name: engine.EventProgress, NodeID: "like", Step: 3, Total: 5, Time: at(900), Message: "3 of 5"},
		started("like/0/post", 460), ended("like/0/post", 600, 140, engine.StatusSucceeded), started("like/1/post", 600),
		{Name: engine.EventProgress, NodeID: "like/1/post", Time: at(700), RetryIn: 900 * time.Millisecond, Error: &engine.Failure{Code: "http_503", Message: "try later"}},
		{Name: engine.EventFailed, Time: at(1240), Error: &engine.Failure{Code: "http_403", Message: "the network refused: the scope is missing", NodeID: "profile"}},
	})
	return r
}

func names(path string) string {
	return map[string]string{"term": "Search term", "posts": "Search posts", "profile": "Fetch profile", "like": "Like", "send": "Send message"}[path]
}
