// Package program is shared by the programs of Svc: plugins, versions, signals, command lines,
// and flags that environment variables set.
package program

import (
	"cmp"
	"net/http"
	"runtime/debug"
	"slices"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/nodes"
	"github.com/svcflow/svc/nodes/crypto"
	"github.com/svcflow/svc/nodes/data"
	"github.com/svcflow/svc/nodes/email"
	"github.com/svcflow/svc/nodes/exec"
	"github.com/svcflow/svc/nodes/media"
	"github.com/svcflow/svc/nodes/mediaai"
	"github.com/svcflow/svc/nodes/mediacore"
	"github.com/svcflow/svc/nodes/microblog"
	"github.com/svcflow/svc/nodes/pronet"
	"github.com/svcflow/svc/nodes/service"
	"github.com/svcflow/svc/nodes/state"
	"github.com/svcflow/svc/nodes/time"
	"github.com/svcflow/svc/nodes/trigger"
)

// Plugins returns the optional plugins. env limits what their nodes may access, getenv has the
// addresses of networks, and transport sends the requests to them; nil means the default.
func Plugins(env nodes.Env, getenv func(string) string, transport http.RoundTripper) []node.Plugin {
	network := service.Config{Networks: env.Networks, Getenv: getenv, Credentials: env.Credentials, Windows: env.Windows, Transport: transport, Web: env.HTTP}
	plugins := []node.Plugin{
		data.New(data.Config{Files: env.Files, Documents: documents}),
		email.New(email.Config{Getenv: getenv, Credentials: env.Credentials, Files: env.Files}),
		pronet.New(network),
		microblog.New(network),
		time.Plugin(),
		crypto.New(crypto.Config{Credentials: env.Credentials, HTTP: env.HTTP}),
		trigger.Plugin(trigger.Config{Credentials: env.Credentials, HTTP: env.HTTP, Files: env.Files}),
		state.Plugin(),
		exec.Plugin(exec.Config{Commands: env.Exec, Files: env.Files, Getenv: getenv}),
	}
	if getenv(NoMedia) == "" {
		tools := media.New(media.Config{Files: env.Files, HTTP: env.HTTP, Getenv: getenv})
		plugins = append(plugins, mediacore.New(tools), mediaai.New(mediaai.Config{Tools: tools, Getenv: getenv, Credentials: env.Credentials, Transport: transport}))
	}
	return slices.Concat(plugins, scripts(env), databases(env))
}

// NoMedia is the environment variable that removes the media nodes, with any value.
const NoMedia = "SVC_NO_MEDIA"

// Version returns the version set by the linker, else that of the module, else the commit.
func Version(linked string) string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return cmp.Or(linked, "devel")
	}
	module, commit, changed := info.Main.Version, "", ""
	if module == "(devel)" {
		module = ""
	}
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			commit = s.Value[:min(12, len(s.Value))]
		case s.Key == "vcs.modified" && s.Value == "true":
			changed = "+changed"
		}
	}
	if commit != "" {
		commit = "devel-" + commit + changed
	}
	return cmp.Or(linked, module, commit, "devel")
}
