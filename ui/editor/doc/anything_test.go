package doc_test

import (
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/layout/cards"
	"github.com/svcflow/svc/engine/layout/geom"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/ui/editor/doc"
	"github.com/svcflow/svc/ui/uitest/editortest"
)

// TestUndoingAnythingLeadsBack plays commands of every kind on documents of every kind,
// bodies in bodies, lists with many wires and wires for the order included. Each step that
// is undone or redone has to lead to exactly what was there, and undoing everything to the
// beginning.
func TestUndoingAnythingLeadsBack(t *testing.T) {
	specs := editortest.Specs(t)
	for seed := range uint64(90) {
		t.Run(strconv.FormatUint(seed, 10), func(t *testing.T) {
			texts := []string{editortest.Greet, editortest.Strange, editortest.Chain, editortest.Mixed, nested, editortest.Empty}
			first := texts[seed%uint64(len(texts))]
			def, err := workflow.Decode([]byte(first), workflow.DefaultLimits())
			require.NoError(t, err)
			a := &anybody{Rand: rand.New(rand.NewPCG(seed, 20)), d: doc.New(def, specs)}
			a.play(t, 120)
			for a.d.CanRedo() != "" {
				a.d.Redo()
			}
			last := editortest.Text(t, a.d)
			for range 2 {
				for a.d.CanUndo() != "" {
					a.d.Undo()
				}
				require.Equal(t, first, editortest.Text(t, a.d), "undoing all of it")
				for a.d.CanRedo() != "" {
					a.d.Redo()
				}
				require.Equal(t, last, editortest.Text(t, a.d), "redoing all of it")
			}
		})
	}
}

// TestAnybodyDoesEverything holds the random commands against what a document can do.
func TestAnybodyDoesEverything(t *testing.T) {
	a := &anybody{Rand: rand.New(rand.NewPCG(1, 1)), d: editortest.Open(t, editortest.Greet)}
	does := a.commands()
	fails := reflect.TypeFor[error]()
	reads := []string{"At", "Judge", "Partners", "Part", "Ports", "UpTo", "GoTo", "Enter"} // Enter is done apart
	for m := range reflect.TypeOf(a.d).Methods() {
		last := m.Type.NumOut() - 1
		if last < 0 || m.Type.Out(last) != fails || slices.Contains(reads, m.Name) {
			continue
		}
		require.Contains(t, does, m.Name, "a command that no test undoes among others")
	}
}

// nested has a loop in a loop, a list of several wires, and order without data.
const nested = `{"id":"nested","nodes":[` +
	`{"id":"a","type":"io.input","config":{"name":"a","type":"list<string>"}},{"id":"b","type":"text.split"},` +
	`{"id":"cat","type":"text.concat","position":{"x":8,"y":8}},` +
	`{"id":"loop","type":"control.foreach","body":{"nodes":[{"id":"item","type":"io.input","config":{"name":"item"}},` +
	`{"id":"in","type":"control.subworkflow","body":{"nodes":[{"id":"x","type":"text.length","position":{"x":0,"y":0}}],"connections":[],"groups":[{"id":"g","nodeIds":["x"]}]}}],` +
	`"connections":[{"fromNodeId":"item","fromPort":"value","toNodeId":"in","toPort":"$after"}]}},` +
	`{"id":"log","type":"preview.view","disabled":true}],` +
	`"connections":[{"fromNodeId":"a","fromPort":"value","toNodeId":"cat","toPort":"parts"},{"fromNodeId":"b","fromPort":"parts","toNodeId":"loop","toPort":"list"},` +
	`{"fromNodeId":"b","fromPort":"$done","toNodeId":"log","toPort":"$after"},{"fromNodeId":"cat","fromPort":"$done","toNodeId":"log","toPort":"$after"},` +
	`{"fromNodeId":"loop","fromPort":"$error","toNodeId":"log","toPort":"value"}],"groups":[{"id":"g","nodeIds":["a","b"]},{"id":"h","nodeIds":["b","loop"]}],` +
	`"notes":[{"id":"n","text":"x"}]}`

// anybody does anything to a document.
type anybody struct {
	*rand.Rand

	d    *doc.Document
	clip []byte
}

func (a *anybody) play(t *testing.T, times int) {
	t.Helper()
	does := a.commands()
	names := make([]string, 0, len(does))
	for name := range does {
		names = append(names, name)
	}
	slices.Sort(names)
	for range times {
		before, level := editortest.Text(t, a.d), a.d.Path()
		name := names[a.IntN(len(names))]
		could, err := a.d.CanUndo(), does[name]()
		after := editortest.Text(t, a.d)
		if err != nil {
			require.Equal(t, before, after, "%s has failed, and has changed something: %v", name, err)
			require.Equal(t, could, a.d.CanUndo())
			continue
		}
		if len(after) > 40_000 {
			return
		}
		a.backAndForth(t, name, after)
		if a.IntN(4) == 0 {
			a.wander()
		} else if a.IntN(3) == 0 {
			_ = a.d.GoTo(level)
		}
	}
}

