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

// Config says what a [Service] is made of (docs/design.md, HTTP). The zero
// Config is the safe one: it needs a key from the environment.
type Config struct {
	// RoutePrefix comes before every route: "flow", "/flow" and "/flow/" all
	// mount execution at /flow/execute. Empty means no prefix.
	RoutePrefix string
	// APIKey is the bearer token that callers have to send. Empty means the value
	// of the environment variable SVC_API_KEY. It has at least 16 bytes.
	APIKey string
	// Keys has the named keys; nil keeps them in a file in DataDir. Close closes it.
	Keys ring.Ring
	// AllowAnonymous turns authentication off, for services behind a gateway or
	// a host that takes care of it. It is
	// an error together with APIKey; the environment variable is then not read.
	AllowAnonymous bool
	// Store keeps workflows; nil keeps them as files in DataDir/workflows.
	Store store.WorkflowStore
	// Runs keeps asynchronous runs; nil keeps them as files in DataDir/runs, in a
	// folder there that is called like RoutePrefix. Close closes it.
	Runs store.RunStore
	// Shared, if set, makes what keeps and drives the asynchronous runs, for many processes
	// at once, instead of Runs; see app.Config.
	Shared func(drive.Env) (runs.Backend, error)
	// State keeps the small values that outlive runs, and Activations which workflows are active;
	// nil keeps both as files in DataDir.
	State       store.StateStore
	Activations store.ActivationStore
	// Windows keeps the windows of accounts, for those of other processes, too; nil keeps those of
	// this process alone.
	Windows service.Windows
	// Figures, if set, tells figures of what keeps and drives the runs, for GET /metrics.
	Figures func() []node.Figure
	// Keep bounds what is kept of runs, unless Runs does that. A field that is 0 has its
	// default (store.DefaultRetention); a negative one is no bound.
	Keep store.Retention
	// RunBytes is the largest record of one run in bytes, unless Runs sets a limit; 0 means
	// 256 MiB, a negative number no limit.
	RunBytes int64
	// Relaxed acknowledges runs up to 20 ms before they are on the disk, unless Runs
	// decides that: a loss of power may take so much, a crash of the process nothing.
	Relaxed bool
	// Record says which of the runs that callers wait for are recorded, too.
	Record app.Recording
	// FilesBytes and FilesEntries bound what workflows keep in DataDir/files; 0 means 10 GiB
	// and 1,000,000 files and folders.
	FilesBytes   int64
	FilesEntries int
	// MaxUpload is how many bytes a file may have that a client sends; 0 means 2 GiB.
	MaxUpload int64
	// ExtraPlugins add node types to the built-in ones; see Plugins.
	ExtraPlugins []node.Plugin
	// EnvPlugins makes more of them from what workflows may reach: credentials, files
	// and addresses as the service permits them. Nil makes none.
	EnvPlugins func(env nodes.Env) []node.Plugin

	// Triggers lets the triggers of active workflows fire. Which are active is kept in
	// DataDir/triggers; of several services on one directory, one lets them fire.
	Triggers bool

	// Networks are added to those that Svc knows and to those in DataDir/networks.json.
	Networks []network.Network

	// DataDir holds workflows, runs, and the files that workflows read and write.
	// Empty means the working directory.
	DataDir string
	// PublicURL is where clients find the service, its prefix included, if that is
	// not where it listens: an http or https URL without a query. Without it,
	// Location headers are paths.
	PublicURL string
	// CORSOrigins are those of other sites' pages that may call the service, such as
	// "https://app.example.com". The origin of PublicURL needs no mention.
	CORSOrigins []string
	// HTTPAllow opens addresses to workflows that are not on the public internet.
	HTTPAllow []netip.Prefix
	// Code makes the process that runs the scripts of workflows, which calls Work of package
	// nodes/code; nil lets none run.
	Code func() *exec.Cmd
	// Exec are the commands that workflows may run, by name or path; none by default.
	Exec []string
	// Credentials is where nodes get secrets from and logins put them; nil means
	// the environment, the file credentials.env in DataDir, and the vault that the
	// environment names, in this order (docs/design.md, Credentials; see credentials/server).
	Credentials credentials.Provider
	// Logins keeps the logins that are under way, sealed, for other processes with the same API
	// key, too; nil, or no key, keeps them in memory.
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
	// Log takes what operators should know, and at debug level every request;
	// nil discards it.
	Log *slog.Logger
	// Audit is the file that records each change and each refused call; empty means
	// AuditTo, or audit.jsonl in DataDir if that is nil, and "none" none.
	Audit   string
	AuditTo audit.Keeper
	// Version is what the health check says; empty means the module's version.
	Version string

	quota *nodes.Quota // set by withDefaults
}

// Plugins sets ExtraPlugins.
func (c *Config) Plugins(plugins ...node.Plugin) { c.ExtraPlugins = plugins }

// withDefaults returns c with every field filled in that has a default.
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
	// Absolute, so that a later change of the working directory moves nothing.
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

// available returns how many bytes there are for the process; 0 if nobody knows.
func (c *Config) available() int64 { return cmp.Or(c.Memory, pressure.Available()) }

// filesDir is where the files of workflows are.
func (c *Config) filesDir() string { return filepath.Join(c.DataDir, "files") }

// app makes the App that serves requests and runs workflows under the eyes of w.
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

// runs opens the store of the asynchronous runs; nil if somebody else keeps them.
func (c *Config) runs() (store.RunStore, error) {
	if c.Runs != nil || c.Shared != nil {
		return c.Runs, nil
	}
	dir := filepath.Join(c.DataDir, "runs", filepath.FromSlash(c.RoutePrefix))
	return runlog.Open(dir, runlog.Options{Keep: c.Keep, RunBytes: c.RunBytes, Relaxed: c.Relaxed, Log: c.Log})
}

// checkNetworks finds node types that take accounts of networks nobody has described,
// which would never get any.
func checkNetworks(a *app.App, networks network.Table) error {
	for _, name := range a.Networks() {
		if _, ok := networks.Lookup(name); !ok {
			return fmt.Errorf("node types take credentials of a network %q that is not in the table; add it to Config.Networks or %s", name, network.File)
		}
	}
	return nil
}

var prefixSegment = regexp.MustCompile(`^[A-Za-z0-9._~-]+$`)

// cleanPrefix returns prefix as "/flow", or "" for none.
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

// cleanURL returns the URL of a service without a slash at its end. No error
// repeats it, since it might hold a password.
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

// moduleVersion returns the version of Svc in this program.
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
