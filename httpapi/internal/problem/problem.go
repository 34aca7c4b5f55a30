// Package problem makes the bodies of error answers (RFC 9457) and decides which status and code an
// error has.
package problem

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"net/http"
	"os"
	"strconv"
	"syscall"

	"github.com/svcflow/svc/app"
	"github.com/svcflow/svc/app/runs"
	"github.com/svcflow/svc/app/trigger"
	"github.com/svcflow/svc/credentials"
	"github.com/svcflow/svc/credentials/oauth"
	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/httpapi/keys/ring"
	"github.com/svcflow/svc/store"
)

// Codes of problems. Clients branch on them, so they never change.
const (
	CodeMalformed          = "malformed"
	CodeInvalidParameter   = "invalid_parameter"
	CodeUnauthorized       = "unauthorized"
	CodeForbidden          = "forbidden"
	CodeBudget             = "budget_exceeded"
	CodeKeyExists          = "key_exists"
	CodeKeyLimit           = "key_limit"
	CodeCrossOrigin        = "cross_origin"
	CodeWrongHost          = "wrong_host"
	CodeNotFound           = "not_found"
	CodeNoRevisions        = "no_revisions"
	CodeMethodNotAllowed   = "method_not_allowed"
	CodeRequestTimeout     = "request_timeout"
	CodeDamaged            = "damaged"
	CodePreconditionFailed = "precondition_failed"
	CodeTooLarge           = "too_large"
	CodeRange              = "range_not_satisfiable"
	CodeUnsupportedMedia   = "unsupported_media_type"
	CodeInvalid            = "validation_failed"
	CodeInternal           = "internal"
	CodeNoFlush            = "streaming_impossible"
	CodeBusy               = "busy"
	CodeTooMuch            = "too_much"
	CodeRunLimit           = "run_limit"
	CodeRunEnded           = "run_ended"
	CodeRunRunning         = "run_running"
	CodeInterrupted        = "interrupted"
	CodeResultGone         = "result_gone"
	CodeNotResumable       = "not_resumable"
	CodeKeyReused          = "idempotency_key_reused"
	CodeTooManyKeys        = "too_many_keys"
	CodeStopping           = "stopping"
	CodeCancelled          = "cancelled"
	CodeUnavailable        = "unavailable"
	CodeStorageFull        = "storage_full"
	CodeUnknownNetwork     = "unknown_network"
	CodeNotConfigured      = "not_configured"
	CodeWrongState         = "wrong_state"
	CodeLoginFailed        = "login_failed"
	CodeReadOnly           = "read_only"
	CodeConflict           = "conflict"
	CodeNoAnswer           = "no_answer"
	CodeReauthorize        = "reauthorize"
	CodeActive             = "active"
	CodeInUse              = "in_use"
	CodeNotActive          = "not_active"
	CodeNeverFired         = "never_fired"
	CodePathInUse          = "path_in_use"
	CodeInboxFull          = "inbox_full"
	CodeHookUnready        = "hook_unready"
	CodeTriggersOff        = "triggers_off"
	CodeArmedElsewhere     = "armed_elsewhere"
	CodeNoState            = "no_state"
	CodeInvalidKey         = "invalid_key"
	CodeLimitExceeded      = "limit_exceeded"

	CodeMalformedCredential = "malformed_credential"
)

// InternalDetail is the detail of errors whose cause only the log may say.
const InternalDetail = "this is a fault of the service; its log says more under this request's id, X-Request-Id"

// Problem is the body of an error answer. A handler that knows its answer returns one as its error.
type Problem struct {
	Type   string                  `json:"type"`
	Title  string                  `json:"title"`
	Status int                     `json:"status"`
	Detail string                  `json:"detail"`
	Code   string                  `json:"code"`
	Errors engine.ValidationErrors `json:"errors,omitempty"`
	// Truncated is the number of problems that Errors leaves out.
	Truncated int `json:"truncated,omitempty"`
	*position
	RunID string `json:"runId,omitempty"` // of the run that was interrupted
	// Workflows are the ids of the workflows that call the one to be deleted.
	Workflows []string `json:"workflows,omitempty"`

	Header http.Header `json:"-"` // of the answer
}