// backAndForth walks the history a little, and comes back.
func (a *anybody) backAndForth(t *testing.T, after, text string) {
	t.Helper()
	back := a.IntN(4)
	texts := []string{text}
	for range back {
		if _, ok := a.d.Undo(); !ok {
			break
		}
		texts = append(texts, editortest.Text(t, a.d))
	}
	for _, want := range slices.Backward(texts[:len(texts)-1]) {
		a.d.Redo()
		require.Equal(t, want, editortest.Text(t, a.d), "after %s", after)
	}
	if back > 2 && a.IntN(4) == 0 { // what follows is done instead
		a.d.Undo()
	}
}

// wander goes to another level, and now and then begins a new step.
func (a *anybody) wander() {
	switch a.IntN(4) {
	case 0:
		a.d.Leave()
	case 1:
		a.d.Seal()
	case 2:
		a.d.MarkSaved()
	default:
		_ = a.d.Enter(a.node())
	}
}

func pick[T any](a *anybody, of []T) (one T) {
	if len(of) > 0 {
		one = of[a.IntN(len(of))]
	}
	return one
}

func (a *anybody) node() string { return pick(a, a.d.Nodes()).ID }

func (a *anybody) nodes() (ids []string) {
	for range a.IntN(5) {
		ids = append(ids, a.node())
	}
	return ids
}

func (a *anybody) group() string             { return pick(a, a.d.Groups()).ID }
func (a *anybody) note() string              { return pick(a, a.d.Notes()).ID }
func (a *anybody) wire() workflow.Connection { return pick(a, a.d.Connections()) }
func (a *anybody) point() doc.Point          { return doc.Point{Wire: a.wire(), At: a.IntN(3)} }
func (a *anybody) typ() string               { return pick(a, a.d.Specs().All()).Type }
func (a *anybody) text() string              { return pick(a, []string{"", "x", "y2", "{name}", "Ünï"}) }

func (a *anybody) at() geom.Point {
	return geom.Point{X: float64(a.IntN(2000) - 1000), Y: float64(a.IntN(200)*8) - 700}
}

func (a *anybody) port(output bool) cards.PortRef {
	id := a.node()
	inputs, outputs, _ := a.d.Ports(id)
	ports, controls := inputs, []string{node.AfterPort, node.WhenPort}
	if output {
		ports, controls = outputs, []string{node.DonePort, node.ErrorPort}
	}
	name := pick(a, ports).Name
	if a.IntN(4) == 0 {
		name = pick(a, controls)
	}
	return cards.PortRef{Node: id, Port: name, Output: output}
}

func (a *anybody) set() doc.Set {
	s := doc.Set{Nodes: a.nodes()}
	for range a.IntN(3) {
		s.Wires = append(s.Wires, a.wire())
	}
	for range a.IntN(2) {
		s.Points = append(s.Points, a.point())
	}
	if a.IntN(3) == 0 {
		s.Groups, s.Notes = []string{a.group()}, []string{a.note()}
	}
	return s
}

// other returns another state of the document.
func (a *anybody) other() *doc.Document {
	other := doc.New(a.d.Definition(), a.d.Specs())
	_ = other.Delete(a.set())
	_, _ = other.Add(a.typ(), a.at())
	return other
}

func (a *anybody) value() any {
	return pick(a, []any{"a", "{y} and {z}", 1, 2.5, nil, true, []any{"x", 1}, map[string]any{"k": []any{}}, "list<string>", "item"})
}

// commands are all that a document can do, by name.
func (a *anybody) commands() map[string]func() error {
	all := a.wiring()
	for _, more := range []map[string]func() error{a.making(), a.placing(), a.setting(), a.decorating()} {
		maps.Copy(all, more)
	}
	return all
}

func (a *anybody) wiring() map[string]func() error {
	d := a.d
	return map[string]func() error{
		"Connect":    func() error { return d.Connect(a.port(true), a.port(false)) },
		"connect 2":  func() error { return d.Connect(a.port(false), a.port(true)) },
		"connect 3":  func() error { return d.Connect(a.port(true), a.port(false)) },
		"Reconnect":  func() error { return d.Reconnect(a.wire(), a.port(a.IntN(2) == 0)) },
		"Disconnect": func() error { return d.Disconnect(a.wire(), a.wire()) },
		"Insert":     func() error { return d.Insert(a.node(), a.wire()) },
		"InsertNew":  func() error { _, err := d.InsertNew(a.typ(), a.at(), a.wire()); return err },
		"AddPoint":   func() error { _, err := d.AddPoint(a.wire(), a.IntN(4), a.at()); return err },
		"add point":  func() error { _, err := d.AddPoint(a.wire(), 1, a.at()); return err },
		"Straighten": func() error { return d.Straighten(a.wire(), a.wire()) },
		"MoveInto":   func() error { return d.MoveInto(a.node(), a.at(), a.wire()) },
	}
}

