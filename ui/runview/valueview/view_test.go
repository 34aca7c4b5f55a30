package valueview_test

import (
	"encoding/base64"
	"image/color"
	"math"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/test"
	"fyne.io/fyne/v2/widget"
	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/engine/value/view"
	"github.com/svcflow/svc/ui/kit"
	"github.com/svcflow/svc/ui/poster"
	"github.com/svcflow/svc/ui/runview/internal/link"
	"github.com/svcflow/svc/ui/runview/valueview"
	"github.com/svcflow/svc/ui/theme"
	"github.com/svcflow/svc/ui/uitest"
)

func TestTheBestLookIsTaken(t *testing.T) {
	for name, c := range map[string]struct {
		value any
		want  []valueview.Kind
	}{
		"text":           {"Hello", []valueview.Kind{valueview.Text}},
		"number":         {12, []valueview.Kind{valueview.Text}},
		"null":           {nil, []valueview.Kind{valueview.Text}},
		"record":         {map[string]any{"a": 1}, []valueview.Kind{valueview.Tree, valueview.Text}},
		"empty list":     {[]any{}, []valueview.Kind{valueview.Tree, valueview.Text}},
		"mixed list":     {[]any{map[string]any{}, 1}, []valueview.Kind{valueview.Tree, valueview.Text}},
		"records":        {posts(), []valueview.Kind{valueview.Table, valueview.Tree, valueview.Text}},
		"path":           {"photos/ada.PNG", []valueview.Kind{valueview.Text, valueview.Picture}},
		"data":           {"data:image/png;base64,AA", []valueview.Kind{valueview.Picture, valueview.Text}},
		"media":          {value.Media{Kind: "image", Path: "a.png"}, []valueview.Kind{valueview.Picture, valueview.Tree, valueview.Text}},
		"media, sound":   {value.Media{Kind: "audio", Path: "a.mp3"}, []valueview.Kind{valueview.Media, valueview.Text, valueview.Tree}},
		"media, steps":   {map[string]any{"kind": "image", "mime": "", "recipe": map[string]any{}}, []valueview.Kind{valueview.Text, valueview.Tree}},
		"media, in JSON": {map[string]any{"kind": "image", "url": "https://example.com/a"}, []valueview.Kind{valueview.Picture, valueview.Tree, valueview.Text}},
	} {
		t.Run(name, func(t *testing.T) { require.Equal(t, c.want, valueview.Kinds(c.value)) })
	}
}

func press(t *testing.T, w fyne.Window, name string) {
	t.Helper()
	for _, l := range uitest.Seen[*link.Link](w.Content()) {
		if l.Text() == name {
			l.Tapped(nil)
			return
		}
	}
	require.Fail(t, "there is no button "+name)
}

func TestTheUsersChoiceOfALookStays(t *testing.T) {
	v, w, _ := show(t, valueview.Config{})
	v.Show(posts(), view.Wish{})
	require.Equal(t, valueview.Table, v.Kind())
	press(t, w, "Tree")
	require.Equal(t, valueview.Tree, v.Kind())
	v.Show("text", view.Wish{})
	require.Equal(t, valueview.Text, v.Kind(), "a text has no tree")
	v.Show(posts(), view.Wish{})
	require.Equal(t, valueview.Tree, v.Kind())
	v.Say("nothing")
	require.Equal(t, valueview.Auto, v.Kind())
	require.Contains(t, uitest.Texts(w.Content()), "nothing")
}

func TestCopiesAPartAndItsPath(t *testing.T) {
	var copied string
	v, w, _ := show(t, valueview.Config{Copy: func(text string) { copied = text }})
	v.Show(map[string]any{"a b": map[string]any{"posts": posts()}}, view.Wish{Kind: view.JSON})
	tree := uitest.First[*widget.Tree](t, w.Content())
	tree.OpenAllBranches()
	tree.Select("/0/0/2/2") // the tags of the third post do not come before its likes
	press(t, w, "Copy path")
	require.Equal(t, `["a b"].posts[2].tags`, copied)
	press(t, w, "Copy value")
	require.JSONEq(t, `["go","fyne"]`, copied)
	v.Show("plain", view.Wish{})
	press(t, w, "Copy value")
	require.Equal(t, "plain", copied)
}

