package accounts

import (
	"context"
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/lang"
	"fyne.io/fyne/v2/widget"

	"github.com/svcflow/svc/credentials"
	"github.com/svcflow/svc/ui/job"
	"github.com/svcflow/svc/ui/kit"
	"github.com/svcflow/svc/ui/wording"
)

// form connects an account: it asks for a name, waits for the browser and shows the result.
type form struct {
	view   *View
	object *fyne.Container
	then   func(ref string) // may be nil
	login  *job.Runner      // the login in progress; nil if none is

	network   *kit.Select
	account   *kit.Entry
	secret    *secretFields
	problem   *kit.Paragraph // of the input
	name      *kit.Field
	connectIt *kit.Button
	address   *kit.Text
	copyIt    *kit.Button
}

// mainAccount is the proposed name of an account.
const mainAccount = "main"

func newForm(v *View) *form {
	f := &form{view: v, object: kit.Column(12), network: kit.NewSelect(nil, nil), account: kit.NewEntry()}
	f.name = kit.NewField(lang.L("Account"), "", nil, lang.L("A name of your choice, such as main or shop. Workflows use it."), f.account)
	f.problem = kit.NewParagraph("", kit.Style{Ink: kit.Error})
	f.problem.Hide()
	f.secret = newSecretFields(f.checkSecret)
	f.connectIt = primary(lang.L("Connect"), f.submit)
	f.account.SetText(mainAccount)
	f.account.OnChanged = func(string) { f.check() }
	f.account.OnSubmitted = func(string) { f.submit() }
	f.network.OnChanged = func(string) { f.offer() }
	f.address = kit.NewText("", kit.Style{Size: kit.Secondary, Mono: true, Cut: true})
	f.copyIt = kit.NewButton(lang.L("Copy address"), func() { v.config.Copy(f.address.Text()) })
	return f
}

// open asks which account to connect.
func (f *form) open(network string, then func(ref string)) {
	f.stop()
	f.then = then
	f.account.SetText(mainAccount)
	f.network.Selected = network
	f.update()
	f.offer()
	f.show()
}

// offer offers the kinds of credentials of the network.
func (f *form) offer() {
	f.secret.offer(f.view.source.Logins(f.network.Selected))
	f.check()
}

// reconnect connects an account again, whose credential has this kind.
func (f *form) reconnect(ref credentials.Ref, kind credentials.Kind) {
	if kind == "" && f.view.source.Logins(ref.Network()) {
		f.connect(ref, nil)
		return
	}
	f.open(ref.Network(), nil)
	f.account.SetText(ref.Account())
	f.secret.choose(kind)
}

// show shows the fields.
func (f *form) show() {
	f.showPage(lang.L("Connect an account"),
		kit.NewField(lang.L("Network"), "", nil, "", f.network).Object(), f.name.Object(), f.secret.object, f.problem,
		kit.Row(8, f.connectIt, kit.NewButton(lang.L("Cancel"), f.close)),
	)
}

// update offers the networks that are known.
func (f *form) update() {
	networks := f.view.known.networks
	if chosen := f.network.Selected; chosen != "" && !slices.Contains(networks, chosen) {
		networks = append(slices.Clone(networks), chosen) // its source will report it if it cannot
	}
	if f.network.Selected == "" && len(networks) > 0 {
		f.network.Selected = networks[0]
	}
	f.network.SetOptions(networks)
	f.check()
}

// ref returns the reference of the account in the form.
func (f *form) ref() (credentials.Ref, error) {
	return credentials.ParseRef(f.network.Selected + ":" + f.account.Text)
}

// check shows what is wrong with the name.
func (f *form) check() {
	ref, err := f.ref()
	text := lang.L("Connect")
	if f.view.connected(ref) {
		text = lang.L("Connect again")
	}
	f.connectIt.SetText(text)
	switch {
	case err == nil:
		f.name.SetError("")
		f.connectIt.Enable()
		return
	case f.network.Selected == "":
		f.name.SetError("")
	case f.account.Text == "":
		f.name.SetError(lang.L("Give the account a name."))
	default:
		f.name.SetError(lang.L("Use a–z, 0–9, - and _, with a letter or digit at both ends."))
	}
	f.connectIt.Disable()
}

