package httpapi

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strconv"
	"time"

	"github.com/svcflow/svc/engine/limit"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/httpapi/internal/problem"
)

const (
	streamType   = "text/event-stream"
	keepAlive    = 15 * time.Second // between comments, which keep proxies from closing a quiet stream
	stallTimeout = limit.Stall      // for one write; a slower client is disconnected and can reconnect
	writeAtOnce  = 8 << 10          // bytes of frames; what is longer is not copied
	pieceOfFrame = 64 << 10         // bytes of a long frame that have the stallTimeout to themselves
)

// frames is where the frames of a run come from, as app.Follower gives them.
type frames interface {
	// Next waits for frames; io.EOF means that the terminal one was there.
	Next(ctx context.Context) ([]run.Frame, error)
}

// stream sends frames as server-sent events. While it waits it has no memory of
// its own, since there may be thousands.
type stream struct {
	service *Service
	writer  http.ResponseWriter
	control *http.ResponseController
}

// stream begins a stream of events as the answer to a request, which has to have
// ended when stream.follow does.
func (a *answer) stream(s *Service) *stream {
	h := a.Header()
	h.Set("Content-Type", streamType)
	h.Set("X-Accel-Buffering", "no") // nginx keeps streams back otherwise
	a.WriteHeader(http.StatusOK)
	a.drop()
	return &stream{s, a, http.NewResponseController(a.ResponseWriter)}
}

// errCut says that a client did not take what was sent.
var errCut = errors.New("the client has gone or is too slow")

// follow sends first and then everything from f until the run or ctx ends. Its
// error says why the client got no more.
func (s *stream) follow(ctx context.Context, first []run.Frame, f frames) error {
	if err := s.send(first); err != nil {
		return err
	}
	for {
		err := s.untilQuiet(ctx, f)
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case ctx.Err() != nil || !errors.Is(err, context.DeadlineExceeded):
			return err
		}
		if err := s.comment(); err != nil {
			return err
		}
	}
}

// untilQuiet sends frames until it is time for a comment, which is
// context.DeadlineExceeded.
func (s *stream) untilQuiet(ctx context.Context, f frames) error {
	ctx, cancel := context.WithTimeout(ctx, keepAlive)
	defer cancel()
	for {
		batch, err := f.Next(ctx)
		if err != nil {
			return err
		}
		if err := s.send(batch); err != nil {
			return err
		}
	}
}

// send writes frames, several with each write.
func (s *stream) send(batch []run.Frame) error {
	lent := s.service.chunks.Get().(*[]byte)
	defer s.service.chunks.Put(lent)
	chunk := (*lent)[:0]
	for _, f := range batch {
		need := frameRoom + len(f.Data)
		if len(chunk)+need > cap(chunk) && len(chunk) > 0 {
			if err := s.write(chunk); err != nil {
				return err
			}
			chunk = chunk[:0]
		}
		chunk = appendHead(chunk, f)
		if need <= cap(chunk) {
			chunk = append(chunk, f.Data...)
		} else {
			if err := s.long(chunk, f.Data); err != nil {
				return err
			}
			chunk = chunk[:0]
		}
		chunk = append(chunk, "\n\n"...)
	}
	if len(chunk) > 0 {
		if err := s.write(chunk); err != nil {
			return err
		}
	}
	return s.flush()
}

// frameRoom is how many bytes a frame may have beside its data.
const frameRoom = 80

// appendHead appends what comes before the data of f. Neither the name of an
// event nor its data holds a line end.
func appendHead(dst []byte, f run.Frame) []byte {
	dst = append(dst, "id: "...)
	dst = strconv.AppendInt(dst, int64(f.Seq), 10)
	dst = append(dst, "\nevent: "...)
	dst = append(dst, f.Name...)
	return append(dst, "\ndata: "...)
}

// long writes head and data piece by piece, so that a slow line is none that
// stalls.
func (s *stream) long(head, data []byte) error {
	if err := s.write(head); err != nil {
		return err
	}
	for len(data) > 0 {
		n := min(len(data), pieceOfFrame)
		if err := s.write(data[:n]); err != nil {
			return err
		}
		data = data[n:]
	}
	return nil
}

func (s *stream) comment() error {
	if err := s.write([]byte(":\n\n")); err != nil {
		return err
	}
	return s.flush()
}

func (s *stream) write(p []byte) error {
	s.expire(time.Now().Add(stallTimeout))
	_, err := s.writer.Write(p)
	return cut(err)
}

func (s *stream) flush() error {
	s.expire(time.Now().Add(stallTimeout))
	return cut(s.control.Flush())
}

func cut(err error) error {
	if err != nil {
		return fmt.Errorf("%w: %w", errCut, err)
	}
	return nil
}

// expire sets when writing has to be done; net/http forgets it behind the answer.
// A host's writer that cannot do that has to look after stalled clients itself.
func (s *stream) expire(t time.Time) { _ = s.control.SetWriteDeadline(t) }

// canFlush reports whether what is written to w can be sent at once: whether w,
// or a writer inside it, can flush.
func canFlush(w http.ResponseWriter) bool {
	for {
		switch inner := w.(type) {
		case interface{ FlushError() error }, http.Flusher:
			return true
		case interface{ Unwrap() http.ResponseWriter }:
			w = inner.Unwrap()
		default:
			return false
		}
	}
}

// glance is how long a reconnecting client waits to learn that nothing follows. A longer answer does
// no harm: after a stream without frames clients reconnect once more.
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

// streamed is a body of JSON that may be large, which is written as it is made. As long as
// nothing was sent, it can still become a problem.
type streamed struct {
	answer *answer
	text   []byte
	sent   bool
}

// streamFrom is from how many bytes on a body is sent before it is whole.
const streamFrom = 256 << 10

// Write implements io.Writer.
func (s *streamed) Write(p []byte) (int, error) {
	if len(s.text)+len(p) < streamFrom {
		s.text = append(s.text, p...)
		return len(p), nil
	}
	if err := s.flush(); err != nil {
		return 0, err
	}
	return s.answer.Write(p)
}

func (s *streamed) flush() error {
	if !s.sent {
		s.sent = true
		s.answer.Header().Set("Content-Type", jsonType)
		s.answer.WriteHeader(http.StatusOK)
	}
	_, err := s.answer.Write(s.text)
	s.text = s.text[:0]
	return err
}

// end sends the rest.
func (s *streamed) end(text string) error {
	s.text = append(s.text, text...)
	if !s.sent {
		s.answer.text(http.StatusOK, jsonType, s.text)
		return nil
	}
	_ = s.flush() // fails only if the client has gone
	return nil
}

// fail returns why there is no body; one that was begun is cut off.
func (s *streamed) fail(err error) error {
	if s.sent {
		panic(http.ErrAbortHandler)
	}
	return err
}
