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
	keepAlive    = 15 * time.Second // between comments, which prevent that proxies close an idle stream
	stallTimeout = limit.Stall      // time limit of one write; a slower client is disconnected and can reconnect
	writeAtOnce  = 8 << 10          // bytes of frames per write; longer frames are not copied
	pieceOfFrame = 64 << 10         // bytes of a long frame per write
)

// frames is a source of the frames of a run, such as app.Follower.
type frames interface {
	// Next waits for frames. It returns io.EOF after the terminal one.
	Next(ctx context.Context) ([]run.Frame, error)
}

// stream sends frames as server-sent events. It owns no buffer while it waits, since there may be
// thousands of streams.
type stream struct {
	service *Service
	writer  http.ResponseWriter
	control *http.ResponseController
}

// stream starts an event stream as the answer to a request. The request must end when stream.follow
// returns.
func (a *answer) stream(s *Service) *stream {
	h := a.Header()
	h.Set("Content-Type", streamType)
	h.Set("X-Accel-Buffering", "no") // otherwise nginx buffers streams
	a.WriteHeader(http.StatusOK)
	a.drop()
	return &stream{s, a, http.NewResponseController(a.ResponseWriter)}
}

// errCut says that a client did not receive what was sent.
var errCut = errors.New("the client has gone or is too slow")

// follow sends first, and then everything from f until the run or ctx ends. It returns an error if
// the stream ends early.
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

// untilQuiet sends frames until there were none for a while. It then returns
// context.DeadlineExceeded, and a comment is due.
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

// send writes frames, several per write.
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

// frameRoom is the largest size of a frame without its data.
const frameRoom = 80

// appendHead appends what comes before the data of f. Neither event names nor data contain line
// ends.
func appendHead(dst []byte, f run.Frame) []byte {
	dst = append(dst, "id: "...)
	dst = strconv.AppendInt(dst, int64(f.Seq), 10)
	dst = append(dst, "\nevent: "...)
	dst = append(dst, f.Name...)
	return append(dst, "\ndata: "...)
}

// long writes head and data in pieces, so that a slow client does not time out.
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

// expire sets the write deadline; net/http resets it after the answer. If a host's writer does not
// support deadlines, the host must handle stalled clients.
func (s *stream) expire(t time.Time) { _ = s.control.SetWriteDeadline(t) }

// canFlush reports whether w, or a writer that it wraps, can flush.
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

// glance is how long to wait for new events before the answer to a reconnecting client. If the wait
// is too short, the client only reconnects once more.
const glance = 50 * time.Millisecond

// followRun answers GET /executions/{id}/events with a stream of the events after Last-Event-ID. If
// there are none and none will follow, the answer is 204, which stops the EventSource of a browser.
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

// lastEventID returns the number of the last event that the client has received.
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

// glimpse returns the next frames for a reconnecting client.
func glimpse(ctx context.Context, events frames, after int) ([]run.Frame, error) {
	if after == 0 {
		return nil, nil // a first connection always gets at least the terminal frame
	}
	ctx, cancel := context.WithTimeout(ctx, glance)
	defer cancel()
	batch, err := events.Next(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		return nil, nil
	}
	return batch, err
}

// streamed is a JSON body that is sent while it is generated. As long as nothing was sent, the
// answer can still become a problem.
type streamed struct {
	answer *answer
	text   []byte
	sent   bool
}

// streamFrom is the size from which on an incomplete body is sent.
const streamFrom = 256 << 10

// Write implements [io.Writer].
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

// end completes the body.
func (s *streamed) end(text string) error {
	s.text = append(s.text, text...)
	if !s.sent {
		s.answer.text(http.StatusOK, jsonType, s.text)
		return nil
	}
	_ = s.flush() // fails only if the client has disconnected
	return nil
}

// fail returns err as the answer, or aborts the connection if a part of the body was sent.
func (s *streamed) fail(err error) error {
	if s.sent {
		panic(http.ErrAbortHandler)
	}
	return err
}
