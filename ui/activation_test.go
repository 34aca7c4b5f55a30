package ui

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/app"
	"github.com/svcflow/svc/credentials"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/nodes"
	"github.com/svcflow/svc/nodes/trigger"
	"github.com/svcflow/svc/store"
	"github.com/svcflow/svc/ui/places"
	"github.com/svcflow/svc/ui/uitest"
)

const scheduled = `{"id":"nightly","name":"Nightly","nodes":[{"id":"when","type":"trigger.schedule","label":"Each night","config":{"cron":"0 3 * * *"}}],"connections":[]}`

func TestAStoredWorkflowIsActivatedInTheWindow(t *testing.T) {
	inWindow(t, func(t *testing.T, b *bench) {
		env, err := nodes.Local(nodes.Policy{FilesDir: b.dir, Getenv: func(string) (string, bool) { return "", false }, Credentials: &credentials.Memory{}})
		require.NoError(t, err)
		a, err := app.New(app.Config{Env: env, Store: &store.Memory{}, ExtraPlugins: []node.Plugin{trigger.Plugin(trigger.Config{})}, Triggers: true})
		require.NoError(t, err)
		def, err := workflow.Decode([]byte(scheduled), workflow.DefaultLimits())
		require.NoError(t, err)
		_, err = a.Save(t.Context(), def, workflow.Condition{})
		require.NoError(t, err)
		b.opens(scheduled)
		require.False(t, b.commands.Enabled("run.activation"), "this computer arms nothing")

		server := newFaulty(a)
		b.servers.places[elsewhere] = places.Place{URL: elsewhere, Backend: server, Accounts: noAccounts{}, Look: server.look}
		b.desk.Leave(func() {})
		if b.win.Canvas().Overlays().Top() != nil {
			b.answer("Discard")
		}
		b.places.Connect(places.Address{URL: elsewhere}, nil)
		b.settle()
		b.files.openStored(b.places.Here(), "nightly")
		b.settle()
		b.run("run.activation")
		over := func() []string { return uitest.Texts(b.win.Canvas().Overlays().Top()) }
		b.answer("Activate")
		require.Contains(t, over(), "Each night")
		active, err := a.Activations(t.Context())
		require.NoError(t, err)
		require.Len(t, active, 1)
		require.Contains(t, over(), "next "+nextIn(active[0].Triggers[0].Next, active[0].Since))

		server.readOnly = true
		b.answer("Deactivate")
		require.Contains(t, b.message(), errForbidden.Error())
		server.readOnly = false
		b.run("run.activation")
		b.answer("Deactivate")
		active, err = a.Activations(t.Context())
		require.NoError(t, err)
		require.Empty(t, active)
		(&situation{bench: b}).escape()
		b.runs.Forget()
		require.NoError(t, a.Close(t.Context()))
	})
}
