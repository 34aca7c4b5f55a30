// Package nodes combines the built-in node types (docs/design.md, Node types), and sets what
// workflows may reach through them: one policy for a server, whose workflows may come from
// anybody, and one for the user's own machine.
//
// The node types themselves are in the packages below, one per plugin. Plugins
// of networks are no part of [Builtin]; programs add those they want.
package nodes

import (
	"context"
	"net"
	"net/http"
	"os/exec"

	"github.com/svcflow/svc/credentials"
	"github.com/svcflow/svc/credentials/network"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/nodes/control"
	ionode "github.com/svcflow/svc/nodes/io"
	"github.com/svcflow/svc/nodes/jsonnode"
	"github.com/svcflow/svc/nodes/listops"
	"github.com/svcflow/svc/nodes/preview"
	"github.com/svcflow/svc/nodes/service"
	"github.com/svcflow/svc/nodes/text"
)

// Env gives nodes their access. A nil field gives none, so the zero Env is enough to list
// node types and to run workflows that only compute. Programs use [Sandbox] or [Local].
type Env struct {
	// HTTP makes requests for workflows. Its transport decides which addresses
	// are dialled and refuses the others with a [node.Error].
	HTTP *http.Client
	// Files is where the file nodes read and write.
	Files ionode.Files
	// Getenv looks up an environment variable. A name that workflows must not
	// read is an error with the code forbidden.
	Getenv func(name string) (value string, found bool, err error)
	// Variables are the names of the environment variables that there are and that
	// workflows may read; nil tells none.
	Variables func() []string
	// Networks are those that credentials may be of, and where they may be sent.
	Networks network.Table
	// Credentials is the source of secrets.
	Credentials credentials.Provider
	// Windows keeps the windows of accounts at networks; nil keeps those of the process alone.
	Windows service.Windows
	// Code makes the process that runs scripts; see package nodes/code.
	Code func() *exec.Cmd
	// Exec are the commands that workflows may run.
	Exec []string
	// Dial opens connections for what is not HTTP, to those addresses that HTTP dials, too.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
}

// Builtin returns the six plugins that are always installed: io, text, control,
// json, list-ops and preview.
func Builtin(env Env) []node.Plugin {
	return []node.Plugin{
		ionode.Plugin(ionode.Env{HTTP: env.HTTP, Files: env.Files, Getenv: env.Getenv, Variables: env.Variables, Networks: env.Networks, Credentials: env.Credentials}),
		text.Plugin(),
		control.Plugin(),
		jsonnode.Plugin(),
		listops.Plugin(),
		preview.Plugin(),
	}
}
