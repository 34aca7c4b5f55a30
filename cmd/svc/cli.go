package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/svcflow/svc/cmd/internal/program"
	"github.com/svcflow/svc/cmd/internal/serving"
	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/httpapi/client"
)

// The exit statuses of failed commands.
const (
	exitFailed      = program.ExitFailed
	exitInvalid     = program.ExitInvalid
	exitInterrupted = program.ExitInterrupted
)

// cli is the grammar of the command line.
type cli struct {
	Serve       serveCmd       `cmd:"" help:"Serve workflows over HTTP."`
	Run         runCmd         `cmd:"" help:"Run a workflow and print its outputs."`
	Test        testCmd        `cmd:"" help:"Run tests of workflows, without calling anything outside."`
	Validate    validateCmd    `cmd:"" help:"List all errors of workflows."`
	Nodes       nodesCmd       `cmd:"" help:"List the node types, or explain one."`
	Fmt         fmtCmd         `cmd:"" help:"Format workflow files in canonical form."`
	Templates   templatesCmd   `cmd:"" help:"List workflows to start from, or print one."`
	Workflows   workflowsCmd   `cmd:"" help:"List, show, save, compare and delete stored workflows."`
	Runs        runsCmd        `cmd:"" help:"List, show, follow, cancel and resume runs of a server."`
	Triggers    triggersCmd    `cmd:"" help:"List the triggers of active workflows, or fire one."`
	State       stateCmd       `cmd:"" help:"Show and change the state of workflows."`
	Credentials credentialsCmd `cmd:"" help:"List, test, connect and disconnect accounts at networks."`
	Keys        keysCmd        `cmd:"" help:"Create, list and revoke named keys of a server."`
	Sync        syncCmd        `cmd:"" help:"Synchronize the workflows of a directory and a server."`
	Migrate     migrateCmd     `cmd:"" help:"Create or upgrade the tables of a database for workflows."`
	Login       signInCmd      `cmd:"" help:"Log in at a server: store its address and key, and use it from now on."`
	Logout      signOutCmd     `cmd:"" help:"Log out of a server: delete its address and key."`
	Profiles    profilesCmd    `cmd:"" help:"List the servers where you are logged in, or select one."`
	Completion  completionCmd  `cmd:"" help:"Print a script for completion in a shell."`
	Complete    completeCmd    `cmd:"" hidden:"" help:"Print completions for a shell."`
	Version     versionCmd     `cmd:"" help:"Print the version."`
	Help        helpCmd        `cmd:"" help:"Explain svc, or a command."`

	ShowVersion kong.VersionFlag `name:"version" help:"Print the version, as the command does."`
}

const description = `Svc runs workflows: nodes, and the wires between their ports.

To begin:

    svc templates
    svc run template:greeting --input who=Ada
    svc templates greeting > greeting.json
    svc serve --data ./data`

// dataFlag is the flag of commands that use the data directory.
type dataFlag = serving.Data

// execFlag is the flag of commands that let workflows run.
type execFlag = serving.Exec

// host is the process environment of a command: standard streams, variables, and so on.
type host struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	env            func(name string) (string, bool)
}

// getenv returns an environment variable; "" if it is not set.
func (h *host) getenv(name string) string {
	v, _ := h.env(name)
	return v
}

// status is an error that ends svc with that exit status. The reason has been printed already.
type status int

// Error implements error.
func (s status) Error() string { return fmt.Sprintf("exit status %d", int(s)) }

// usageError is a mistake in the command line.
type usageError = program.UsageError

func usagef(format string, args ...any) error { return program.Usagef(format, args...) }

