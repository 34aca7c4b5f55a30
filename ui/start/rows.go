package start

import (
	"path/filepath"
	"strings"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/lang"
	fynetheme "fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"github.com/svcflow/svc/ui/documents"
	"github.com/svcflow/svc/ui/kit"
)

// banner offers unsaved work.
func (p *Page) banner(left documents.OrphanDraft) fyne.CanvasObject {
	title, detail := lang.L("Found unsaved work: {{.Name}}", map[string]any{"Name": left.Name}), ago(left.SavedAt)
	if where := whereIs(left.Origin); where != "" {
		detail += " · " + where
	}
	discard := kit.NewButton(lang.L("Discard"), func() { p.config.OnDiscard(left) })
	buttons := kit.Row(8, discard)
	if left.Damage != nil {
		title, detail = lang.L("Found unsaved work that is damaged"), lang.L("It cannot be read. Discard it, or keep it for somebody who can help.")
	} else {
		restore := kit.NewButton(lang.L("Restore"), func() { p.config.OnRestore(left) })
		restore.Importance = widget.HighImportance
		buttons = kit.Row(8, restore, discard)
	}
	text := kit.Column(2,
		kit.NewText(title, kit.Style{Bold: true, Cut: true}),
		kit.NewText(detail, kit.Style{Size: kit.Secondary, Ink: kit.Dim, Cut: true}),
	)
	mark := container.NewCenter(widget.NewIcon(fynetheme.NewWarningThemedResource(fynetheme.WarningIcon())))
	return kit.Inset(kit.Pad(4, 12, container.NewBorder(nil, nil, mark, container.NewCenter(buttons), kit.Pad(0, 8, text))))
}

// row is a recent workflow.
func (p *Page) row(r Recent) fyne.CanvasObject {
	name, ink, detail := r.Name, kit.Plain, ago(r.Opened)
	if r.Missing {
		ink, detail = kit.Dim, lang.L("Not found")
	}
	text := kit.Column(1,
		kit.NewText(name, kit.Style{Bold: true, Ink: ink, Cut: true}),
		kit.NewText(detail+" · "+whereIs(r.Origin), kit.Style{Size: kit.Caption, Ink: kit.Dim, Cut: true}),
	)
	open := newPress(kit.Pad(6, 8, text), bare, func() { p.config.OnRecent(r.Origin) })
	if !r.Missing {
		return open
	}
	forget := kit.NewButtonWithIcon("", fynetheme.CancelIcon(), func() { p.config.OnForget(r.Origin) })
	forget.Importance = widget.LowImportance
	return container.NewBorder(nil, nil, nil, container.NewCenter(forget), open)
}

// whereIs returns the text for an origin; "" for a workflow that was never saved.
func whereIs(o documents.Origin) string {
	switch {
	case o.File != "":
		return filepath.ToSlash(o.File)
	case o.Server != "":
		_, host, _ := strings.Cut(o.Server, "://")
		return strings.TrimSuffix(host, "/")
	case o.ID != "":
		return lang.L("on this computer")
	}
	return ""
}

// ago describes how long ago a time was, or the date if that is easier to read.
func ago(t time.Time) string {
	d := time.Since(t)
	count := func(n time.Duration) map[string]any { return map[string]any{"N": int(n)} }
	const day = 24 * time.Hour
	switch {
	case d < time.Minute:
		return lang.L("just now")
	case d < time.Hour:
		return lang.L("{{.N}} min ago", count(d/time.Minute))
	case d < day:
		return lang.L("{{.N}} h ago", count(d/time.Hour))
	case d < 2*day:
		return lang.L("yesterday")
	case d < 14*day:
		return lang.L("{{.N}} days ago", count(d/day))
	}
	return t.Local().Format(time.DateOnly)
}
