package serving

import (
	"context"
	"errors"
	"log/slog"
	"net"

	"github.com/svcflow/svc/httpapi"
)

// Do runs workflows until ctx is done, and then hands unfinished runs over. It serves only
// probes. with completes the configuration that the flags give.
func (w *Work) Do(ctx context.Context, p *Process, with func(c *httpapi.Config, log *slog.Logger) error) error {
	p, done := p.Buffered()
	defer done()
	log := w.Log(p)
	c := w.config(p, log)
	pace(p.Env, openingPercent)
	c.AllowAnonymous, c.Audit = true, "none" // no API is served
	if err := with(&c, log); err != nil {
		return err
	}
	service, err := httpapi.New(c) //nolint:contextcheck // what it starts outlives the signal, to be drained
	if err != nil {
		return err
	}
	probes, stop, err := w.open(service.Probes(), log)
	if err != nil {
		return errors.Join(err, service.Close(ctx))
	}
	defer stop()
	w.announce(p, log, "working")
	w.announceProbes(p, log, probes)
	defer settle(ctx, service, func() { pace(p.Env, gcPercent) })()
	defer w.sweep(ctx)()
	<-ctx.Done()
	log.Info("stopping: no new runs are taken", slog.Duration("grace", w.Grace))
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), w.Grace)
	defer cancel()
	err = service.Close(grace)
	log.Info("stopped")
	return err
}

// announceProbes prints the address of probes, if they are served.
func (w *Work) announceProbes(p *Process, log *slog.Logger, at net.Addr) {
	if at != nil {
		w.announce(p, log, "answering probes on http://"+hostOf(at)+everywhere(at))
	}
}
