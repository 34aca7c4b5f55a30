package editing

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/lang"
	"fyne.io/fyne/v2/widget"

	"github.com/svcflow/svc/ui/editor/board"
	"github.com/svcflow/svc/ui/editor/scene"
	"github.com/svcflow/svc/ui/wording"
)

// Request handles the request of a gesture.
func (h *EditCommands) Request(r board.Request) {
	if h.board() == nil {
		return
	}
	switch r.Kind {
	case board.RequestNone:
	case board.RequestPick:
		h.pickPartner(r.Port, r.At)
	case board.RequestPalette:
		h.pickNode(r.At)
	case board.RequestOpen:
		h.Open(r.Hit.ID)
	case board.RequestEdit:
		h.config.View.Edit("")
	case board.RequestMenu:
		h.showMenu(r)
	case board.RequestAct:
		h.config.View.Act(r.Hit.ID)
	case board.RequestTell:
		h.config.View.Tell(wording.Of(r.Text), true)
	}
}

// Open enters the body of a node, or shows its settings.
func (h *EditCommands) Open(id string) {
	b := h.board()
	if b == nil {
		return
	}
	if hasBody(b, id) {
		h.Do(func(b *board.Board) error { return b.Document().Enter(id) })
	} else if _, ok := b.Document().Node(id); ok {
		h.config.View.Edit("")
	}
}

// showMenu shows the context menu of what was clicked.
func (h *EditCommands) showMenu(r board.Request) {
	menu := h.config.Menu(r.Hit.Kind)
	if r.Hit.Kind == scene.HitNothing && !h.board().ReadOnly {
		add := fyne.NewMenuItem(lang.L("Add a node here…"), func() { h.pickNode(r.At) })
		menu.Items = append([]*fyne.MenuItem{add}, menu.Items...)
	}
	widget.NewPopUpMenu(menu, h.config.Canvas).ShowAtPosition(h.config.View.OnScreen(r.At))
}
