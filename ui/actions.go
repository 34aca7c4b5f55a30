package ui

import (
	"fyne.io/fyne/v2/lang"

	"github.com/svcflow/svc/engine/layout/cards"

	"github.com/svcflow/svc/engine/layout/geom"
	"github.com/svcflow/svc/ui/editor/board"
	"github.com/svcflow/svc/ui/editor/doc"
	"github.com/svcflow/svc/ui/kit"
	"github.com/svcflow/svc/ui/palette"
)

// acting returns a command that changes the document.
func (w *Window) acting(act func(*board.Board) error) func() {
	return func() { w.do(func() error { return act(w.board()) }) }
}

// looking returns a command that changes what is seen or selected.
func (w *Window) looking(look func(*board.Board)) func() {
	return func() {
		look(w.board())
		w.refresh()
	}
}

func (w *Window) undo() {
	if name, ok := w.board().Undo(); ok {
		w.status.tell(lang.L("Undone: {{.Step}}", map[string]any{"Step": lang.L(name)}), false)
	}
	w.refresh()
}

func (w *Window) redo() {
	if name, ok := w.board().Redo(); ok {
		w.status.tell(lang.L("Done again: {{.Step}}", map[string]any{"Step": lang.L(name)}), false)
	}
	w.refresh()
}

func (w *Window) copy() {
	if data := w.board().Copy(); data != nil {
		w.config.App.Clipboard().SetContent(string(data))
		w.status.tell(lang.L("Copied as JSON"), false)
	}
}

func (w *Window) cut() {
	w.do(func() error {
		data, err := w.board().Cut()
		if data != nil && err == nil {
			w.config.App.Clipboard().SetContent(string(data))
		}
		return err
	})
}

func (w *Window) paste() {
	w.do(func() error { return w.board().Paste([]byte(w.config.App.Clipboard().Content())) })
}

// addNote puts a note into the middle of the view and lets the user write it.
func (w *Window) addNote() {
	b := w.board()
	id, err := b.Document().AddNote("", w.room())
	if err != nil {
		w.complain(err)
		return
	}
	b.Selection.Replace(doc.Set{Notes: []string{id}})
	w.refresh()
	w.edit("")
}

func (w *Window) group() {
	w.do(func() error { return w.board().Group(lang.L("Group")) })
	w.edit("")
}

// ungroup dissolves the selected groups, or takes the selected nodes out of theirs.
func (w *Window) ungroup() {
	w.do(func() error {
		doc, set := w.board().Document(), w.board().Selection.Set()
		if len(set.Groups) > 0 {
			return doc.Ungroup(set.Groups...)
		}
		return doc.RemoveFromGroups(set.Nodes...)
	})
}

// layout arranges the selected nodes, or all if there are not several.
func (w *Window) layout() {
	w.do(func() error {
		nodes := w.board().Selection.Set().Nodes
		if len(nodes) < 2 {
			nodes = nil
		}
		return w.board().Document().Layout(nodes...)
	})
	if len(w.board().Selection.Set().Nodes) < 2 {
		w.board().FitAll()
		w.refresh()
	}
}

func (w *Window) hasBody() bool {
	if !w.opened() {
		return false
	}
	id, ok := w.board().Selection.Sole()
	if !ok {
		return false
	}
	n, ok := w.board().Document().Node(id)
	if !ok {
		return false
	}
	spec, known := w.specs.Lookup(n.Type)
	return n.Body != nil || known && spec.Container
}

func (w *Window) enter() {
	id, _ := w.board().Selection.Sole()
	w.do(func() error { return w.board().Document().Enter(id) })
}

func (w *Window) inBody() bool { return w.opened() && len(w.board().Document().Path()) > 0 }

// replaceNode lets the user pick another type for the selected node.
func (w *Window) replaceNode() {
	id, _ := w.board().Selection.Sole()
	card, ok := w.board().Document().Card(id)
	if !ok {
		return
	}
	w.pickAt(geom.Point{X: card.Rect.Min.X, Y: card.Rect.Max.Y}, kit.Picker{
		Placeholder: lang.L("Replace by"),
		Empty:       lang.L("No node type matches"),
		Search: func(query string) []kit.Choice {
			return palette.Choices(w.specs.Search(query), func(c doc.Choice) {
				w.do(func() error { return w.board().Document().Replace(id, c.Spec.Type) })
			})
		},
	})
}

