// Package hosts knows where workflows are stored and run: on this computer or on a server. It
// switches between them, and serves the workflows of this computer to other programs of the
// user.
package hosts

import (
	"context"
	"iter"
	"net/url"

	"fyne.io/fyne/v2/lang"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/ui/accounts"
	"github.com/svcflow/svc/ui/job"
	"github.com/svcflow/svc/ui/poster"
)

// Backend stores and runs workflows: this computer (*app.App) or a server (*client.Client of
// httpapi/client). It is safe for concurrent use. Its errors are [workflow.ErrNotFound],
// [workflow.ErrConflict], [engine.ValidationErrors] or others whose text tells the user what
// to do.
type Backend interface {
	NodeTypes(ctx context.Context) ([]*node.Spec, error)
	Choices(ctx context.Context, typ, port string, config map[string]any) ([]node.Choice, error)
	Validate(ctx context.Context, def *workflow.Definition) (engine.ValidationErrors, error)
	Hints(ctx context.Context, def *workflow.Definition) ([]engine.Hint, error)

	Workflows(ctx context.Context, q workflow.Query) (workflow.Page, error)
	Workflow(ctx context.Context, id string) (*workflow.Definition, error)
	Save(ctx context.Context, def *workflow.Definition, cond workflow.Condition) (workflow.Meta, error)
	Revisions(ctx context.Context, id string) ([]workflow.Meta, error)
	Revision(ctx context.Context, id string, n int) (*workflow.Definition, error)

	Activations(ctx context.Context) ([]run.Activation, error)
	Activate(ctx context.Context, workflowID string, how run.Arming) (run.Activation, error)
	Deactivate(ctx context.Context, workflowID string) error
	LastFiring(ctx context.Context, workflowID, nodeID string) (run.LastFiring, error)

	Start(ctx context.Context, def *workflow.Definition, o run.Request) (runID string, err error)
	Events(ctx context.Context, runID string, after int) iter.Seq2[engine.Event, error]
	Cancel(ctx context.Context, runID string) error
	Resume(ctx context.Context, runID string, how run.Resumption) (newRunID string, err error)
	Runs(ctx context.Context, q run.Query) (run.Page, error)
	Run(ctx context.Context, runID string) (run.Record, error)
	RunWorkflow(ctx context.Context, runID string) (*workflow.Definition, error)
}

// Host stores and runs workflows.
type Host struct {
	// URL is the address of the server; empty for this computer.
	URL      string
	Backend  Backend
	Accounts accounts.Source
	// Try runs a workflow without recording the run, as is done with pins, and passes on its
	// events; nil if the host cannot. It returns when the run has ended, or before it starts
	// if the workflow is invalid.
	Try func(ctx context.Context, def *workflow.Definition, q run.Request, observe func(engine.Event)) error
	// Media gives access to the media that workflows make; nil if the host has none.
	Media poster.Host
	// Look checks that the server answers and accepts the key; nil for a host that cannot be
	// lost. The text of its error tells the user what to do.
	Look func(ctx context.Context) error
}

// Local returns this computer.
func (p *Hosts) Local() Host { return p.config.Local }

// Name returns the user's name for the host.
func (p Host) Name() string { return NameOf(p.URL) }

// NameOf returns the user's name for the host at an address.
func NameOf(address string) string {
	if address == "" {
		return lang.L("This computer")
	}
	if u, err := url.Parse(address); err == nil && u.Host != "" {
		return u.Host + u.Path
	}
	return address
}

// Servers are the Svc servers of the user.
type Servers interface {
	// Known returns the addresses that were connected before, the last one first.
	Known() []string
	// Connect returns the server at an address. An empty key means the stored one, if any.
	// Once the server has accepted the key, address and key are stored, the key in the
	// keyring.
	Connect(ctx context.Context, address, key string) (Host, error)
	// Forget deletes an address and its key.
	Forget(ctx context.Context, address string) error
}

// LocalServer serves the workflows of this computer on 127.0.0.1, for other programs of the
// user.
type LocalServer interface {
	// Start starts serving, with a new key, and returns its address and key.
	Start(ctx context.Context) (address, key string, err error)
	// Stop stops serving, if it does.
	Stop(ctx context.Context) error
}

// User asks the user and shows messages.
type User interface {
	job.Reporter
	// AskServer asks for the address and the key of a server. A reason says why a, which was
	// entered before, was wrong. The user may cancel.
	AskServer(a Address, reason error, then func(Address))
	// ConfirmForget asks whether to delete a server from the list.
	ConfirmForget(address string, then func())
	// ShowServed shows the address and key of this computer's own server.
	ShowServed(a Address)
}

