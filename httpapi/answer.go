package httpapi

import (
	"bytes"
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/httpapi/internal/admission"
	"github.com/svcflow/svc/httpapi/internal/problem"
)

// answer is the writer of one response. It records what was written and owns buffers for both
// bodies. Answers are reused for later requests.
type answer struct {
	http.ResponseWriter

	caller    caller // zero until it is known
	route     *route // nil until it is found
	query     url.Values
	started   string    // run that continues after the answer
	code      string    // of the problem, if the answer is one
	subject   string    // id of the object, if the path does not name it
	waited    bool      // the caller waited for the end of a run
	status    int       // 0 until the header is written
	id        string    // of the request; "" unless it was sent or needed
	wildcards [2]string // values of the wildcards of the route
	encodings []string  // the request's Accept-Encoding
	zippers   *sync.Pool
	ticket    *admission.Reservation // nil until memory is reserved
	in        bytes.Buffer
	out       []byte

	page    *node.HookPage                      // renders pages for browsers; nil for other clients
	refused func(p *problem.Problem) node.Reply // renders the page of a problem
}

const (
	maxKept  = 1 << 20 // largest buffers that are reused for the next request
	maxID    = 128     // longest request id
	jsonType = "application/json"
	idHeader = "X-Request-Id"
)

// usualHeader returns the header that every answer has. Answers share the values.
func usualHeader() http.Header {
	return http.Header{"X-Content-Type-Options": {"nosniff"}, "Cache-Control": {"no-store"}}
}

// start prepares a for r.
func (a *answer) start(w http.ResponseWriter, r *http.Request, usual http.Header) {
	a.ResponseWriter, a.encodings = w, r.Header["Accept-Encoding"]
	h := w.Header()
	maps.Copy(h, usual)
	if id := r.Header.Get(idHeader); isSaneID(id) {
		a.id = id
		h.Set(idHeader, id)
	}
	if r.ContentLength != 0 {
		a.readUntil(time.Now().Add(bodyTimeout))
	}
}

// bodyTimeout is the time limit for a body to arrive, even if no handler reads it: net/http reads
// the rest before it answers. The ReadTimeout of net/http would also cancel long runs.
const bodyTimeout = time.Minute

// readUntil sets the deadline for reading the body; zero means none. It ignores writers that do not
// support deadlines.
func (a *answer) readUntil(t time.Time) {
	_ = http.NewResponseController(a.ResponseWriter).SetReadDeadline(t)
}

// isSaneID reports whether id is safe in headers and logs.
func isSaneID(id string) bool {
	if id == "" || len(id) > maxID {
		return false
	}
	for i := range len(id) {
		if id[i] <= ' ' || id[i] > '~' {
			return false
		}
	}
	return true
}

// identify creates an id for the request if it has none.
func (a *answer) identify() {
	if a.id != "" {
		return
	}
	a.id = uuid.NewString()
	if a.status == 0 {
		a.Header().Set(idHeader, a.id)
	}
}

// reset clears a for the next request, and reports whether its buffers are small enough for reuse.
func (a *answer) reset() bool {
	a.page, a.refused = nil, nil
	a.caller, a.query, a.started, a.subject, a.waited, a.code = caller{}, nil, "", "", false, ""
	a.ResponseWriter, a.route, a.status, a.id, a.wildcards, a.encodings, a.out = nil, nil, 0, "", [2]string{}, nil, a.out[:0]
	if a.ticket != nil {
		a.ticket.EndCompute()
		a.ticket.Release()
		a.ticket = nil
	}
	a.in.Reset()
	return a.in.Cap() <= maxKept && cap(a.out) <= maxKept
}

// drop frees the buffers before a stream that may last a day.
func (a *answer) drop() { a.in, a.out = bytes.Buffer{}, nil }

// WriteHeader implements [http.ResponseWriter].
func (a *answer) WriteHeader(status int) {
	if a.status == 0 {
		a.status = status
	}
	a.ResponseWriter.WriteHeader(status)
}

// Write implements [http.ResponseWriter].
func (a *answer) Write(p []byte) (int, error) {
	if a.status == 0 {
		a.status = http.StatusOK
	}
	n, err := a.ResponseWriter.Write(p)
	if a.caller.key != nil {
		a.caller.key.Count(int64(n))
	}
	return n, err
}