// position is the place where a body is malformed.
type position struct {
	Offset  int64  `json:"offset"`  // in bytes
	Pointer string `json:"pointer"` // RFC 6901, to the innermost value that contains the place
}

// Error implements error.
func (p *Problem) Error() string { return p.Code + ": " + p.Detail }

// New returns a problem with the title of its status.
func New(status int, code, detail string) *Problem {
	return &Problem{Type: "about:blank", Title: http.StatusText(status), Status: status, Detail: detail, Code: code}
}

// With adds a header to the answer.
func (p *Problem) With(name, text string) *Problem {
	if p.Header == nil {
		p.Header = http.Header{}
	}
	p.Header.Set(name, text)
	return p
}

// InvalidParameter returns the problem of a query parameter.
func InvalidParameter(detail string) *Problem {
	return New(http.StatusBadRequest, CodeInvalidParameter, detail)
}

// meaning is the answer to an error.
type meaning struct {
	err    error // compared with errors.Is
	status int
	code   string
	detail string
}

// meanings is the table of errors without data. The first match counts. Details are fixed texts,
// because errors of stores may contain paths.
func meanings() []meaning {
	const (
		none     = "no such workflow, or no such revision of it, is stored"
		damaged  = "the stored workflow cannot be read; save it again, or delete it"
		full     = "the disk of the service is full; nothing was changed"
		disk     = "the service cannot use its storage at the moment; nothing was changed"
		stopping = "the request was given up before it was done; try again"
	)
	return []meaning{
		{workflow.ErrNotFound, http.StatusNotFound, CodeNotFound, none},
		{workflow.ErrConflict, http.StatusPreconditionFailed, CodePreconditionFailed, "the stored workflow is not the expected one; load it again"},
		{store.ErrDamaged, http.StatusConflict, CodeDamaged, damaged},
		{store.ErrUnavailable, http.StatusServiceUnavailable, CodeUnavailable, "the database of the workflows cannot be reached at the moment; try again, and look first whether a change was made"},
		{engine.ErrNoChoices, http.StatusNotFound, CodeNotFound, engine.ErrNoChoices.Error()},
		{app.ErrNoRevisions, http.StatusNotFound, CodeNoRevisions, app.ErrNoRevisions.Error()},
		{app.ErrActive, http.StatusConflict, CodeActive, app.ErrActive.Error()},
		{app.ErrNoTriggers, http.StatusConflict, CodeTriggersOff, app.ErrNoTriggers.Error()},
		{app.ErrNeverFired, http.StatusNotFound, CodeNeverFired, app.ErrNeverFired.Error()},
		{trigger.ErrInboxFull, http.StatusServiceUnavailable, CodeInboxFull, trigger.ErrInboxFull.Error()},
		{trigger.ErrDisarmed, http.StatusNotFound, CodeNotFound, "there is nothing at this address"},
		{store.ErrNotActive, http.StatusNotFound, CodeNotActive, store.ErrNotActive.Error()},
		{store.ErrArmedElsewhere, http.StatusConflict, CodeArmedElsewhere, store.ErrArmedElsewhere.Error() + "; ask that one"},
		{app.ErrNoState, http.StatusNotFound, CodeNoState, app.ErrNoState.Error()},
		{app.ErrStateConflict, http.StatusPreconditionFailed, CodePreconditionFailed, app.ErrStateConflict.Error()},
		{store.ErrStateKey, http.StatusBadRequest, CodeInvalidKey, store.ErrStateKey.Error()},
		{store.ErrStateValue, http.StatusUnprocessableEntity, CodeLimitExceeded, store.ErrStateValue.Error()},
		{store.ErrStateFull, http.StatusUnprocessableEntity, CodeLimitExceeded, store.ErrStateFull.Error()},
		{app.ErrFileConflict, http.StatusPreconditionFailed, CodePreconditionFailed, app.ErrFileConflict.Error()},
		{app.ErrFolderInUse, http.StatusConflict, CodeConflict, app.ErrFolderInUse.Error()},
		{store.ErrRunNotFound, http.StatusNotFound, CodeNotFound, "no such run is kept; GET /executions lists those that are"},
		{store.ErrRunDamaged, http.StatusConflict, CodeDamaged, "what was recorded of the run cannot be read"},
		{store.ErrInvalidCursor, http.StatusBadRequest, CodeInvalidParameter, "the query parameter cursor is the one that the page before names"},
		{runs.ErrRunEnded, http.StatusConflict, CodeRunEnded, runs.ErrRunEnded.Error()},
		{store.ErrRunRunning, http.StatusConflict, CodeRunRunning, store.ErrRunRunning.Error()},
		{app.ErrResultGone, http.StatusConflict, CodeResultGone, app.ErrResultGone.Error()},
		{store.ErrTooManyKeys, http.StatusServiceUnavailable, CodeTooManyKeys, store.ErrTooManyKeys.Error()},
		{runs.ErrRunNotResumable, http.StatusConflict, CodeNotResumable, runs.ErrRunNotResumable.Error()},
		{app.ErrNoSuchNode, http.StatusBadRequest, CodeInvalidParameter, app.ErrNoSuchNode.Error()},
		{runs.ErrKeyReused, http.StatusUnprocessableEntity, CodeKeyReused, runs.ErrKeyReused.Error()},
		{runs.ErrKeyTooLong, http.StatusBadRequest, CodeInvalidParameter, runs.ErrKeyTooLong.Error()},
		{runs.ErrRunLimit, http.StatusServiceUnavailable, CodeRunLimit, runs.ErrRunLimit.Error()},
		{runs.ErrStopping, http.StatusServiceUnavailable, CodeStopping, runs.ErrStopping.Error()},
		{runs.ErrCrowded, http.StatusServiceUnavailable, CodeTooMuch, runs.ErrCrowded.Error()},
		{runs.ErrBusy, http.StatusServiceUnavailable, CodeBusy, runs.ErrBusy.Error()},
		{workflow.ErrTooLarge, http.StatusRequestEntityTooLarge, CodeTooLarge, "the workflow has more bytes than this service takes"},
		{value.ErrTooBig, http.StatusRequestEntityTooLarge, CodeTooLarge, "the values in the body take more memory than a request may; send fewer, or larger, lists and objects"},
		{syscall.ENOSPC, http.StatusInsufficientStorage, CodeStorageFull, full},
		{syscall.EDQUOT, http.StatusInsufficientStorage, CodeStorageFull, full},
		{syscall.EMFILE, http.StatusServiceUnavailable, CodeUnavailable, disk},
		{syscall.ENFILE, http.StatusServiceUnavailable, CodeUnavailable, disk},
		{syscall.EROFS, http.StatusServiceUnavailable, CodeUnavailable, disk},
		{fs.ErrPermission, http.StatusServiceUnavailable, CodeUnavailable, disk},
		{ring.ErrExists, http.StatusConflict, CodeKeyExists, ring.ErrExists.Error()},
		{ring.ErrTooMany, http.StatusConflict, CodeKeyLimit, ring.ErrTooMany.Error()},
		{ring.ErrNotFound, http.StatusNotFound, CodeNotFound, ring.ErrNotFound.Error()},
		{ring.ErrDamaged, http.StatusServiceUnavailable, CodeUnavailable, "the named keys cannot be read; the log says why"},
		{context.Canceled, http.StatusServiceUnavailable, CodeCancelled, stopping},
		{context.DeadlineExceeded, http.StatusServiceUnavailable, CodeCancelled, stopping},
	}
}