// Address is the address of a server and its key.
type Address struct{ URL, Key string }

// Config is what Hosts needs. All fields are required.
type Config struct {
	Local   Host
	Servers Servers
	Server  LocalServer
	User    User
	Jobs    *job.Runner
	// Switched is called after a switch to another host, with its node types. Changed is
	// called when this computer starts or stops serving.
	Switched func(p Host, types []*node.Spec)
	Changed  func()
	// Lost is called when the current server does not answer or no longer accepts the key,
	// and again after each failed attempt; Found when it answers again.
	Lost  func(*Loss)
	Found func(Host)
}

// Hosts knows where the user works. Make it with [New]. It belongs to the window's
// goroutine.
type Hosts struct {
	config    Config
	here      Host
	switching *job.Latest
	served    string
	watch     watch
}

// New returns Hosts with this computer as the current host.
func New(c Config) *Hosts { return &Hosts{config: c, here: c.Local, switching: c.Jobs.Latest(0)} }

// Here returns the current host.
func (p *Hosts) Here() Host { return p.here }

// Known returns the addresses of the known servers.
func (p *Hosts) Known() []string { return p.config.Servers.Known() }

// Served returns the address of this computer's own server; "" if it does not serve.
func (p *Hosts) Served() string { return p.served }

// GoTo switches to the host at an address and then calls then, unless it is nil.
func (p *Hosts) GoTo(address string, then func()) {
	switch address {
	case p.here.URL:
		if then != nil {
			then()
		}
	case "":
		p.settle(p.config.Local, then)
	default:
		p.Connect(Address{URL: address}, then)
	}
}

// AskServer asks for the address and key of a server and goes there.
func (p *Hosts) AskServer() {
	p.config.User.AskServer(Address{}, nil, func(a Address) { p.Connect(a, nil) })
}

// Correct asks for the key of the current server again, because of reason.
func (p *Hosts) Correct(reason error) {
	p.config.User.AskServer(Address{URL: p.here.URL}, reason, func(a Address) { p.Connect(a, nil) })
}

// Connect switches to a server. An empty key means the stored one. After an error, the user
// can correct the input.
func (p *Hosts) Connect(a Address, then func()) {
	p.switching.Now(job.Reporting(p.config.User, lang.L("Connecting to {{.Place}}…", map[string]any{"Place": NameOf(a.URL)}), func(ctx context.Context) (func(), error) {
		place, err := p.config.Servers.Connect(ctx, a.URL, a.Key)
		return func() {
			if err != nil {
				p.config.User.Complain(err)
				p.config.User.AskServer(a, err, func(a Address) { p.Connect(a, then) })
				return
			}
			p.settle(place, then)
		}, nil
	}))
}

// settle switches to a host once it has returned its node types.
func (p *Hosts) settle(place Host, then func()) {
	p.switching.Now(job.Reporting(p.config.User, lang.L("Asking for the node types…"), func(ctx context.Context) (func(), error) {
		types, err := place.Backend.NodeTypes(ctx)
		return func() {
			p.here = place
			p.attend()
			p.config.Switched(place, types)
			if then != nil {
				then()
			}
		}, err
	}))
}

// Forget deletes the current server and its key after asking.
func (p *Hosts) Forget() {
	address := p.here.URL
	p.config.User.ConfirmForget(address, func() {
		p.later(lang.L("Forgetting…"), func(ctx context.Context) (func(), error) {
			return func() { p.GoTo("", nil) }, p.config.Servers.Forget(ctx, address)
		})
	})
}

// Serve starts or stops serving the workflows of this computer.
func (p *Hosts) Serve() {
	if p.served != "" {
		p.later(lang.L("Stopping the server…"), func(ctx context.Context) (func(), error) {
			return func() { p.serve("") }, p.config.Server.Stop(ctx)
		})
		return
	}
	p.later(lang.L("Starting the server…"), func(ctx context.Context) (func(), error) {
		address, key, err := p.config.Server.Start(ctx)
		return func() {
			p.serve(address)
			p.config.User.ShowServed(Address{address, key})
		}, err
	})
}

func (p *Hosts) serve(address string) {
	p.served = address
	p.config.Changed()
}

// later runs something slow and shows its progress.
func (p *Hosts) later(what string, do func(ctx context.Context) (then func(), err error)) {
	p.config.Jobs.Go(job.Reporting(p.config.User, what, do))
}
