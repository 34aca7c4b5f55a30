package nodetest

import (
	"reflect"
	"regexp"
	"testing"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
)

var (
	colorPattern   = regexp.MustCompile(`^#[0-9A-Fa-f]{6}$`)
	examplePattern = regexp.MustCompile("`[^`]+`")
)

// Check fails the test for every rule that the plugin's specs break:
//
//   - the plugin installs, twice with the same result;
//   - each node has a label, a category, a card with a colour and an icon, and a
//     description with an example in backquotes;
//   - each port has a description; credentials, and nothing else, name networks;
//   - no output is literal or has a default;
//   - a pure node gives valid UTF-8: it is called with texts of characters of several
//     bytes and with small numbers, which shows nodes that cut inside a character.
func Check(tb testing.TB, p node.Plugin) {
	tb.Helper()
	h := New(tb, p)
	again := New(tb, p)
	specs := h.registry.Specs()
	if len(specs) == 0 {
		tb.Error("the plugin registers no nodes")
	}
	if !reflect.DeepEqual(specs, again.registry.Specs()) {
		tb.Error("installing the plugin twice gives different specs")
	}
	for _, s := range specs {
		checkSpec(tb, s)
		h.checkUTF8(s)
	}
}

func checkSpec(tb testing.TB, s *node.Spec) {
	tb.Helper()
	require := func(ok bool, rule string) {
		tb.Helper()
		if !ok {
			tb.Errorf("%s: %s", s.Type, rule)
		}
	}
	require(s.Label != s.Type, "needs a label")
	require(s.Category != "", "needs a category")
	require(examplePattern.MatchString(s.Description), "needs a description with an example in `backquotes`")
	require(s.Card.Shape == "card" || s.Card.Shape == "circle", `its card has to be of shape "card" or "circle"`)
	require(colorPattern.MatchString(s.Card.Color), "its card needs a colour, #RRGGBB")
	require(s.Card.Icon != "", "its card needs an icon")
	require(!s.Inline || !s.Container, "a container cannot be inline")
	for i := range s.Inputs {
		in := &s.Inputs[i]
		require(in.Description != "", "input "+in.Name+" needs a description")
		require((len(in.Networks) > 0) == isCredential(in.Type), "input "+in.Name+": credentials have networks, and nothing else has")
	}
	for i := range s.Outputs {
		out := &s.Outputs[i]
		require(out.Description != "", "output "+out.Name+" needs a description")
		require(!out.Literal && out.Default == nil, "output "+out.Name+" cannot be literal or have a default")
	}
}

// isCredential reports whether t is a credential, or a list of them.
func isCredential(t value.Type) bool {
	for t.Kind() == value.KindList {
		t = t.Elem()
	}
	return t.Kind() == value.KindCredential
}
