package accounts

import (
	"context"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/lang"
	"fyne.io/fyne/v2/widget"

	"github.com/svcflow/svc/credentials"
	"github.com/svcflow/svc/ui/kit"
	"github.com/svcflow/svc/ui/wording"
)

// row is an account in the list.
type row struct {
	view   *View
	ref    credentials.Ref
	object fyne.CanvasObject

	kind              credentials.Kind // of its credential
	badge             *kit.Badge
	detail            *kit.Text
	scopes, message   *kit.Paragraph
	advice            string // the initial text of message
	test, again, drop *kit.Button
}

// scopeSize is a little smaller than a caption: monospaced letters look larger.
const scopeSize = 10.5

func newRow(v *View, ref credentials.Ref) *row {
	r := &row{
		view: v, ref: ref,
		badge:   kit.NewBadge("", kit.Dim),
		detail:  kit.NewText("", kit.Style{Size: kit.Secondary, Ink: kit.Dim, Cut: true}),
		scopes:  kit.NewParagraph("", kit.Style{Size: scopeSize, Ink: kit.Dim, Mono: true}),
		message: kit.NewParagraph("", kit.Style{Size: kit.Secondary}),
	}
	r.test = kit.NewButton(lang.L("Test"), r.tryOut)
	r.again = kit.NewButton(lang.L("Reconnect"), func() { v.form.reconnect(ref, r.kind) })
	r.drop = kit.NewButton(lang.L("Disconnect"), r.disconnect)
	for _, b := range []*kit.Button{r.test, r.again, r.drop} {
		b.Importance = widget.LowImportance
	}
	r.message.Hide()
	name := kit.Row(8, kit.NewText(string(ref), kit.Style{Bold: true}), r.badge)
	text := kit.Column(2, name, r.detail)
	buttons := container.NewCenter(kit.Row(0, r.test, r.again, r.drop))
	line := container.NewBorder(nil, nil, nil, buttons, text)
	r.object = kit.Inset(kit.Pad(8, 12, kit.Column(6, line, r.scopes, r.message)))
	return r
}

// set updates the row.
func (r *row) set(a credentials.Status) {
	r.kind = a.Kind
	look := lookOf(a.State)
	r.badge.Set(lang.L(look.text), look.ink)
	r.detail.SetText(described(a))
	r.scopes.SetText(joined(a.Scopes))
	r.scopes.Hidden = len(a.Scopes) == 0
	r.advise(look.advice)
}

// advise shows what to do about the state of the account. It does not replace a message about
// something the user did.
func (r *row) advise(advice string) {
	if r.message.Visible() && r.message.Text() != r.advice {
		return
	}
	r.advice = ""
	r.message.Hide()
	if advice != "" {
		r.advice = lang.L(advice)
		r.tell(r.advice, kit.Dim)
	}
}

// tryOut tests the account.
func (r *row) tryOut() {
	v := r.view
	r.do(lang.L("Testing…"), v.source.Test, lang.L("It works."), v.Reload) // the test may have renewed it
}

// disconnect deletes the account after asking.
func (r *row) disconnect() {
	question := lang.L("Disconnect {{.Account}}? Workflows that name it fail until it is connected again.", map[string]any{"Account": string(r.ref)})
	r.view.config.Confirm(question, func() {
		v := r.view
		r.do(lang.L("Disconnecting…"), v.source.Disconnect, lang.L("Disconnected."), v.changed)
	})
}

// do runs an operation of the account, and shows its progress and result.
func (r *row) do(meanwhile string, what func(context.Context, credentials.Ref) error, good string, then func()) {
	r.busy(true)
	r.tell(meanwhile, kit.Dim)
	r.view.at.Go(func(ctx context.Context) func() {
		err := what(ctx, r.ref)
		return func() {
			r.busy(false)
			if err != nil {
				r.tell(wording.Of(err.Error()), kit.Error)
			} else {
				r.tell(good, kit.OK)
			}
			then()
		}
	})
}

func (r *row) tell(text string, ink kit.ColorFunc) {
	r.message.SetStyle(kit.Style{Size: kit.Secondary, Ink: ink})
	r.message.SetText(text)
	r.message.Show()
	r.view.column.Refresh() // its height may have changed
}

func (r *row) busy(busy bool) {
	for _, b := range []*kit.Button{r.test, r.again, r.drop} {
		if busy {
			b.Disable()
		} else {
			b.Enable()
		}
	}
}
