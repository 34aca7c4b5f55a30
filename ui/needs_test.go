package ui

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/credentials"
	"github.com/svcflow/svc/ui/editor/doc"
	"github.com/svcflow/svc/ui/uitest"
)

func TestTheNeedsOfAWorkflowAreListed(t *testing.T) {
	inWindow(t, func(t *testing.T, b *bench) {
		b.opens(`{"id":"w","nodes":[{"id":"a","type":"io.env_read","config":{"name":"SVC_VAR_REGION"},"position":{"x":0,"y":0}},` +
			`{"id":"b","type":"io.env_read","config":{"name":"SVC_VAR_REGION"},"label":"Again","position":{"x":0,"y":200}}],"connections":[]}`)
		b.run("run.needs")
		over := b.win.Canvas().Overlays().Top()
		require.NotNil(t, over)
		said := uitest.Texts(over)
		require.Contains(t, said, "SVC_VAR_REGION")
		require.Contains(t, said, "is not set")
		b.press("Again")
		require.Nil(t, b.win.Canvas().Overlays().Top())
		require.True(t, b.board().Selection.Node("b"), "it leads to the node")
	})
}

func TestMissingNeedsComeFirst(t *testing.T) {
	inWindow(t, func(t *testing.T, b *bench) {
		at := &hostCommands{parts: b.parts, views: b.views}
		has := available{accounts: map[string]credentials.State{"email:main": credentials.StateValid, "email:old": credentials.StateReauthorize}, variables: map[string]bool{"SVC_VAR_A": true}}
		needs := at.needed([]doc.Need{
			{Name: "email:main", Path: "a"},
			{Variable: true, Name: "SVC_VAR_A", Path: "b"},
			{Name: "email:old", Path: "c"},
			{Name: "pronet:none", Path: "d"},
			{Path: "e", Networks: []string{"email"}},
			{Name: "email:main", Path: "f"},
		}, has)
		var said []string
		for _, n := range needs {
			said = append(said, n.Name+" "+n.State)
			require.Equal(t, n.Missing, n.Mend != nil, n.Name)
		}
		require.Equal(t, []string{
			"email:old has to be connected again", "pronet:none is not connected", "An account none is chosen yet", "email:main is connected", "SVC_VAR_A is set",
		}, said)
		require.Len(t, needs[3].Nodes, 2, "each once, with all nodes that need it")
		unknown := at.needed([]doc.Need{{Name: "email:main"}, {Variable: true, Name: "X"}}, available{noAccounts: true, noVariables: true})
		require.False(t, unknown[0].Missing || unknown[1].Missing, "what cannot be asked is not missing")
	})
}
