package ui

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/app"
	"github.com/svcflow/svc/credentials"
	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/nodes"
	"github.com/svcflow/svc/nodes/trigger"
	"github.com/svcflow/svc/store/memstore"
	"github.com/svcflow/svc/ui/documents"
	"github.com/svcflow/svc/ui/editor/doc"
	"github.com/svcflow/svc/ui/hosts"
)

// bench is a window and everything it needs, on virtual time. Background work runs only while
// the test settles or waits.
type bench struct {
	t       *testing.T
	dir     string
	config  Config
	app     *app.App
	servers *fakeServers
	queue   *queueDriver
	media   *shelf
	*Window
}

// inWindow runs a test with a window that shows the start page.
func inWindow(t *testing.T, f func(t *testing.T, b *bench)) {
	t.Helper()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		f(t, newBench(t, dir))
	})
}

// newBench opens a window in a bubble. It is closed at the end of the test, also of a failed
// one: a goroutine left in a bubble would make the whole process panic.
func newBench(t *testing.T, dir string, change ...func(*Config)) *bench {
	t.Helper()
	env, err := nodes.Local(nodes.Policy{FilesDir: dir, Getenv: func(string) (string, bool) { return "", false }, Credentials: &credentials.Memory{}})
	require.NoError(t, err)
	a, err := app.New(app.Config{Env: env, Store: &memstore.Workflows{}, ExtraPlugins: []node.Plugin{trigger.Plugin(trigger.Config{})}})
	require.NoError(t, err)
	registry, err := node.NewRegistry(append(nodes.Builtin(env), trigger.Plugin(trigger.Config{}))...)
	require.NoError(t, err)
	drafts, err := documents.OpenDrafts(filepath.Join(dir, "drafts"))
	require.NoError(t, err)
	tabs, err := documents.OpenTabs(filepath.Join(dir, "tabs.json"))
	require.NoError(t, err)
	templates, err := app.Templates()
	require.NoError(t, err)
	b := &bench{t: t, dir: dir, app: a, media: &shelf{files: map[string]string{}}, servers: &fakeServers{places: map[string]hosts.Host{}}}
	queued := newQueueApp(t)
	b.queue = queued.driver
	b.config = Config{
		App: queued, Local: hosts.Host{Backend: a, Accounts: noAccounts{}, Try: tryAt(a), Media: b.media}, Registry: registry, Servers: b.servers, Server: &fakeServer{},
		Drafts: drafts, Recent: documents.OpenRecent(filepath.Join(dir, "recent.json")), Tabs: tabs, Templates: templates,
		OpenURL: func(string) error { return nil }, Version: "v0",
	}
	for _, f := range change {
		f(&b.config)
	}
	b.Window, err = New(b.config)
	require.NoError(t, err)
	t.Cleanup(b.finish)
	b.win.Show()
	b.settle()
	return b
}

// tryAt runs workflows with pins.
func tryAt(a *app.App) func(context.Context, *workflow.Definition, run.Request, func(engine.Event)) error {
	return func(ctx context.Context, def *workflow.Definition, q run.Request, observe func(engine.Event)) error {
		_, err := a.Execute(ctx, def, q, observe)
		return err
	}
}

// settle runs background work until only timers are left.
func (b *bench) settle() { b.queue.Settle() }

// doc is the document that is worked on.
func (b *bench) doc() *doc.Document {
	b.t.Helper()
	require.NotNil(b.t, b.workspace.Active(), "nothing is open")
	return b.workspace.Active().Document
}

// message is what the status bar says.
func (b *bench) message() string { return b.views.status.message.Text() }

// wait advances the time.
func (b *bench) wait(d time.Duration) {
	const step = 50 * time.Millisecond
	for end := time.Now().Add(d); time.Now().Before(end); {
		time.Sleep(step) //nolint:forbidigo // of the bubble
		b.settle()
	}
}

// run runs a command, which must be possible.
func (b *bench) run(id string) {
	b.t.Helper()
	require.True(b.t, b.commands.Run(id), "%s cannot be run", id)
	b.settle()
}

// finish ends the window without asking, and what is behind it.
func (b *bench) finish() {
	b.workspace.Clear(false)
	b.runs.Forget()
	b.settle()
	b.end()
	require.NoError(b.t, b.config.Tabs.Close())
	require.NoError(b.t, b.app.Close(context.Background()))
}

// closes closes what is behind a server when the test ends, also one that has failed.
func (b *bench) closes(server *app.App) {
	b.t.Cleanup(func() {
		b.runs.Forget()
		b.settle()
		require.NoError(b.t, server.Close(context.Background()))
	})
}

// over requires that all windows have ended, and that nothing of them is left to ask about.
func (b *bench) over() {
	b.t.Helper()
	require.True(b.t, b.windows.over.Load())
	left, err := b.config.Drafts.Orphans()
	require.NoError(b.t, err)
	require.Empty(b.t, left)
}

// fakeServers are the hosts of a test.
type fakeServers struct {
	places    map[string]hosts.Host
	key       string
	forgotten string
}

func (f *fakeServers) Known() []string {
	var known []string
	for address := range f.places {
		known = append(known, address)
	}
	return known
}

func (f *fakeServers) Connect(_ context.Context, address, key string) (hosts.Host, error) {
	p, ok := f.places[address]
	if !ok {
		return hosts.Host{}, errors.New("nobody answers there")
	}
	f.key = key
	return p, nil
}

func (f *fakeServers) Forget(_ context.Context, address string) error {
	f.forgotten = address
	delete(f.places, address)
	return nil
}

type fakeServer struct{ on bool }

func (f *fakeServer) Start(context.Context) (address, key string, err error) {
	f.on = true
	return "http://127.0.0.1:1234", "generated", nil
}

func (f *fakeServer) Stop(context.Context) error {
	f.on = false
	return nil
}

// noAccounts is a source without accounts.
type noAccounts struct{}

func (noAccounts) Accounts(context.Context) ([]credentials.Status, error) { return nil, nil }

func (noAccounts) Networks() []string { return []string{"pronet"} }

func (noAccounts) Logins(string) bool { return true }

func (noAccounts) Set(context.Context, credentials.Ref, credentials.Credential) error { return nil }

func (noAccounts) Connect(context.Context, credentials.Ref, func(address string)) error { return nil }

func (noAccounts) Test(context.Context, credentials.Ref) error { return nil }

func (noAccounts) Disconnect(context.Context, credentials.Ref) error { return nil }

func (noAccounts) Storage() (text string, fine bool) { return "Nowhere.", true }
func (noAccounts) Retry(context.Context)             {}

// stored returns a workflow of one input and one output.
func stored(id string) *workflow.Definition {
	def, err := app.FindTemplate("greeting")
	if err != nil {
		panic(err)
	}
	copied := *def
	copied.ID, copied.Name = id, id
	return &copied
}
