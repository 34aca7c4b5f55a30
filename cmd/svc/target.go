package main

import (
	"cmp"
	"context"
	"os"
	"strings"
	"time"

	"github.com/svcflow/svc/app"
	"github.com/svcflow/svc/cmd/internal/serving"
	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/httpapi/client"
)

// The variables that select the server or data directory of a command.
const (
	serverVariable  = "SVC_SERVER"
	profileVariable = "SVC_PROFILE"
	keyFileVariable = "SVC_API_KEY_FILE"
	dataVariable    = "SVC_DATA"
)

// serverFlags are the flags of commands that talk to a server.
type serverFlags struct {
	Server  string `variable:"SVC_SERVER" placeholder:"URL" help:"Address of the Svc server to use, such as http://127.0.0.1:8080."`
	Profile string `complete:"profile" variable:"SVC_PROFILE" placeholder:"NAME" help:"Profile of the server to use, as made by svc login; by default the current one."`
	KeyFile string `variable:"SVC_API_KEY_FILE" placeholder:"FILE" help:"File with the API key of --server, if it is not in $$SVC_API_KEY."`
}

// targetFlags are the flags of commands that use a server, or else this machine.
type targetFlags struct {
	serverFlags
	Data  string `variable:"SVC_DATA" placeholder:"DIR" help:"Data directory on this machine, with the stored workflows. By default the working directory."`
	Local bool   `help:"Use this machine, even if a profile is current."`
}

// dir returns the data directory.
func (f *targetFlags) dir() string { return cmp.Or(f.Data, ".") }

// remote returns a client of the server to use; nil for this machine. The command line has
// precedence over variables, and variables over the current profile.
func (f *targetFlags) remote(h *host) (*client.Client, error) {
	named := h.onLine(f.Server, serverVariable) || h.onLine(f.Profile, profileVariable)
	switch {
	case f.Local && named:
		return nil, usagef("--local is for this machine, and a server is named, too; give one of the two")
	case f.Local, h.onLine(f.Data, dataVariable) && !named:
		return nil, nil
	case f.Server == "" && f.Profile == "" && f.Data != "":
		return nil, nil
	}
	return f.serverFlags.remote(h)
}

// onLine reports whether the value of a flag is from the command line, not from its variable.
func (h *host) onLine(value, variable string) bool { return value != "" && value != h.getenv(variable) }

// client returns a client of the server to use. It is an error if no server is selected.
func (f *serverFlags) client(h *host) (*client.Client, error) {
	c, err := f.remote(h)
	if err == nil && c == nil {
		err = usagef("this needs a server; name it with --server URL or in %s, or log in with `svc login URL`", serverVariable)
	}
	return c, err
}

// remote returns a client of the server that flags, variables or the current profile select;
// nil if none of them does. It prints which server that is, unless the command line names it.
func (f *serverFlags) remote(h *host) (*client.Client, error) {
	t, err := f.target(h)
	if err != nil || t.url == "" {
		return nil, err
	}
	c, err := client.New(client.Config{URL: t.url, APIKey: t.key})
	switch {
	case err != nil && t.profile == "":
		return nil, usagef("--server: %w", err)
	case err != nil:
		return nil, usagef("profile %s: %w", t.profile, err)
	case t.profile != "":
		h.errorf("server %s (profile %s)", c.URL(), t.profile)
	case !h.onLine(f.Server, serverVariable):
		h.errorf("server %s (%s)", c.URL(), serverVariable)
	}
	return c, nil
}

// target is a server to use.
type target struct {
	url, key string
	profile  string // the profile that names the server; "" if a flag or a variable does
}

// target returns the selected server; its url is empty if none is selected.
func (f *serverFlags) target(h *host) (target, error) {
	server, profile, err := f.named(h)
	switch {
	case err != nil:
		return target{}, err
	case server != "":
		key, err := f.keyFor(h, server)
		return target{url: server, key: key}, err
	}
	all, err := h.profiles()
	if err != nil {
		return target{}, err
	}
	name := cmp.Or(profile, all.Current)
	if name == "" {
		return target{}, nil
	}
	p, ok := all.Profiles[name]
	if !ok {
		return target{}, noProfile(name)
	}
	t := target{url: p.Server, key: p.Key, profile: name}
	if h.onLine(f.KeyFile, keyFileVariable) { // variables may hold the key of another server
		t.key, err = f.key(h)
	}
	return t, err
}

