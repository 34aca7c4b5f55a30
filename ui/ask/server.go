package ask

import (
	"errors"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/lang"
	"fyne.io/fyne/v2/widget"

	"github.com/svcflow/svc/ui/hosts"
	"github.com/svcflow/svc/ui/kit"
	"github.com/svcflow/svc/ui/wording"
)

// AskServer asks for the address and key of a server, beginning with the last input and the
// reason why it failed; nil if there was none.
func (d *Dialogs) AskServer(a hosts.Address, reason error, then func(hosts.Address)) {
	address, key := kit.NewEntry(), kit.NewSecretEntry()
	address.SetPlaceHolder("https://svc.example.org")
	address.SetText(a.URL)
	key.SetText(a.Key)
	address.Validator = func(text string) error { // Servers judges whether it is an address
		if strings.TrimSpace(text) == "" {
			return errors.New(lang.L("an address such as https://svc.example.org"))
		}
		return nil
	}
	items := []*widget.FormItem{
		{Text: lang.L("Address"), Widget: address},
		{Text: lang.L("Key"), Widget: key, HintText: lang.L("It is stored in the keyring of this computer")},
	}
	if reason != nil {
		items = append([]*widget.FormItem{{Widget: kit.NewParagraph(wording.Of(reason.Error()), kit.Style{Ink: kit.Error})}}, items...)
	}
	const width = 460
	d.form(lang.L("Connect to a server"), lang.L("Connect"), items, width, []fyne.Focusable{address, key}, func() {
		then(hosts.Address{URL: address.Text, Key: key.Text})
	})
}

// ConfirmForget asks whether to delete a server from the list.
func (d *Dialogs) ConfirmForget(address string, then func()) {
	d.Choose(lang.L("Forget this server?"), lang.L("The address and the key of {{.Place}} are deleted from this computer.", map[string]any{"Place": hosts.NameOf(address)}),
		Choice{Text: lang.L("Forget it"), Do: then})
}

// ShowServed shows the address and key of this computer's server.
func (d *Dialogs) ShowServed(a hosts.Address) {
	show := func(text string) fyne.CanvasObject {
		e := kit.NewEntry()
		e.SetText(text)
		e.Disable()
		copied := kit.NewButton(lang.L("Copy"), func() { d.config.Copy(text) })
		return container.NewBorder(nil, nil, nil, copied, e)
	}
	label := widget.NewLabel(lang.L("The workflows that are stored on this computer are served until you stop it or quit. Only programs on this computer that have the key can call them."))
	label.Wrapping = fyne.TextWrapWord
	form := widget.NewForm(widget.NewFormItem(lang.L("Address"), show(a.URL)), widget.NewFormItem(lang.L("Key"), show(a.Key)))
	const width, height = 560, 260
	d.Show(lang.L("Serving on this computer"), container.NewBorder(label, nil, nil, nil, form), fyne.NewSize(width, height), nil)
}
