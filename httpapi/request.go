package httpapi

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/httpapi/internal/admission"
	"github.com/svcflow/svc/httpapi/internal/problem"
)

// firstRoom is the initial buffer of a body, whatever length is announced. Once that much has
// arrived, the buffer gets the announced size, which the gate has reserved, since growing in steps
// would copy the data repeatedly.
const firstRoom = 64 << 10

// body reads the body of r, which must be JSON. The result is valid until r is answered.
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

// callStep is the number of bytes of a hook call that are read before more memory is reserved.
const callStep = 4 << 10

// readCall reads the body of a hook call. Callers have no key, so it does not reserve the announced
// length: many slow callers would keep others out. It reserves memory as the body arrives, and,
// when it is complete, what decoding takes.
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

// counted is a body for which memory is reserved as it arrives.
type counted struct {
	io.Reader

	ctx    context.Context // of the request
	ticket *admission.Reservation
	step   int64 // bytes reserved at once
	left   int64 // reserved bytes left
}

// Read implements [io.Reader].
func (c *counted) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	for c.left -= int64(n); c.left < 0; c.left += c.step {
		if refused := c.ticket.Reserve(c.ctx, c.step); refused != nil {
			return n, refused
		}
	}
	return n, err
}

// isJSONType reports whether a Content-Type is JSON in UTF-8.
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

// workflowID returns the id in the path. If no workflow can have it, the error is
// workflow.ErrNotFound, regardless of the store.
func (a *answer) workflowID() (string, error) {
	id := a.wildcards[0]
	if err := workflow.CheckID(id); err != nil {
		return "", fmt.Errorf("%w: %w", workflow.ErrNotFound, err)
	}
	return id, nil
}

// overrides reads an object: node id → input port → value.
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

// gate returns the gate of the service; nil without a limit.
func (c *Config) gate(w *watch) *admission.Gate {
	if c.Admit <= 0 {
		return nil
	}
	return admission.New(c.Admit, &w.local.Memory, &w.local.Processors)
}

// admitted returns the context of r with its reservation, for loading and running workflows.
func (s *Service) admitted(a *answer, r *http.Request) context.Context {
	if s.gate == nil {
		return r.Context()
	}
	return admission.WithReservation(r.Context(), s.ticket(a))
}

// ticket returns the reservation of a, and creates it if necessary.
func (s *Service) ticket(a *answer) *admission.Reservation {
	if a.ticket == nil {
		a.ticket = admission.NewReservation(s.gate)
	}
	return a.ticket
}

// admit reserves memory for a body of the announced length; -1 means unknown.
func (s *Service) admit(ctx context.Context, a *answer, length int64) error {
	if s.gate == nil {
		return nil
	}
	if length < 0 || length > admission.SmallBody {
		return s.ticket(a).Reserve(ctx, max(length, admission.SmallBody))
	}
	return s.ticket(a).Reserve(ctx, admission.BodyGrowth*length)
}

// admitDecoded reserves memory for the decoded body.
func (s *Service) admitDecoded(a *answer, r *http.Request, text []byte) error {
	if s.gate == nil || int64(len(text)) <= admission.SmallBody && r.ContentLength >= 0 {
		return nil
	}
	t := s.ticket(a)
	if err := t.WaitTurn(r.Context()); err != nil {
		return err
	}
	bytes := value.DecodedWeight(text)
	t.EndCompute() // the following wait may be long
	if err := t.ReserveWaiting(r.Context(), int64(bytes)); err != nil {
		return err
	}
	return t.StartCompute(r.Context(), bytes)
}

// readQuery parses the query of a request. It refuses unknown parameters, like unknown members of a
// body: if they were ignored, the answer would not be what the client asked for.
func (a *answer) readQuery(r *http.Request) error {
	if r.URL.RawQuery == "" || a.route.scope == "" {
		return nil
	}
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return problem.InvalidParameter("the query of the address is not written as URLs have it; % is %25 there, and ; is %3B")
	}
	for _, name := range slices.Sorted(maps.Keys(query)) {
		switch {
		case !slices.Contains(a.route.query, name):
			return problem.InvalidParameter(fmt.Sprintf("there is no query parameter %.40q here; %s", name, knownParameters(a.route.query)))
		case len(query[name]) > 1:
			return problem.InvalidParameter("the query parameter " + name + " comes once")
		}
	}
	a.query = query
	return nil
}

// knownParameters describes the parameters of a route.
func knownParameters(names []string) string {
	if len(names) == 0 {
		return "this address takes none"
	}
	return "this address takes " + strings.Join(names, ", ")
}

// flag returns a boolean query parameter; false if it is missing.
func (a *answer) flag(name string) (bool, error) {
	if !a.query.Has(name) {
		return false, nil
	}
	on, err := strconv.ParseBool(a.query.Get(name))
	if err != nil {
		return false, problem.InvalidParameter("the query parameter " + name + " is true or false")
	}
	return on, nil
}

// limit returns the requested number of items on a page, at most most. 0 means the default.
func (a *answer) limit(most int) (int, error) {
	if !a.query.Has("limit") {
		return 0, nil
	}
	n, err := strconv.Atoi(a.query.Get("limit"))
	if err != nil || n < 1 || n > most {
		return 0, problem.InvalidParameter(fmt.Sprintf("the query parameter limit is a number from 1 to %d", most))
	}
	return n, nil
}
