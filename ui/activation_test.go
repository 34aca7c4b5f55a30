package ui

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/app"
	"github.com/svcflow/svc/credentials"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/nodes"
	"github.com/svcflow/svc/nodes/trigger"
	"github.com/svcflow/svc/store/memstore"
	"github.com/svcflow/svc/ui/hosts"
	"github.com/svcflow/svc/ui/kit"
	"github.com/svcflow/svc/ui/uitest"
)

const scheduled = `{"id":"nightly","name":"Nightly","nodes":[{"id":"when","type":"trigger.schedule","label":"Each night","config":{"cron":"0 3 * * *"}}],"connections":[]}`

// onServer opens a stored workflow of a server whose triggers can fire.
func (b *bench) onServer(t *testing.T, text, id string) (*app.App, *faulty) {
	t.Helper()
	env, err := nodes.Local(nodes.Policy{FilesDir: b.dir, Getenv: func(string) (string, bool) { return "", false }, Credentials: &credentials.Memory{}})
	require.NoError(t, err)
	a, err := app.New(app.Config{Env: env, Store: &memstore.Workflows{}, ExtraPlugins: []node.Plugin{trigger.Plugin(trigger.Config{})}, Triggers: true})
	require.NoError(t, err)
	b.closes(a)
	def, err := workflow.Decode([]byte(text), workflow.DefaultLimits())
	require.NoError(t, err)
	_, err = a.Save(t.Context(), def, workflow.Condition{})
	require.NoError(t, err)
	b.opens(text)
	require.False(t, b.commands.Enabled("run.activation"), "this computer arms nothing")

	server := newFaulty(a)
	b.servers.places[elsewhere] = hosts.Host{URL: elsewhere, Backend: server, Accounts: noAccounts{}, Look: server.look}
	b.workspace.CloseEverywhere(func() {})
	if b.win.Canvas().Overlays().Top() != nil {
		b.answer("Discard")
	}
	b.hosts.Connect(hosts.Address{URL: elsewhere}, nil)
	b.settle()
	b.files.openStored(b.hosts.Here(), id)
	b.settle()
	return a, server
}

const called = `{"id":"called","name":"Called","nodes":[
	{"id":"tick","type":"trigger.schedule","config":{"every":"1s"}},
	{"id":"hook","type":"trigger.webhook","config":{"path":"in/abcdefghijklmnopqrstuvwx","auth":"none"}}],"connections":[]}`

func TestTheLastEventIsUsedInTheWindow(t *testing.T) {
	inWindow(t, func(t *testing.T, b *bench) {
		a, _ := b.onServer(t, called, "called")
		_, err := a.Activate(t.Context(), "called", run.Arming{})
		require.NoError(t, err)
		b.wait(1500 * time.Millisecond)
		require.NoError(t, a.Deactivate(t.Context(), "called"))
		_, err = a.Activate(t.Context(), "called", run.Arming{Concurrency: 1})
		require.NoError(t, err)
		b.wait(1500 * time.Millisecond)

		b.run("run.activation")
		over := b.win.Canvas().Overlays().Top()
		address := elsewhere + "/hooks/in/abcdefghijklmnopqrstuvwx"
		require.Contains(t, uitest.Texts(over), address)
		b.answer("Copy address")
		require.Equal(t, address, b.config.App.Clipboard().Content())
		require.NotNil(t, b.win.Canvas().Overlays().Top(), "it stays there")
		b.answer("Use last event")
		over = b.win.Canvas().Overlays().Top()
		require.NotNil(t, over, "which one, and with what?")
		require.Equal(t, "Schedule (tick)", uitest.First[*kit.Select](t, over).Selected)
		last, err := a.LastFiring(t.Context(), "called", "tick")
		require.NoError(t, err)
		require.Contains(t, uitest.First[*kit.Entry](t, over).Text, last.Outputs["scheduled"])
		(&situation{bench: b}).escape()
		require.NoError(t, a.Deactivate(t.Context(), "called"))
	})
}

func TestAStoredWorkflowIsActivatedInTheWindow(t *testing.T) {
	inWindow(t, func(t *testing.T, b *bench) {
		a, server := b.onServer(t, scheduled, "nightly")
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
	})
}
