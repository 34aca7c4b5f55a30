package e2e

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/enginetest/trials"
	"github.com/svcflow/svc/engine/node"
)

// manySteps is a loop whose nodes take a moment each.
const manySteps = `{"id":"steps","type":"control.foreach","config":{"list":[0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0],"concurrency":1},"body":{"nodes":[{"id":"a","type":"here.note","config":{"ms":300}}],"connections":[]}}`

// oneStep is a node that takes longer than its worker lives.
const oneStep = `{"id":"long","type":"here.note","config":{"ms":20000}}`

// TestARunThatEndsItsWorkers has a run that crashes every driver, together with other runs. Some of these
// make progress, others are in a single long node and are lost with each driver. The crashing run
// is ended after five times; all other runs complete.
func TestARunThatEndsItsWorkers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a := w.instance()
	members := []*process{w.member(10, ""), w.member(10, "")}
	for range trials.Of(t, 1, 3) {
		others := []string{w.started(a, manySteps), w.started(a, manySteps), w.started(a, oneStep), w.started(a, oneStep)}
		bad := w.started(a, `{"id":"bad","type":"here.exit","config":{"ms":2000}}`)
		ended := 0
		w.until(5*time.Minute, "the bad run has ended", func() bool {
			for i, p := range members {
				if p.gone() {
					ended++
					members[i] = w.member(10, "")
				}
			}
			return w.changes([]string{bad})[bad].Status != engine.StatusRunning
		})
		r, err := a.Run(t.Context(), bad)
		require.NoError(t, err)
		require.Equal(t, node.CodeInterrupted, r.Result.Error.Code)
		require.Contains(t, r.Result.Error.Message, "took its worker down")
		for id, status := range w.ended(others, 2*time.Minute) {
			require.Equal(t, engine.StatusCompleted, status, id)
		}
		require.Equal(t, 5, ended, "workers that it has ended")
	}
}

// gone reports whether the process has ended.
func (p *process) gone() bool {
	p.t.Helper()
	select {
	case <-p.ended:
		return true
	default:
		return false
	}
}
