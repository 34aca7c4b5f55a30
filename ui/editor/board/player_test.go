package board

import (
	"math"

	"github.com/svcflow/svc/engine/layout/cards"
	"github.com/svcflow/svc/engine/layout/geom"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/ui/editor/doc"
)

// tape is the stream of choices that a fuzzer makes.
type tape struct{ data []byte }

func (t *tape) byte() byte {
	if len(t.data) == 0 {
		return 0
	}
	b := t.data[0]
	t.data = t.data[1:]
	return b
}

func (t *tape) intn(n int) int { return int(t.byte()) % max(n, 1) }

func choose[T any](t *tape, items []T) (chosen T) {
	if len(items) > 0 {
		chosen = items[t.intn(len(items))]
	}
	return chosen
}

func (t *tape) point() geom.Point {
	return geom.Point{X: float64(t.byte())*8 - 400, Y: float64(t.byte())*8 - 400}
}

// player runs random commands and gestures on a board.
type player struct {
	*tape

	b     *Board
	clips [][]byte
}

func (p *player) node() string {
	return choose(p.tape, p.b.doc.Nodes()).ID
}

func (p *player) nodes() []string {
	var ids []string
	for range p.intn(4) {
		if id := p.node(); id != "" {
			ids = append(ids, id)
		}
	}
	return ids
}

func (p *player) wire() workflow.Connection { return choose(p.tape, p.b.doc.Connections()) }

func (p *player) typ() string { return choose(p.tape, p.b.doc.Specs().All()).Type }

func (p *player) port(output bool) cards.PortRef {
	id := p.node()
	inputs, outputs, _ := p.b.doc.Ports(id)
	if output {
		return cards.PortRef{Node: id, Port: choose(p.tape, outputs).Name, Output: true}
	}
	return cards.PortRef{Node: id, Port: choose(p.tape, inputs).Name, Output: false}
}

func (p *player) set() doc.Set {
	d, s := p.b.doc, doc.Set{Nodes: p.nodes()}
	if len(d.Connections()) > 0 {
		s.Wires = append(s.Wires, p.wire())
	}
	if len(d.Groups()) > 0 {
		s.Groups = append(s.Groups, choose(p.tape, d.Groups()).ID)
	}
	if len(d.Notes()) > 0 {
		s.Notes = append(s.Notes, choose(p.tape, d.Notes()).ID)
	}
	return s
}

