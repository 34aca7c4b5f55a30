package serving

import (
	"context"
	"errors"
	"log/slog"
	"net"

	"github.com/svcflow/svc/httpapi"
)

// Do runs workflows until ctx is done, and then hands over what goes on. Nobody comes in but
// for probes. What the flags do not say of the service, with fills in.
func (w *Work) Do(ctx context.Context, p *Process, with func(c *httpapi.Config, log *slog.Logger) error) error {
	log := w.Log(p)
	c := w.config(p, log)
	pace(p.Env, openingPercent)
	c.AllowAnonymous, c.Audit = true, "none" // there is no door
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

// announceProbes tells where probes are answered, if they are.
func (w *Work) announceProbes(p *Process, log *slog.Logger, at net.Addr) {
	if at != nil {
		w.announce(p, log, "answering probes on http://"+hostOf(at)+everywhere(at))
	}
}
