package httpapi

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/svcflow/svc/app"
	"github.com/svcflow/svc/app/trigger"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/httpapi/internal/admission"
	"github.com/svcflow/svc/httpapi/internal/problem"
	"github.com/svcflow/svc/nodes/urlform"
)

// hooksPath is the path prefix of the hooks of active workflows.
const hooksPath = "/hooks/"

// hooked answers a request for an armed hook, and reports whether there is one. Hooks need no API
// key; they have their own checks. Other paths are answered like any unknown path.
func (s *Service) hooked(a *answer, r *http.Request, escaped string) (bool, error) {
	rest, below := strings.CutPrefix(escaped, s.prefix+hooksPath)
	if !below {
		return false, nil
	}
	hooks, params := s.app.Hooks(r.Context(), rest)
	methods := methodsOf(hooks)
	i := slices.IndexFunc(hooks, func(h *trigger.Hook) bool { return takes(h.Methods, r.Method) })
	if i < 0 && (r.Method != http.MethodOptions || len(hooks) == 0) {
		return false, nil
	}
	a.route = &s.hookRoute
	if i < 0 {
		s.hookOptions(a, r, hooks, methods)
		return true, nil
	}
	call := &node.HookCall{Method: r.Method, Params: params[i], Header: r.Header, Remote: hostOf(r.RemoteAddr), Now: time.Now()}
	if page := hooks[i].Page; page != nil && wantsHTML(r) {
		ctx := r.Context()
		a.page, a.refused = page, func(p *problem.Problem) node.Reply { return page.Refused(ctx, call, p.Status, p.Detail) }
	}
	if !s.mayCall(a, r, hooks[i]) {
		return true, problem.New(http.StatusForbidden, problem.CodeCrossOrigin, "pages of this origin may not call the hook; its trigger lists those that may in allowedOrigins")
	}
	if r.Method == http.MethodHead {
		a.WriteHeader(http.StatusOK)
		return true, nil
	}
	return true, s.callHook(a, r, hooks[i], call)
}

// takes reports whether methods answer a request. GET includes HEAD.
func takes(methods []string, method string) bool {
	return slices.Contains(methods, method) || method == http.MethodHead && slices.Contains(methods, http.MethodGet)
}

