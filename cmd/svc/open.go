package main

import (
	"errors"
	"net/http"
	"path/filepath"

	"github.com/svcflow/svc/app"
	"github.com/svcflow/svc/cmd/internal/program"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/nodes"
	"github.com/svcflow/svc/store"
	"github.com/svcflow/svc/store/filestore"
	"github.com/svcflow/svc/store/runlog"
	"github.com/svcflow/svc/store/statelog"
)

// filesDir is the part of the data directory that sandboxed workflows see.
const filesDir = "files"

// runsDir is the part of the data directory that has the runs.
const runsDir = "runs"

// stateDir is the part of the data directory that has what outlives runs.
const stateDir = "state"

// stored returns the workflows in a data directory.
func stored(data string) *filestore.Store { return filestore.Open(filepath.Join(data, "workflows")) }

// open returns an App that does what a server with this data directory would.
func (h *host) open(data string) (*app.App, error) { return h.openFor(data, true, purpose{}) }

// purpose is what an App is opened for besides running workflows.
type purpose struct {
	between func(http.RoundTripper) http.RoundTripper // stands between workflows and the web; nil for nothing
	runs    store.RunStore                            // takes the runs that are recorded; nil for none
	exec    []string                                  // commands that workflows may run
	kept    string                                    // where the files of runs are, if it is not a sandbox
}

// openFor returns the App that runs workflows on the user's own machine, or as a server
// would, for a purpose.
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

// openRuns returns the runs in a data directory that somebody has named, for one more to
// be recorded there; nil if none is named or a server has them.
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

// plugins returns the plugins of networks and of media. Their nodes get what workflows get from
// env; where the networks and ffmpeg are, the operator says in the environment.
func (h *host) plugins(env nodes.Env) []node.Plugin { return program.Plugins(env, h.getenv, nil) }
