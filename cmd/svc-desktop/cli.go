//go:build cgo || ci

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/svcflow/svc/app"
	"github.com/svcflow/svc/cmd/internal/program"
)

// The exit statuses for failures.
const (
	exitFailed  = 1
	exitInvalid = 2
)

// version is set by releases, with -ldflags "-X main.version=v1.2.3".
var version string

// cli is the command line.
type cli struct {
	Workflow string           `arg:"" optional:"" help:"Workflow to open: a file, or template:NAME. Without it, what was open the last time is, or the start page."`
	Data     string           `variable:"SVC_DATA" placeholder:"DIR" help:"Data directory, with the stored workflows and their runs ($$SVC_DATA). By default the folder where your system keeps the data of programs, such as ~/.local/share/svc."`
	Server   string           `variable:"SVC_SERVER" placeholder:"URL" help:"Svc server to offer in the window ($$SVC_SERVER). Its API key is taken from $$SVC_API_KEY. It also keeps your accounts if this computer has no keyring."`
	Version  kong.VersionFlag `help:"Print the version and end."`
}

const description = `svc-desktop draws, runs and looks at workflows: nodes, and the wires between their ports.

To begin:

    svc-desktop template:greeting
    svc-desktop greeting.json

What you store is in the data directory, where svc finds it too:

    svc run greeting --data ~/.local/share/svc

Workflows run as you: names of files are relative to the directory that svc-desktop is started in, and networks are set up by the environment, such as PRONET_CLIENT_ID. Accounts that you connect are kept in your keyring.`

// templatePrefix marks the name of a template on the command line.
const templatePrefix = "template:"

// usageError is a mistake in the command line.
type usageError struct{ error }

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// Unwrap returns the cause.
func (e usageError) Unwrap() error { return e.error }

// run opens the window that args ask for, and returns the exit status when it was
// closed, or ctx is done.
func run(ctx context.Context, args []string, stdout, stderr io.Writer, env func(string) (string, bool)) int {
	var c cli
	ended := false
	parser, err := kong.New(&c, kong.Name("svc-desktop"), kong.Description(description), kong.Writers(stdout, stderr),
		kong.Exit(func(int) { ended = true }), kong.Resolvers(program.Variables(env)),
		kong.Vars{"version": "svc-desktop " + program.Version(version)},
		kong.ConfigureHelp(kong.HelpOptions{WrapUpperBound: 100}))
	if err != nil {
		return report(stderr, err) // a mistake in the grammar, which every test would find
	}
	_, err = parser.Parse(args)
	switch {
	case ended:
		return 0
	case err != nil:
		return report(stderr, usagef("%w; see `svc-desktop --help`", err))
	}
	if c.Workflow, err = find(c.Workflow); err != nil {
		return report(stderr, err)
	}
	if err := checkDisplay(env); err != nil {
		return report(stderr, err)
	}
	return report(stderr, c.open(ctx, stderr, env))
}

// find returns the window's name of a workflow, or an error if it does not exist: that is
// better than a window with nothing but a message.
func find(name string) (string, error) {
	if name == "" {
		return "", nil
	}
	if template, ok := strings.CutPrefix(name, templatePrefix); ok {
		_, err := app.FindTemplate(template)
		if errors.Is(err, app.ErrNoTemplate) {
			return "", usagef("there is no template %q; there are %s", template, templateNames())
		}
		return name, err
	}
	switch info, err := os.Stat(name); {
	case errors.Is(err, os.ErrNotExist):
		return "", usagef("there is no file %s; start without it to draw a new workflow", name)
	case err != nil:
		return "", usageError{err}
	case info.IsDir():
		return "", usagef("%s is a directory; name a workflow in it", name)
	}
	return filepath.Abs(name)
}

func templateNames() string {
	templates, _ := app.Templates() // FindTemplate has read them
	names := make([]string, len(templates))
	for i := range templates {
		names[i] = templates[i].Name
	}
	return strings.Join(names, ", ")
}

// report prints an error, if any, and returns the exit status.
func report(stderr io.Writer, err error) int {
	if err == nil {
		return 0
	}
	fmt.Fprintf(stderr, "svc-desktop: %v\n", err) //nolint:errcheck // if this fails, there is nothing left to try
	if errors.As(err, new(usageError)) {
		return exitInvalid
	}
	return exitFailed
}