// methodsOf returns the methods of hooks for the Allow header.
func methodsOf(hooks []*trigger.Hook) []string {
	all := []string{http.MethodOptions}
	for _, h := range hooks {
		all = append(all, h.Methods...)
	}
	if slices.Contains(all, http.MethodGet) {
		all = append(all, http.MethodHead)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// hookOptions answers OPTIONS with the methods, and a preflight with the CORS headers if its page
// may call a hook.
func (s *Service) hookOptions(a *answer, r *http.Request, hooks []*trigger.Hook, methods []string) {
	h := a.Header()
	h.Set("Allow", strings.Join(methods, ", "))
	asked := r.Header.Get("Access-Control-Request-Method")
	for _, hook := range hooks {
		if asked == "" || !takes(hook.Methods, asked) || !listed(hook, r.Header.Get("Origin")) {
			continue
		}
		h.Set("Access-Control-Allow-Origin", r.Header.Get("Origin"))
		h.Set("Access-Control-Allow-Methods", strings.Join(methods, ", "))
		if names := r.Header.Get("Access-Control-Request-Headers"); names != "" {
			h.Set("Access-Control-Allow-Headers", names)
		}
		h.Set("Access-Control-Max-Age", strconv.Itoa(int(preflightAge/time.Second)))
	}
	h.Add("Vary", "Origin")
	a.WriteHeader(http.StatusNoContent)
}

// listed reports whether pages of an origin may call a hook.
func listed(h *trigger.Hook, origin string) bool {
	return origin != "" && (slices.Contains(h.Origins, origin) || slices.Contains(h.Origins, "*"))
}

// mayCall reports whether the page that sent r may call a hook, and sets the CORS headers. Requests
// that no page has sent are allowed.
func (s *Service) mayCall(a *answer, r *http.Request, h *trigger.Hook) bool {
	origin := r.Header.Get("Origin")
	if len(h.Origins) > 0 {
		a.Header().Add("Vary", "Origin")
	}
	if listed(h, origin) {
		a.Header().Set("Access-Control-Allow-Origin", origin)
		return true
	}
	if h.Page != nil && r.Method != http.MethodPost {
		return true // the form is only shown
	}
	unsafe := *r
	unsafe.Method = http.MethodPost // a hook changes something, whatever its method
	return origin == "" && r.Header.Get("Sec-Fetch-Site") != "cross-site" || s.origins.Check(&unsafe) == nil
}

func (s *Service) callHook(a *answer, r *http.Request, h *trigger.Hook, call *node.HookCall) error {
	call.Query = urlform.Parse(r.URL.RawQuery)
	if err := s.readHookBody(a, r, call, int64(h.MaxBytes)); err != nil {
		return err
	}
	out, err := s.app.CallHook(r.Context(), h, call)
	if err != nil {
		return hookProblem(err)
	}
	return s.answerHook(a, &out)
}

// readHookBody reads the body of a call, and decompresses it.
func (s *Service) readHookBody(a *answer, r *http.Request, call *node.HookCall, most int64) error {
	encoding := strings.ToLower(strings.TrimSpace(r.Header.Get("Content-Encoding")))
	zipped := encoding == "gzip" || encoding == "x-gzip"
	switch {
	case r.ContentLength > most:
		return problem.BodyTooLarge(most)
	case encoding != "" && encoding != "identity" && !zipped:
		return unsupported("send the body without Content-Encoding, or as gzip").With("Accept-Encoding", "gzip, identity")
	}
	if err := s.readCall(a, r, most); err != nil {
		return err
	}
	if !zipped {
		call.Body = slices.Clone(a.in.Bytes())
		return nil
	}
	var err error
	if call.Body, err = unzip(a.in.Bytes(), most); err != nil {
		return err
	}
	call.Header = maps.Clone(call.Header)
	delete(call.Header, "Content-Encoding")
	if s.gate == nil {
		return nil
	}
	return s.ticket(a).ReserveWaiting(r.Context(), admission.BodyGrowth*int64(len(call.Body)))
}

// unzip decompresses a body of at most most bytes.
func unzip(body []byte, most int64) ([]byte, error) {
	in, err := gzip.NewReader(bytes.NewReader(body))
	if err != nil {
		return nil, errGzip()
	}
	plain, err := io.ReadAll(io.LimitReader(in, most+1))
	switch {
	case err != nil:
		return nil, errGzip()
	case int64(len(plain)) > most:
		return nil, problem.BodyTooLarge(most)
	}
	return plain, nil
}

func errGzip() error {
	return problem.New(http.StatusBadRequest, problem.CodeMalformed, "the Content-Encoding is gzip and the body is no gzip, or ends too early")
}

// hookProblem returns the answer to the caller of a hook. It hides the details of errors that only
// the operator can correct.
func hookProblem(err error) error {
	if refused, ok := errors.AsType[*node.HookError](err); ok {
		p := problem.New(refused.Status, refused.Code, refused.Message)
		if p.Status == http.StatusTooManyRequests {
			p = p.With("Retry-After", retryHook)
		}
		return p
	}
	if node.CodeOf(err) == node.CodeStorageFull {
		return errors.Join(problem.New(http.StatusInsufficientStorage, problem.CodeStorageFull, "there is no room for the files; nothing was taken"), err)
	}
	if errors.Is(err, app.ErrNoFiles) {
		return unsupported(err.Error())
	}
	if failed, ok := errors.AsType[*node.Error](err); ok && failed.Code != node.CodeLimitExceeded && failed.Code != node.CodeStorageFull {
		return errors.Join(problem.New(http.StatusServiceUnavailable, problem.CodeHookUnready,
			"the hook cannot take calls now; the log of the service has the reason").With("Retry-After", retryHook), err)
	}
	return err
}

// retryHook is the Retry-After value in seconds.
const retryHook = "30"

// answerHook sends the outcome of a hook call.
func (s *Service) answerHook(a *answer, out *app.HookOutcome) error {
	a.started = out.RunID
	switch {
	case out.Reply != nil:
		reply(a, out.Reply)
		return nil
	case a.page != nil:
		shown := a.page.Ended(hookEnd(out))
		reply(a, &shown)
		return nil
	case out.Late:
		a.Header().Set("Location", s.base+"/executions/"+out.RunID)
	case out.Outcome != nil:
		return s.answerResult(a, out)
	}
	return a.json(http.StatusAccepted, map[string]string{"runId": out.RunID})
}

// hookEnd returns the outcome of a call for a page.
func hookEnd(out *app.HookOutcome) node.HookEnd {
	end := node.HookEnd{RunID: out.RunID, Late: out.Late}
	if out.Outcome != nil {
		end.Failed, end.Outputs = out.Outcome.Err() != nil, out.Outcome.Outputs()
	}
	return end
}

// answerResult answers with the outputs of a run, or with an error that does not reveal why the run
// failed.
func (s *Service) answerResult(a *answer, out *app.HookOutcome) error {
	if failure := out.Outcome.Err(); failure != nil {
		p := problem.New(http.StatusInternalServerError, failure.Code, "the run "+out.RunID+" has failed")
		p.RunID = out.RunID
		a.identify()
		a.problem(p)
		return nil
	}
	if out.Awaits == node.AwaitNode { // no node has answered
		a.WriteHeader(http.StatusNoContent)
		return nil
	}
	a.out = append(value.Append(a.out, out.Outcome.Outputs()), '\n')
	a.text(http.StatusOK, jsonType, a.out)
	return nil
}

// reply sends the answer of a hook or a node. Its headers prevent that a browser treats it as a
// page of the service.
func reply(a *answer, r *node.Reply) {
	h := a.Header()
	maps.Copy(h, r.Header)
	if h.Get("Content-Security-Policy") == "" {
		h.Set("Content-Security-Policy", "sandbox; default-src 'none'")
	}
	if len(r.Body) == 0 {
		a.WriteHeader(r.Status)
		return
	}
	a.text(r.Status, r.Type, r.Body)
}