// play does one thing. Errors are fine: they say that it was not possible.
func (p *player) play() {
	d := p.b.doc
	commands := []func(){
		func() { _, _ = d.Add(p.typ(), p.point()) },
		func() { _, _ = d.AddConnected(p.typ(), p.point(), p.port(true), "text") },
		func() { _ = d.Connect(p.port(true), p.port(false)) },
		func() { _ = d.Connect(p.port(false), p.port(true)) },
		func() { _ = d.Reconnect(p.wire(), p.port(p.byte()%2 == 0)) },
		func() { _ = d.Disconnect(p.wire(), p.wire()) },
		func() { _ = d.Delete(p.set()) },
		func() { _ = d.DeleteReconnect(p.nodes()...) },
		func() { _, _ = d.Duplicate(p.set()) },
		func() { _ = d.Move(p.set(), p.point()) },
		func() { _ = d.Nudge(p.set(), geom.Point{X: 8, Y: 0}) },
		func() { _ = d.Insert(p.node(), p.wire()) },
		func() { _, _ = d.InsertNew(p.typ(), p.point(), p.wire()) },
		func() { _ = d.Replace(p.node(), p.typ()) },
		func() {
			_ = d.SetConfig(p.node(), p.port(false).Port, choose(p.tape, []any{"a", 1, 2.5, nil, []any{"x"}, "{y}"}))
		},
		func() { _ = d.ClearConfig(p.node(), p.port(false).Port) },
		func() { _ = d.SetLabel(p.node(), choose(p.tape, []string{"", "a", "Ünïcode 日本"})) },
		func() { _ = d.SetTimeout(p.node(), p.intn(3)*1000) },
		func() { _ = d.SetRetry(p.node(), choose(p.tape, []*workflow.Retry{nil, {}, {MaxAttempts: 2}})) },
		func() { _ = d.SetDisabled(p.byte()%2 == 0, p.nodes()...) },
		func() { _ = d.Rename(p.node(), choose(p.tape, []string{"x", "y", "z", "a/b", ""})) },
		func() { _ = d.SetName(choose(p.tape, []string{"", "a", "b"})) },
		func() { _, _ = d.Group("g", p.nodes()...) },
		func() { _ = d.Ungroup(p.set().Groups...) },
		func() { _ = d.SetGroupLabel(choose(p.tape, d.Groups()).ID, "label") },
		func() { _, _ = d.AddNote("note", p.point()) },
		func() { _ = d.SetNoteText(choose(p.tape, d.Notes()).ID, "text") },
		func() { _ = d.ResizeNote(choose(p.tape, d.Notes()).ID, float64(p.byte()), math.NaN()) },
		func() { _ = d.Align(doc.Edge(p.intn(6)), p.nodes()...) },
		func() { _ = d.Distribute(doc.Axis(p.intn(2)), p.nodes()...) },
		func() { _ = d.Layout(p.nodes()...) },
		func() {
			_, _ = d.Collapse(choose(p.tape, []string{"control.foreach", "control.while", "control.subworkflow"}), p.nodes()...)
		},
		func() { _, _ = d.Expand(p.node()) },
		func() { _ = d.Enter(p.node()) },
		func() { d.Leave() },
		func() { p.clips = append(p.clips, d.Copy(p.set())) },
		func() { _, _ = d.Paste(choose(p.tape, p.clips), p.point()) },
		func() { d.Undo() },
		func() { d.Redo() },
		func() { d.Seal() },
		func() { d.MarkSaved() },
		func() {
			_ = d.Connect(cards.PortRef{Node: p.node(), Port: "$done", Output: true}, cards.PortRef{Node: p.node(), Port: "$after"})
		},
		func() { p.b.Selection.Toggle(p.set()) },
		func() { p.b.Compare(d.Definition(), "then") },
		func() { p.b.Compare(nil, "") },
		func() { p.take() },
		func() { _ = d.Unfold(p.node()) },
		func() { _ = p.b.ToggleUnfolded() },
		func() { p.b.Key(KeyEscape, 0) },
		func() { _, _ = p.b.Drop(p.typ(), p.point()) },
		func() { p.gesture() },
		func() { p.keys() },
	}
	commands[p.intn(len(commands))]()
}

// take takes over frames and notes; nodes of another state may close a circle with those
// that stay, which is a problem of the document and none of the editor.
func (p *player) take() {
	set := p.set()
	p.b.Selection.Replace(doc.Set{Groups: set.Groups, Notes: set.Notes})
	if _, is := p.b.Comparing(); is && !p.b.Selection.Empty() {
		p.b.compare.marked.Clear()
		_ = p.b.Take()
	}
}

// gesture moves the pointer about with a button held.
func (p *player) gesture() {
	mods := Mods(p.byte()) & (Shift | Ctrl | Alt)
	at := func() Pointer {
		if p.byte()%2 == 0 { // mostly at something
			card, ok := p.b.Scene().Card(p.node())
			if ok && len(card.Ports) > 0 && p.byte()%2 == 0 {
				return Pointer{At: p.b.View.ToScreen(choose(p.tape, card.Ports).At), Mods: mods}
			}
			if ok {
				return Pointer{At: p.b.View.ToScreen(card.Rect.Center()), Mods: mods}
			}
		}
		return Pointer{At: p.point(), Mods: mods}
	}
	down := at()
	down.Button = Button(p.intn(3))
	p.b.Down(down)
	for range p.intn(4) {
		p.b.Move(at())
		p.b.Tick(0.02)
		p.b.Draw()
	}
	if p.byte()%4 == 0 {
		p.b.Cancel()
	}
	p.b.Up(at())
	p.b.Up(at())
}

func (p *player) keys() {
	p.b.StartWire(p.port(p.byte()%2 == 0))
	for range p.intn(6) {
		p.b.Key(Key(p.intn(8)), Mods(p.byte())&(Shift|Ctrl))
	}
	p.b.Finish()
	p.b.FitAll()
}
