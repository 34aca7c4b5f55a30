package ui

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/ui/uitest"
)

const priced = `{"id":"priced","nodes":[` +
	`{"id":"in","type":"io.input","config":{"name":"orders","type":"list<any>","default":[{"total":3},{"total":1}]},"position":{"x":0,"y":0}},` +
	`{"id":"dear","type":"listops.filter","config":{"expression":"item.total > 2"},"position":{"x":240,"y":0}},` +
	`{"id":"out","type":"io.output","config":{"name":"found"},"position":{"x":480,"y":0}}],"connections":[` +
	`{"fromNodeId":"in","fromPort":"value","toNodeId":"dear","toPort":"list"},{"fromNodeId":"dear","fromPort":"result","toNodeId":"out","toPort":"value"}]}`

// inspected is all that the inspector says.
func (b *bench) inspected() []string { return uitest.Texts(b.views.inspector.Object()) }

func TestThePreviewOfAnExpressionUsesTheLastInputs(t *testing.T) {
	inWindow(t, func(t *testing.T, b *bench) {
		b.opens(priced)
		require.True(t, b.board().Show("dear"))
		b.views.Refresh()
		b.wait(time.Second)
		require.NotContains(t, b.inspected(), "Gives true", "nothing has come in yet")
		b.ran("run.start")
		b.board().Show("dear")
		b.views.Refresh()
		b.wait(time.Second)
		require.Contains(t, b.inspected(), "Gives true")
		require.Contains(t, b.inspected(), "Item 1 of 2")
		require.NoError(t, b.doc().SetConfig("dear", "expression", "item.total * 2"))
		b.views.Refresh()
		b.wait(time.Second)
		require.Contains(t, b.inspected(), "Gives 6")
		require.NoError(t, b.doc().SetConfig("dear", "expression", "item.total *"))
		b.views.Refresh()
		b.wait(2 * time.Second)
		require.NotContains(t, b.inspected(), "Gives 6")
		require.Contains(t, b.inspected(), "           ▲")
		require.Equal(t, 1, b.recorded(), "what is tried while typing is recorded nowhere")
	})
}
