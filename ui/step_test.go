package ui

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/ui/hosts"
)

// at lets the run go on, and makes sure where it waits then; "" is nowhere.
func (b *bench) at(id, where string) {
	b.t.Helper()
	b.run(id)
	b.wait(time.Second)
	require.Equal(b.t, where, b.running.waitsAt())
	require.Equal(b.t, where != "", b.runs.Running())
}

func TestAWorkflowIsRunStepByStep(t *testing.T) {
	inWindow(t, func(t *testing.T, b *bench) {
		b.opens(chained)
		require.False(t, b.commands.Enabled("run.continue"))
		b.at("run.step", "beside")
		require.Contains(t, b.message(), "F10 runs the next node")
		require.True(t, b.board().Selection.Node("beside"))
		require.Contains(t, b.drawn(), "waits")
		var seen []string
		for b.running.Waiting() {
			seen = append(seen, b.running.waitsAt())
			require.Nil(t, b.runs.Shown().Record.Node(b.running.waitsAt()), "it has not been called")
			b.run("run.step")
			b.wait(time.Second)
		}
		require.Equal(t, []string{"beside", "first", "second"}, seen)
		require.Equal(t, engine.StatusCompleted, b.runs.Shown().Record.Status)
		require.Equal(t, "2 1 Ada", b.runs.Shown().Record.Outputs["said"])
		require.NotContains(t, b.drawn(), "waits")
		require.Zero(t, b.recorded(), "nobody resumes such a run")

		b.ran("run.start")
		require.Equal(t, 1, b.recorded(), "the next run does not wait")
	})
}

func TestRunsWaitWhereTheUserSays(t *testing.T) {
	inWindow(t, func(t *testing.T, b *bench) {
		b.opens(chained)
		require.False(t, b.commands.Enabled("run.stop"), "nothing is selected")
		require.True(t, b.board().Show("second"))
		b.run("run.stop")
		require.True(t, b.running.Stopped())
		require.False(t, b.doc().Edited(), "stops are not in the document")
		b.at("run.start", "second")
		require.Equal(t, "1 Ada", b.runs.Shown().Record.Node("first").Last.Outputs["result"], "what came before can be looked at")
		b.at("run.continue", "")
		require.Equal(t, "2 1 Ada", b.runs.Shown().Record.Outputs["said"])

		b.at("run.start", "second")
		b.run("run.cancel")
		b.wait(time.Second)
		require.False(t, b.runs.Running())
		require.Equal(t, engine.StatusCancelled, b.runs.Shown().Record.Status)

		b.at("run.start", "second")
		b.run("run.stop")
		b.at("run.continue", "")
		require.True(t, b.board().Show("second"))
		require.False(t, b.running.Stopped())
		b.ran("run.start")
	})
}

func TestRunsWaitInBodiesAndWhereNodesFail(t *testing.T) {
	inWindow(t, func(t *testing.T, b *bench) {
		b.opens(failing)
		b.run("run.stop-errors")
		b.run("run.start")
		b.wait(time.Second)
		at := b.running.waitsAt()
		require.Contains(t, []string{"loop", "loop/read"}, at, "before anything else is called")
		require.Equal(t, engine.StatusFailed, b.runs.Shown().Record.Node(at).Status, "the worst of its rounds: the others may have been cancelled")
		require.Nil(t, b.runs.Shown().Record.Node("also"))
		b.run("run.stop-errors")
		b.at("run.continue", "")

		b.views.showNode("loop/read")
		require.Equal(t, []string{"loop"}, b.doc().Path())
		b.run("run.stop")
		b.at("run.start", "loop/read")
		require.Contains(t, b.drawn(), "waits")
		b.runs.Forget()
		b.settle()
		require.False(t, b.running.Waiting(), "it does not wait for nobody")
	})
}

func TestStopsCountOnThisComputerOnly(t *testing.T) {
	inWindow(t, func(t *testing.T, b *bench) {
		b.servers.places[elsewhere] = hosts.Host{URL: elsewhere, Backend: b.app, Accounts: noAccounts{}}
		b.hosts.Connect(hosts.Address{URL: elsewhere}, nil)
		b.settle()
		b.opens(chained)
		b.run("run.step")
		require.Contains(t, b.message(), "on this computer only")
		require.False(t, b.runs.Running())
		b.ran("run.start")
	})
}
