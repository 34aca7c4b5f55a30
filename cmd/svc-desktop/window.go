//go:build cgo || ci

package main

import (
	"context"
	_ "embed" // for the icon
	"errors"
	"io"
	"log/slog"
	"os"
	"time"

	"fyne.io/fyne/v2"
	fyneapp "fyne.io/fyne/v2/app"

	"github.com/svcflow/svc/app"
	"github.com/svcflow/svc/cmd/internal/program"
	"github.com/svcflow/svc/cmd/svc-desktop/internal/machine"
	"github.com/svcflow/svc/credentials/oauth"
	"github.com/svcflow/svc/nodes"
	"github.com/svcflow/svc/ui"
	"github.com/svcflow/svc/ui/documents"
)

// programID identifies the program to the system, as in FyneApp.toml.
const programID = "com.svcflow.svc"

// lastRuns limits how long runs may continue after the window was closed. Longer ones are
// interrupted and can be resumed.
const lastRuns = 2 * time.Second

//go:embed Icon.png
var icon []byte

// open shows the window until the user closes it or ctx is done.
func (c *cli) open(ctx context.Context, stderr io.Writer, env func(string) (string, bool)) (err error) {
	folders, err := machine.FindFolders(c.Data)
	if err != nil {
		return usageError{err}
	}
	config := machine.Config{
		Folders: folders, Getenv: env, Environ: os.Environ, Server: c.Server,
		OpenURL: oauth.SystemBrowser(io.Discard), // the output of browsers is useless
		Log:     slog.New(slog.NewTextHandler(stderr, &slog.HandlerOptions{Level: slog.LevelWarn})),
		Version: program.Version(version),
	}
	m, err := machine.Open(ctx, config)
	if err != nil {
		return err
	}
	defer func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastRuns)
		defer cancel()
		err = errors.Join(err, m.Close(ctx))
	}()
	if notice := m.Notice(); notice != "" {
		config.Log.Warn(notice)
	}
	return c.show(ctx, m, config)
}

// show makes the window and runs it.
func (c *cli) show(ctx context.Context, m *machine.Machine, config machine.Config) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = displayError(r)
		}
	}()
	drafts, err := documents.OpenDrafts(config.Folders.Drafts())
	if err != nil {
		return err
	}
	tabs, err := documents.OpenTabs(config.Folders.Tabs())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, tabs.Close()) }()
	templates, err := app.Templates()
	if err != nil {
		return err
	}
	a := fyneapp.NewWithID(programID)
	a.SetIcon(fyne.NewStaticResource("Icon.png", icon))
	window, err := ui.New(ui.Config{ //nolint:contextcheck // the work of a window lives as long as the window
		App: a, Local: m.Host(), Registry: m.NodeTypes(), Servers: m.Servers(), Server: m.Server(),
		Drafts: drafts, Recent: documents.OpenRecent(config.Folders.Recent()), Tabs: tabs, Templates: templates, Translations: nodes.Translations(),
		OpenURL: config.OpenURL, Version: config.Version, Notice: m.Notice(), Pace: pace(config.Getenv, os.DirFS("/dev")),
	})
	if err != nil {
		return err
	}
	if restored := window.Restore(); !restored || c.Workflow != "" { //nolint:contextcheck // as above
		window.Open(c.Workflow) //nolint:contextcheck // as above
	}
	stop := context.AfterFunc(ctx, window.Quit)
	defer stop()
	window.ShowAndRun() //nolint:contextcheck // as above
	return nil
}
