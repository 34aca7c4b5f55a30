package engine

import (
	"context"
	"math/rand/v2"
	"time"

	"github.com/svcflow/svc/engine/node"
)

// pauseBefore waits until the attempt after a is due.
func (x *execution) pauseBefore(ctx context.Context, a *attempt) {
	pause := drawPause(x.plan.nodes[a.node].retry.Pause(int(a.number)), node.RetryAfter(a.err))
	if !a.silent {
		x.events.retrying(x, a.node, pause, x.failure(a.err))
	}
	x.pause(ctx, &attempt{x: x, node: a.node, number: a.number + 1, in: a.in, silent: a.silent}, pause)
}

// pause waits for so long before a is due.
func (x *execution) pause(ctx context.Context, a *attempt, pause time.Duration) {
	x.running++
	x.nodes[a.node].live = a
	a.waiting = time.AfterFunc(pause, func() { a.x.reports <- a })
	if p := x.control.waits(); p != nil {
		p.wait(a, earliest(ctx, time.Now().Add(pause)))
	}
}

// drawPause draws a pause by chance, so that those who failed together do not come back
// together: from a quarter of step on, or, if the other side has said when to come again,
// from then on, and no more than a tenth later.
func drawPause(step, asked time.Duration) time.Duration {
	least, spread := step/4, step-step/4
	if asked > 0 {
		least, spread = asked, asked/10
	}
	return least + time.Duration(rand.Int64N(int64(spread)+1))
}
