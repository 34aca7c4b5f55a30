package httpapi

import (
	"net/http"
)

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
