package main

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"time"
)

// afterCancel is how long requests may take to end once their runs are cancelled.
const afterCancel = 5 * time.Second

// serve answers requests until ctx is done. Then it takes no more, lets those it
// has finish within the grace, and cancels what is left. It is nil if the server
// was stopped, however long that took.
func serve(ctx context.Context, l net.Listener, handler http.Handler, grace time.Duration, log *slog.Logger) error {
	base, cancelRuns := context.WithCancel(context.WithoutCancel(ctx))
	defer cancelRuns()
	server := &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
		// No WriteTimeout: a run may take a day, and a stream of events as long.
		BaseContext: func(net.Listener) context.Context { return base },
		ErrorLog:    slog.NewLogLogger(log.Handler(), slog.LevelDebug),
	}
	served := make(chan error, 1)
	go func() { served <- server.Serve(l) }()
	select {
	case err := <-served:
		return err
	case <-ctx.Done():
	}
	log.Info("stopping: no new requests are taken", slog.Duration("grace", grace))
	if err := shutdown(base, server, grace); errors.Is(err, context.DeadlineExceeded) {
		log.Warn("the grace is over: cancelling what still runs")
		cancelRuns()
		if err := shutdown(context.WithoutCancel(ctx), server, afterCancel); err != nil {
			err = errors.Join(err, server.Close())
			log.Warn("cut connections that did not end", slog.Any("error", err))
		}
	}
	<-served //nolint:errcheck // http.ErrServerClosed
	log.Info("stopped")
	return nil
}

// shutdown waits until all requests have ended, or the time is over.
func shutdown(ctx context.Context, server *http.Server, within time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	return server.Shutdown(ctx)
}
