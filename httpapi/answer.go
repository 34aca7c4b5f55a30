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

// answer is the writer of one response. It knows whether anything was written
// and lends the memory for both bodies. One request after the other uses it.
type answer struct {
	http.ResponseWriter

	caller    caller // the zero caller until it is known
	route     *route // nil until it is found
	query     url.Values
	started   string    // the run that continues after the answer
	code      string    // of the problem, if it is one
	subject   string    // what the request is about, if its address does not say so
	waited    bool      // for the end of a run
	status    int       // 0 until the header is written
	id        string    // of the request; "" unless it was given or needed
	wildcards [2]string // values of the wildcards of the route
	encodings []string  // the request's Accept-Encoding
	zippers   *sync.Pool
	ticket    *admission.Reservation // nil until memory was reserved
	in        bytes.Buffer
	out       []byte

	page    *node.HookPage                      // makes pages for people; nil if the caller is a program
	refused func(p *problem.Problem) node.Reply // makes the page of a problem
}

const (
	maxKept  = 1 << 20 // memory that an answer keeps for the next request
	maxID    = 128     // bytes of a request's id
	jsonType = "application/json"
	idHeader = "X-Request-Id"
)

// usualHeader is what every answer has in its header. The answers share the values.
func usualHeader() http.Header {
	return http.Header{"X-Content-Type-Options": {"nosniff"}, "Cache-Control": {"no-store"}}
}

// start makes a ready for r.
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

// bodyTimeout bounds how long a body may take to arrive, also one that nobody
// reads: net/http does so itself before it answers. Its ReadTimeout is no good
// for that, since it cancels runs that take longer.
const bodyTimeout = time.Minute

// readUntil sets when reading the body ends; the zero time means never. Not
// every writer can do that.
func (a *answer) readUntil(t time.Time) {
	_ = http.NewResponseController(a.ResponseWriter).SetReadDeadline(t)
}

// isSaneID reports whether id can be repeated in headers and logs.
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

// identify gives the request an id if it has none.
func (a *answer) identify() {
	if a.id != "" {
		return
	}
	a.id = uuid.NewString()
	if a.status == 0 {
		a.Header().Set(idHeader, a.id)
	}
}

// reset forgets the request and reports whether a is worth keeping.
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

// drop gives up the memory for bodies, for an answer that may take a day.
func (a *answer) drop() { a.in, a.out = bytes.Buffer{}, nil }

// WriteHeader implements http.ResponseWriter.
func (a *answer) WriteHeader(status int) {
	if a.status == 0 {
		a.status = status
	}
	a.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
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

// Unwrap is for http.ResponseController.
func (a *answer) Unwrap() http.ResponseWriter { return a.ResponseWriter }

// text sends a whole body, compressed if it is long and the client can read that.
func (a *answer) text(status int, contentType string, body []byte) {
	if a.mayZip(len(body)) {
		z := a.zippers.Get().(*zipper)
		defer a.zippers.Put(z)
		a.markZipped(status)
		body = z.zip(body)
	}
	a.whole(status, contentType, body)
}

// fixed sends a whole body that is always the same.
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
			return // the client has gone, or takes nothing
		}
		body = body[n:]
	}
}

// writeUntil sets when writing ends, for servers that are not guarded; see [Guard]. net/http
// forgets it behind the answer.
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
	body, _ := appendJSON(nil, p) // strings and numbers cannot fail
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

// condition returns what the headers of r ask of the stored workflow before it
// is changed (RFC 9110 section 13.1).
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

// digestOf returns the digest in a strong entity tag, workflow.Any for *, and for
// all else "", which is no workflow's digest.
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

// known returns the tag by which the caller has the state with this strong tag already:
// it may have it compressed. It is "" for none.
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

// tags returns the entity tags in a header, as they are written. A header that
// is there has at least one, if only an empty one.
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
