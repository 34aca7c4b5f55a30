package outline_test

import (
	"slices"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"
	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/fold"
	"github.com/svcflow/svc/ui/editor/board"
	"github.com/svcflow/svc/ui/editor/doc"
	"github.com/svcflow/svc/ui/outline"
	"github.com/svcflow/svc/ui/theme"
	"github.com/svcflow/svc/ui/uitest"
)

const fans = `{"id":"fans","nodes":[` +
	`{"id":"term","type":"io.input","config":{"name":"term","required":true,"type":"string"},"label":"Search term","position":{"x":0,"y":64}},` +
	`{"id":"posts","type":"microblog.search_tweets","position":{"x":264,"y":72}},` +
	`{"id":"loop","type":"control.foreach","label":"Thank each","position":{"x":440,"y":48},"body":{"nodes":[` +
	`{"id":"send","type":"pronet.send_message","position":{"x":0,"y":0}}],"connections":[]}},` +
	`{"id":"off","type":"text.join","disabled":true,"position":{"x":0,"y":240}},` +
	`{"id":"what","type":"acme.unknown","position":{"x":0,"y":360}}],` +
	`"connections":[],` +
	`"groups":[{"id":"g","label":"Who wrote","nodeIds":["posts","loop"]},{"id":"h","label":"","nodeIds":["off"]}],` +
	`"notes":[{"id":"n","text":"Only those who wrote something\nand nobody else","position":{"x":264,"y":400},"size":{"w":176,"h":64}}]}`

// opened shows fans with some problems.
func opened(t *testing.T) *board.Board {
	t.Helper()
	b := board.New(doc.New(uitest.Definition(t, fans), uitest.Specs(uitest.Registry(t))), 800, 600)
	b.SetProblems(engine.ValidationErrors{
		{Code: "missing_required_input", NodeID: "posts", Port: "credential", Message: "the input credential needs a value", Hint: "connect an account in the inspector, or wire a credential into the node."},
		{Code: "missing_required_input", NodeID: "posts", Port: "query", Message: "the input query needs a value"},
		{Code: "missing_required_input", NodeID: "loop/send", Port: "recipient_id", Message: "the input recipient_id needs a value", Hint: "Connect a wire to it or type a value."},
		{Code: "unknown_node_type", NodeID: "what", Message: "there is no node type acme.unknown", Hint: "Install the plugin that has it, or replace the node by one of another type."},
		{Code: "limit_exceeded", Message: "the workflow has too many nodes"},
	})
	return b
}

// fixture works with an outline in a window.
type fixture struct {
	*outline.Outline

	window fyne.Window
	told   []string
}

func show(t *testing.T, scheme theme.Scheme) *fixture {
	t.Helper()
	uitest.App(t, scheme)
	h := &fixture{}
	h.Outline = outline.New(outline.Config{
		Show:     func(path string) { h.told = append(h.told, "show "+path) },
		Open:     func(path string) { h.told = append(h.told, "open "+path) },
		ShowPart: func(s doc.Set) { h.told = append(h.told, slices.Concat([]string{"part"}, s.Groups, s.Notes)...) },
		Leave:    func() { h.told = append(h.told, "leave") },
		Problem:  func(e *engine.ValidationError) { h.told = append(h.told, "problem "+e.NodeID+" "+e.Port) },
	})
	h.window = uitest.Window(t, h.Object(), 320, 520)
	return h
}

func (h *fixture) filter(query string) {
	h.Focus(h.window.Canvas())
	test.Type(h.window.Canvas().Focused(), query)
}

func TestOutlineListsAll(t *testing.T) {
	h := show(t, theme.Dark)
	require.Contains(t, uitest.Texts(h.Object()), "Nothing here yet")
	h.Update(opened(t))
	require.Subset(t, uitest.Texts(h.Object()), []string{
		"Nodes", "Search term", "io.input", "Search posts", "2 problems", "Thank each", "1 problem", "off", "acme.unknown", "unknown type",
		"Groups", "Who wrote", "Group without a name", "Notes", "Only those who wrote something",
		"Problems", "The input query needs a value",
	})
	require.NotContains(t, uitest.Texts(h.Object()), "Nothing here yet")
}

