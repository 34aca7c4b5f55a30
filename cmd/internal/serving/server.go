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

// afterRuns is how long requests may take to end once no run goes on any more,
// should the grace be over by then. It is for streams that have their last events
// to send.
const afterRuns = 5 * time.Second

// service is what a server serves: a handler that has runs of its own, which
// Close brings to their end (see httpapi.Service).
type service interface {
	http.Handler
	Close(ctx context.Context) error
}

// serve answers requests until ctx is done. Then it takes no more runs, lets
// those it has finish within the grace, interrupts what is left, and ends when
// all requests have been answered, or cut if they take too long for that.
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
		// the listener cuts who takes nothing.
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

// drain ends the runs of s, and then the requests to server. As long as runs go
// on, their clients can ask for them.
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
