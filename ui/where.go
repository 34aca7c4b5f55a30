package ui

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/widget"

	"github.com/svcflow/svc/ui/places"
)

// where lets the user choose where to work.
type where struct {
	*rooms

	views *views
}

// Choose lets the user choose where workflows are kept and run.
func (p *where) Choose() {
	choose := func(address string) *fyne.MenuItem {
		item := fyne.NewMenuItem(places.NameOf(address), func() { p.places.GoTo(address, nil) })
		item.Checked = p.places.Here().URL == address
		return item
	}
	items := []*fyne.MenuItem{choose("")}
	for _, address := range p.places.Known() {
		items = append(items, choose(address))
	}
	items = append(items, fyne.NewMenuItemSeparator())
	items = append(items, p.commands.Menu("place.connect", "place.forget", "", "place.serve").Items...)
	menu := widget.NewPopUpMenu(fyne.NewMenu("", items...), p.views.win.Canvas())
	button := p.views.top.place
	at := fyne.CurrentApp().Driver().AbsolutePositionForObject(button)
	menu.ShowAtPosition(at.AddXY(0, button.Size().Height+4))
}

// Ask asks for a server and goes there.
func (p *where) Ask() { p.places.Ask() }

// Away reports whether the user works at a server.
func (p *where) Away() bool { return p.places.Here().URL != "" }

// Forget drops the server where the user works.
func (p *where) Forget() { p.places.Forget() }

// Serving reports whether this computer serves.
func (p *where) Serving() bool { return p.places.Served() != "" }

// Serve serves the workflows of this computer, or stops that.
func (p *where) Serve() { p.places.Serve() }

// Accounts shows the accounts of the place.
func (p *where) Accounts() { p.showAccounts("", nil) }

// showAccounts shows the accounts of the place. If a network is named, it leads to
// connecting one of it, and calls then with the reference.
func (p *where) showAccounts(network string, then func(ref string)) {
	const width, height = 620, 520
	view := p.views.accounts
	hide := p.dialogs.Show(p.places.Here().Name(), view.Object(), fyne.NewSize(width, height), p.views.names.learn)
	view.Reload()
	if then != nil {
		view.Connect(network, func(ref string) {
			hide()
			then(ref)
		})
	}
}
