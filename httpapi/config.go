package httpapi

import (
	"fmt"
	"log/slog"
	"net/netip"
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"strings"

	"github.com/svcflow/svc/app"
	"github.com/svcflow/svc/credentials"
	"github.com/svcflow/svc/credentials/server"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/nodes"
	"github.com/svcflow/svc/store"
)

// Config says what a [Service] is made of (spec section 1, "Embedding"). The zero
// Config is the safe one: it needs a key from the environment.
type Config struct {
	// RoutePrefix comes before every route: "flow", "/flow" and "/flow/" all
	// mount execution at /flow/execute. Empty means no prefix.
	RoutePrefix string
	// APIKey is the bearer token that callers have to send. Empty means the value
	// of the environment variable SVC_API_KEY. It has at least 16 bytes.
	APIKey string
	// AllowAnonymous turns authentication off, for services behind a gateway or
	// a host that takes care of it. It is the spec's requireApiKey = false, and
	// an error together with APIKey; the environment variable is then not read.
	AllowAnonymous bool
	// Store keeps workflows; nil keeps them as files in DataDir/workflows.
	Store store.WorkflowStore
	// ExtraPlugins add node types to the built-in ones; see Plugins.
	ExtraPlugins []node.Plugin

	// DataDir holds workflows and the files that workflows read and write. Empty
	// means the working directory.
	DataDir string
	// HTTPAllow opens addresses to workflows that are not on the public internet.
	HTTPAllow []netip.Prefix
	// Credentials is where nodes get secrets from; nil means the environment,
	// for the networks that the node types name (spec section 5).
	Credentials credentials.Provider
	// Getenv looks up environment variables; nil means os.LookupEnv.
	Getenv func(name string) (value string, found bool)
	// Log takes what operators should know, and at debug level every request;
	// nil discards it.
	Log *slog.Logger
	// Version is what the health check says; empty means the module's version.
	Version string
}

// Plugins sets ExtraPlugins.
func (c *Config) Plugins(plugins ...node.Plugin) { c.ExtraPlugins = plugins }

// withDefaults returns c with every field filled in that has a default.
func (c Config) withDefaults() (Config, error) {
	var err error
	if c.RoutePrefix, err = cleanPrefix(c.RoutePrefix); err != nil {
		return c, err
	}
	// Absolute, so that a later change of the working directory moves nothing.
	if c.DataDir, err = filepath.Abs(c.DataDir); err != nil {
		return c, fmt.Errorf("data directory: %w", err)
	}
	if c.Store == nil {
		c.Store = store.File(filepath.Join(c.DataDir, "workflows"))
	}
	if c.Getenv == nil {
		c.Getenv = os.LookupEnv
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Version == "" {
		c.Version = moduleVersion()
	}
	return c, nil
}

// app makes the App that serves requests.
func (c *Config) app() (*app.App, error) {
	environment := &server.Environment{Lookup: c.Getenv, Environ: os.Environ}
	secrets := c.Credentials
	if secrets == nil {
		secrets = server.New(environment)
	}
	env, err := nodes.Sandbox(nodes.Policy{
		FilesDir: filepath.Join(c.DataDir, "files"), AllowHTTP: c.HTTPAllow,
		Getenv: c.Getenv, Credentials: secrets,
	})
	if err != nil {
		return nil, err
	}
	a, err := app.New(app.Config{Env: env, ExtraPlugins: c.ExtraPlugins, Store: c.Store, Log: c.Log})
	if err != nil {
		return nil, err
	}
	// Only now are the node types known, and with them the networks.
	environment.Networks = a.Networks()
	return a, nil
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