// Of returns the answer to an error.
func Of(err error) *Problem {
	if p := new(Problem); errors.As(err, &p) {
		return p
	}
	for _, m := range append(secretMeanings(), meanings()...) {
		if !errors.Is(err, m.err) {
			continue
		}
		p := New(m.status, m.code, cmp.Or(m.detail, err.Error()))
		if m.status == http.StatusServiceUnavailable {
			return p.With("Retry-After", "1")
		}
		return p
	}
	var invalid engine.ValidationErrors
	var syntax *value.SyntaxError
	var interrupted *app.InterruptedError
	var spent *ring.Spent
	var taken *trigger.PathInUseError
	var called *app.CalledError
	switch {
	case errors.As(err, &called):
		p := New(http.StatusConflict, CodeInUse, called.Error())
		p.Workflows = called.Callers
		return p
	case errors.As(err, &taken):
		return New(http.StatusConflict, CodePathInUse, taken.Error())
	case errors.As(err, &spent):
		return spentProblem(spent)
	case errors.As(err, &interrupted):
		p := New(http.StatusConflict, CodeInterrupted, interrupted.Error())
		p.RunID = interrupted.RunID
		return p
	case errors.As(err, &invalid):
		return validationProblem(invalid)
	case errors.As(err, &syntax):
		p := New(http.StatusBadRequest, CodeMalformed, syntax.Error())
		p.position = &position{syntax.Offset, syntax.Pointer}
		return p
	}
	return New(http.StatusInternalServerError, CodeInternal, InternalDetail)
}

