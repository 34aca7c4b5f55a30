package enginetest

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/svcflow/svc/engine"
)

// Runner checks the runners that open returns: inputs, results, absence, failures, retries,
// timeouts, cancelling, bodies and events.
func Runner(t *testing.T, open func() engine.Runner) {
	s := suite{open}
	t.Run("inputs of nodes", s.nodeInputs)
	t.Run("inputs of the run", s.runInputs)
	t.Run("fan-in", s.fanIn)
	t.Run("fan-in tells", s.fanInTells)
	t.Run("null into a list", s.nullableLists)
	t.Run("types at run time", s.runTimeTypes)
	t.Run("absence", s.absence)
	t.Run("triggers", s.triggers)
	t.Run("failures", s.failures)
	t.Run("retries", s.retries)
	t.Run("timeouts", s.timeouts)
	t.Run("cancelling", s.cancelling)
	t.Run("bodies", s.bodies)
	t.Run("bodies given up", s.detached)
	t.Run("events", s.events)
	t.Run("secrets", s.secrets)
	t.Run("reuse", s.reuse)
	t.Run("pins", s.pins)
}

type suite struct{ open func() engine.Runner }

// Dying is a runner whose process dies during runs, which another process then resumes.
type Dying interface {
	engine.Runner

	// Dies only marks the runner.
	Dies()
}

// undisturbed skips tests of guarantees that do not hold if processes die: that no node is
// called twice, and that times are more precise than their stored form.
func (s suite) undisturbed(t *testing.T) {
	t.Helper()
	if _, ok := s.open().(Dying); ok {
		t.Skip("a node that was under way is called again")
	}
}

// play runs f with a new kit and runner.
func (s suite) play(t *testing.T, f *Flow) *Play {
	t.Helper()
	return PlayFlow(t, s.open(), NewKit(), f, nil)
}

// timed runs a subtest in a synctest bubble. At the end the clock advances until abandoned
// calls have ended.
func timed(t *testing.T, name string, f func(t *testing.T)) {
	t.Run(name, func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			defer func() { <-time.After(time.Hour) }() // also after a failure, so that the bubble can end
			f(t)
		})
	})
}
