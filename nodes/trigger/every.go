package trigger

import (
	"time"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
)

// everyPort is the input of polling triggers.
func everyPort(preset string) node.Port {
	return setting(node.Port{
		Name: "every", Type: value.String(), Default: preset, Description: "How long after a look the next one is, at least a second: `30s`, `15m`, `1h30m`.",
	})
}

// everyOf reads the input of [everyPort].
func everyOf(b node.Binding) (time.Duration, []node.Problem) {
	r := &scheduleReader{config: b.Config, zone: time.UTC}
	return r.distance(r.text("every")), r.problems
}
