package engine

import (
	"errors"
	"sync/atomic"
	"time"

	"github.com/svcflow/svc/engine/limit"
	"github.com/svcflow/svc/engine/node"
)

// computing is how long the nodes of a run have computed. Go does not tell how much of the
// processor a goroutine has had, so it is the time that passes while nodes are at work
// which only compute: pure ones, and inline ones. What waits for others does not count,
// and on a busy machine a run gets less done in it.
type computing struct {
	most time.Duration // 0 means any time
	used atomic.Int64
}

// errComputing is the cause with which the context of an attempt ends whose run has computed
// for too long.
var errComputing = errors.New("the run has computed for too long")

// left returns how long a node may compute, which would else have so long.
func (e *computing) left(n *planNode, timeout time.Duration) time.Duration {
	if e.most == 0 || !n.computes {
		return timeout
	}
	return min(timeout, max(0, e.most-time.Duration(e.used.Load())))
}

// spend counts how long node n has computed. Its error is that this is too long.
func (e *computing) spend(n *planNode, took time.Duration) error {
	if e.most == 0 || !n.computes || time.Duration(e.used.Add(int64(took))) <= e.most {
		return nil
	}
	return e.exceeded()
}

func (e *computing) exceeded() error {
	return node.Permanent(node.Errorf(node.CodeLimitExceeded,
		"the nodes of the run have computed for longer than the %v that they may (%s); give it less to do, or more time", e.most, limit.RunCPUFlag))
}
