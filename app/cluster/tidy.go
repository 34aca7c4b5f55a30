package cluster

import (
	"time"

	"github.com/svcflow/svc/store"
)

// tidyEvery is how often runs make room that are kept no more. Of several processes that do so
// at once each finds less to do.
const tidyEvery = time.Minute

// tidy has runs make room, now and every minute, until Close.
func (r *Runs) tidy(keep store.Retention) {
	ctx, cancel := r.life()
	defer cancel()
	tick := time.NewTicker(tidyEvery)
	defer tick.Stop()
	for {
		if err := r.shared.Tidy(ctx, keep); err != nil && ctx.Err() == nil {
			r.log.WarnContext(ctx, "runs that are kept no more could not make room; it is tried again", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// heed tells when runs are not driven any more, until Close.
func (r *Runs) heed(fatal func(error)) {
	select {
	case <-r.ending:
	case err := <-r.worker.Failed():
		fatal(err)
	}
}