// A list of a million items costs no more than what is unfolded of it.
func TestLongListsAreFolded(t *testing.T) {
	var copied string
	v, w, _ := show(t, valueview.Config{Copy: func(text string) { copied = text }})
	long := make([]any, 1_000_000)
	for i := range long {
		long[i] = i
	}
	v.Show(long, view.Wish{})
	tree := uitest.First[*widget.Tree](t, w.Content())
	require.Len(t, tree.ChildUIDs(""), 100)
	require.Len(t, tree.ChildUIDs("/99"), 100)
	require.Len(t, tree.ChildUIDs("/99/99"), 100)
	tree.OpenBranch("/99")
	tree.OpenBranch("/99/99")
	tree.Select("/99/99/99")
	press(t, w, "Copy path")
	require.Equal(t, "[999999]", copied)
}

func TestTablesAreSortedByAColumn(t *testing.T) {
	v, w, _ := show(t, valueview.Config{})
	v.Show(posts(), view.Wish{})
	table := uitest.First[*widget.Table](t, w.Content())
	rows, columns := table.Length()
	require.Equal(t, [2]int{3, 6}, [2]int{rows, columns}, "author, likes, pinned, score, tags, text")
	first := func() string {
		o := table.CreateCell()
		table.UpdateCell(widget.TableCellID{}, o)
		return uitest.First[*kit.Text](t, o).Text()
	}
	head := func() fyne.Tappable {
		o := table.CreateHeader()
		table.UpdateHeader(widget.TableCellID{Row: -1, Col: 1}, o)
		return o.(fyne.Tappable)
	}
	require.Equal(t, "Ada", first())
	head().Tapped(nil)
	require.Equal(t, "Bo", first(), "3 likes")
	head().Tapped(nil)
	require.Equal(t, "Cy", first(), "120 likes")
	head().Tapped(nil)
	require.Equal(t, "Ada", first(), "as they came")
}

func TestTextIsSelectedAndCopied(t *testing.T) {
	var copied string
	v, w, _ := show(t, valueview.Config{Copy: func(text string) { copied = text }})
	v.Show("first line\nsecond 日本 line\nthird", view.Wish{})
	pane := uitest.First[interface {
		fyne.Shortcutable
		fyne.Draggable
		desktop.Mouseable
	}](t, w.Content())
	letter := fyne.MeasureText("0", valueview.MonoSize, fyne.TextStyle{Monospace: true})
	at := func(column float32, row int) fyne.Position {
		return fyne.NewPos(4+column*letter.Width, 4+(float32(row)+0.5)*float32(math.Ceil(float64(letter.Height))+4))
	}
	mouse := func(p fyne.Position, m fyne.KeyModifier) *desktop.MouseEvent {
		return &desktop.MouseEvent{PointEvent: fyne.PointEvent{Position: p}, Button: desktop.MouseButtonPrimary, Modifier: m}
	}
	pane.MouseDown(mouse(at(6, 0), 0))
	pane.Dragged(&fyne.DragEvent{PointEvent: fyne.PointEvent{Position: at(9, 1)}})
	pane.TypedShortcut(&fyne.ShortcutCopy{})
	require.Equal(t, "line\nsecond 日", copied, "a wide letter takes two cells")
	pane.MouseDown(mouse(at(99, 99), fyne.KeyModifierShift))
	pane.TypedShortcut(&fyne.ShortcutCopy{})
	require.Equal(t, "line\nsecond 日本 line\nthird", copied, "Shift moves the end")
	pane.TypedShortcut(&fyne.ShortcutSelectAll{})
	pane.TypedShortcut(&fyne.ShortcutCopy{})
	require.Equal(t, "first line\nsecond 日本 line\nthird", copied)
}

