package nodetest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"testing"
	"time"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
)

// rounds is how often Quick calls a node with each config.
const rounds = 100

// quickTimeout ends calls whose random inputs cause much work.
const quickTimeout = 10 * time.Second

// Quick calls every node of p many times with random values of its ports' types. It fails
// the test if a node panics or breaks a rule (see [Host.Exec]). Errors are ignored, since
// most random values make no sense. Containers get a body with random outputs that
// sometimes fails.
//
// configs gives samples of the config by node type; each type is tried with each of its
// samples. Literals that a sample does not have are random. If a node could never be
// called, the test fails, so that no node is left out. The values are the same in every
// run.
func Quick(tb testing.TB, p node.Plugin, configs map[string][]map[string]any) {
	tb.Helper()
	h := New(tb, p)
	g := &generator{Rand: rand.New(rand.NewPCG(1, 2))}
	for _, s := range h.registry.Specs() {
		tries := configs[s.Type]
		if len(tries) == 0 {
			tries = []map[string]any{nil}
		}
		calls := 0
		for _, config := range tries {
			for range rounds {
				if called, _ := h.quick(s, g.config(s, config), g); called {
					calls++
				}
			}
		}
		if calls == 0 {
			tb.Errorf("%s was never called: give Quick a config with which it can be", s.Type)
		}
	}
}

// quick calls one node once. A port without config is wired or, if it is optional, may be
// left out. quick reports whether the node could be called, and its error.
func (h *Host) quick(s *node.Spec, config map[string]any, g *generator) (called bool, err error) {
	h.tb.Helper()
	var wired map[string]any
	defer func() {
		if r := recover(); r != nil {
			h.tb.Errorf("%s panics: %v\nconfig: %#v\nwired: %#v\n%s", s.Type, r, config, wired, debug.Stack())
		}
	}()
	var inside node.Body
	if s.Container {
		inside = body{seed: g.Uint64()}
	}
	wired = g.wires(h.ports(s, config, inside), config)
	b := h.bind(s.Type, config, wired, inside)
	switch {
	case len(b.problems) > 0:
		return false, nil
	case s.Role == node.RoleTrigger: // triggers are not called
		h.sample(b, time.Now())
		return true, nil
	case b.Boundary != nil: // the engine itself moves the value
		return true, nil
	}
	ctx, cancel := context.WithTimeout(h.tb.Context(), quickTimeout)
	defer cancel()
	_, err = h.exec(ctx, b)
	return true, err
}

// ports returns the inputs of a node with this config if all others are wired.
func (h *Host) ports(s *node.Spec, config map[string]any, inside node.Body) []node.Port {
	wrong := false
	literals := s.Literals(config, func(*node.Port, error) { wrong = true })
	n, _ := h.registry.Lookup(s.Type)
	if wrong {
		return nil
	}
	bound, _ := n.Bind(node.Binding{Spec: s, Config: literals, Wired: func(string) bool { return true }, WiredOutput: func(string) bool { return false }, Body: inside})
	return bound.Inputs
}

// generator generates random values.
type generator struct {
	*rand.Rand

	wide bool // generate only texts of multi-byte characters and small numbers
}

// config completes a sample with random literals.
func (g *generator) config(s *node.Spec, sample map[string]any) map[string]any {
	config := clone(sample).(map[string]any)
	if config == nil {
		config = map[string]any{}
	}
	for i := range s.Inputs {
		p := &s.Inputs[i]
		if _, given := config[p.Name]; !given && p.Literal && (p.Required() || g.IntN(2) == 0) {
			config[p.Name] = g.value(p.Type, 3)
		}
	}
	return config
}

// wires returns values for the ports without config.
func (g *generator) wires(ports []node.Port, config map[string]any) map[string]any {
	wired := map[string]any{}
	for i := range ports {
		p := &ports[i]
		if _, given := config[p.Name]; !given && !p.Literal && (p.Required() || g.IntN(2) == 0) {
			wired[p.Name] = g.value(p.Type, 3)
		}
	}
	return wired
}

// value returns a value of type t that is nested at most depth levels deep.
func (g *generator) value(t value.Type, depth int) any {
	if t.Nullable() && g.IntN(4) == 0 {
		return nil
	}
	switch t.Kind() {
	case value.KindString:
		return g.text()
	case value.KindInt:
		return g.int()
	case value.KindFloat:
		return g.float()
	case value.KindBool:
		return g.IntN(2) == 0
	case value.KindCredential:
		return value.Credential("test:main")
	case value.KindMedia:
		kind := "image"
		if kinds := t.Members(); len(kinds) > 0 {
			kind = kinds[g.IntN(len(kinds))]
		}
		return value.Media{Kind: kind, MIME: kind + "/x-unknown", Path: "a.bin"}
	case value.KindEnum:
		return t.Members()[g.IntN(len(t.Members()))]
	case value.KindList:
		return g.list(t.Elem(), depth)
	case value.KindRecord:
		return g.record(t, depth)
	default:
		return g.value(g.anyType(depth), depth)
	}
}

func (g *generator) anyType(depth int) value.Type {
	types := []value.Type{
		value.String(), value.Int(), value.Float(), value.Bool(), value.String().OrNull(),
		value.CredentialType(), value.MediaType(), value.ListOf(value.Any()), value.RecordOf(),
	}
	if depth <= 0 {
		types = types[:5]
	}
	return types[g.IntN(len(types))]
}

func (g *generator) list(elem value.Type, depth int) any {
	list := make([]any, g.IntN(max(1, min(5, depth*2))))
	for i := range list {
		list[i] = g.value(elem, depth-1)
	}
	return list
}

func (g *generator) record(t value.Type, depth int) any {
	record := map[string]any{}
	for _, f := range t.Fields() {
		if !f.Type.Nullable() || g.IntN(2) == 0 {
			record[f.Name] = g.value(f.Type, depth-1)
		}
	}
	for range g.IntN(3) {
		if name := fmt.Sprintf("k%d", g.IntN(5)); len(t.Fields()) == 0 {
			record[name] = g.value(value.Any(), depth-1)
		}
	}
	return record
}

func (g *generator) int() int {
	if g.wide {
		return g.IntN(12)
	}
	ints := []int{0, 1, -1, 2, 3, 7, 100, 1 << 20, 1<<53 + 1, 1<<63 - 1, -1 << 63, g.Int()}
	return ints[g.IntN(len(ints))]
}

func (g *generator) float() float64 {
	floats := []float64{0, 1, -1, 0.5, 1e-300, 1e300, -1e19, 1 << 60, g.NormFloat64()}
	return floats[g.IntN(len(floats))]
}

func (g *generator) text() string {
	if g.wide {
		texts := wideTexts()
		return texts[g.IntN(len(texts))]
	}
	texts := []string{
		"", "a", "Hello, World!", " \t\n", "{", "{a}", "{{a}}", "null", "[1,2", `{"a":1}`, "item", "item.k1", ".k1", ".[",
		"x > 1", "a,b,,c", "é", "e\u0301", "日本語", "👩‍👩‍👧", "\u0000", "\u202e", "ǅ", "İstanbul", "ﬁ", "\ufffd",
	}
	return texts[g.IntN(len(texts))] + texts[g.IntN(len(texts))]
}
