package engine_test

import (
	"fmt"

	"github.com/svcflow/svc/engine/enginetest"
)

// sketch is a random workflow for the test of the absence rule. Wires lead from
// earlier nodes to later ones.
type sketch []sketchNode

type sketchNode struct {
	mustA, mustL          bool // port a, or l, is required
	emitX, emitY          bool
	fail, disabled, async bool
	a, b                  *sketchWire // at most one wire each
	l                     []sketchWire
}

type sketchWire struct {
	from int
	port string // "x", "y" or "$error"
}

// sketchOf reads a sketch from random bytes. Every byte string is one.
func sketchOf(data []byte) sketch {
	next := func() int {
		if len(data) == 0 {
			return 0
		}
		b := data[0]
		data = data[1:]
		return int(b)
	}
	s := make(sketch, 1+next()%24)
	for i := range s {
		n, flags, shape := &s[i], next(), next()
		n.emitX, n.emitY = flags&1 == 0, flags&2 == 0
		n.fail, n.disabled, n.async = flags&0x1c == 4, flags&0xe0 == 0x20, flags&0x40 != 0
		wire := func() sketchWire {
			return sketchWire{next() % i, []string{"x", "y", "x", "$error"}[next()%4]}
		}
		if i == 0 {
			continue
		}
		if shape&1 != 0 {
			w := wire()
			n.a, n.mustA = &w, shape&2 != 0
		}
		if shape&4 != 0 {
			w := wire()
			n.b = &w
		}
		for range shape >> 3 & 3 {
			n.l, n.mustL = append(n.l, wire()), shape&0x20 != 0
		}
	}
	return s
}

// flow writes the sketch as a workflow.
func (s sketch) flow() *enginetest.Flow {
	f := enginetest.NewFlow("sketch")
	id := func(i int) string { return fmt.Sprint("n", i) }
	for i, n := range s {
		typ := "sketch.inline"
		if n.async {
			typ = "sketch.async"
		}
		f.Node(id(i), typ, "mustA", n.mustA, "mustL", n.mustL, "emitX", n.emitX, "emitY", n.emitY, "fail", n.fail)
		if n.disabled {
			f.Disabled()
		}
	}
	for i, n := range s {
		n.each(func(port string, w sketchWire) { f.Wire(id(w.from)+"."+w.port, id(i)+"."+port) })
	}
	return f
}

func (n sketchNode) each(do func(port string, w sketchWire)) {
	if n.a != nil {
		do("a", *n.a)
	}
	if n.b != nil {
		do("b", *n.b)
	}
	for _, w := range n.l {
		do("l", w)
	}
}

// fate is what becomes of a node or of one of its outputs: "ok", "failed",
// "handled", "skipped", or for an output "came", "failed" or "not_taken".
type fate struct {
	what   string
	origin int // of an absence
	reason string
}

// model is the rule of absence once more: slow, recursive, and written from its
// description alone.
type model struct {
	sketch
	known map[int]fate
}

func (m *model) node(i int) fate {
	if f, ok := m.known[i]; ok {
		return f
	}
	f := m.decide(i)
	m.known[i] = f
	return f
}

func (m *model) decide(i int) fate {
	n := m.sketch[i]
	if n.disabled {
		return fate{"skipped", i, "disabled"}
	}
	var failed, starved, missing *fate
	wires, came := 0, map[string]bool{}
	n.each(func(port string, w sketchWire) {
		wires++
		o := m.output(w)
		switch {
		case o.what == "came":
			came[port] = true
		case o.what == "failed" && failed == nil:
			failed = &o
		}
		if o.what == "not_taken" && missing == nil {
			missing = &o
		}
	})
	n.each(func(port string, w sketchWire) {
		required := port == "a" && n.mustA || port == "l" && n.mustL
		if o := m.output(w); required && !came[port] && starved == nil {
			starved = &o
		}
	})
	for _, absent := range []*fate{failed, starved} {
		if absent != nil {
			return fate{"skipped", absent.origin, absent.reason}
		}
	}
	if wires > 0 && len(came) == 0 {
		return fate{"skipped", missing.origin, missing.reason}
	}
	switch {
	case n.fail && m.handled(i):
		return fate{what: "handled"}
	case n.fail:
		return fate{what: "failed"}
	}
	return fate{what: "ok"}
}

// handled reports whether something is wired to the error port of node i.
func (m *model) handled(i int) (found bool) {
	for _, n := range m.sketch {
		n.each(func(_ string, w sketchWire) { found = found || w.from == i && w.port == "$error" })
	}
	return found
}

func (m *model) output(w sketchWire) fate {
	n, f := m.sketch[w.from], m.node(w.from)
	emits := map[string]bool{"x": n.emitX, "y": n.emitY}[w.port]
	switch {
	case f.what == "skipped" && f.reason == "failed":
		return fate{"failed", f.origin, f.reason}
	case f.what == "skipped":
		return fate{"not_taken", f.origin, f.reason}
	case f.what == "failed":
		return fate{"failed", w.from, "failed"}
	case f.what == "handled" && w.port == "$error", f.what == "ok" && emits:
		return fate{what: "came"}
	}
	return fate{"not_taken", w.from, "not_taken"}
}

// states tells what should become of each node, as Play.States does.
func (s sketch) states() map[string]string {
	m := &model{s, map[int]fate{}}
	states := map[string]string{}
	for i := range s {
		f := m.node(i)
		words := map[string]string{
			"ok": "succeeded", "failed": "failed failed", "handled": "failed failed handled",
			"skipped": fmt.Sprintf("skipped (n%d %s)", f.origin, f.reason),
		}
		states[fmt.Sprint("n", i)] = words[f.what]
	}
	return states
}