// connectByKeys draws a wire without a pointer: the user picks a port of the selected
// node, and then where the wire leads.
func (w *Window) connectByKeys() {
	id, _ := w.board().Selection.Sole()
	card, ok := w.board().Document().Card(id)
	if !ok {
		return
	}
	at := geom.Point{X: card.Rect.Min.X, Y: card.Rect.Max.Y}
	w.pickPort(at, lang.L("Which port of {{.Node}}?", map[string]any{"Node": card.Title()}), w.board().Ports(id), func(from cards.PortRef) {
		b := w.board()
		if !b.StartWire(from) {
			return
		}
		targets := b.Targets()
		b.Cancel()
		w.refresh()
		w.pickPort(at, lang.L("Connect {{.Port}} to", map[string]any{"Port": from.Port}), targets, func(to cards.PortRef) {
			w.do(func() error { return b.Document().Connect(from, to) })
		})
	})
}

// pickPort lets the user pick one of some ports.
func (w *Window) pickPort(at geom.Point, title string, ports []cards.PortRef, then func(cards.PortRef)) {
	d := w.board().Document()
	var all []kit.Choice
	for _, ref := range ports {
		choice := kit.Choice{Title: ref.Port, Pick: func() { then(ref) }}
		if card, ok := d.Card(ref.Node); ok {
			choice.Detail = card.Title()
		}
		if anchor, ok := d.Anchor(ref); ok && anchor.Spec != nil {
			choice.Trailing = anchor.Spec.Type.String()
		}
		all = append(all, choice)
	}
	w.pickAt(at, kit.Picker{
		Placeholder: title, Empty: lang.L("There is no port that fits"),
		Search: func(query string) []kit.Choice { return matching(all, query) },
	})
}

// nextProblem goes to a problem and says what it is.
func (w *Window) nextProblem(step int) {
	problem, ok := w.board().NextProblem(step)
	if !ok {
		w.status.tell(lang.L("No problems"), false)
		return
	}
	w.refresh()
	if problem.Port != "" {
		w.edit(problem.Port)
	}
	text := problem.Message
	if problem.Hint != "" {
		text += " — " + problem.Hint
	}
	w.status.tell(text, true)
}

// copyCurl copies a command that runs the workflow on the server that is shown, or on
// the one of this computer.
func (w *Window) copyCurl() {
	address := w.place.URL
	if address == "" {
		address = w.served
	}
	if address == "" {
		w.ask(lang.L("Serve the workflows of this computer?"), lang.L("curl talks to a server: connect to one, or serve the workflows of this computer."),
			choice{text: lang.L("Serve them"), main: true, do: w.serve})
		return
	}
	def := w.board().Document().Definition()
	text := curlPosted(address, def.AppendJSON(nil))
	if d := w.desk; d != nil && w.past() == nil && d.origin.ID != "" && d.origin.Server == w.place.URL && !d.doc.Edited() {
		inputs, err := w.runTab.Inputs()
		if err != nil {
			inputs = nil // the command shows where they go
		}
		text = curl(address, d.origin.ID, inputs)
	}
	w.config.App.Clipboard().SetContent(text)
	w.status.tell(lang.L("Copied. The command takes the key from {{.Variable}}.", map[string]any{"Variable": keyVariable}), false)
}

// quit closes the window, once the user has said what becomes of unsaved work.
func (w *Window) quit() {
	closing := func() {
		w.leaving(func() {
			w.desk = nil
			w.close()
		})
	}
	if !w.running() || w.shown.place.URL != "" {
		closing()
		return
	}
	w.ask(lang.L("End the run?"), lang.L("A run goes on in this window. It ends if you quit, and can be resumed later."),
		choice{text: lang.L("Quit"), do: closing})
}
