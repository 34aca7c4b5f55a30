package main

import (
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
	a, _, err := h.openAll(data, sandbox)
	return a, err
}

// openAll is open, and returns where the App finds credentials, too.
func (h *host) openAll(data string, sandbox bool) (*app.App, *sources, error) {
	secrets, err := h.sources(data)
	if err != nil {
		return nil, nil, err
	}
	policy, reach := nodes.Policy{FilesDir: ".", Getenv: h.env, Credentials: secrets.refresher}, nodes.Local
	if sandbox {
		policy.FilesDir, reach = filepath.Join(data, filesDir), nodes.Sandbox
	}
	env, err := reach(policy)
	if err != nil {
		return nil, nil, err
	}
	a, err := app.New(app.Config{Env: env, ExtraPlugins: h.networks(env), Store: stored(data)})
	if err != nil {
		return nil, nil, err
	}
	secrets.setNetworks(a.Networks()) // only now are they known
	return a, secrets, nil
}

// networks returns the plugins of networks. Their nodes get what workflows get from
// env; where the networks are, the operator says in the environment.
func (h *host) networks(env nodes.Env) []node.Plugin { return program.Networks(env, h.getenv) }
