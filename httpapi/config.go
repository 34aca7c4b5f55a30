package httpapi

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/svcflow/svc/app"
	"github.com/svcflow/svc/app/drive"
	"github.com/svcflow/svc/app/runs"
	"github.com/svcflow/svc/credentials"
	"github.com/svcflow/svc/credentials/network"
	"github.com/svcflow/svc/credentials/oauth"
	"github.com/svcflow/svc/engine/limit"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/httpapi/audit"
	"github.com/svcflow/svc/httpapi/internal/admission"
	"github.com/svcflow/svc/httpapi/internal/pressure"
	"github.com/svcflow/svc/httpapi/keys/ring"
	"github.com/svcflow/svc/nodes"
	"github.com/svcflow/svc/nodes/service"
	"github.com/svcflow/svc/store"
	"github.com/svcflow/svc/store/filestore"
	"github.com/svcflow/svc/store/runlog"
	"github.com/svcflow/svc/store/statelog"
)

// Config configures a [Service] (docs/design.md, HTTP). The zero Config is safe: it requires a key
// from the environment.
type Config struct {
	// RoutePrefix is the prefix of every route: "flow", "/flow" and "/flow/" all mount execution at
	// /flow/execute. Empty means no prefix.
	RoutePrefix string
	// APIKey is the bearer token that callers must send, of at least 16 bytes. Empty means the
	// value of the environment variable SVC_API_KEY.
	APIKey string
	// Keys stores the named keys; nil means a file in DataDir. Service.Close closes it.
	Keys ring.Ring
	// AllowAnonymous turns authentication off, for services behind a gateway or a host that
	// authenticates callers. It cannot be combined with APIKey; the environment variable is
	// ignored.
	AllowAnonymous bool
	// Store stores workflows; nil means files in DataDir/workflows.
	Store store.WorkflowStore
	// Runs stores asynchronous runs; nil means files in DataDir/runs, in a subfolder named like
	// RoutePrefix. Service.Close closes it.
	Runs store.RunStore
	// Shared, if set, is used instead of Runs and makes a backend that stores and drives
	// asynchronous runs for several processes; see app.Config.
	Shared func(drive.Env) (runs.Backend, error)
	// State stores values that outlive runs, and Activations which workflows are active; nil means
	// files in DataDir.
	State       store.StateStore
	Activations store.ActivationStore
	// Windows holds the rate windows of accounts, shared with other processes; nil limits only this
	// process.
	Windows service.Windows
	// Figures, if set, returns metrics of the run backend for GET /metrics.
	Figures func() []node.Figure
	// Keep limits which runs are kept, unless Runs is set. A zero field has its default
	// (store.DefaultRetention); a negative one means no limit.
	Keep store.Retention
	// RunBytes is the largest record of one run in bytes, unless Runs sets a limit; 0 means
	// 256 MiB, a negative number no limit.
	RunBytes int64
	// Relaxed acknowledges runs up to 20 ms before they are on the disk, unless Runs is set. A
	// power loss may lose that much, a crash of the process nothing.
	Relaxed bool
	// Record defines which synchronous runs are recorded, too.
	Record app.Recording
	// FilesBytes and FilesEntries limit the files of workflows in DataDir/files; 0 means 10 GiB and
	// 1,000,000 files and folders.
	FilesBytes   int64
	FilesEntries int
	// MaxUpload is the largest file in bytes that a client may upload; 0 means 2 GiB.
	MaxUpload int64
	// ExtraPlugins add node types to the built-in ones; see Plugins.
	ExtraPlugins []node.Plugin
	// EnvPlugins makes further plugins that need the environment of workflows: the credentials,
	// files and addresses that the service permits. Nil makes none.
	EnvPlugins func(env nodes.Env) []node.Plugin

	// Triggers lets triggers of active workflows fire. Active workflows are stored in
	// DataDir/triggers; of several services on one directory, one fires triggers.
	Triggers bool

	// Networks are added to the built-in ones and those in DataDir/networks.json.
	Networks []network.Network

	// DataDir is the directory of workflows, runs, and the files that workflows read and write.
	// Empty means the working directory.
	DataDir string
	// PublicURL is the address for clients, including the prefix, if it differs from where the
	// service listens: an http or https URL without a query. If it is empty, Location headers are
	// paths.
	PublicURL string
	// CORSOrigins are the origins of other sites whose pages may call the service, such as
	// "https://app.example.com". The origin of PublicURL is always allowed.
	CORSOrigins []string
	// HTTPAllow are non-public address ranges that workflows may reach.
	HTTPAllow []netip.Prefix
	// Code makes the process that runs the scripts of workflows, which must call Work of package
	// nodes/code; nil disables scripts.
	Code func() *exec.Cmd
	// Exec lists the commands that workflows may run, by name or path.
	Exec []string
	// Credentials provides secrets to nodes and stores those of logins. Nil means the environment,
	// the file credentials.env in DataDir, and the vault named by the environment, in this order
	// (docs/design.md, Credentials; see credentials/server).
	Credentials credentials.Provider
	// Logins stores the logins in progress, sealed, for all processes with the same API key; nil,
	// or no key, means memory.
	Logins oauth.LoginStore
	// Getenv looks up environment variables; nil means os.LookupEnv.
	Getenv func(name string) (value string, found bool)
	// RunMemory is the limit of the values of a run in bytes; 0 means 512 MiB, a negative number
	// no limit. RunCPU is the limit of the computing time of a run; 0 means no limit.
	RunMemory int64
	RunCPU    time.Duration
	// Processors is the number of processors for computations. One of them is kept for short
	// ones. 0 means GOMAXPROCS.
	Processors int
	// Memory is the limit of the memory of the process in bytes. At 80 % new runs are refused, at
	// 95 % the largest run is ended, and unused memory is returned to the system early. 0 means
	// no limit.
	Memory int64
	// SetGCPercent sets the GOGC percentage of the process. It is called before a large
	// allocation, to raise GOGC until the next collection; nil leaves GOGC alone. Programs set
	// it, hosts that embed the service need not.
	SetGCPercent func(percent int)
	// Admit is the memory in bytes for requests in progress and their workflows. More requests
	// are answered 503 before they are read. 0 means a quarter of Memory, or else of the memory of
	// the cgroup or the machine; a negative number means no limit. The values of all runs
	// together may take twice that default.
	Admit int64
	// Log receives messages for operators and, at debug level, every request; nil discards them.
	Log *slog.Logger
	// Audit is the file of the audit log; empty means AuditTo, or audit.jsonl in DataDir if AuditTo
	// is nil; "none" turns the log off.
	Audit   string
	AuditTo audit.Keeper
	// LostLines returns how many lines of Log were dropped, for the metrics; nil means that
	// nobody counts them.
	LostLines func() int64
	// Version is the version in the health check; empty means the version of the module.
	Version string

	quota *nodes.Quota // set by withDefaults
}