func (a *anybody) making() map[string]func() error {
	d := a.d
	return map[string]func() error{
		"Add":             func() error { _, err := d.Add(a.typ(), a.at()); return err },
		"Derive":          func() error { _, err := d.Derive(a.port(false), a.port(true), a.text()); return err },
		"AddConnected":    func() error { _, err := d.AddConnected(a.typ(), a.at(), a.port(true), a.text()); return err },
		"Delete":          func() error { return d.Delete(a.set()) },
		"DeleteReconnect": func() error { return d.DeleteReconnect(a.nodes()...) },
		"Duplicate":       func() error { _, err := d.Duplicate(a.set()); return err },
		"Replace":         func() error { return d.Replace(a.node(), a.typ()) },
		"Unfold":          func() error { return d.Unfold(a.node()) },
		"unfold 2":        func() error { return d.Unfold(a.node()) },
		"Fold":            func() error { return d.Fold(a.node()) },
		"Expand":          func() error { _, err := d.Expand(a.node()); return err },
		"Collapse": func() error {
			_, err := d.Collapse(pick(a, d.Specs().Containers()).Type, a.nodes()...)
			return err
		},
		"copy": func() error { a.clip = d.Copy(a.set()); return nil },
		"Paste": func() error {
			_, err := d.Paste(a.clip, a.at())
			return err
		},
	}
}

func (a *anybody) placing() map[string]func() error {
	d := a.d
	return map[string]func() error{
		"Move":       func() error { return d.Move(a.set(), a.at()) },
		"Nudge":      func() error { return d.Nudge(a.set(), geom.Point{X: 8}) },
		"nudge 2":    func() error { return d.Nudge(doc.Set{Nodes: a.nodes(), Notes: []string{a.note()}}, geom.Point{Y: -8}) },
		"nudge 3":    func() error { return d.Nudge(doc.Set{Nodes: a.nodes()}, geom.Point{X: -8}) },
		"Align":      func() error { return d.Align(doc.Edge(a.IntN(6)), a.nodes()...) },
		"Distribute": func() error { return d.Distribute(doc.Axis(a.IntN(2)), a.nodes()...) },
		"Take":       func() error { return d.Take(a.other(), a.set()) },
		"TakeAll":    func() error { return d.TakeAll(a.other()) },
		"Layout":     func() error { return d.Layout(a.nodes()...) },
	}
}

func (a *anybody) setting() map[string]func() error {
	d := a.d
	return map[string]func() error{
		"ReplaceText": func() error {
			_, err := d.ReplaceText(doc.Query{Text: a.text()}, pick(a, []string{"", "x", "yy"}))
			return err
		},
		"SetConfig":      func() error { return d.SetConfig(a.node(), a.port(false).Port, a.value()) },
		"set config 2":   func() error { return d.SetConfig(a.node(), "template", a.value()) },
		"ClearConfig":    func() error { return d.ClearConfig(a.node(), a.port(false).Port) },
		"SetLabel":       func() error { return d.SetLabel(a.node(), a.text()) },
		"SetTimeout":     func() error { return d.SetTimeout(a.node(), a.IntN(3)*500) },
		"SetRetry":       func() error { return d.SetRetry(a.node(), pick(a, []*workflow.Retry{nil, {}, {MaxAttempts: 2}})) },
		"SetDisabled":    func() error { return d.SetDisabled(a.IntN(2) == 0, a.nodes()...) },
		"Rename":         func() error { return d.Rename(a.node(), a.text()) },
		"SetID":          func() error { return d.SetID(a.text()) },
		"SetName":        func() error { return d.SetName(a.text()) },
		"SetDescription": func() error { return d.SetDescription(strings.Repeat(a.text(), 2)) },
	}
}

func (a *anybody) decorating() map[string]func() error {
	d := a.d
	return map[string]func() error{
		"Group":            func() error { _, err := d.Group(a.text(), a.nodes()...); return err },
		"Ungroup":          func() error { return d.Ungroup(a.group()) },
		"RemoveFromGroups": func() error { return d.RemoveFromGroups(a.nodes()...) },
		"SetGroupLabel":    func() error { return d.SetGroupLabel(a.group(), a.text()) },
		"SetGroupColor":    func() error { return d.SetGroupColor(a.group(), "#112233") },
		"AddNote":          func() error { _, err := d.AddNote(a.text(), a.at()); return err },
		"SetNoteText":      func() error { return d.SetNoteText(a.note(), a.text()) },
		"SetNoteColor":     func() error { return d.SetNoteColor(a.note(), "#445566") },
		"ResizeNode":       func() error { return d.ResizeNode(a.node(), float64(a.IntN(500)), float64(a.IntN(300))) },
		"ResizeNote":       func() error { return d.ResizeNote(a.note(), float64(a.IntN(500)), float64(a.IntN(90))) },
	}
}