func TestOutlineGoesToEachThing(t *testing.T) {
	tests := []struct {
		filter string
		want   []string
	}{
		{"search term", []string{"show term"}},
		{"pronet", nil}, // in the body
		{"who wrote", []string{"part", "g"}},
		{"only those", []string{"part", "n"}},
		{"query needs", []string{"problem posts query"}},
		{"recipient", []string{"problem loop/send recipient_id"}},
	}
	for _, tt := range tests {
		t.Run(tt.filter, func(t *testing.T) {
			h := show(t, theme.Dark)
			h.Update(opened(t))
			h.filter(tt.filter)
			require.Empty(t, h.told)
			uitest.Press(h.window, fyne.KeyDown)
			require.Equal(t, tt.want, h.told)
			if tt.want == nil {
				require.Contains(t, uitest.Texts(h.Object()), "Nothing found")
			}
		})
	}
}

func TestOutlineOpensNodes(t *testing.T) {
	h := show(t, theme.Dark)
	b := opened(t)
	require.NoError(t, b.Document().Enter("loop"))
	h.Update(b)
	h.filter("")
	uitest.Press(h.window, fyne.KeyDown, fyne.KeyEnter)
	require.Equal(t, []string{"show loop/send", "open loop/send"}, h.told, "by path")
	uitest.Press(h.window, fyne.KeyEscape)
	require.Equal(t, "leave", h.told[2])
	h.filter("send")
	uitest.Press(h.window, fyne.KeyEscape)
	require.Len(t, h.told, 3, "the field is emptied first")
}

func TestOutlineFollowsTheSelection(t *testing.T) {
	h := show(t, theme.Dark)
	b := opened(t)
	b.Selection.Replace(doc.Set{Nodes: []string{"loop"}})
	h.Update(b)
	h.filter("")
	uitest.Press(h.window, fyne.KeyEnter)
	require.Equal(t, []string{"open loop"}, h.told)
	b.Selection.Clear()
	require.NoError(t, b.Document().Delete(doc.Set{Nodes: []string{"term"}}))
	h.Update(b)
	uitest.Press(h.window, fyne.KeyEnter)
	require.Equal(t, []string{"open loop", "open loop"}, h.told, "the current row stays though it has moved")
}

func TestOutlineShowsTheRun(t *testing.T) {
	h := show(t, theme.Dark)
	b := opened(t)
	b.Run = &fold.State{}
	for id, status := range map[string]engine.Status{"term": engine.StatusSucceeded, "posts": engine.StatusFailed, "off": engine.StatusSkipped, "what": engine.StatusCancelled} {
		b.Run.Apply(engine.Event{Name: engine.EventNode, NodeID: id, Status: status})
	}
	b.Run.Apply(engine.Event{Name: engine.EventStarted, NodeID: "loop"})
	h.Update(b)
	require.Subset(t, uitest.Texts(h.Object()), []string{"succeeded", "failed", "skipped", "cancelled", "running"})
}

func TestProblems(t *testing.T) {
	uitest.App(t, theme.Dark)
	var told []string
	p := outline.NewProblems(func(e *engine.ValidationError) { told = append(told, e.NodeID+"."+e.Port) })
	win := uitest.Window(t, p.Object(), 320, 520)
	require.Contains(t, uitest.Texts(p.Object()), "No problems")
	b := opened(t)
	p.Update(b)
	require.Equal(t, 5, p.Count())
	require.Subset(t, uitest.Texts(p.Object()), []string{
		"Search posts · credential", "missing_required_input", "The input credential needs a value",
		"Connect an account in the inspector, or wire a credential into the node.", "loop/send · recipient_id", "Workflow",
	})
	require.NotContains(t, uitest.Texts(p.Object()), "No problems")

	test.TapCanvas(win.Canvas(), fyne.NewPos(100, 30))
	win.Canvas().Focused().TypedKey(&fyne.KeyEvent{Name: fyne.KeyDown})
	require.Equal(t, []string{"posts.credential", "posts.query"}, told)
	b.SetProblems(engine.ValidationErrors(b.Problems().All()[1:]))
	p.Update(b)
	win.Canvas().Focused().TypedKey(&fyne.KeyEvent{Name: fyne.KeyDown})
	require.Equal(t, "loop/send.recipient_id", told[2], "the current row stays though it has moved")
	b.SetProblems(nil)
	p.Update(b)
	require.Contains(t, uitest.Texts(p.Object()), "No problems")
	require.Zero(t, p.Count())
	b.SetHints([]engine.Hint{{NodeID: "send", Port: "text", Message: "may not be meant"}})
	p.Update(b)
	require.Equal(t, 1, p.Count(), "what is valid but may not be meant stands below")
}
