package kit_test

import (
	"flag"
	"image/color"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/test"
	fynetheme "fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"
	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/ui/colors"
	"github.com/svcflow/svc/ui/kit"
	"github.com/svcflow/svc/ui/theme"
	"github.com/svcflow/svc/ui/uitest"
)

var update = flag.Bool("update", false, "write the golden files")

// show opens a window of that size.
func show(t *testing.T, scheme theme.Scheme, content func() fyne.CanvasObject, w, h float32) fyne.Window {
	t.Helper()
	uitest.App(t, scheme)
	return uitest.Window(t, content(), w, h)
}

// gallery has one of each small widget.
func gallery() fyne.CanvasObject {
	entry := widget.NewEntry()
	entry.SetPlaceHolder("‹empty›")
	wrong := kit.NewField("recipient_id *", "string", func(p theme.Palette) color.NRGBA { return p.String }, "", entry)
	wrong.SetError("Required: connect a wire to this input, or type a value that is used in every run")
	number := widget.NewEntry()
	number.SetText("30000")
	right := kit.NewField("Timeout", "ms", kit.Dim, "How long one attempt may take", number)
	lit := kit.NewIconButton(fynetheme.ContentAddIcon(), "Add", nil)
	lit.MouseIn(&desktop.MouseEvent{})
	focused := kit.NewIconButton(fynetheme.SearchIcon(), "Find", nil)
	focused.FocusGained()
	off := kit.NewIconButton(fynetheme.DeleteIcon(), "Delete", nil)
	off.Disable()
	dots := kit.Row(8, kit.NewDot(colors.Exact("#0A66C2"), 12), kit.NewDot(colors.Exact("#000000"), 12), kit.NewDot(kit.OK, 8), kit.NewDot(colors.Exact("nothing"), 8))
	badges := kit.Row(8, kit.NewBadge("0.4 ms", kit.OK), kit.NewBadge("failed", kit.Error), kit.NewBadge("12", kit.Running), kit.NewBadge("new", kit.Accent))
	first := kit.Pad(12, 16, kit.Column(12,
		wrong.Object(), right.Object(),
		kit.Row(4, kit.NewIconButton(fynetheme.MoreVerticalIcon(), "More", nil), lit, focused, off),
		dots, badges,
		kit.Inset(kit.Pad(8, 12, kit.NewText("On the colour of fields", kit.Style{Mono: true, Size: kit.Caption}))),
		kit.NewText("A line that is far too long for the room there is in this panel", kit.Style{Cut: true, Bold: true}),
	))
	tabs := kit.NewTabs(kit.Pad(8, 8, kit.NewBadge("2", kit.Error)),
		kit.Tab{Title: "Inspector", Content: first},
		kit.Tab{Title: "Problems", Content: widget.NewLabel("none")},
	)
	empty := kit.Empty("No runs yet", "Press Run to see here what each node has done, how long it took and what it gave.", widget.NewButton("Run", nil))
	return kit.Panel(container.NewGridWithColumns(2, tabs.Object(), empty))
}

func TestGallery(t *testing.T) {
	for name, scheme := range uitest.Schemes() {
		t.Run(name, func(t *testing.T) {
			window := show(t, scheme, gallery, 640, 420)
			uitest.Golden(t, "gallery-"+name, window.Canvas().Capture(), *update)
			bad, _ := uitest.Illegible(t, window.Canvas())
			require.Empty(t, bad)
		})
	}
}

// Widgets follow a change of the theme.
func TestThemeChanges(t *testing.T) {
	window := show(t, theme.Dark, gallery, 640, 420)
	test.ApplyTheme(t, theme.New(theme.Light))
	uitest.Golden(t, "gallery-light", window.Canvas().Capture(), *update)
}

func TestPickerLooks(t *testing.T) {
	for name, scheme := range uitest.Schemes() {
		t.Run(name, func(t *testing.T) {
			window := show(t, scheme, gallery, 640, 420)
			picker := kit.Picker{Placeholder: "Search nodes and commands", Search: func(string) []kit.Choice {
				return []kit.Choice{
					{Title: "Send message", Matched: []int{0, 5}, Detail: "Professional network", Trailing: "message", Dot: colors.Exact("#0A66C2"), Icon: theme.Icon("people", theme.DarkPalette().OnAccent)},
					{Title: "Search posts", Matched: []int{0}, Detail: "Microblog", Dot: colors.Exact("#000000"), Icon: theme.Icon("chat", theme.DarkPalette().OnAccent)},
					{Title: "Split", Detail: "Text", Dot: colors.Exact("#818CF8")},
					{Title: "Save", Trailing: "Ctrl+S", Disabled: true},
					{Title: "A command whose title is so long that nobody would want to read all of it here", Detail: "unseen", Trailing: "Ctrl+Shift+Alt+F12"},
				}
			}}
			picker.ShowAt(window.Canvas(), fyne.NewPos(100, 40))
			uitest.Golden(t, "picker-"+name, window.Canvas().Capture(), *update)
			bad, _ := uitest.Illegible(t, window.Canvas())
			require.Empty(t, bad)
		})
	}
}

func TestShellLooks(t *testing.T) {
	area := func(text string) fyne.CanvasObject {
		return container.NewCenter(kit.NewText(text, kit.Style{Ink: kit.Dim}))
	}
	window := show(t, theme.Dark, func() fyne.CanvasObject {
		return kit.WithTips(kit.NewShell(kit.Parts{
			Top: area("top"), Status: area("status"), Left: area("left"), Right: area("right"), Bottom: area("bottom"), Centre: area("centre"),
		}))
	}, 960, 560)
	uitest.Golden(t, "shell-dark", window.Canvas().Capture(), *update)
}
