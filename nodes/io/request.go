package ionode

import (
	"context"
	"net/http"
	"strings"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
)

type requestIn struct {
	URL               string           `port:"url" doc:"Where to, for example https://api.example.com/v1/items."`
	Method            string           `port:"method" enum:"GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS" default:"GET" doc:"HTTP method."`
	Credential        value.Credential `port:"credential,optional" doc:"Who the request is from, for example http:shop. It is sent to its own hosts only, and stays behind when a redirect leads elsewhere."`
	Headers           map[string]any   `port:"headers,optional" widget:"json" doc:"Headers by name; each a text, number or bool, or a list of them. Null leaves one out."`
	Query             map[string]any   `port:"query,optional" widget:"json" doc:"Parameters to add to the URL's query, like headers. They are escaped for you."`
	Body              any              `port:"body,optional" widget:"json" doc:"What to send: a text as it is, anything else as JSON, or as a form if headers say so. Null sends nothing."`
	Form              map[string]any   `port:"form,optional" widget:"json" doc:"Fields of a form to send instead of a body, like headers."`
	Files             []fileIn         `port:"files,optional" widget:"json" doc:"Files to send as a form with parts (multipart/form-data), together with the fields of form: each with the name of its field, and path or base64."`
	BodyFile          any              `port:"bodyFile,optional" widget:"file" doc:"A file to send as the body, byte for byte, such as for PUT to S3 or WebDAV: a media value or a path. Up to 100 MiB."`
	SaveTo            string           `port:"saveTo,optional" widget:"file" doc:"File to save the answer in, if its status is 200 to 299; body is empty then."`
	Pages             pagesIn          `port:"pages,optional,literal" widget:"json" doc:"How to go through an answer in pages; see above."`
	FollowRedirects   bool             `port:"followRedirects" default:"true" doc:"Go where the server points to, up to 10 times. Headers stay behind when that is another host."`
	RedirectMethod    string           `port:"redirectMethod" enum:"keep|fail|get" default:"keep" doc:"What a PUT, PATCH or DELETE becomes that is redirected with 301 or 302: the same again, a failure, or a GET."`
	FailOnStatus      bool             `port:"failOnStatus" default:"true" doc:"Fail when the status is 400 or more. Set it to false to branch on ok or statusCode."`
	RespectRetryAfter bool             `port:"respectRetryAfter" default:"true" doc:"Let the next attempt wait as long as an answer of 429 or 503 asks to, unless that is longer than the node's time: then there is none."`
	Encoding          string           `port:"encoding" default:"auto" doc:"How the answer is encoded: auto finds it; base64 puts the bytes into body; or a name, such as windows-1252 or shift_jis."`
	MaxBytes          int              `port:"maxBytes" default:"10485760" doc:"Largest answer to take, unpacked, in bytes; at most 104857600, and with saveTo 10737418240."`
}

type requestOut struct {
	Body       string         `port:"body" doc:"The answer as text, or in base64; see encoding."`
	Encoding   string         `port:"encoding" enum:"text|base64" doc:"What body holds: text, or the bytes in base64."`
	JSON       any            `port:"json" doc:"The answer read as JSON if its content type says so, else null."`
	StatusCode int            `port:"statusCode" doc:"HTTP status, such as 200."`
	Headers    map[string]any `port:"headers" doc:"Headers of the answer by lower-case name, several of one name joined by a comma; set-cookie is a list."`
	OK         bool           `port:"ok" doc:"Whether the status is 200 to 299."`
	Items      []any          `port:"items" doc:"What all pages gave together; empty without pages."`
	Pages      int            `port:"pages" doc:"How many pages were taken; 1 without pages."`
	Complete   bool           `port:"complete" doc:"Whether there are no more pages; false if max pages were taken and there are more, or an answer had an error status."`
}

// requestNode returns the node io.http_request.
func (x *exchange) requestNode(networks []string) node.Node {
	n := node.FuncFor("io.http_request", "HTTP request", x.requester).
		OnceIf("`method` changes something, or is wired", changes).
		Aliases("api, rest, fetch, get, post, curl, url, download, upload, pagination", "api, abfrage, webdienst, adresse aufrufen, herunterladen, hochladen").
		Example(map[string]any{"url": "https://example.com"}).Doc(
		"Makes an HTTP request. No answer at all fails with " +
			"`unavailable`, an address that workflows may not reach with `forbidden`, and an answer over `maxBytes` with " +
			"`limit_exceeded`.\n\n" +
			"An error status fails the node with " + statusHelp + noFailureHelp +
			"`body` is text if the answer says how it is encoded: by a byte order mark, its content type, or a declaration in the page, " +
			"or if it is UTF-8. Otherwise `body` is base64, and the output `encoding` says so. Take files with `saveTo`. A body is sent with any method; its content type is JSON, or plain text for a text, " +
			"unless `headers` says otherwise. If `json` is wired, an answer of 200 to 299 that is no JSON fails with `bad_answer`.\n\n" +
			"With `pages` the request is repeated for each page of a long answer. `next` is an expression that gives what comes " +
			"next: a URL at the same host, a record of query parameters to set, or null at the end. `items` is one that gives " +
			"what a page adds to `items`. Both know `status`, `headers`, `json`, `url` and `page`, which counts from 1. After `max` " +
			"pages (at most 10000) it ends, and `complete` is false if there are more; if `max` is not set, more than 100 pages are a failure, " +
			"unless `complete` is used; `delayMs` is a pause between two. Of an answer with an error status " +
			"no next page is asked for. " +
			"An answer of 429 or 503 that says when to come again is waited for within the node's time, so that no page is " +
			"asked for twice.\n\n" +
			"Example: `url` = `https://api.example.com/items`, `query` = `{\"limit\":10}`, " +
			"`pages` = `{\"next\":\"json.next\",\"items\":\"json.data\"}`, then read `items`.")
	return withNetworks(hintAtOK(n), networks)
}