func (f *form) submit() {
	ref, err := f.ref()
	switch {
	case err != nil:
	case f.secret.chosen() == "":
		f.connect(ref, f.then)
	default:
		f.set(ref)
	}
}

// set stores the credential that the user has entered.
func (f *form) set(ref credentials.Ref) {
	c, err := f.secret.credential()
	if err != nil {
		f.refuse(err)
		return
	}
	f.problem.Hide()
	f.connectIt.Disable()
	source := f.view.source
	f.view.at.Go(func(ctx context.Context) func() {
		err := source.Set(ctx, ref, c)
		return func() {
			f.connectIt.Enable()
			if err != nil {
				f.refuse(err)
				return
			}
			f.secret.offer(false) // forgets it
			f.connected(ref)
		}
	})
}

// refuse shows what is wrong with the user's input.
func (f *form) refuse(err error) {
	f.problem.SetText(wording.Of(err.Error()))
	f.problem.Show()
	f.object.Refresh()
}

// checkSecret is called when the required fields have changed.
func (f *form) checkSecret() {
	f.problem.Hide()
	f.object.Refresh()
}

// connect logs an account in, and waits for the user in the browser.
func (f *form) connect(ref credentials.Ref, then func(ref string)) {
	f.stop()
	f.then = then
	f.login = f.view.at.Child()
	f.wait(ref)
	source := f.view.source
	f.login.Follow(func(ctx context.Context, tell func(func())) {
		err := source.Connect(ctx, ref, func(address string) {
			tell(func() {
				f.address.SetText(address)
				f.copyIt.Enable()
			})
		})
		tell(func() {
			if err != nil {
				f.failed(ref, err)
				return
			}
			f.connected(ref)
		})
	})
}

// wait shows that the login continues in the browser.
func (f *form) wait(ref credentials.Ref) {
	f.address.SetText("")
	f.copyIt.Disable()
	text := kit.NewParagraph(lang.L("Log in there, and come back. If no page has opened, copy the address and open it yourself."), kit.Style{Ink: kit.Dim})
	f.showPage(lang.L("Connecting {{.Account}}", map[string]any{"Account": string(ref)}),
		kit.NewText(lang.L("Waiting for your browser…"), kit.Style{Bold: true, Ink: kit.Running}), text,
		kit.Inset(kit.Pad(8, 8, f.address)), kit.Row(8, f.copyIt, kit.NewButton(lang.L("Cancel"), f.close)),
	)
}

// failed shows the error and what to do.
func (f *form) failed(ref credentials.Ref, err error) {
	f.stop()
	text := kit.NewParagraph(wording.Of(err.Error()), kit.Style{Ink: kit.Error})
	again := primary(lang.L("Try again"), func() { f.connect(ref, f.then) })
	f.showPage(lang.L("{{.Account}} was not connected", map[string]any{"Account": string(ref)}),
		text, kit.Row(8, again, kit.NewButton(lang.L("Back to the accounts"), f.close)),
	)
	f.view.Reload()
}

// connected returns to the list, which has the account now.
func (f *form) connected(ref credentials.Ref) {
	then := f.then
	if r, ok := f.view.rows[ref]; ok {
		r.message.Hide() // it was about the old state of the account
	}
	f.leave()
	f.view.changed()
	if then != nil {
		then(string(ref))
	}
}

// close returns to the list. It cancels a login in progress, which may still succeed at the
// last moment.
func (f *form) close() {
	waiting := f.login != nil
	f.leave()
	if waiting && f.view.at.Context().Err() == nil {
		f.view.changed()
	}
}

func (f *form) leave() {
	f.stop()
	f.then = nil
	f.view.show(false)
}

func (f *form) stop() {
	if f.login != nil {
		f.login.Close()
		f.login = nil
	}
}

// showPage shows the form with other content.
func (f *form) showPage(title string, content ...fyne.CanvasObject) {
	head := kit.NewText(title, kit.Style{Size: kit.Title, Bold: true, Cut: true})
	f.object.Objects = append([]fyne.CanvasObject{kit.Pad(8, 0, head)}, content...)
	f.view.show(true)
	f.object.Refresh()
}

func primary(text string, do func()) *kit.Button {
	b := kit.NewButton(text, do)
	b.Importance = widget.HighImportance
	return b
}