func TestLongTextsAreCut(t *testing.T) {
	var copied string
	v, w, _ := show(t, valueview.Config{Copy: func(text string) { copied = text }})
	long := strings.Repeat("é", valueview.MaxText)
	v.Show(long, view.Wish{})
	require.Contains(t, uitest.Texts(w.Content()), "Only the first 256 kB are shown. Copy takes all of it.")
	press(t, w, "Copy value")
	require.Equal(t, long, copied)
	begin := time.Now()
	w.Resize(fyne.NewSize(400, 180))
	require.Less(t, time.Since(begin), time.Minute, "lines are not measured over and over")
	v.Show("short", view.Wish{})
	require.NotContains(t, uitest.Texts(w.Content()), "Only the first 256 kB are shown. Copy takes all of it.")
}

func TestPictures(t *testing.T) {
	red := square(t, color.NRGBA{R: 255, A: 255})
	data := "data:image/png;base64," + base64.StdEncoding.EncodeToString(red)
	files := &host{files: map[string]string{"a.png": string(red)}}
	for name, c := range map[string]struct {
		value any
		at    poster.Host
		want  string // "" for the picture
	}{
		"data":       {data, nil, ""},
		"file":       {value.Media{Kind: "image", Path: "a.png"}, files, ""},
		"no file":    {value.Media{Kind: "image", Path: "b.png"}, files, "The file of the picture cannot be read."},
		"no files":   {value.Media{Kind: "image", Path: "a.png"}, nil, "The picture is a file on another computer and cannot be shown here."},
		"web":        {value.Media{Kind: "image", URL: "https://example.com/a.png"}, files, "Pictures from the web are not loaded here. Copy the address and open it in a browser."},
		"no picture": {"data:image/png;base64,AAAA", files, "This is no picture that can be shown here."},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				v, w, back := show(t, valueview.Config{Media: func() poster.Host { return c.at }})
				v.Show(c.value, view.Wish{})
				back.Settle()
				if c.want != "" {
					require.Contains(t, uitest.Texts(w.Content()), c.want)
					return
				}
				require.Equal(t, 40, uitest.First[*canvas.Image](t, w.Content()).Image.Bounds().Dx())
			})
		})
	}
}

func TestAPictureThatIsGivenUpIsNotShown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := make(chan struct{})
		v, w, back := show(t, valueview.Config{Media: func() poster.Host { return &host{slow: slow} }})
		v.Show(value.Media{Kind: "image", Path: "a.png"}, view.Wish{})
		v.Show("text", view.Wish{})
		close(slow)
		back.Settle()
		require.Equal(t, valueview.Text, v.Kind())
		require.NotContains(t, uitest.Texts(w.Content()), "The file of the picture cannot be read.")
	})
}

func TestWishesComeFirst(t *testing.T) { synctest.Test(t, testWishes) }

func testWishes(t *testing.T) {
	v, _, back := show(t, valueview.Config{})
	for _, c := range []struct {
		value any
		wish  view.Wish
		kind  valueview.Kind
	}{
		{posts(), view.Wish{Kind: view.Text}, valueview.Text},
		{posts(), view.Wish{Kind: view.JSON}, valueview.Tree},
		{posts(), view.Wish{Kind: view.Markdown}, valueview.Table},
		{"# Title", view.Wish{Kind: view.Markdown}, valueview.Markdown},
		{"# Title", view.Wish{Kind: view.Table}, valueview.Text},
		{"a.png", view.Wish{Kind: view.Picture}, valueview.Picture},
		{"javascript:alert(1)", view.Wish{Kind: view.Picture}, valueview.Text},
		{"plain", view.Wish{Kind: view.Auto}, valueview.Text},
	} {
		v.Show(c.value, c.wish)
		back.Settle() // for pictures, which are read in the background
		require.Equal(t, c.kind, v.Kind(), "%v as %s", c.value, c.wish.Kind)
	}
}

func TestATableShowsTheColumnsThatAreWished(t *testing.T) {
	v, w, _ := show(t, valueview.Config{})
	v.Show(posts(), view.Wish{Kind: view.Table, Columns: []string{"likes", "author"}})
	_, columns := uitest.First[*widget.Table](t, w.Content()).Length()
	require.Equal(t, 2, columns)
	v.Show(posts(), view.Wish{})
	_, columns = uitest.First[*widget.Table](t, w.Content()).Length()
	require.Greater(t, columns, 2)
}