// Plugins sets ExtraPlugins.
func (c *Config) Plugins(plugins ...node.Plugin) { c.ExtraPlugins = plugins }

// withDefaults validates c and returns it with defaults filled in.
func (c Config) withDefaults() (Config, error) {
	var err error
	if c.RoutePrefix, err = cleanPrefix(c.RoutePrefix); err != nil {
		return c, err
	}
	if c.PublicURL, err = cleanURL(c.PublicURL); err != nil {
		return c, err
	}
	for _, origin := range c.CORSOrigins {
		if err = cleanOrigin(origin); err != nil {
			return c, err
		}
	}
	// Absolute, so that a later change of the working directory has no effect.
	if c.DataDir, err = filepath.Abs(c.DataDir); err != nil {
		return c, fmt.Errorf("data directory: %w", err)
	}
	c.quota = nodes.NewQuota(c.FilesBytes, c.FilesEntries)
	c.MaxUpload = cmp.Or(c.MaxUpload, limit.Upload)
	if c.Store == nil {
		c.Store = filestore.Open(filepath.Join(c.DataDir, "workflows"))
	}
	if c.State == nil {
		c.State = statelog.Open(filepath.Join(c.DataDir, "state"))
	}
	if c.Activations == nil {
		c.Activations = filestore.OpenActivations(filepath.Join(c.DataDir, "triggers"))
	}
	if c.Keys == nil {
		c.Keys = ring.Open(c.DataDir)
	}
	if c.Getenv == nil {
		c.Getenv = os.LookupEnv
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	kept := store.DefaultRetention()
	c.Keep.Runs, c.Keep.Age, c.Keep.Bytes = cmp.Or(c.Keep.Runs, kept.Runs), cmp.Or(c.Keep.Age, kept.Age), cmp.Or(c.Keep.Bytes, kept.Bytes)
	if c.Version == "" {
		c.Version = moduleVersion()
	}
	if c.Admit == 0 {
		c.Admit = c.available() / admitPart
	}
	return c, nil
}

// available returns the memory of the process in bytes; 0 if unknown.
func (c *Config) available() int64 { return cmp.Or(c.Memory, pressure.Available()) }

// filesDir returns the directory of the files of workflows.
func (c *Config) filesDir() string { return filepath.Join(c.DataDir, "files") }

// app makes the App that serves requests and runs workflows; w observes it.
func (c *Config) app(w *watch, secrets *secrets) (*app.App, error) {
	env, err := nodes.Sandbox(nodes.Policy{
		FilesDir: c.filesDir(), Quota: c.quota, AllowHTTP: c.HTTPAllow,
		Getenv: c.Getenv, Networks: secrets.networks, Credentials: secrets.source(), Windows: c.Windows, Code: c.Code, Exec: c.Exec,
	})
	if err != nil {
		return nil, err
	}
	secrets.refresher.Transport = env.HTTP.Transport // callers with the key may name token addresses
	plugins := slices.Clone(c.ExtraPlugins)
	if c.EnvPlugins != nil {
		plugins = append(plugins, c.EnvPlugins(env)...)
	}
	for _, p := range plugins {
		if tester, ok := p.(credentials.Tester); ok {
			secrets.testers = append(secrets.testers, tester)
		}
	}
	w.metrics.registry.MustRegister(measured(plugins))
	if c.Figures != nil {
		w.metrics.registry.MustRegister(figures(c.Figures))
	}
	runs, err := c.runs()
	if err != nil {
		return nil, err
	}
	a, err := app.New(app.Config{
		Env: env, ExtraPlugins: plugins, Store: c.Store, Runs: w.runs(runs), Shared: c.Shared, Record: c.Record, Runner: w, Log: c.Log,
		Loading: admission.Load, Crowded: w.crowded,
		State: c.State, Triggers: c.Triggers, Activations: c.Activations,
	})
	if err != nil {
		if runs != nil {
			err = errors.Join(err, runs.Close())
		}
		return nil, err
	}
	if err := checkNetworks(a, secrets.networks); err != nil {
		return nil, errors.Join(err, a.Close(context.Background()))
	}
	return a, nil
}

// runs opens the store of asynchronous runs; nil if Shared is set.
func (c *Config) runs() (store.RunStore, error) {
	if c.Runs != nil || c.Shared != nil {
		return c.Runs, nil
	}
	dir := filepath.Join(c.DataDir, "runs", filepath.FromSlash(c.RoutePrefix))
	return runlog.Open(dir, runlog.Options{Keep: c.Keep, RunBytes: c.RunBytes, Relaxed: c.Relaxed, Log: c.Log})
}

// checkNetworks returns an error if a node type takes accounts of an unknown network, since it
// could never get one.
func checkNetworks(a *app.App, networks network.Table) error {
	for _, name := range a.Networks() {
		if _, ok := networks.Lookup(name); !ok {
			return fmt.Errorf("node types take credentials of a network %q that is not in the table; add it to Config.Networks or %s", name, network.File)
		}
	}
	return nil
}

var prefixSegment = regexp.MustCompile(`^[A-Za-z0-9._~-]+$`)

// cleanPrefix returns prefix in the form "/flow", or "".
func cleanPrefix(prefix string) (string, error) {
	trimmed := strings.Trim(prefix, "/")
	if trimmed == "" {
		return "", nil
	}
	for segment := range strings.SplitSeq(trimmed, "/") {
		if segment == "." || segment == ".." || !prefixSegment.MatchString(segment) {
			return "", fmt.Errorf("route prefix %q: use letters, digits and the characters - . _ ~ between single slashes", prefix)
		}
	}
	return "/" + trimmed, nil
}

// cleanURL returns the URL of a service without a slash at the end. Errors do not repeat the URL,
// which might contain a password.
func cleanURL(text string) (string, error) {
	if text == "" {
		return "", nil
	}
	u, err := url.Parse(text)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
		return "", errors.New("public URL: it has to begin with http:// or https:// and a host")
	}
	if u.User != nil || u.RawQuery != "" || u.ForceQuery || u.Fragment != "" {
		return "", errors.New("public URL: leave out user, query and fragment")
	}
	return strings.TrimRight(u.String(), "/"), nil
}

// moduleVersion returns the version of the Svc module in this program.
func moduleVersion() string {
	const module, unknown = "github.com/svcflow/svc", "devel"
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return unknown
	}
	for _, m := range append(info.Deps, &info.Main) {
		if m.Path == module && m.Version != "" {
			return m.Version
		}
	}
	return unknown
}