// hintAtOK adds a hint to nodes that branch on ok although an error status fails them.
func hintAtOK(n node.Node) node.Node {
	bind := n.Bind
	n.Bind = func(b node.Binding) (node.Bound, []node.Problem) {
		bound, problems := bind(b)
		if b.WiredOutput("ok") && b.Config["failOnStatus"] != false && !b.Wired("failOnStatus") {
			bound.Hints = append(bound.Hints, node.Invalid("failOnStatus", "an error status fails the node, so ok is never false for one; set failOnStatus to false to branch on ok"))
		}
		return bound, problems
	}
	return n
}

// changes reports whether a request may change something on the server: it returns false
// only for safe methods (RFC 9110, section 9.2.1).
func changes(b node.Binding) bool {
	method, given := b.Config["method"]
	if b.Wired("method") {
		return true
	}
	return given && method != http.MethodGet && method != http.MethodHead && method != http.MethodOptions
}

// requester returns the function of one node.
func (x *exchange) requester(b node.Binding) (func(context.Context, requestIn) (requestOut, error), []node.Problem) {
	problems := append(checkCredential(b), checkBodies(b)...)
	p, more := newPager(b)
	if p != nil {
		p.endsEarly = p.endsEarly || b.WiredOutput("complete")
	}
	wantsJSON := b.WiredOutput("json") || p.wantsJSON()
	return func(ctx context.Context, in requestIn) (requestOut, error) {
		r := &request{exchange: x, in: in, pager: p, wantsJSON: wantsJSON}
		return r.do(ctx)
	}, append(problems, more...)
}

// given reports whether an input has a value or is wired.
func given(b node.Binding, port string) bool { return b.Config[port] != nil || b.Wired(port) }

// checkCredential refuses a credential together with an authorization header.
func checkCredential(b node.Binding) []node.Problem {
	headers, _ := b.Config["headers"].(map[string]any)
	for name, v := range headers {
		if v != nil && strings.EqualFold(name, "Authorization") && given(b, "credential") {
			return []node.Problem{node.Invalid("headers", "there is a credential and a header Authorization; leave one of them out")}
		}
	}
	return nil
}

// checkBodies returns an error if several inputs set the body, or others exclude each
// other.
func checkBodies(b node.Binding) (problems []node.Problem) {
	for _, both := range [][2]string{{"body", "form"}, {"body", "files"}, {"body", "bodyFile"}, {"form", "bodyFile"}, {"files", "bodyFile"}, {"saveTo", "pages"}} {
		if given(b, both[0]) && given(b, both[1]) {
			problems = append(problems, node.Invalid(both[1], "there is %s and %s; leave one of them out", both[0], both[1]))
		}
	}
	return problems
}

// request is one call of the node.
type request struct {
	*exchange

	in        requestIn
	pager     *pager
	wantsJSON bool
}

func (r *request) do(ctx context.Context) (requestOut, error) {
	m, err := r.message(ctx)
	if err != nil {
		return requestOut{}, err
	}
	switch {
	case r.pager != nil:
		return r.turn(ctx, m)
	case r.in.SaveTo != "":
		return r.save(ctx, m)
	}
	a, err := r.send(ctx, m, r.in.FollowRedirects, r.in.MaxBytes)
	if err != nil {
		return requestOut{}, err
	}
	return r.finish(ctx, m, a)
}

// message builds the request and resolves its credential.
func (r *request) message(ctx context.Context) (*message, error) {
	most := highestMaxBytes
	if r.in.SaveTo != "" {
		most = highestSaved
	}
	if err := checkMaxBytes(r.in.MaxBytes, most); err != nil {
		return nil, err
	}
	m, err := newMessage(r.in.Method, r.in.URL, r.in.Headers)
	if err != nil {
		return nil, err
	}
	if err := m.addQuery(r.in.Query); err != nil {
		return nil, err
	}
	if err := r.setBody(ctx, m); err != nil {
		return nil, err
	}
	m.redirectMethod = r.in.RedirectMethod
	return m, r.authorize(ctx, m, r.in.Credential)
}

// finish makes the outputs of the answer to m, or its failure.
func (r *request) finish(ctx context.Context, m *message, a *answer) (requestOut, error) {
	if r.in.FailOnStatus {
		if err := a.failure(ctx, m, r.in.RespectRetryAfter); err != nil {
			return requestOut{}, err
		}
	}
	v, err := a.json(ctx, m, r.wantsJSON)
	if err != nil {
		return requestOut{}, err
	}
	body, encoding, err := a.text(r.in.Encoding)
	if err != nil {
		return requestOut{}, err
	}
	return requestOut{
		Body: body, Encoding: encoding, JSON: v, StatusCode: a.status, Headers: a.headers(), OK: a.ok(), Items: []any{}, Pages: 1, Complete: true,
	}, nil
}
