package httpapi

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"strconv"
	"time"

	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/httpapi/internal/problem"
)

// glance is how long who comes back may wait to be told that nothing follows. It
// need not be enough: a stream without frames makes them come back once more.
const glance = 50 * time.Millisecond

// followRun answers GET /executions/{id}/events with a stream of the run's events
// behind Last-Event-ID. If there are none, nor will there be, it is 204, which
// makes the EventSource of a browser stop.
func (s *Service) followRun(a *answer, r *http.Request) error {
	after, err := lastEventID(r)
	if err != nil {
		return err
	}
	events, err := s.app.Follow(r.Context(), a.wildcards[0], after)
	if err != nil {
		return err
	}
	if !canFlush(a.ResponseWriter) {
		return problem.New(http.StatusInternalServerError, problem.CodeNoFlush,
			"a middleware of this server keeps answers back, so events cannot be streamed; its http.ResponseWriter needs a method Flush or Unwrap")
	}
	first, err := glimpse(r.Context(), events, after)
	if errors.Is(err, io.EOF) {
		a.WriteHeader(http.StatusNoContent)
		return nil
	}
	if err != nil {
		return err
	}
	stream := a.stream(s)
	if r.Method == http.MethodHead {
		return nil
	}
	s.metrics.subscribers.Inc()
	defer s.metrics.subscribers.Dec()
	if err := stream.follow(r.Context(), first, events); err != nil {
		level := slog.LevelWarn
		if errors.Is(err, errCut) || r.Context().Err() != nil {
			level = slog.LevelDebug
		}
		s.note(a, r, level, "stream cut", slog.Any("error", err))
	}
	return nil
}

// lastEventID returns the number of the last event that a client has had.
func lastEventID(r *http.Request) (int, error) {
	ids := r.Header["Last-Event-Id"]
	if len(ids) == 0 {
		return 0, nil
	}
	seq, err := strconv.ParseUint(ids[0], 10, 31)
	if err != nil || len(ids) > 1 {
		return 0, problem.InvalidParameter("the header Last-Event-ID is the id of an event of this run, a number, and comes once")
	}
	return int(seq), nil
}

// glimpse returns the first frames for a client that had some before.
func glimpse(ctx context.Context, events frames, after int) ([]run.Frame, error) {
	if after == 0 {
		return nil, nil // every run has a terminal frame
	}
	ctx, cancel := context.WithTimeout(ctx, glance)
	defer cancel()
	batch, err := events.Next(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		return nil, nil
	}
	return batch, err
}
