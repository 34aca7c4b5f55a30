package ui

import (
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/fold"
	"github.com/svcflow/svc/ui/uitest"
)

// looped greets three people, in two steps.
const looped = `{"id":"looped","nodes":[` +
	`{"id":"names","type":"io.input","config":{"name":"names","type":"list<string>","default":["Ada","Bo","Cy"]},"position":{"x":0,"y":0}},` +
	`{"id":"each","type":"control.foreach","position":{"x":240,"y":0},"body":{"nodes":[` +
	`{"id":"who","type":"io.input","config":{"name":"item","type":"string"}},` +
	`{"id":"at","type":"io.input","config":{"name":"index","type":"int"}},` +
	`{"id":"hi","type":"text.format","config":{"template":"Hi {name}"}},` +
	`{"id":"said","type":"text.format","config":{"template":"{n}: {text}"}},` +
	`{"id":"out","type":"io.output","config":{"name":"result"}}],` +
	`"connections":[{"fromNodeId":"who","fromPort":"value","toNodeId":"hi","toPort":"name"},` +
	`{"fromNodeId":"at","fromPort":"value","toNodeId":"said","toPort":"n"},{"fromNodeId":"hi","fromPort":"result","toNodeId":"said","toPort":"text"},` +
	`{"fromNodeId":"said","fromPort":"result","toNodeId":"out","toPort":"value"}]}},` +
	`{"id":"all","type":"io.output","config":{"name":"all"},"position":{"x":600,"y":0}}],` +
	`"connections":[{"fromNodeId":"names","fromPort":"value","toNodeId":"each","toPort":"list"},{"fromNodeId":"each","fromPort":"result","toNodeId":"all","toPort":"value"}]}`

// result is what a step of the run that is shown gave.
func (b *bench) result(step string) any {
	b.t.Helper()
	at := b.runs.Shown().Record.Step(fold.Path(step))
	require.NotNil(b.t, at, "%s was not run", step)
	return at.Outputs["result"]
}

func TestOneNodeOfALoopIsRunInTheRoundThatIsLookedAt(t *testing.T) {
	inWindow(t, func(t *testing.T, b *bench) {
		b.opens(looped)
		b.ran("run.start")
		require.Equal(t, []any{"0: Hi Ada", "1: Hi Bo", "2: Hi Cy"}, b.runs.Shown().Record.Outputs["all"])
		require.True(t, b.board().ShowPath("each/said"))
		b.setTemplate("hi", "Other {name}")
		b.setTemplate("said", "{text} ({n})")
		b.ran("run.only")
		require.Equal(t, "Hi Cy (2)", b.result("each/2/said"), "the last round, and what leads there is not called")
		require.EqualValues(t, "each/2/said", b.views.output.Step(), "and that is what is shown, as the workflow has no outputs")
		require.Nil(t, b.runs.Shown().Record.Step("each/1/said"))
		require.Nil(t, b.runs.Shown().Record.Node("all"))
		require.Equal(t, 1, b.recorded(), "it is recorded nowhere")
		b.ran("run.only")
		require.Equal(t, "Hi Cy (2)", b.result("each/2/said"), "again, with what was used again")

		b.ran("run.start")
		require.True(t, b.board().ShowPath("each/hi"))
		b.views.Refresh()
		require.EqualValues(t, "each/2/hi", b.views.output.Step())
		b.stepBack()
		b.stepBack()
		require.EqualValues(t, "each/0/hi", b.views.output.Step())
		require.True(t, b.board().ShowPath("each/said"))
		b.views.panels.ShowTimeline() // and what was chosen stays so
		b.ran("run.only")
		require.Equal(t, "Other Ada (0)", b.result("each/0/said"))

		require.True(t, b.board().ShowPath("each/hi"))
		b.views.Refresh()
		b.ran("run.only")
		require.Equal(t, "Other Ada", b.result("each/0/hi"), "the same round")
	})
}

// stepBack looks at the round before.
func (b *bench) stepBack() {
	b.t.Helper()
	for _, link := range uitest.Seen[fyne.Tappable](b.views.output.Object()) {
		if word, ok := link.(interface{ Text() string }); ok && word.Text() == "‹" {
			link.Tapped(nil)
			b.settle()
			return
		}
	}
	require.Fail(b.t, "no way back")
}

func TestPinsCountForOneNodeOfALoop(t *testing.T) {
	inWindow(t, func(t *testing.T, b *bench) {
		b.opens(looped)
		require.True(t, b.board().ShowPath("each/hi"))
		b.workspace.Pin(map[string]engine.Pin{"each/hi": {Outputs: map[string]any{"result": "pinned"}}, "each/said": {Outputs: map[string]any{"result": "not this"}}})
		b.ran("run.start")
		require.True(t, b.board().ShowPath("each/said"))
		b.setTemplate("said", "{text} ({n})")
		b.ran("run.only")
		require.Equal(t, "pinned (2)", b.result("each/2/said"))
	})
}

func TestWhyANodeOfALoopCannotRunByItself(t *testing.T) {
	inWindow(t, func(t *testing.T, b *bench) {
		b.opens(looped)
		require.True(t, b.board().ShowPath("each/hi"))
		b.run("run.only")
		require.Contains(t, b.message(), "The output of “item” is not known")
		require.Nil(t, b.runs.Shown())
	})
}

func TestAFailureOfOneNodeOfALoopIsShownInIt(t *testing.T) {
	inWindow(t, func(t *testing.T, b *bench) {
		b.opens(looped)
		b.ran("run.start")
		require.True(t, b.board().ShowPath("each/said"))
		b.setTemplate("said", "{text")
		b.run("run.only")
		b.wait(time.Second)
		require.False(t, b.runs.Running())
		problems := b.views.board().Problems().All()
		require.NotEmpty(t, problems)
		require.Equal(t, "each/said", problems[0].NodeID)
	})
}