func validationProblem(errs engine.ValidationErrors) *Problem {
	detail := fmt.Sprintf("%d problems, see errors; nothing was run or saved", errs.Total())
	if len(errs) == 1 {
		detail = errs[0].Error()
	}
	p := New(http.StatusUnprocessableEntity, CodeInvalid, detail)
	p.Errors, p.Truncated = errs, errs.Truncated()
	return p
}

// Body returns the answer to an error while reading a body, of which read bytes had arrived.
func Body(err error, read int) *Problem {
	var tooLarge *http.MaxBytesError
	var known *Problem
	switch {
	case errors.As(err, &known):
		return known
	case errors.As(err, &tooLarge):
		return BodyTooLarge(tooLarge.Limit)
	case errors.Is(err, os.ErrDeadlineExceeded):
		return New(http.StatusRequestTimeout, CodeRequestTimeout, "the body took too long to arrive")
	}
	p := New(http.StatusBadRequest, CodeMalformed, "the body ends before its announced length, or is not framed as HTTP asks for")
	p.position = &position{Offset: int64(read)}
	return p
}

// BodyTooLarge returns the answer to a body over limit bytes.
func BodyTooLarge(limit int64) *Problem {
	return New(http.StatusRequestEntityTooLarge, CodeTooLarge, fmt.Sprintf("the body has more than the %d bytes that are allowed", limit))
}

// spentProblem says when a key has budget again.
func spentProblem(spent *ring.Spent) *Problem {
	seconds := strconv.Itoa(max(1, int(math.Ceil(spent.After.Seconds()))))
	return New(http.StatusTooManyRequests, CodeBudget, spent.Error()+"; try again in "+seconds+" s").With("Retry-After", seconds)
}

// secretMeanings are the errors of logins and of sources of credentials. Those without a detail
// show their own text: package oauth words its errors for users.
func secretMeanings() []meaning {
	const (
		readOnly = "this credential belongs to the environment of the server; change it there"
		changed  = "the credential was changed by somebody else; try again"
		away     = "the source of credentials, or the network, does not answer; try again later"
	)
	return []meaning{
		{oauth.ErrUnknownNetwork, http.StatusNotFound, CodeUnknownNetwork, ""},
		{oauth.ErrUnknownLogin, http.StatusNotFound, CodeNotFound, ""},
		{oauth.ErrTooManyLogins, http.StatusServiceUnavailable, CodeBusy, ""},
		{oauth.ErrNotConfigured, http.StatusConflict, CodeNotConfigured, ""},
		{oauth.ErrState, http.StatusBadRequest, CodeWrongState, ""},
		{oauth.ErrDenied, http.StatusBadRequest, CodeLoginFailed, ""},
		{oauth.ErrIssuer, http.StatusBadRequest, CodeLoginFailed, ""},
		{oauth.ErrExpired, http.StatusBadRequest, CodeLoginFailed, ""},
		{oauth.ErrRefused, http.StatusBadRequest, CodeLoginFailed, ""},
		{credentials.ErrNotFound, http.StatusNotFound, CodeNotFound, "there is no such credential"},
		{credentials.ErrReauthorize, http.StatusConflict, CodeReauthorize, ""},
		{credentials.ErrMalformed, http.StatusUnprocessableEntity, CodeMalformedCredential, ""},
		{credentials.ErrReadOnly, http.StatusConflict, CodeReadOnly, readOnly},
		{credentials.ErrConflict, http.StatusConflict, CodeConflict, changed},
		{credentials.ErrUnavailable, http.StatusServiceUnavailable, CodeUnavailable, away},
	}
}
