package ui

import (
	"context"
	"errors"
	"net/url"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/dialog"
	"fyne.io/fyne/v2/lang"
	"fyne.io/fyne/v2/widget"

	"github.com/svcflow/svc/engine/layout/cards"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/ui/editor/doc"
	"github.com/svcflow/svc/ui/kit"
)

// placeName is what the user calls a place.
func placeName(p Place) string { return placeNameOf(p.URL) }

func placeNameOf(address string) string {
	if address == "" {
		return lang.L("This computer")
	}
	if u, err := url.Parse(address); err == nil && u.Host != "" {
		return u.Host + u.Path
	}
	return address
}

// showPlaces lets the user choose where workflows are kept and run.
func (w *Window) showPlaces() {
	choose := func(address string) *fyne.MenuItem {
		item := fyne.NewMenuItem(placeNameOf(address), func() { w.goTo(address, nil) })
		item.Checked = w.place.URL == address
		return item
	}
	items := []*fyne.MenuItem{choose("")}
	for _, address := range w.config.Servers.Known() {
		items = append(items, choose(address))
	}
	items = append(items, fyne.NewMenuItemSeparator())
	items = append(items, w.commands.Menu("place.connect", "place.forget", "", "place.serve").Items...)
	menu := widget.NewPopUpMenu(fyne.NewMenu("", items...), w.win.Canvas())
	at := fyne.CurrentApp().Driver().AbsolutePositionForObject(w.top.place)
	menu.ShowAtPosition(at.AddXY(0, w.top.place.Size().Height+4))
}

// goTo goes to a place and then does something there; nil is nothing.
func (w *Window) goTo(address string, then func()) {
	switch address {
	case w.place.URL:
		if then != nil {
			then()
		}
	case "":
		w.settle(w.config.Local, then)
	default:
		w.connect(address, "", then)
	}
}

// connect goes to a server. An empty key is the one that is kept. If that fails, the
// user can correct what was entered.
func (w *Window) connect(address, key string, then func()) {
	w.later(lang.L("Connecting to {{.Place}}…", map[string]any{"Place": placeNameOf(address)}), func(ctx context.Context) (func(), error) {
		place, err := w.config.Servers.Connect(ctx, address, key)
		if err != nil {
			return func() {
				w.complain(err)
				w.askServerAgain(address, key, err, then)
			}, nil
		}
		return func() { w.settle(place, then) }, nil
	})
}

// settle takes a place as the one where workflows are kept and run, once it has told
// which node types it has.
func (w *Window) settle(place Place, then func()) {
	w.later(lang.L("Asking for the node types…"), func(ctx context.Context) (func(), error) {
		types, err := place.Backend.NodeTypes(ctx)
		if err != nil {
			return nil, err
		}
		return func() {
			w.forgetRun()
			w.arrive(place, types)
			if then != nil {
				then()
			}
		}, nil
	})
}

// arrive shows everything as it is at a place.
func (w *Window) arrive(place Place, types []*node.Spec) {
	w.place = place
	w.specs = doc.NewSpecs(types, cards.BoundPorts(w.config.Registry))
	w.palette.SetSpecs(w.specs)
	if w.desk != nil {
		w.desk.doc.SetSpecs(w.specs)
		w.checked = unchecked
	} else if w.folded != nil { // the start page names the place
		w.showStart()
	}
	w.accounts.SetSource(place.Accounts)
	w.history.SetHistory(place.Backend)
	w.top.showPlace(placeName(place), place.URL != "")
	w.learnNames()
	w.refresh()
}

// askServer asks for the address and key of a server.
func (w *Window) askServer() { w.askServerAgain("", "", nil, nil) }

// askServerAgain asks for them with what was entered the last time, and why that did
// not do; nil: it was not entered yet.
func (w *Window) askServerAgain(lastAddress, lastKey string, why error, then func()) {
	address, key := newDialogEntry(), newDialogEntry()
	key.Password = true
	address.SetPlaceHolder("https://svc.example.org")
	address.SetText(lastAddress)
	key.SetText(lastKey)
	address.Validator = func(text string) error { // what is an address, the servers judge
		if strings.TrimSpace(text) == "" {
			return errors.New(lang.L("an address such as https://svc.example.org"))
		}
		return nil
	}
	items := []*widget.FormItem{
		{Text: lang.L("Address"), Widget: address},
		{Text: lang.L("Key"), Widget: key, HintText: lang.L("It is kept in the keyring of this computer")},
	}
	if why != nil {
		items = append([]*widget.FormItem{{Widget: kit.NewParagraph(why.Error(), kit.Style{Ink: kit.Error})}}, items...)
	}
	form := dialog.NewForm(lang.L("Connect to a server"), lang.L("Connect"), lang.L("Cancel"), items, func(ok bool) {
		w.focusCanvas()
		if ok {
			w.connect(address.Text, key.Text, then)
		}
	}, w.win)
	address.answers(form)
	key.answers(form)
	const width = 460
	form.Resize(fyne.NewSize(width, form.MinSize().Height))
	form.Show()
	w.win.Canvas().Focus(address)
}

// forgetServer drops the server that is shown, with its key.
func (w *Window) forgetServer() {
	address := w.place.URL
	w.ask(lang.L("Forget this server?"), lang.L("The address and the key of {{.Place}} are deleted from this computer.", map[string]any{"Place": placeNameOf(address)}),
		choice{text: lang.L("Forget it"), do: func() {
			w.later(lang.L("Forgetting…"), func(ctx context.Context) (func(), error) {
				return func() { w.goTo("", nil) }, w.config.Servers.Forget(ctx, address)
			})
		}})
}

// serve serves the workflows of this computer to its other programs, or stops that.
func (w *Window) serve() {
	if w.served != "" {
		w.later(lang.L("Stopping the server…"), func(ctx context.Context) (func(), error) {
			return func() {
				w.served = ""
				w.refresh()
			}, w.config.Server.Stop(ctx)
		})
		return
	}
	w.later(lang.L("Starting the server…"), func(ctx context.Context) (func(), error) {
		address, key, err := w.config.Server.Start(ctx)
		if err != nil {
			return nil, err
		}
		return func() {
			w.served = address
			w.showServed(address, key)
			w.refresh()
		}, nil
	})
}

// showServed tells how to call the server of this computer.
func (w *Window) showServed(address, key string) {
	show := func(text string) fyne.CanvasObject {
		e := widget.NewEntry()
		e.SetText(text)
		e.Disable()
		copied := widget.NewButton(lang.L("Copy"), func() { w.config.App.Clipboard().SetContent(text) })
		return container.NewBorder(nil, nil, nil, copied, e)
	}
	label := widget.NewLabel(lang.L("The workflows that are stored on this computer are served until you stop it or quit. Only programs on this computer that have the key can call them."))
	label.Wrapping = fyne.TextWrapWord
	form := widget.NewForm(widget.NewFormItem(lang.L("Address"), show(address)), widget.NewFormItem(lang.L("Key"), show(key)))
	d := dialog.NewCustom(lang.L("Serving on this computer"), lang.L("Close"), container.NewBorder(label, nil, nil, nil, form), w.win)
	const width, height = 560, 260
	d.Resize(fyne.NewSize(width, height))
	w.showDialog(d, nil)
}
