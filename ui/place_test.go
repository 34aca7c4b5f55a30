package ui

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/app"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/nodes"
	"github.com/svcflow/svc/ui/documents"
	"github.com/svcflow/svc/ui/hosts"
	"github.com/svcflow/svc/ui/kit"
	"github.com/svcflow/svc/ui/uitest"
)

const elsewhere = "https://svc.example.org/flow"

// withServer gives a test a server with a workflow stored on it.
func withServer(t *testing.T, f func(t *testing.T, b *bench, server *app.App)) {
	t.Helper()
	inWindow(t, func(t *testing.T, b *bench) {
		env, err := nodes.Sandbox(nodes.Policy{FilesDir: b.dir})
		require.NoError(t, err)
		server, err := app.New(app.Config{Env: env})
		require.NoError(t, err)
		b.closes(server)
		_, err = server.Save(t.Context(), stored("there"), workflow.Condition{})
		require.NoError(t, err)
		b.servers.places[elsewhere] = hosts.Host{URL: elsewhere, Backend: server, Accounts: noAccounts{}}
		f(t, b, server)
	})
}

func TestWorkOnAServer(t *testing.T) {
	withServer(t, func(t *testing.T, b *bench, server *app.App) {
		b.hosts.Connect(hosts.Address{URL: elsewhere, Key: "its key"}, nil)
		b.settle()
		require.Equal(t, "its key", b.servers.key)
		require.Equal(t, "svc.example.org/flow", b.views.top.place.Text)
		b.files.openStored(b.hosts.Here(), "there")
		b.wait(time.Second)
		require.Equal(t, []string{"there"}, b.views.names.stored, "what fields may name")

		b.change("Changed there")
		b.run("file.save")
		kept, err := server.Workflow(t.Context(), "there")
		require.NoError(t, err)
		require.Equal(t, "Changed there", kept.Name)

		b.run("run.start")
		b.wait(time.Second)
		page, err := server.Runs(t.Context(), run.Query{})
		require.NoError(t, err)
		require.Len(t, page.Items, 1, "it ran on the server")
		require.Equal(t, page.Items[0].RunID, b.runs.Shown().Record.RunID)

		b.run("file.curl")
		text := b.config.App.Clipboard().Content()
		require.Contains(t, text, elsewhere+"/workflows/there/run")
		require.NotContains(t, text, "its key")
	})
}

func TestAWorkflowOfAnotherHostIsNotSavedHere(t *testing.T) {
	withServer(t, func(t *testing.T, b *bench, _ *app.App) {
		b.hosts.Connect(hosts.Address{URL: elsewhere, Key: ""}, nil)
		b.settle()
		b.files.openStored(b.hosts.Here(), "there")
		b.settle()
		b.change("Changed")
		b.hosts.GoTo("", nil)
		b.settle()
		require.Equal(t, "This computer", b.views.top.place.Text)
		require.Equal(t, "Changed", b.doc().Name(), "the document stays open")
		b.run("file.save")
		b.answer("Cancel")
		_, err := b.app.Workflow(t.Context(), "there")
		require.ErrorIs(t, err, workflow.ErrNotFound)
	})
}

func TestTheStartPageSaysWhereStoredWorkflowsAre(t *testing.T) {
	withServer(t, func(t *testing.T, b *bench, _ *app.App) {
		says := func(text string) { require.Contains(t, uitest.Texts(b.views.start.Object()), text) }
		says("Open from this computer…")
		b.hosts.Connect(hosts.Address{URL: elsewhere, Key: ""}, nil)
		b.settle()
		b.files.showStart()
		says("Open from " + hosts.NameOf(elsewhere) + "…")
	})
}

func TestARecentWorkflowOfAServerLeadsThere(t *testing.T) {
	withServer(t, func(t *testing.T, b *bench, _ *app.App) {
		b.files.openRecent(documents.Origin{ID: "there", Server: elsewhere})
		b.settle()
		require.Equal(t, elsewhere, b.hosts.Here().URL)
		require.Equal(t, "there", b.doc().Name())
	})
}

func TestAServerThatDoesNotAnswerChangesNothing(t *testing.T) {
	inWindow(t, func(t *testing.T, b *bench) {
		b.hosts.Connect(hosts.Address{URL: "https://gone.example.org", Key: ""}, nil)
		b.settle()
		require.Contains(t, b.message(), "nobody answers")
		require.Empty(t, b.hosts.Here().URL)
	})
}

func TestTheAddressOfAServerCanBeCorrected(t *testing.T) {
	withServer(t, func(t *testing.T, b *bench, _ *app.App) {
		b.hosts.Connect(hosts.Address{URL: "gone.example.org", Key: "its key"}, nil)
		b.settle()
		require.NotNil(t, b.win.Canvas().Overlays().Top(), "it asks again")
		address, ok := b.win.Canvas().Focused().(*kit.Entry)
		require.True(t, ok)
		require.Equal(t, "gone.example.org", address.Text)
		address.SetText(elsewhere)
		b.pressEnter()
		b.settle()
		require.Equal(t, elsewhere, b.hosts.Here().URL)
		require.Equal(t, "its key", b.servers.key)
		require.Nil(t, b.win.Canvas().Overlays().Top())
	})
}

func TestForgetAServer(t *testing.T) {
	withServer(t, func(t *testing.T, b *bench, _ *app.App) {
		require.False(t, b.commands.Enabled("place.forget"))
		b.hosts.Connect(hosts.Address{URL: elsewhere, Key: ""}, nil)
		b.settle()
		b.run("place.forget")
		b.answer("Forget it")
		require.Equal(t, elsewhere, b.servers.forgotten)
		require.Empty(t, b.hosts.Here().URL)
	})
}

func TestServeTheWorkflowsOfThisComputer(t *testing.T) {
	inWindow(t, func(t *testing.T, b *bench) {
		server := b.config.Server.(*fakeServer)
		b.run("place.serve")
		require.True(t, server.on)
		b.answer("Close")
		b.Open("template:greeting")
		b.settle()
		b.run("file.curl")
		require.Contains(t, b.config.App.Clipboard().Content(), "http://127.0.0.1:1234/execute")
		require.NotContains(t, b.config.App.Clipboard().Content(), "generated", "a clipboard is no place for a key")
		b.run("place.serve")
		require.False(t, server.on)
	})
}

func TestCurlQuotes(t *testing.T) {
	require.Equal(t, "curl -X POST 'http://h/workflows/a%2Fb%27c/run' \\\n  -H \"Authorization: Bearer $SVC_API_KEY\" \\\n"+
		"  -H 'Content-Type: application/json' \\\n  -d '{\"inputs\":{\"who\":\"it'\\''s\"}}'", curl("http://h", "a/b'c", map[string]any{"who": "it's"}))
}
