package ui

import (
	"context"

	"fyne.io/fyne/v2"

	"github.com/svcflow/svc/app"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/ui/accounts"
	"github.com/svcflow/svc/ui/documents"
)

// Config is what the window is made of. All of it but Notice is required.
type Config struct {
	App   fyne.App
	Local Place // this computer
	// Registry has the node types that this program has itself: it tells the ports of
	// nodes whose ports depend on their settings.
	Registry *node.Registry
	Servers  Servers
	Server   LocalServer
	// Drafts and Recent live in the user's own folders.
	Drafts    *documents.Drafts
	Recent    *documents.Recent
	Templates []app.Template
	// OpenURL opens an address in the user's browser.
	OpenURL func(address string) error
	Version string
	// Notice is said in the status bar at first; empty for nothing.
	Notice string
}

// Place is somewhere workflows are kept and run.
type Place struct {
	// URL is the address of the server; empty for this computer.
	URL      string
	Backend  Backend
	Accounts accounts.Source
}

// Servers are the Svc servers that the user works with.
type Servers interface {
	// Known returns the addresses that were connected to before, the last one first.
	Known() []string
	// Connect returns the server at an address. If key is empty, it is the one that
	// was kept before, if any. Once the server has taken the key, address and key are
	// kept, the key in the keyring.
	Connect(ctx context.Context, address, key string) (Place, error)
	// Forget drops an address and its key.
	Forget(ctx context.Context, address string) error
}

// LocalServer serves the workflows of this computer on 127.0.0.1, for other programs
// of the user's.
type LocalServer interface {
	// Start begins to serve, with a key made for this time, and returns how to call it.
	Start(ctx context.Context) (address, key string, err error)
	// Stop ends it; where nothing is served, it does nothing.
	Stop(ctx context.Context) error
}
