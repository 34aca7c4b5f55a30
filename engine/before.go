package engine

import "context"

// hold waits before node i until the host lets it go on. It reports whether it does: the
// run may have ended meanwhile, and i never starts.
func (x *execution) hold(ctx context.Context, i int32) bool {
	x.idle()
	x.before(ctx, x.pathOf(i))
	x.compute(ctx)
	x.now = x.since()
	return ctx.Err() == nil
}
