//go:build !nosql

package program

import (
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/nodes"
	"github.com/svcflow/svc/nodes/redis"
	sqlnode "github.com/svcflow/svc/nodes/sql"
)

func databases(env nodes.Env) []node.Plugin {
	return []node.Plugin{
		sqlnode.New(sqlnode.Config{Credentials: env.Credentials, Dial: env.Dial, Files: env.Files}),
		redis.New(redis.Config{Credentials: env.Credentials, Dial: env.Dial}),
	}
}
