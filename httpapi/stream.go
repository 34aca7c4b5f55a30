package httpapi

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	"github.com/svcflow/svc/engine/limit"
	"github.com/svcflow/svc/engine/run"
)

const (
	streamType   = "text/event-stream"
	keepAlive    = 15 * time.Second // between comments, which keep proxies from closing a quiet stream
	stallTimeout = limit.Stall      // for one write; who takes longer is cut, and can go on where it was
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

// send writes frames, as many as there is room for at once.
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