func TestMarkdownIsInert(t *testing.T) {
	v, w, _ := show(t, valueview.Config{})
	v.Show("**hi** [here](https://example.com) ![x](https://example.com/x.png)\n\n- [deep](https://example.com)", view.Wish{Kind: view.Markdown})
	require.Empty(t, uitest.Seen[*widget.Hyperlink](w.Content()))
	require.Contains(t, uitest.First[*widget.RichText](t, w.Content()).String(), "https://example.com")
}

// Every look of a value can be read in every theme.
func TestValuesCanBeRead(t *testing.T) {
	for name, scheme := range uitest.Schemes() {
		t.Run(name, func(t *testing.T) {
			v, window, _ := show(t, valueview.Config{})
			test.ApplyTheme(t, theme.New(scheme))
			for _, shown := range []any{posts(), map[string]any{"a": 1, "b": nil, "c": "text", "d": true, "e": []any{1.5}}, "plain", "# Title", 12, nil, true} {
				v.Show(shown, view.Wish{})
				for _, kind := range []string{"Tree", "Table", "Text"} {
					for _, l := range uitest.Seen[*link.Link](window.Content()) {
						if l.Text() == kind {
							l.Tapped(nil)
						}
					}
					bad, texts := uitest.Illegible(t, window.Canvas())
					require.Empty(t, bad)
					require.NotZero(t, texts)
				}
			}
		})
	}
}

// Videos and sounds are a picture, what is known of them, and a way to play them elsewhere.
func TestMediaIsAPictureAndFacts(t *testing.T) {
	red := square(t, color.NRGBA{R: 255, A: 255})
	facts := engine.NodeResult{Outputs: map[string]any{
		"duration_ms": 65_000.0, "width": 640, "height": 480, "fps": 29.97, "size_bytes": 3_200_000,
		"streams": []any{map[string]any{"codec": "h264"}, map[string]any{"codec": "aac"}},
	}}
	look := engine.NodeResult{Outputs: map[string]any{"image": map[string]any{"kind": "image", "mime": "image/png", "path": "look.png"}}}
	for name, c := range map[string]struct {
		place *host
		want  []string
	}{
		"a video": {
			&host{files: map[string]string{"look.png": string(red)}, done: &engine.Result{Nodes: map[string]engine.NodeResult{"facts": facts, "look": look}}},
			[]string{"1 min 5 s · 640 × 480 · 29.97 fps · h264, aac · 3.2 MB · clips/a.mp4", "Open"},
		},
		"no picture": {&host{done: &engine.Result{Nodes: map[string]engine.NodeResult{"facts": facts}}}, []string{"There is no picture of it.", "Open"}},
		"no nodes":   {&host{}, []string{"Media cannot be previewed here: that takes the media nodes, and ffmpeg."}},
		"no file": {
			&host{done: &engine.Result{Nodes: map[string]engine.NodeResult{"facts": {Error: &engine.Failure{Message: "there is no such file"}}}}},
			[]string{"there is no such file"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var played value.Media
				v, w, back := show(t, valueview.Config{Media: func() poster.Host { return c.place }, Play: func(m value.Media) { played = m }})
				v.Show(value.Media{Kind: "video", MIME: "video/mp4", Path: "clips/a.mp4"}, view.Wish{})
				back.Settle()
				require.Equal(t, valueview.Media, v.Kind())
				for _, want := range c.want {
					require.Contains(t, uitest.Texts(w.Content()), want)
				}
				if name == "a video" {
					require.Equal(t, 40, uitest.First[*canvas.Image](t, w.Content()).Image.Bounds().Dx())
				}
				press(t, w, "Open")
				require.Equal(t, "clips/a.mp4", played.Path)
				v.Show(value.Media{Kind: "video", MIME: "", Path: "run.desktop"}, view.Wish{})
				require.NotContains(t, uitest.Texts(w.Content()), "Open", "what is run when it is opened is no media")
			})
		})
	}
}