// keyFor returns the key for a server: from flags and variables, else from a profile with
// that address.
func (f *serverFlags) keyFor(h *host, server string) (string, error) {
	key, err := f.key(h)
	if key != "" || err != nil {
		return key, err
	}
	all, err := h.profiles()
	if err != nil {
		return "", err
	}
	return all.keyOf(server), nil
}

// named returns the server or the profile that flags and variables name. The command line has
// precedence.
func (f *serverFlags) named(h *host) (server, profile string, err error) {
	if f.Server == "" || f.Profile == "" {
		return f.Server, f.Profile, nil
	}
	serverOnLine, profileOnLine := h.onLine(f.Server, serverVariable), h.onLine(f.Profile, profileVariable)
	switch {
	case serverOnLine == profileOnLine:
		return "", "", usagef("--server and --profile, or their variables, name two servers; give one of the two")
	case serverOnLine:
		return f.Server, "", nil
	}
	return "", f.Profile, nil
}

// key returns the API key that flags and variables name; "" if none does.
func (f *serverFlags) key(h *host) (string, error) {
	if f.KeyFile == "" {
		return h.getenv(serving.KeyVariable), nil
	}
	text, err := os.ReadFile(f.KeyFile)
	return strings.TrimSpace(string(text)), err
}

// backend stores and validates workflows, and stores their state. It is a server, or an App over
// the data directory of this machine.
type backend interface {
	memory
	Workflows(ctx context.Context, q workflow.Query) (workflow.Page, error)
	Workflow(ctx context.Context, id string) (*workflow.Definition, error)
	Save(ctx context.Context, def *workflow.Definition, cond workflow.Condition) (workflow.Meta, error)
	Delete(ctx context.Context, id string, cond workflow.Condition) error
	Revisions(ctx context.Context, id string) ([]workflow.Meta, error)
	Revision(ctx context.Context, id string, n int) (*workflow.Definition, error)
	Validate(ctx context.Context, def *workflow.Definition) (engine.ValidationErrors, error)
	Hints(ctx context.Context, def *workflow.Definition) ([]engine.Hint, error)
}

var (
	_ backend = (*app.App)(nil)
	_ backend = (*client.Client)(nil)
)

// backend returns the server or the App that the flags select.
func (f *targetFlags) backend(h *host) (backend, error) {
	server, err := f.remote(h)
	switch {
	case err != nil:
		return nil, err
	case server != nil:
		return server, nil
	}
	return h.open(f.dir())
}

// cancelTimeout bounds the request that cancels the run on the server after the user has
// interrupted svc.
const cancelTimeout = 5 * time.Second

// follow passes all events of a run to observe and returns the result.
func follow(ctx context.Context, c *client.Client, runID string, observe func(engine.Event)) (*engine.Result, error) {
	for e, err := range c.Events(ctx, runID, 0) {
		if err != nil {
			return nil, err
		}
		observe(e)
	}
	record, err := c.Run(ctx, runID)
	return record.Result, err
}

// cancelled cancels the run on the server if the user has interrupted svc.
func cancelled(ctx context.Context, c *client.Client, runID string) error {
	if ctx.Err() == nil {
		return nil
	}
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), cancelTimeout)
	defer stop()
	return c.Cancel(ctx, runID)
}

// ended is a run that has ended, here or on a server.
type ended interface {
	Status() engine.Status
	Err() *engine.Failure
	Outputs() map[string]any
	AppendJSON(dst []byte, elide int) []byte
}

// fetched is a run that has ended on a server.
type fetched struct{ result *engine.Result }

func (f fetched) Status() engine.Status                   { return f.result.Status }
func (f fetched) Err() *engine.Failure                    { return f.result.Error }
func (f fetched) Outputs() map[string]any                 { return f.result.Outputs }
func (f fetched) AppendJSON(dst []byte, elide int) []byte { return f.result.AppendJSON(dst, elide) }

var (
	_ ended = (*engine.Run)(nil)
	_ ended = fetched{}
)
