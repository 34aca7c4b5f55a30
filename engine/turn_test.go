package engine_test

import (
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/workflow"
)

// TestRunsTakeTurnsBetweenTheirNodes checks that a run takes a CPU slot for large work
// between nodes: weighing outputs and checking inputs.
func TestRunsTakeTurnsBetweenTheirNodes(t *testing.T) {
	given := row(2, "mem.inline", 4*mib)
	given.Nodes[1].Type = "mem.hold" // has a small output
	for name, def := range map[string]*workflow.Definition{"weighs": row(1, "mem.next", 4*mib), "looks": given} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var local engine.Local
				places := fill(t, &local.Processors)
				plan := new(largeNodes).plan(t, def)
				ended := make(chan *engine.Run, 1)
				go func() {
					run, _ := local.Run(t.Context(), plan, engine.Options{})
					ended <- run
				}()
				synctest.Wait()
				require.Empty(t, ended)
				for _, l := range places {
					l.Release()
				}
				require.Nil(t, (<-ended).Err())
				fill(t, &local.Processors) // the run has released its slot
			})
		})
	}
}

// TestRunsTakeTurnsToLetGo checks that a run takes a CPU slot to measure the values that it
// drops: those that its last node used, or all of them if it was ended for its memory.
func TestRunsTakeTurnsToLetGo(t *testing.T) {
	for name, last := range map[string]func(l *engine.Local, nodes *largeNodes){
		"what was taken": func(_ *engine.Local, nodes *largeNodes) { close(nodes.leave) },
		"all":            func(l *engine.Local, _ *largeNodes) { l.Memory.EndLargest() },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				local := engine.Local{Memory: engine.Memory{All: 64 * mib}}
				nodes := &largeNodes{entered: make(chan struct{}), leave: make(chan struct{})}
				def := row(2, "mem.next", 4*mib)
				def.Nodes[1].Type = "mem.hold"
				plan := nodes.plan(t, def)
				ended := make(chan *engine.Run, 1)
				go func() {
					run, _ := local.Run(t.Context(), plan, engine.Options{})
					ended <- run
				}()
				<-nodes.entered
				places := fill(t, &local.Processors)
				last(&local, nodes)
				synctest.Wait()
				require.Empty(t, ended)
				for _, l := range places {
					l.Release()
				}
				<-ended
				fill(t, &local.Processors) // the run has released its slot
			})
		})
	}
}
