package hosts

import (
	"context"
	"time"

	"github.com/cenkalti/backoff/v5"

	"github.com/svcflow/svc/ui/job"
)

// Loss is the loss of the current server.
type Loss struct {
	Place Host
	Since time.Time
	Err   error // of the last attempt
}

// How often a server is polled: every lookEvery while it answers, and after pauses that grow
// from firstPause to lastPause while it does not.
const (
	lookEvery  = 5 * time.Second
	firstPause = time.Second
	lastPause  = 30 * time.Second
	lookTakes  = 10 * time.Second // at most
)

// watch polls the current server. Its methods belong to the window's goroutine.
type watch struct {
	jobs *job.Runner // nil at this computer
	now  chan struct{}
	loss *Loss // nil while it answers
}

// Lost returns since when and why the host cannot be used; nil if it can.
func (p *Hosts) Lost() *Loss { return p.watch.loss }

// Look polls the server at once: after a failed request, or when the user asks for it.
func (p *Hosts) Look() {
	if p.watch.jobs != nil {
		select {
		case p.watch.now <- struct{}{}:
		default: // a poll is due already
		}
	}
}

// attend starts to poll the current server.
func (p *Hosts) attend() {
	if p.watch.jobs != nil {
		p.watch.jobs.Close()
	}
	p.watch = watch{}
	at := p.here
	if at.Look == nil {
		return
	}
	p.watch.jobs, p.watch.now = p.config.Jobs.Child(), make(chan struct{}, 1)
	now := p.watch.now
	p.watch.jobs.Follow(func(ctx context.Context, tell func(func())) {
		pauses := backoff.NewExponentialBackOff()
		pauses.InitialInterval, pauses.MaxInterval = firstPause, lastPause*2/3 // with up to 50 % of jitter
		pause := lookEvery
		for wait(ctx, pause, now) {
			err := look(ctx, at)
			if ctx.Err() != nil {
				return
			}
			if pause = lookEvery; err != nil {
				pause = pauses.NextBackOff()
			} else {
				pauses.Reset()
			}
			tell(func() { p.looked(at, err) })
		}
	})
}

// wait returns after a pause, or when a poll is requested; false means that the watch has
// ended.
func wait(ctx context.Context, pause time.Duration, now <-chan struct{}) bool {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-now:
	case <-ctx.Done():
	}
	return ctx.Err() == nil
}

func look(ctx context.Context, at Host) error {
	ctx, cancel := context.WithTimeout(ctx, lookTakes)
	defer cancel()
	return at.Look(ctx)
}

// looked records whether the server answers.
func (p *Hosts) looked(at Host, err error) {
	switch {
	case err == nil && p.watch.loss != nil:
		p.watch.loss = nil
		p.config.Found(at)
	case err != nil && p.watch.loss == nil:
		p.watch.loss = &Loss{Place: at, Since: time.Now(), Err: err}
		p.config.Lost(p.watch.loss)
	case err != nil:
		p.watch.loss.Err = err
		p.config.Lost(p.watch.loss)
	}
}
