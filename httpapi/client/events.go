package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"strconv"
	"time"

	"github.com/cenkalti/backoff/v5"
	"github.com/tmaxmax/go-sse"

	"github.com/svcflow/svc/engine"
)

// A lost stream is resumed after pauses that grow to maxPause, until the server has been
// unreachable for patience.
const (
	firstPause = 200 * time.Millisecond
	maxPause   = 5 * time.Second
	patience   = 2 * time.Minute
	// silence is how long a stream may send nothing. The server sends a comment every 15 s.
	silence = 45 * time.Second
)

// Events iterates over the events of a run after number after, including future ones, in order and
// each once, until the terminal event. It resumes a lost connection. It yields an error and stops
// if the run is unknown, the key is refused, ctx is done, or the server is unreachable for two
// minutes.
//
// Node outputs over 64 KiB are truncated to {"$elided":…}; [Client.Run] returns them completely.
func (c *Client) Events(ctx context.Context, runID string, after int) iter.Seq2[engine.Event, error] {
	return func(yield func(engine.Event, error) bool) {
		s := stream{client: c, runID: runID, last: after, pause: backoff.NewExponentialBackOff()}
		s.pause.InitialInterval, s.pause.MaxInterval = firstPause, maxPause
		for {
			err := s.read(ctx, yield)
			if err == nil {
				return
			}
			if err = s.wait(ctx, err); err != nil {
				yield(engine.Event{}, err)
				return
			}
		}
	}
}

// stream is a sequence of events over any number of connections.
type stream struct {
	client *Client
	runID  string
	last   int // number of the last event
	pause  *backoff.ExponentialBackOff
	heard  time.Time // when the server last answered; zero if never
}

// errCut says that a connection ended before its stream.
var errCut = errors.New("the stream was cut")

// read yields the events of one connection. It returns nil after the terminal event, or if the
// consumer stops.
func (s *stream) read(ctx context.Context, yield func(engine.Event, error) bool) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	answer, err := s.client.send(ctx, http.MethodGet, runPath(s.runID)+"/events", s.position(), nil)
	if err != nil {
		return err
	}
	defer func() {
		answer.Body.Close()
		s.heard = time.Now()
	}()
	if answer.StatusCode == http.StatusNoContent {
		return nil
	}
	watched := &watched{Reader: answer.Body, alarm: time.AfterFunc(silence, cancel)}
	defer watched.alarm.Stop()
	for frame, err := range sse.Read(watched, &sse.ReadConfig{MaxEventSize: maxAnswer}) {
		if err != nil {
			return errCut
		}
		e, err := s.decode(frame)
		if err != nil {
			return err
		}
		s.last = e.Seq
		s.pause.Reset()
		if !yield(e, nil) || e.Name.Terminal() {
			return nil
		}
	}
	return errCut
}

func (s *stream) position() http.Header {
	header := http.Header{"Accept": {"text/event-stream"}}
	if s.last > 0 {
		header.Set("Last-Event-ID", strconv.Itoa(s.last))
	}
	return header
}

// decode decodes a frame. A frame that is not the next one comes from a broken connection.
func (s *stream) decode(frame sse.Event) (engine.Event, error) {
	e := engine.Event{Name: engine.EventName(frame.Type)}
	if err := json.Unmarshal([]byte(frame.Data), &e); err != nil || e.Seq != s.last+1 {
		return e, errCut
	}
	return e, nil
}

// wait pauses before the next connection. It returns an error if a new connection would not help.
func (s *stream) wait(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	var refused *Error
	switch {
	case errors.As(err, &refused) && refused.Status < http.StatusInternalServerError, s.heard.IsZero():
		return err
	case time.Since(s.heard) > patience:
		return fmt.Errorf("gave up after %s, behind event %d: %w", patience, s.last, err)
	}
	pause := s.pause.NextBackOff()
	if refused != nil {
		pause = max(pause, min(refused.RetryAfter, maxPause))
	}
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// watched resets an alarm with each read.
type watched struct {
	io.Reader
	alarm *time.Timer
}

func (w *watched) Read(p []byte) (int, error) {
	n, err := w.Reader.Read(p)
	w.alarm.Reset(silence)
	return n, err
}
