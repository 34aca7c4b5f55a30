package main

import (
	"net/http"
	"path/filepath"

	"github.com/svcflow/svc/app"
	"github.com/svcflow/svc/cmd/internal/program"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/nodes"
	"github.com/svcflow/svc/store"
)

// filesDir is the part of the data directory that sandboxed workflows see.
const filesDir = "files"

// stored returns the workflows in a data directory.
func stored(data string) *store.FileStore { return store.File(filepath.Join(data, "workflows")) }

// open returns the App that runs workflows on the user's own machine, or as a
// server would.
func (h *host) open(data string, sandbox bool) (*app.App, error) {
	return h.openOver(data, sandbox, nil)
}

// openOver is open with something between workflows and the web; nil for nothing.
func (h *host) openOver(data string, sandbox bool, between func(http.RoundTripper) http.RoundTripper) (*app.App, error) {
	secrets, err := h.sources(data)
	if err != nil {
		return nil, err
	}
	policy, reach := nodes.Policy{FilesDir: ".", Getenv: h.env, Networks: secrets.networks, Credentials: secrets.refresher}, nodes.Local
	if sandbox {
		policy.FilesDir, reach = filepath.Join(data, filesDir), nodes.Sandbox
	}
	env, err := reach(policy)
	if err != nil {
		return nil, err
	}
	secrets.refresher.Transport = env.HTTP.Transport
	if between != nil {
		env.HTTP = &http.Client{Transport: between(env.HTTP.Transport)}
	}
	return app.New(app.Config{Env: env, ExtraPlugins: h.plugins(env), Store: stored(data)})
}

// plugins returns the plugins of networks. Their nodes get what workflows get from
// env; where the networks are, the operator says in the environment.
func (h *host) plugins(env nodes.Env) []node.Plugin { return program.Plugins(env, h.getenv, nil) }
