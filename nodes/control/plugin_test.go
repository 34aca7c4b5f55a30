package control_test

import (
	"testing"

	"github.com/svcflow/svc/nodes/control"
	"github.com/svcflow/svc/nodes/nodetest"
)

func TestSpecs(t *testing.T) { nodetest.Check(t, control.Plugin()) }

func TestRandom(t *testing.T) {
	nodetest.Quick(t, control.Plugin(), map[string][]map[string]any{
		"control.switch": {{"cases": []any{"a", 1, 1.5, nil, []any{1}, map[string]any{"k": 1}}}},
		"control.delay":  {{"ms": 0}},
	})
}
