package runview_test

import (
	"testing"
	"testing/synctest"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"
	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/ui/kit"
	"github.com/svcflow/svc/ui/runview"
	"github.com/svcflow/svc/ui/runview/record"
	"github.com/svcflow/svc/ui/theme"
	"github.com/svcflow/svc/ui/uitest"
)

func inputs() []node.Port {
	return []node.Port{
		{Name: "term", Type: value.String()},
		{Name: "limit", Type: value.Int(), Default: 10},
		{Name: "tags", Type: value.ListOf(value.String()), Optional: true},
		{Name: "dry", Type: value.Bool(), Default: true},
		{Name: "extra", Type: value.Any(), Optional: true},
	}
}

// fields returns the fields to type into, and those to choose with.
func fields(w fyne.Window) (entries []*kit.Entry, choices []*kit.Select) {
	return uitest.Seen[*kit.Entry](w.Content()), uitest.Seen[*kit.Select](w.Content())
}

func newTab(t *testing.T) (*runview.RunTab, fyne.Window) {
	t.Helper()
	test.NewTempApp(t)
	tab := runview.NewRunTab()
	tab.Label = names
	w := show(t, theme.Dark, tab.Object(), 320, 700)
	return tab, w
}

func TestInputsOfTheNextRun(t *testing.T) {
	tab, w := newTab(t)
	require.Contains(t, texts(w), "This workflow takes no inputs.")
	values, err := tab.Inputs()
	require.NoError(t, err)
	require.Empty(t, values)

	tab.SetInputs(inputs())
	entries, choices := fields(w)
	entries[1].SetText("many")
	entries[2].SetText(`["go", 1]`)
	_, err = tab.Inputs()
	require.ErrorContains(t, err, "term: Type a value: the workflow needs it.")
	require.ErrorContains(t, err, "limit: Type a whole number, such as 12.")
	require.ErrorContains(t, err, "tags: ")
	require.Contains(t, texts(w), "Type a whole number, such as 12.", "below its field")

	entries[0].SetText("gophers")
	entries[1].SetText(" 12 ")
	entries[2].SetText(`["go", "fyne"]`)
	choices[0].SetSelected("false")
	entries[3].SetText("no JSON is a text")
	values, err = tab.Inputs()
	require.NoError(t, err)
	require.Equal(t, map[string]any{"term": "gophers", "limit": 12, "tags": []any{"go", "fyne"}, "dry": false, "extra": "no JSON is a text"}, values)
	require.NotContains(t, texts(w), "Type a whole number, such as 12.")
}

func TestTypedInputsStay(t *testing.T) {
	tab, w := newTab(t)
	tab.SetInputs(inputs())
	entries, _ := fields(w)
	entries[0].SetText("gophers")
	tab.Update(fans())
	tab.SetInputs(inputs())
	tab.SetInputs(nil)
	tab.SetInputs([]node.Port{{Name: "limit", Type: value.Int(), Optional: true}, {Name: "term", Type: value.Any()}})
	values, err := tab.Inputs()
	require.NoError(t, err)
	require.Equal(t, map[string]any{"term": "gophers"}, values, "though the type has changed")
}

// A real run takes the values as they come from the fields.
func TestInputsOfARealRun(t *testing.T) {
	tab, w := newTab(t)
	a := newApp(t)
	def := uitest.Definition(t, loop)
	ports, _, err := a.Interface(t.Context(), def, nil)
	require.NoError(t, err)
	tab.SetInputs(ports)
	entries, _ := fields(w)
	entries[0].SetText(`["Zoë"]`)
	values, err := tab.Inputs()
	require.NoError(t, err)
	r := recorded(t, a, def, values)
	require.Equal(t, []any{"Hi Zoë"}, r.Outputs["greetings"])
	tab.Update(r)
	require.Contains(t, texts(w), "completed · "+runview.Duration(r.Duration()))
}

func TestTheTabTellsHowARunGoes(t *testing.T) {
	tab, w := newTab(t)
	var shown, copied string
	tab.OnShow = func(path string) { shown = path }
	tab.Copy = func(text string) { copied = text }
	require.Contains(t, texts(w), "Not run yet")
	tab.Update(fans())
	require.Contains(t, texts(w), "failed · 1.24 s")
	press(t, w, "Show Fetch profile")
	require.Equal(t, "profile", shown)
	press(t, w, "Copy run id")
	require.Equal(t, "r-81", copied)
	require.Subset(t, texts(w), []string{"Like", "3 of 5", "900 ms"})
	uitest.First[*kit.LongList](t, w.Content()).Select(0)
	require.Equal(t, "like", shown)
}

func TestTheTabTellsWhenANodeIsTriedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tab, w := newTab(t)
		tab.Attempts = func(path string) int { return map[string]int{"posts": 3}[path] }
		r := record.New()
		again := func(id string) engine.Event {
			return engine.Event{Name: engine.EventProgress, NodeID: id, Time: time.Now(), RetryIn: 900 * time.Millisecond, Error: &engine.Failure{Code: "http_503"}}
		}
		r.Apply([]engine.Event{
			{Name: engine.EventStarted, RunID: "r", Time: time.Now()},
			{Name: engine.EventStarted, NodeID: "posts", Time: time.Now()},
			again("posts"),
			{Name: engine.EventStarted, NodeID: "like/1/post", Time: time.Now()},
			again("like/1/post"),
		})
		time.Sleep(500 * time.Millisecond) //nolint:forbidigo // a bubble's own time
		tab.Update(r)
		require.Subset(t, texts(w), []string{"Search posts: attempt 2 of 3, next in 400 ms", "post: attempt 2, next in 400 ms", "running · 500 ms"})
		time.Sleep(500 * time.Millisecond) //nolint:forbidigo // a bubble's own time
		tab.Update(r)
		require.Subset(t, texts(w), []string{"Search posts: attempt 2 of 3", "post: attempt 2"})
		r.Apply([]engine.Event{{Name: engine.EventNode, NodeID: "posts", Time: time.Now(), Status: engine.StatusSucceeded}})
		tab.Update(r)
		require.NotContains(t, texts(w), "Search posts: attempt 2 of 3")
	})
}
