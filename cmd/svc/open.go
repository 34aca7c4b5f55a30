package main

import (
	"context"
	"errors"
	"io"
	"net/http"
	"path/filepath"

	"github.com/svcflow/svc/app"
	"github.com/svcflow/svc/cmd/internal/program"
	"github.com/svcflow/svc/credentials"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/nodes"
	"github.com/svcflow/svc/store"
	"github.com/svcflow/svc/store/filestore"
	"github.com/svcflow/svc/store/runlog"
	"github.com/svcflow/svc/store/statelog"
)

// filesDir is the folder of the data directory that sandboxed workflows may use.
const filesDir = "files"

// runsDir is the folder of the data directory that stores runs.
const runsDir = "runs"

// stateDir is the folder of the data directory that stores the state of workflows.
const stateDir = "state"

// stored returns the workflows of a data directory.
func stored(data string) *filestore.Store { return filestore.Open(filepath.Join(data, "workflows")) }

// open returns an App that behaves like a server with this data directory.
func (h *host) open(data string) (*app.App, error) { return h.openFor(data, true, purpose{}) }

// purpose has the optional parts of an App: what it does in addition to running workflows.
type purpose struct {
	between func(http.RoundTripper) http.RoundTripper // wraps the HTTP transport of workflows; nil for no wrapper
	runs    store.RunStore                            // records runs; nil to record none
	exec    []string                                  // commands that workflows may run
	kept    string                                    // folder for the files of runs, unless it is a sandbox
}

// openFor returns an App that runs workflows with the rights of the user, or, in a sandbox,
// with those of a server.
func (h *host) openFor(data string, sandbox bool, p purpose) (*app.App, error) {
	secrets, err := h.sources(data)
	if err != nil {
		return nil, err
	}
	policy, reach := nodes.Policy{FilesDir: ".", RunsDir: p.kept, Getenv: h.env, Networks: secrets.networks, Credentials: secrets.refresher, Code: program.Child, Exec: p.exec}, nodes.Local
	if sandbox {
		policy.FilesDir, policy.Code, reach = filepath.Join(data, filesDir), nil, nodes.Sandbox
	}
	env, err := reach(policy)
	if err != nil {
		return nil, err
	}
	secrets.refresher.Transport = env.HTTP.Transport
	if p.between != nil {
		env.HTTP = &http.Client{Transport: p.between(env.HTTP.Transport)}
	}
	return app.New(app.Config{
		Env: env, ExtraPlugins: h.plugins(env), Store: stored(data), Runs: p.runs,
		State: statelog.Open(filepath.Join(data, stateDir)), KeepState: true,
	})
}

// openRuns opens the store of runs in the data directory that flags or variables name. It
// returns nil if none is named, or if a server uses it.
func (h *host) openRuns(data string) (store.RunStore, error) {
	if data == "." {
		return nil, nil //nolint:nilnil // as said above
	}
	runs, err := runlog.Open(filepath.Join(data, runsDir), runlog.Options{Keep: store.DefaultRetention()})
	if errors.Is(err, store.ErrRunsInUse) {
		h.errorf("a server has the runs in %s, so this one is not recorded; --server URL runs it there", data)
		return nil, nil //nolint:nilnil // as said above
	}
	if err != nil {
		return nil, err
	}
	return runs, nil
}

// plugins returns the plugins for networks and media. env limits what their nodes may use.
// The environment of the process has the addresses of networks and the path of ffmpeg.
func (h *host) plugins(env nodes.Env) []node.Plugin { return program.Plugins(env, h.getenv, nil) }

// openCredential opens what a credential is for, such as a database, as svc run would.
func (h *host) openCredential(ctx context.Context, s *sources, ref credentials.Ref) (err error) {
	env, err := nodes.Local(nodes.Policy{FilesDir: ".", Getenv: h.env, Networks: s.networks, Credentials: s.refresher, Code: program.Child})
	if err != nil {
		return err
	}
	for _, p := range h.plugins(env) {
		if tester, ok := p.(credentials.Tester); ok {
			err = errors.Join(err, tester.TestCredential(ctx, ref))
		}
		if closer, ok := p.(io.Closer); ok {
			err = errors.Join(err, closer.Close())
		}
	}
	return err
}
