package inspector

import (
	"reflect"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/lang"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/ui/wording"
)

// writer is a control with a text field.
type writer struct {
	box    writing
	whole  fyne.CanvasObject
	syntax syntax
	out    outlet
	hint   func(v any, given bool) string // the placeholder; may be nil
	extra  []fyne.Disableable             // buttons beside the text
	// again is called with the typed text; the writer itself, unless something wraps it.
	again func(text string)
	// refresh updates the proposals of a combo; nil for other fields.
	refresh func()

	// rows is the minimum number of rows of a multi-line entry, shown the present one.
	rows, shown int

	had   any // the value in the document at the last update
	given bool
	ready bool
}

func newWriter(box writing, s syntax, out outlet) *writer {
	w := &writer{box: box, whole: box, syntax: s, out: out}
	if e, ok := box.(*entry); ok {
		w.rows, w.shown = e.rows, e.rows
	}
	w.again = w.typed
	box.core().OnChanged = w.again
	return w
}

func (w *writer) object() fyne.CanvasObject { return w.whole }
func (w *writer) target() fyne.Focusable    { return w.box }

func (w *writer) enable(on bool) {
	enable(w.box, on)
	for _, e := range w.extra {
		enable(e, on)
	}
}

func (w *writer) typed(text string) {
	w.fit(text)
	v, given, err := w.syntax.read(text)
	if err != nil {
		w.out.wrong(wording.Of(err.Error()))
		return
	}
	w.out.try(v, given)
	if doubt := w.judge(v, given); doubt != "" {
		w.out.wrong(doubt)
	}
}

func (w *writer) judge(v any, given bool) string {
	if given && w.syntax.judge != nil {
		if err := w.syntax.judge(v); err != nil {
			return wording.Of(err.Error())
		}
	}
	return ""
}

func (w *writer) set(v any, given bool) {
	if w.refresh != nil {
		w.refresh()
	}
	if w.ready && w.given == given && reflect.DeepEqual(w.had, v) {
		return
	}
	w.ready, w.had, w.given = true, v, given
	if w.hint != nil && w.box.core().PlaceHolder != w.hint(v, given) {
		w.box.core().SetPlaceHolder(w.hint(v, given))
	}
	if now, is, err := w.syntax.read(w.box.core().Text); err == nil && is == given && (!given || reflect.DeepEqual(now, v)) {
		w.out.wrong(w.judge(v, given))
		return // the same value in the user's own spelling
	}
	text := ""
	if given {
		text = w.syntax.write(v)
	}
	w.show(text)
	w.out.wrong(w.judge(v, given))
}

// show replaces the text without storing it.
func (w *writer) show(text string) {
	core := w.box.core()
	core.OnChanged = nil
	core.SetText(text)
	core.OnChanged = w.again
	w.fit(text)
}

// fit adapts the height of a multi-line entry to its text, up to a limit.
func (w *writer) fit(text string) {
	const most = 10
	if w.rows < 2 {
		return
	}
	if rows := min(max(strings.Count(text, "\n")+1, w.rows), most); rows != w.shown {
		w.shown = rows
		w.box.core().SetMinRowsVisible(rows)
		w.out.resized()
	}
}

func writerOf(box writing, p *node.Port, out outlet) *writer {
	w := newWriter(box, syntaxOf(p), out)
	w.hint = func(v any, given bool) string { return placeholder(p, v, given) }
	return w
}

// rowsOf returns the number of rows of a port's entry.
func rowsOf(p *node.Port) int {
	switch p.Type.Kind() {
	case value.KindString:
		switch p.Widget {
		case "multiline":
			return 4
		case "expression":
			return 3
		}
		return 1
	case value.KindInt, value.KindFloat, value.KindCredential, value.KindEnum:
		return 1
	default:
		if p.Required() {
			return 3
		}
		return 2
	}
}

func isMono(p *node.Port) bool {
	switch p.Type.Kind() {
	case value.KindString:
		return p.Widget == "expression"
	case value.KindInt, value.KindFloat, value.KindCredential, value.KindEnum:
		return false
	default:
		return !isLines(p)
	}
}

// placeholder returns the text of an empty entry: the value that applies.
func placeholder(p *node.Port, v any, given bool) string {
	switch {
	case given && v == "":
		return lang.L("empty text")
	case given:
		return ""
	case p.Default == "":
		return lang.L("default: empty text")
	case p.Default != nil:
		const longest = 60
		text, ok := value.AppendMax(nil, p.Default, longest)
		if s, isText := p.Default.(string); isText {
			text, ok = []byte(s), len(s) <= longest
		}
		if ok {
			return lang.L("default: {{.Value}}", map[string]any{"Value": string(text)})
		}
		return lang.L("has a default")
	case isLines(p):
		return lang.L("one per line")
	case !p.Required() && rowsOf(p) > 1 && isMono(p) && p.Widget != "expression":
		return lang.L("JSON, not set")
	case !p.Required():
		return lang.L("not set")
	case rowsOf(p) > 1 && isMono(p) && p.Widget != "expression":
		return "JSON"
	}
	return ""
}
