package main

import (
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/nodes"
	"github.com/svcflow/svc/nodes/email"
	"github.com/svcflow/svc/nodes/microblog"
	"github.com/svcflow/svc/nodes/pronet"
	networks "github.com/svcflow/svc/nodes/service"
)

// plugins returns the plugins of networks. Their nodes get what workflows get from
// env; where the networks are, the operator says in the environment.
func (h *host) plugins(env nodes.Env) []node.Plugin {
	network := networks.Config{Getenv: h.getenv, Credentials: env.Credentials, Web: env.HTTP}
	return []node.Plugin{
		email.New(email.Config{Getenv: h.getenv, Credentials: env.Credentials, Files: env.Files}),
		pronet.New(network),
		microblog.New(network),
	}
}
