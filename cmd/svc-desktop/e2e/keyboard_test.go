//go:build e2e && linux

package e2e_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/cmd/svc-desktop/internal/xtest"
	"github.com/svcflow/svc/engine/workflow"
)

// The same workflow is drawn, run and saved without a mouse.
func TestBuildsAWorkflowByKeys(t *testing.T) {
	d := newDesktop(t)
	p := d.Open()
	d.Key("ctrl+n")
	p.AwaitTitle("Untitled")
	add := func(typ string) {
		d.Type(typ)
		d.Key("Return")
	}
	d.Key("ctrl+i")
	add("io.input")
	d.Key("F2") // the first field
	d.Type("who")
	d.Key("Tab", "Tab", "Tab", "Tab", "Tab", "Tab") // past its type, and whether it is text, a number, JSON or an expression
	d.Type("World")
	d.Key("Escape") // back to the canvas

	d.Key("ctrl+shift+p")
	add("text.format")
	d.Key("F2")
	d.Type("Hello, {who}!")
	d.Key("Escape", "ctrl+i")
	add("io.file_write")
	d.Key("F2")
	d.Type("hello.txt")
	d.Key("Escape")

	connect := func(from, to string) {
		d.Key("ctrl+l")
		d.Type(from)
		d.Key("Return")
		d.Type(to)
		d.Key("Return")
	}
	d.Key("ctrl+shift+a", "Tab") // the first node
	connect("value", "who")
	d.Key("Tab") // the next one
	connect("result", "content")

	d.Key("ctrl+Return")
	d.Await("nodes that went well", func(s *xtest.Screen) bool { return s.Count(s.Bounds(), colorOK) > 100 })
	awaitFile(t, d.Home("hello.txt"), "Hello, World!")

	d.Key("ctrl+s", "Escape", "ctrl+s") // thought better of it once
	d.Type("By keys")
	d.Key("Return")
	p.AwaitTitle("By keys")
	def := stored(t, d, "by-keys")
	checkGreeting(t, def)
	requireApart(t, def.Nodes)
	d.Key("ctrl+q")
	require.Zero(t, p.Wait(), p.Log())
}

// requireApart checks that nodes that were added without a position do not hide each other.
func requireApart(t *testing.T, nodes []workflow.Node) {
	t.Helper()
	for i := range nodes {
		for j := range nodes[:i] {
			const width = 140 // of the smallest
			require.Greater(t, math.Abs(nodes[i].Position.X-nodes[j].Position.X), float64(width), "%s and %s", nodes[i].ID, nodes[j].ID)
		}
	}
}

// The command palette reaches what has no keys.
func TestChangesItsTheme(t *testing.T) {
	const light, dark = 0xFFFFFF, 0x1B1E24 // panels
	d := newDesktop(t)
	p := d.Open("template:greeting")
	d.Await("a dark window", func(s *xtest.Screen) bool { return s.Count(s.Bounds(), dark) > 100_000 })
	d.Key("ctrl+shift+p")
	d.Type("theme light")
	d.Key("Return")
	d.Await("a light window", func(s *xtest.Screen) bool {
		return s.Count(s.Bounds(), light) > 100_000 && s.Count(s.Bounds(), dark) < 20_000
	})
	require.Zero(t, p.Stop(), p.Log())
}
