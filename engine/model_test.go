package engine_test

import (
	"fmt"

	"github.com/svcflow/svc/engine/enginetest"
)

// sketch is a random workflow to test the rules of absence. Wires lead from earlier nodes
// to later ones.
type sketch []sketchNode

type sketchNode struct {
	emitX, emitY          bool // x is a bool, y is null
	truth                 bool // value of x
	fail, disabled, async bool
	wires                 []sketchWire
}

// sketchWire is a wire from a port of an earlier node to the node that has it: to its port
// "a" (of type any), "l" (a list), "p" and "q" (partial), "$after" or "$when".
type sketchWire struct {
	from     int
	port, to string
}

// sketchOf decodes a sketch from random bytes. Every byte string is valid.
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
		n.emitX, n.emitY, n.truth = flags&1 == 0, flags&2 == 0, shape&0x80 == 0
		n.fail, n.disabled, n.async = flags&0x1c == 4, flags&0xf8 == 0x20, flags&0x40 != 0
		if i == 0 {
			continue
		}
		wire := func(to string, ports ...string) {
			n.wires = append(n.wires, sketchWire{next() % i, ports[next()%len(ports)], to})
		}
		few := shape & next()
		for bit, to := range []string{"a", "p", "q", "l", "l", "$after", "$after"} {
			if few>>bit&1 != 0 {
				wire(to, "x", "y", "x", "$error", "$done")
			}
		}
		if next()&3 == 0 {
			wire("$when", "x", "x", "y", "$done")
		}
	}
	return s
}

// flow returns the sketch as a workflow.
func (s sketch) flow() *enginetest.Flow {
	f := enginetest.NewFlow("sketch")
	id := func(i int) string { return fmt.Sprint("n", i) }
	for i, n := range s {
		typ := "sketch.inline"
		if n.async {
			typ = "sketch.async"
		}
		f.Node(id(i), typ, "emitX", n.emitX, "emitY", n.emitY, "truth", n.truth, "fail", n.fail)
		if n.disabled {
			f.Disabled()
		}
	}
	for i, n := range s {
		for _, w := range n.wires {
			f.Wire(id(w.from)+"."+w.port, id(i)+"."+w.to)
		}
	}
	return f
}

// fate is the outcome of a node ("ok", "failed", "handled" or "skipped") or of an output
// ("came", "failed" or "not_taken").
type fate struct {
	what   string
	origin int // of an absence
	reason string
}

// model is a second implementation of the rules of absence: slow, recursive, and written
// from their description alone.
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
	if absent := m.absent(n); absent != nil {
		return fate{"skipped", absent.origin, absent.reason}
	}
	for _, w := range n.wires {
		switch from := m.sketch[w.from]; {
		case w.to != "$when" || w.port == "$done":
		case w.port == "y": // null is no answer
			return m.failure(i, "type_error")
		case !from.truth:
			return fate{"skipped", i, "not_taken"}
		}
	}
	if n.fail {
		return m.failure(i, "failed")
	}
	return fate{what: "ok"}
}

// absent returns why n does not run, or nil: the first failed wire, else the absence at the
// first port without a value, else that at its partial ports.
func (m *model) absent(n sketchNode) *fate {
	missing, came := map[string]*fate{}, map[string]bool{}
	for _, w := range n.wires {
		o := m.output(w)
		switch {
		case o.what == "came":
			came[w.to] = true
		case missing[w.to] == nil:
			missing[w.to] = &o
		}
	}
	for _, to := range sketchPorts() {
		for _, w := range n.wires {
			if o := m.output(w); w.to == to && o.what == "failed" {
				return &o
			}
		}
	}
	for _, to := range sketchPorts() {
		partial := to == "p" || to == "q"
		if missing[to] != nil && !partial && (!came[to] || to == "$after") {
			return missing[to]
		}
	}
	switch {
	case came["p"] || came["q"]:
		return nil
	case missing["p"] != nil:
		return missing["p"]
	}
	return missing["q"]
}

// sketchPorts returns the inputs in the order of their slots.
func sketchPorts() []string { return []string{"a", "p", "q", "l", "$after", "$when"} }

// failure returns the outcome of node i when it fails with a code.
func (m *model) failure(i int, code string) fate {
	for _, n := range m.sketch {
		for _, w := range n.wires {
			if w.from == i && w.port == "$error" {
				return fate{what: "handled", reason: code}
			}
		}
	}
	return fate{what: "failed", reason: code}
}

func (m *model) output(w sketchWire) fate {
	n, f := m.sketch[w.from], m.node(w.from)
	emits := map[string]bool{"x": n.emitX, "y": n.emitY, "$done": true}[w.port]
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

// states returns the expected outcome of each node, in the form of Play.States.
func (s sketch) states() map[string]string {
	m := &model{s, map[int]fate{}}
	states := map[string]string{}
	for i := range s {
		f := m.node(i)
		words := map[string]string{
			"ok": "succeeded", "failed": "failed " + f.reason, "handled": "failed " + f.reason + " handled",
			"skipped": fmt.Sprintf("skipped (n%d %s)", f.origin, f.reason),
		}
		states[fmt.Sprint("n", i)] = words[f.what]
	}
	return states
}
