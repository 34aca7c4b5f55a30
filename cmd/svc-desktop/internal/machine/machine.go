package machine

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"

	"github.com/svcflow/svc/app"
	"github.com/svcflow/svc/cmd/internal/program"
	"github.com/svcflow/svc/credentials/client"
	"github.com/svcflow/svc/credentials/network"
	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/nodes"
	"github.com/svcflow/svc/nodes/folder"
	"github.com/svcflow/svc/store"
	"github.com/svcflow/svc/store/filestore"
	"github.com/svcflow/svc/store/memstore"
	"github.com/svcflow/svc/store/runlog"
	"github.com/svcflow/svc/store/statelog"
	"github.com/svcflow/svc/ui/hosts"
)

// keyringName is the editor's name in the keyring.
const keyringName = "com.svcflow.svc"

// Config is what a [Machine] needs. Folders, Getenv, Environ and OpenURL are required.
type Config struct {
	Folders Folders
	// Getenv and Environ are os.LookupEnv and os.Environ except in tests.
	Getenv  func(name string) (value string, found bool)
	Environ func() []string
	// OpenURL opens an address in the user's browser.
	OpenURL func(address string) error
	// Server is the address of a Svc server, if the user has configured one. It is in the
	// list, its key is in the environment, and it connects accounts if this computer has no
	// keyring.
	Server string
	// Keyring is the keyring; nil means that of the operating system.
	Keyring client.Keyring
	// Transport is the HTTP transport to servers and to the logins of networks; nil is
	// http.DefaultTransport.
	Transport http.RoundTripper
	// Log gets messages that are not for the window; nil discards them.
	Log     *slog.Logger
	Version string
}

// Machine is this computer. Make one with [Open] and end it with [Machine.Close]. Its methods
// belong to one goroutine; what they return is safe for concurrent use.
type Machine struct {
	files   folder.Files
	config  Config
	app     *app.App
	store   *filestore.Store
	secrets *secrets
	servers *servers
	serving *localServer
	notice  string
}

// Open opens the folders and looks for a keyring, which takes three seconds if it does not
// answer. Its errors say what to change.
func Open(ctx context.Context, c Config) (*Machine, error) {
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	networks, err := network.Open(c.Folders.Data)
	if err != nil {
		return nil, err
	}
	m := &Machine{config: c, store: filestore.Open(c.Folders.workflows()), servers: newServers(&c, networks)}
	exchange, err := m.servers.exchange()
	if err != nil {
		return nil, err
	}
	m.secrets = openSecrets(ctx, &m.config, networks, exchange)
	if err := m.openApp(); err != nil {
		return nil, err
	}
	m.servers.near = media{m.app, m.files}
	m.serving = &localServer{config: m.service, log: c.Log}
	return m, nil
}

// openApp makes the app that runs workflows. On the user's own machine they may do whatever
// the user may.
func (m *Machine) openApp() error {
	files, err := filesOf()
	if err != nil {
		return err
	}
	env, err := nodes.Local(nodes.Policy{FilesDir: files, Getenv: m.config.Getenv, Networks: m.secrets.networks, Credentials: m.secrets.refresher, Code: program.Child})
	if err != nil {
		return err
	}
	m.secrets.refresher.Transport, m.files = env.HTTP.Transport, env.Files
	runs, err := m.openRuns()
	if err != nil {
		return err
	}
	m.app, err = app.New(app.Config{
		Env: env, ExtraPlugins: m.plugins(env), Store: m.store, Runs: runs, Log: m.config.Log,
		State: statelog.Open(m.config.Folders.state()), KeepState: true,
	})
	if err != nil {
		return errors.Join(err, runs.Close())
	}
	return nil
}

// openRuns opens the store of runs: files, unless another program has them open.
func (m *Machine) openRuns() (store.RunStore, error) {
	keep := store.DefaultRetention()
	runs, err := runlog.Open(m.config.Folders.runs(), runlog.Options{Keep: keep, Log: m.config.Log})
	switch {
	case errors.Is(err, store.ErrRunsInUse):
		m.notice = fmt.Sprintf("Another Svc keeps its runs in %s, so runs of this window are forgotten when it closes.", m.config.Folders.runs())
		return &memstore.Runs{Retention: keep}, nil
	case err != nil:
		return nil, fmt.Errorf("runs cannot be kept: %w; choose another --data directory", err)
	}
	return runs, nil
}

// plugins returns the plugins of networks.
func (m *Machine) plugins(env nodes.Env) []node.Plugin {
	return program.Plugins(env, m.config.getenv, nil)
}

// getenv returns an environment variable; "" if it is not set.
func (c *Config) getenv(name string) string {
	v, _ := c.Getenv(name)
	return v
}

// Host returns this computer as a host of workflows.
func (m *Machine) Host() hosts.Host {
	return hosts.Host{Backend: m.app, Accounts: m.secrets, Try: m.try, Media: media{m.app, m.files}}
}

func (m *Machine) try(ctx context.Context, def *workflow.Definition, q run.Request, observe func(engine.Event)) error {
	_, err := m.app.Execute(ctx, def, q, observe)
	return err
}

// NodeTypes returns the node types of this program.
func (m *Machine) NodeTypes() *node.Registry { return m.app.Registry() }

// Servers returns the servers of the user.
func (m *Machine) Servers() hosts.Servers { return m.servers }

// Server returns the local server for the workflows of this computer.
func (m *Machine) Server() hosts.LocalServer { return m.serving }

// Notice returns a sentence that the user should read at the start; empty for none.
func (m *Machine) Notice() string { return m.notice }

// Close interrupts runs that have not ended when ctx ends, which can be resumed, and stops
// serving. When it returns, everything is stored.
func (m *Machine) Close(ctx context.Context) error {
	err := errors.Join(m.serving.Stop(ctx), m.app.Close(ctx))
	m.secrets.refresher.Wait()
	return err
}
