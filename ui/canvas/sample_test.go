package canvas_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/nodes/nodetest/sample"
	"github.com/svcflow/svc/ui/editor/doc"
	"github.com/svcflow/svc/ui/theme"
	"github.com/svcflow/svc/ui/uitest"
)

// A plugin that the window does not know shows the drawing that it brings along.
func TestAPluginBringsItsIcon(t *testing.T) {
	registry, err := node.NewRegistry(sample.Plugin())
	require.NoError(t, err)
	def := uitest.Definition(t, `{"id":"s","nodes":[{"id":"echo","type":"sample.echo","position":{"x":48,"y":48}}],"connections":[]}`)
	h := show(t, theme.Light, doc.New(def, doc.NewSpecs(registry.Specs(), nil)), 200, 200)
	h.Update()
	uitest.Golden(t, "sample", h.window.Canvas().Capture(), *update)
}
