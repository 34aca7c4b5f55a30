package httpapi

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"mime"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/httpapi/internal/admission"
	"github.com/svcflow/svc/httpapi/internal/problem"
)

// firstRoom is how much memory a request gets on its word alone. One that has sent so much
// gets all that it has announced, for which the gate has let it in: a buffer that grows is
// copied over and over.
const firstRoom = 64 << 10

// body reads the body of r, which has to be JSON. It is good until r is
// answered.
func (s *Service) body(a *answer, r *http.Request) ([]byte, error) {
	limit := int64(s.app.Limits().Bytes)
	switch {
	case r.ContentLength == 0:
		return nil, nil
	case r.ContentLength > limit:
		return nil, problem.BodyTooLarge(limit)
	case r.Header.Get("Content-Encoding") != "":
		return nil, unsupported("send the body without Content-Encoding").With("Accept-Encoding", "identity")
	}
	isJSON := isJSONType(r.Header.Get("Content-Type"))
	if !isJSON && r.ContentLength > 0 {
		return nil, notJSON()
	}
	if err := s.admit(r.Context(), a, r.ContentLength); err != nil {
		return nil, err
	}
	if err := s.read(a, r, limit); err != nil {
		return nil, problem.Body(err, a.in.Len())
	}
	if !isJSON && a.in.Len() > 0 {
		return nil, notJSON()
	}
	return a.in.Bytes(), s.admitDecoded(a, r, a.in.Bytes())
}

func (s *Service) read(a *answer, r *http.Request, limit int64) error {
	a.in.Grow(int(min(max(r.ContentLength, 0), firstRoom)) + 512)
	var body io.Reader = http.MaxBytesReader(a.ResponseWriter, r.Body, limit)
	if r.ContentLength < 0 && s.gate != nil {
		body = &counted{body, r.Context(), s.ticket(a), admission.SmallBody, admission.SmallBody}
	}
	var err error
	if r.ContentLength > firstRoom && s.gate != nil {
		_, err = io.CopyN(&a.in, body, firstRoom)
		s.gate.Memory.Collect(int(r.ContentLength))
		a.in = *bytes.NewBuffer(append(make([]byte, 0, r.ContentLength+bytes.MinRead), a.in.Bytes()...))
	}
	if err == nil {
		_, err = a.in.ReadFrom(body)
	}
	if err == nil {
		a.readUntil(time.Time{})
	}
	return err
}

// callStep is how much of the call of a hook comes before memory is asked for.
const callStep = 4 << 10

// readCall reads the body of the call of a hook. Whoever calls has no key, so nothing is set
// aside for what it announces: many that send slowly would keep others out. It counts as it
// comes, and as what it becomes once it is whole.
func (s *Service) readCall(a *answer, r *http.Request, limit int64) error {
	var body io.Reader = http.MaxBytesReader(a.ResponseWriter, r.Body, limit)
	if s.gate != nil {
		body = &counted{body, r.Context(), s.ticket(a), callStep, callStep}
	}
	if _, err := a.in.ReadFrom(body); err != nil {
		return problem.Body(err, a.in.Len())
	}
	a.readUntil(time.Time{})
	if s.gate == nil {
		return nil
	}
	if n := a.in.Len(); n <= admission.SmallBody {
		return s.ticket(a).ReserveWaiting(r.Context(), admission.BodyGrowth*int64(n))
	}
	if !isJSONType(r.Header.Get("Content-Type")) {
		return nil
	}
	return s.admitDecoded(a, r, a.in.Bytes())
}

// counted is a body of unknown length, for which the gate is asked as it comes.
type counted struct {
	io.Reader

	ctx    context.Context // of the request
	ticket *admission.Reservation
	step   int64 // how many bytes are asked for at once
	left   int64 // bytes that may come
}

// Read implements io.Reader.
func (c *counted) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	for c.left -= int64(n); c.left < 0; c.left += c.step {
		if refused := c.ticket.Reserve(c.ctx, c.step); refused != nil {
			return n, refused
		}
	}
	return n, err
}

// isJSONType reports whether a Content-Type stands for JSON in UTF-8.
func isJSONType(contentType string) bool {
	if contentType == jsonType {
		return true
	}
	media, params, err := mime.ParseMediaType(contentType)
	if err != nil || media != jsonType && (!strings.HasPrefix(media, "application/") || !strings.HasSuffix(media, "+json")) {
		return false
	}
	charset, ok := params["charset"]
	return !ok || strings.EqualFold(charset, "utf-8")
}

func notJSON() *problem.Problem {
	return unsupported("send JSON in UTF-8, with Content-Type: "+jsonType).With("Accept", jsonType)
}

func unsupported(detail string) *problem.Problem {
	return problem.New(http.StatusUnsupportedMediaType, problem.CodeUnsupportedMedia, detail)
}

// definition reads the workflow in the body of r.
func (s *Service) definition(a *answer, r *http.Request) (*workflow.Definition, error) {
	text, err := s.body(a, r)
	if err != nil {
		return nil, err
	}
	return workflow.Decode(text, s.app.Limits())
}

// workflowID returns the id in the address of the request. One that no workflow
// can have is workflow.ErrNotFound, whatever the store would make of it.
func (a *answer) workflowID() (string, error) {
	id := a.wildcards[0]
	if err := workflow.CheckID(id); err != nil {
		return "", fmt.Errorf("%w: %w", workflow.ErrNotFound, err)
	}
	return id, nil
}

// overrides reads node id → input port → value.
func overrides(r *value.Reader) (map[string]map[string]any, error) {
	record, err := r.Record()
	if err != nil {
		return nil, err
	}
	byNode := make(map[string]map[string]any, len(record))
	for _, id := range slices.Sorted(maps.Keys(record)) {
		byPort, ok := record[id].(map[string]any)
		if !ok {
			return nil, r.Errorf("the overrides of node %.100q have to be an object, input port to value", id)
		}
		byNode[id] = byPort
	}
	return byNode, nil
}