// Unwrap supports [http.ResponseController].
func (a *answer) Unwrap() http.ResponseWriter { return a.ResponseWriter }

// text sends a complete body, compressed if it is long and the client accepts that.
func (a *answer) text(status int, contentType string, body []byte) {
	if a.mayZip(len(body)) {
		z := a.zippers.Get().(*zipper)
		defer a.zippers.Put(z)
		a.markZipped(status)
		body = z.zip(body)
	}
	a.whole(status, contentType, body)
}

// fixed sends a constant body.
func (a *answer) fixed(contentType string, body fixed) {
	text := body.plain
	if a.mayZip(len(text)) {
		a.markZipped(http.StatusOK)
		text = body.zipped()
	}
	a.whole(http.StatusOK, contentType, text)
}

func (a *answer) whole(status int, contentType string, body []byte) {
	h := a.Header()
	h.Set("Content-Type", contentType)
	h.Set("Content-Length", strconv.Itoa(len(body)))
	a.WriteHeader(status)
	for len(body) > 0 {
		n := min(len(body), pieceOfFrame)
		a.writeUntil(time.Now().Add(stallTimeout))
		if _, err := a.Write(body[:n]); err != nil {
			return // the client has closed the connection or does not read
		}
		body = body[n:]
	}
}

// writeUntil sets the write deadline, for servers without [Guard]. net/http resets it after the
// answer.
func (a *answer) writeUntil(t time.Time) {
	_ = http.NewResponseController(a.ResponseWriter).SetWriteDeadline(t)
}

// json sends v as JSON.
func (a *answer) json(status int, v any) error {
	var err error
	if a.out, err = appendJSON(a.out, v); err != nil {
		return err
	}
	a.text(status, jsonType, a.out)
	return nil
}

// problem sends p.
func (a *answer) problem(p *problem.Problem) {
	h := a.Header()
	maps.Copy(h, p.Header)
	if a.refused != nil {
		shown := a.refused(p)
		reply(a, &shown)
		return
	}
	body, _ := appendJSON(nil, p) // strings and numbers always encode
	a.text(p.Status, "application/problem+json", body)
}

// appendJSON appends v to dst as JSON and a newline.
func appendJSON(dst []byte, v any) ([]byte, error) {
	b := bytes.NewBuffer(dst)
	e := json.NewEncoder(b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return b.Bytes(), err
}

// etagOf returns the strong entity tag of def: its digest.
func etagOf(def *workflow.Definition) string { return `"` + def.Digest() + `"` }

// condition returns the condition of a change from the headers of r (RFC 9110 section 13.1).
func condition(r *http.Request) (workflow.Condition, error) {
	var c workflow.Condition
	for _, tag := range tags(r, "If-Match") {
		c.Match = append(c.Match, digestOf(tag))
	}
	absent := tags(r, "If-None-Match")
	if c.Absent = slices.Contains(absent, workflow.Any); !c.Absent && len(absent) > 0 {
		return c, problem.New(http.StatusBadRequest, problem.CodeInvalidParameter,
			"a change understands If-None-Match: * only; to change a certain state, name it in If-Match")
	}
	return c, nil
}

// digestOf returns the digest in a strong entity tag, workflow.Any for *, and "" for any other tag.
func digestOf(tag string) string {
	inner, opened := strings.CutPrefix(unzipped(tag), `"`)
	inner, closed := strings.CutSuffix(inner, `"`)
	switch {
	case tag == workflow.Any:
		return tag
	case opened && closed && inner != workflow.Any:
		return inner
	}
	return ""
}

// known returns the tag in If-None-Match by which the client already has the state, plain or
// compressed; "" if it does not.
func known(r *http.Request, etag string) string {
	for _, tag := range tags(r, "If-None-Match") {
		strong := strings.TrimPrefix(tag, "W/")
		switch {
		case tag == workflow.Any:
			return etag
		case unzipped(strong) == etag:
			return strong
		}
	}
	return ""
}

// tags returns the entity tags in a header as sent. An existing header has at least one tag, which
// may be empty.
func tags(r *http.Request, header string) []string {
	values := r.Header.Values(header)
	if len(values) == 0 {
		return nil
	}
	list := strings.Split(strings.Join(values, ","), ",")
	for i := range list {
		list[i] = strings.TrimSpace(list[i])
	}
	return list
}
