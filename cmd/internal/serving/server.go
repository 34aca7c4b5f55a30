package serving

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/svcflow/svc/engine/limit"
)

// afterRuns is the least time for requests to end after all runs have ended, even if the grace
// period is over. Streams need it to send their last events.
const afterRuns = 5 * time.Second

// service is a handler with runs, which Close ends (see httpapi.Service).
type service interface {
	http.Handler
	Close(ctx context.Context) error
}

// serve answers requests until ctx is done. Then it refuses new runs, waits for unfinished runs
// up to the grace period, and interrupts the rest. It returns when all requests have been
// answered, or were cut because they took too long.
func serve(ctx context.Context, door *entrance, s service, grace time.Duration, log *slog.Logger) error {
	base, cancelRequests := context.WithCancel(context.WithoutCancel(ctx))
	defer cancelRequests()
	server := &http.Server{
		Handler:           s,
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
		HTTP2:             &http.HTTP2Config{MaxConcurrentStreams: limit.Streams},
		// No WriteTimeout: a run may take a day, and a stream of events as long. The guard of
		// the listener disconnects clients that read nothing.
		BaseContext: func(net.Listener) context.Context { return base },
		ErrorLog:    slog.NewLogLogger(log.Handler(), slog.LevelDebug),
	}
	served := make(chan error, 1)
	go func() { served <- door.serve(server) }()
	select {
	case err := <-served:
		cancelRequests()
		return errors.Join(err, s.Close(base))
	case <-ctx.Done():
	}
	log.Info("stopping: no new runs are taken", slog.Duration("grace", grace))
	err := drain(base, s, server, grace, log)
	cancelRequests()
	err = errors.Join(err, server.Close())
	<-served //nolint:errcheck // http.ErrServerClosed
	log.Info("stopped")
	return err
}

// drain ends the runs of s, and then the requests to server. Clients can follow their runs
// until these have ended.
func drain(ctx context.Context, s service, server *http.Server, grace time.Duration, log *slog.Logger) error {
	deadline := time.Now().Add(grace)
	runs, cancel := context.WithDeadline(ctx, deadline)
	defer cancel()
	err := s.Close(runs)
	if runs.Err() != nil {
		log.Warn("the grace is over: what still ran was interrupted")
	}
	requests, cancel := context.WithTimeout(ctx, max(time.Until(deadline), afterRuns))
	defer cancel()
	if server.Shutdown(requests) != nil {
		log.Warn("cutting connections that do not end")
	}
	return err
}
