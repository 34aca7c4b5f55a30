package ui

import (
	"fyne.io/fyne/v2"

	"github.com/svcflow/svc/app"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/ui/documents"
	"github.com/svcflow/svc/ui/places"
)

// Config is what the window is made of. All of it but Notice is required.
type Config struct {
	App   fyne.App
	Local places.Place // this computer
	// Registry has the node types that this program has itself: it tells the ports of
	// nodes whose ports depend on their settings.
	Registry *node.Registry
	Servers  places.Servers
	Server   places.LocalServer
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
