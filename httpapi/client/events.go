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

// How a lost stream is taken up again: after pauses that grow to maxPause, until
// the server has been away for patience.
const (
	firstPause = 200 * time.Millisecond
	maxPause   = 5 * time.Second
	patience   = 2 * time.Minute
	// silence is how long a stream may say nothing at all. The server sends a
	// comment every 15 s.
	silence = 45 * time.Second
)

// Events yields the events of a run behind number after, then those to come, in
// order, each once, and ends behind the terminal one. A lost connection is taken
// up again where it broke off. An error ends the sequence: the run is not known,
// the key is refused, ctx is done, or the server stays away for two minutes.
//
// An output of a node that is longer than 64 KiB is shown as {"$elided":…};
// [Client.Run] has it whole.
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

// stream is one sequence of events, over as many connections as it takes.
type stream struct {
	client *Client
	runID  string
	last   int // number of the last event
	pause  *backoff.ExponentialBackOff
	heard  time.Time // when the server was there last; zero if it never was
}

// errCut says that a connection has ended before its stream.
var errCut = errors.New("the stream was cut")

// read yields the events of one connection. Nil means that there is no more to
// come, or that nobody wants it.
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

// decode reads a frame. One that does not fit behind the last one is the torn
// end of a connection.
func (s *stream) decode(frame sse.Event) (engine.Event, error) {
	e := engine.Event{Name: engine.EventName(frame.Type)}
	if err := json.Unmarshal([]byte(frame.Data), &e); err != nil || e.Seq != s.last+1 {
		return e, errCut
	}
	return e, nil
}

// wait pauses before the next connection, unless err is one that a new connection
// would not mend: then it returns what to tell the caller.
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

// watched raises an alarm when nothing has come for a while.
type watched struct {
	io.Reader
	alarm *time.Timer
}

func (w *watched) Read(p []byte) (int, error) {
	n, err := w.Reader.Read(p)
	w.alarm.Reset(silence)
	return n, err
}
