package runview

import (
	"image/color"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/lang"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/ui/kit"
	"github.com/svcflow/svc/ui/runview/record"
	"github.com/svcflow/svc/ui/wording"
)

// Summary says in one line how the run goes, for the right end of the row of tabs:
// "running · 1.24 s". The zero value is not usable; see [NewSummary].
type Summary struct {
	// OnFailed is called when the line is clicked while it shows a failure. It may be nil.
	OnFailed func()

	failed bool
	text   *kit.Text
	room   *fyne.Container
}

// summaryRoom is the fixed width of the line: its neighbours must not move at every tick.
const summaryRoom, summaryHeight = 320, 34

// NewSummary returns an empty summary.
func NewSummary() *Summary {
	text := kit.NewText("", kit.Style{Align: fyne.TextAlignTrailing, Bold: true, Cut: true, Size: kit.Secondary})
	s := &Summary{text: text}
	touch := kit.NewTouch(text, func() { s.OnFailed() })
	touch.Idle = func() bool { return !s.failed || s.OnFailed == nil }
	room := canvas.NewRectangle(color.Transparent)
	room.SetMinSize(fyne.NewSize(summaryRoom, summaryHeight))
	s.room = container.NewStack(room, kit.Pad(0, 12, touch))
	return s
}

// Object returns the summary's canvas object.
func (s *Summary) Object() fyne.CanvasObject { return s.room }

// Text returns the text of the line.
func (s *Summary) Text() string { return s.text.Text() }

// Update shows the present state of the run; nil is no run.
func (s *Summary) Update(r *record.Recorder) {
	s.failed = r != nil && r.Status == engine.StatusFailed
	if r == nil || r.Status == engine.StatusPending {
		s.text.SetText("")
		return
	}
	ink := statusInk(r.Status)
	if r.Lost() {
		ink = kit.Error
	}
	s.text.SetStyle(kit.Style{Align: fyne.TextAlignTrailing, Bold: true, Cut: true, Size: kit.Secondary, Ink: ink})
	s.text.SetText(summaryOf(r))
}

func summaryOf(r *record.Recorder) string {
	if r.Lost() {
		return lang.L("connection lost after {{.Time}}: it may still be running", map[string]any{"Time": Duration(r.Duration())})
	}
	if r.Status == engine.StatusFailed && r.Error != nil {
		return lang.L("failed: {{.Message}}", map[string]any{"Message": wording.Of(r.Error.Message)})
	}
	return statusWord(r.Status) + " · " + Duration(r.Duration())
}