// execute runs the command in args and returns the exit status. It stops when ctx is done.
func execute(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer, env func(string) (string, bool)) int {
	if program.Apart(args) {
		return program.WorkApart(args, stdin, stdout)
	}
	h := &host{stdin: stdin, stdout: stdout, stderr: stderr, env: env}
	line := program.Line{
		Name: "svc", Description: description, Stdout: stdout, Stderr: stderr, Env: env,
		Vars: kong.Vars{"source": sourceHelp, "runid": runIDHelp, "version": versionText()},
	}
	parser, helped, err := line.Parser(ctx, &cli{}, h)
	if err != nil {
		return h.report(ctx, err) // a mistake in the grammar, which every test would show
	}
	if len(args) == 0 {
		args = []string{"--help"}
	}
	command, err := parser.Parse(args)
	switch {
	case *helped:
		return 0
	case err != nil:
		return h.report(ctx, usageError{Err: program.Hinted("svc", err)})
	}
	return h.report(ctx, command.Run())
}

// report prints an error on one line and returns the exit status.
func (h *host) report(ctx context.Context, err error) int {
	var exit status
	var problems engine.ValidationErrors
	switch {
	case err == nil:
		return 0
	case errors.As(err, &exit):
		return int(exit)
	case ctx.Err() != nil && errors.Is(err, ctx.Err()):
		h.errorf("interrupted")
		return exitInterrupted
	case errors.As(err, &problems):
		for _, p := range problems {
			h.errorf("%s", problemText(p))
		}
		return exitInvalid
	}
	h.errorf("%s", oneLine(errorText(err)))
	if errors.As(err, new(usageError)) || errors.As(err, new(formError)) {
		return exitInvalid
	}
	return exitFailed
}

// errorText returns the message of an error for the command line. A server names headers;
// here flags and variables set them.
func errorText(err error) string {
	if errors.Is(err, &client.Error{Code: client.CodeUnauthorized}) {
		return "the server does not take the API key; log in with `svc login URL`, name the file that holds the key with --key-file FILE, or put the key into " + serving.KeyVariable
	}
	return err.Error()
}

// errorf prints a line to standard error.
func (h *host) errorf(format string, args ...any) {
	fmt.Fprintf(h.stderr, "svc: "+format+"\n", args...) //nolint:errcheck // there is nowhere left to say so
}

// print writes to standard output.
func (h *host) print(text string) error {
	_, err := io.WriteString(h.stdout, text)
	return err
}

type helpCmd struct {
	Command []string `arg:"" optional:"" name:"command" help:"The command to explain, such as run or runs list."`
}

// Help implements kong.HelpProvider.
func (c *helpCmd) Help() string {
	return `Prints the same as COMMAND --help.

Examples:

    svc help
    svc help runs list`
}

// Run explains the command.
func (c *helpCmd) Run(of *kong.Context) error {
	asked, err := kong.Trace(of.Kong, c.Command)
	if err != nil {
		return err
	}
	last := asked.Path[len(asked.Path)-1]
	if given := len(c.Command); depthOf(last.Node()) < given {
		return usagef("there is no command %q; `svc help` lists them all", oneLine(strings.Join(c.Command, " ")))
	}
	return asked.PrintUsage(false)
}

// depthOf returns the number of words in the name of a command.
func depthOf(n *kong.Node) (words int) {
	for ; n != nil && n.Parent != nil; n = n.Parent {
		words++
	}
	return words
}

// version is set by releases, with -ldflags "-X main.version=v1.2.3".
var version string

type versionCmd struct {
	outputFlag
}

// Help implements kong.HelpProvider.
func (c *versionCmd) Help() string {
	return `Prints the version of svc, the commit it was built from, and the Go version and platform it was built for.

Examples:

    svc version
    svc version --output json`
}

// Run prints the version.
func (c *versionCmd) Run(h *host) error {
	return c.answer(h, shownVersion{program.Version(version), runtime.Version(), runtime.GOOS + "/" + runtime.GOARCH}, versionText()+"\n")
}

// shownVersion is the answer of svc version.
type shownVersion struct {
	Version  string `json:"version"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

func versionText() string {
	return fmt.Sprintf("svc %s %s %s/%s", program.Version(version), runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
