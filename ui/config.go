package ui

import (
	"embed"
	"time"

	"fyne.io/fyne/v2"

	"github.com/svcflow/svc/app"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/ui/documents"
	"github.com/svcflow/svc/ui/hosts"
)

// Config is what a window needs. All fields but Pace and Notice are required.
type Config struct {
	App   fyne.App
	Local hosts.Host // this computer
	// Registry has the node types of this program. It computes the ports of nodes whose ports
	// depend on their config.
	Registry *node.Registry
	Servers  hosts.Servers
	Server   hosts.LocalServer
	// Drafts, Recent and Tabs are stored in the user's own folders.
	Drafts    *documents.Drafts
	Recent    *documents.Recent
	Tabs      *documents.Tabs
	Templates []app.Template
	// Translations has a folder "translations" with a file per language: labels, categories
	// and descriptions of node types and their ports, by their English text. Missing ones are
	// shown in English.
	Translations embed.FS
	// OpenURL opens an address in the user's browser.
	OpenURL func(address string) error
	Version string
	// Pace is the minimum interval between two frames, for computers without a graphics card;
	// zero draws every frame.
	Pace time.Duration
	// Notice is the first message in the status bar; empty for none.
	Notice string
}
