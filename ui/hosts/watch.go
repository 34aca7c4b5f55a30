package hosts

import (
	"context"
	"time"

	"github.com/cenkalti/backoff/v5"

	"github.com/svcflow/svc/ui/job"
)

// Loss is that the server where the user works cannot be worked with any more.
type Loss struct {
	Place Host
	Since time.Time
	Err   error // the last time it was asked
}

// How a server is looked after: every lookEvery while it answers, and after pauses that
// grow from firstPause to lastPause while it does not.
const (
	lookEvery  = 5 * time.Second
	firstPause = time.Second
	lastPause  = 30 * time.Second
	lookTakes  = 10 * time.Second // at most
)

// watch looks after the server where the user works. Its methods belong to the window's
// goroutine.
type watch struct {
	jobs *job.Runner // its own; nil at this computer
	now  chan struct{}
	loss *Loss // nil while it answers
}

// Lost returns since when and why the host cannot be used; nil if it can.
func (p *Hosts) Lost() *Loss { return p.watch.loss }

// Look asks the server at once whether it is there, as when something there has failed,
// or the user wants it.
func (p *Hosts) Look() {
	if p.watch.jobs != nil {
		select {
		case p.watch.now <- struct{}{}:
		default: // it is about to
		}
	}
}

// attend looks after the server where the user works now.
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
		pauses.InitialInterval, pauses.MaxInterval = firstPause, lastPause*2/3 // which chance makes up to half longer
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

// wait returns after a pause, or when something is to be done now; false means never.
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
