package nodes

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/svcflow/svc/credentials"
	"github.com/svcflow/svc/credentials/network"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/nodes/service"
)

// Policy has the choices of programs that run workflows.
type Policy struct {
	// FilesDir is the directory of the file nodes.
	FilesDir string
	// RunsDir is the directory of the files of runs on the user's own machine, which lie in
	// [node.RunsDir] there; if empty, it is FilesDir.
	RunsDir string
	// Quota bounds what a sandbox keeps there; nil means [NewQuota] with its usual bounds,
	// which knows only what is written through it.
	Quota *Quota
	// AllowHTTP opens addresses that would be refused.
	AllowHTTP []netip.Prefix
	// Getenv looks up an environment variable; nil means [os.LookupEnv].
	Getenv func(name string) (string, bool)
	// Networks are those that credentials may be of.
	Networks network.Table
	// Credentials is the source of secrets; nil means no secrets.
	Credentials credentials.Provider
	// Windows keeps the windows of accounts; nil keeps those of the process alone.
	Windows service.Windows
	// Code makes the process that runs scripts; nil lets none run.
	Code func() *exec.Cmd
	// Exec are the commands that workflows may run, by name or path.
	Exec []string
}

// Sandbox returns what workflows may reach on a server:
//
//   - public addresses, and those in AllowHTTP
//   - files below FilesDir, which is created by the first write, up to Quota; no name
//     and no link leads out of it
//   - environment variables whose name starts with SVC_VAR_
func Sandbox(p Policy) (Env, error) {
	dir, err := p.dir()
	if err != nil {
		return Env{}, err
	}
	if p.Quota == nil {
		p.Quota = NewQuota(0, 0)
	}
	g := guard{
		allow: p.AllowHTTP, refuse: notPublic(),
		hint: " unless the operator allows it with --http-allow",
	}
	return Env{
		HTTP:        newClient(g, net.DefaultResolver),
		Dial:        g.dial,
		Files:       rooted{dir}.within(p.Quota),
		Getenv:      sandboxGetenv(p.lookup()),
		Variables:   p.names(func(name string) bool { return strings.HasPrefix(name, variablePrefix) }),
		Networks:    p.Networks,
		Credentials: p.Credentials,
		Windows:     p.Windows,
		Code:        p.Code,
		Exec:        p.Exec,
	}, nil
}

// Local returns what workflows may reach on the user's own machine, where they
// may do what the user may do:
//
//   - every address except link-local ones and those where clouds hand out
//     secrets to machines; AllowHTTP opens these, too
//   - all files; names that are not absolute are relative to FilesDir
//   - all environment variables but those with the secrets of networks. That is no
//     protection, since workflows may read all files, but it keeps secrets from getting
//     into outputs by mistake.
//
// Workflows from strangers belong into a [Sandbox] there, too.
func Local(p Policy) (Env, error) {
	dir, err := p.dir()
	if err != nil {
		return Env{}, err
	}
	lookup := p.lookup()
	g := guard{allow: p.AllowHTTP, refuse: neverLocal()}
	return Env{
		HTTP:  newClient(g, net.DefaultResolver),
		Dial:  g.dial,
		Files: local{dir, cmp.Or(p.RunsDir, dir)},
		Getenv: func(name string) (string, bool, error) {
			if p.Networks.Secret(name) {
				return "", false, node.Errorf(node.CodeForbidden, "%s holds a secret; name the credential at the node that needs it instead", name)
			}
			v, found := lookup(name)
			return v, found, nil
		},
		Variables:   p.names(func(name string) bool { return !p.Networks.Secret(name) }),
		Networks:    p.Networks,
		Credentials: p.Credentials,
		Windows:     p.Windows,
		Code:        p.Code,
		Exec:        p.Exec,
	}, nil
}

// dir returns FilesDir such that a later change of the working directory does
// not move it.
func (p Policy) dir() (string, error) {
	if p.FilesDir == "" {
		return "", errors.New("nodes: the policy names no directory for files")
	}
	dir, err := filepath.Abs(p.FilesDir)
	if err != nil {
		return "", fmt.Errorf("nodes: directory for files: %w", err)
	}
	return dir, nil
}

func (p Policy) lookup() func(string) (string, bool) {
	if p.Getenv != nil {
		return p.Getenv
	}
	return os.LookupEnv
}

// names returns the names of the variables of the process that Getenv finds and workflows may
// read, sorted.
func (p Policy) names(may func(name string) bool) func() []string {
	lookup := p.lookup()
	return func() (names []string) {
		for _, variable := range os.Environ() {
			name, _, _ := strings.Cut(variable, "=")
			if _, found := lookup(name); found && name != "" && may(name) {
				names = append(names, name)
			}
		}
		slices.Sort(names)
		return names
	}
}

// variablePrefix begins the names of the variables that are meant for workflows.
const variablePrefix = "SVC_VAR_"

func sandboxGetenv(lookup func(string) (string, bool)) func(string) (string, bool, error) {
	return func(name string) (string, bool, error) {
		if !strings.HasPrefix(name, variablePrefix) {
			return "", false, node.Errorf(node.CodeForbidden,
				"workflows may only read variables whose name starts with %s; ask the operator to set one", variablePrefix)
		}
		v, found := lookup(name)
		return v, found, nil
	}
}
