package httpapi

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

// The codes of problems. Callers branch on them, so they never change.
const (
	codeMalformed          = "malformed"
	codeInvalidParameter   = "invalid_parameter"
	codeUnauthorized       = "unauthorized"
	codeForbidden          = "forbidden"
	codeBudget             = "budget_exceeded"
	codeKeyExists          = "key_exists"
	codeKeyLimit           = "key_limit"
	codeCrossOrigin        = "cross_origin"
	codeWrongHost          = "wrong_host"
	codeNotFound           = "not_found"
	codeNoRevisions        = "no_revisions"
	codeMethodNotAllowed   = "method_not_allowed"
	codeRequestTimeout     = "request_timeout"
	codeDamaged            = "damaged"
	codePreconditionFailed = "precondition_failed"
	codeTooLarge           = "too_large"
	codeRange              = "range_not_satisfiable"
	codeUnsupportedMedia   = "unsupported_media_type"
	codeInvalid            = "validation_failed"
	codeInternal           = "internal"
	codeNoFlush            = "streaming_impossible"
	codeBusy               = "busy"
	codeTooMuch            = "too_much"
	codeRunLimit           = "run_limit"
	codeRunEnded           = "run_ended"
	codeRunRunning         = "run_running"
	codeInterrupted        = "interrupted"
	codeResultGone         = "result_gone"
	codeNotResumable       = "not_resumable"
	codeKeyReused          = "idempotency_key_reused"
	codeTooManyKeys        = "too_many_keys"
	codeStopping           = "stopping"
	codeCancelled          = "cancelled"
	codeUnavailable        = "unavailable"
	codeStorageFull        = "storage_full"
	codeUnknownNetwork     = "unknown_network"
	codeNotConfigured      = "not_configured"
	codeWrongState         = "wrong_state"
	codeLoginFailed        = "login_failed"
	codeReadOnly           = "read_only"
	codeConflict           = "conflict"
	codeNoAnswer           = "no_answer"
	codeReauthorize        = "reauthorize"
	codeActive             = "active"
	codeNotActive          = "not_active"
	codeNeverFired         = "never_fired"
	codePathInUse          = "path_in_use"
	codeInboxFull          = "inbox_full"
	codeHookUnready        = "hook_unready"
	codeTriggersOff        = "triggers_off"
	codeArmedElsewhere     = "armed_elsewhere"
	codeNoState            = "no_state"
	codeInvalidKey         = "invalid_key"
	codeLimitExceeded      = "limit_exceeded"

	codeMalformedCredential = "malformed_credential"
)

const internalDetail = "this is a fault of the service; its log says more under this request's id, X-Request-Id"

// problem is the body of an error (RFC 9457). As an error it is what a handler
// returns that knows its answer.
type problem struct {
	Type   string                  `json:"type"`
	Title  string                  `json:"title"`
	Status int                     `json:"status"`
	Detail string                  `json:"detail"`
	Code   string                  `json:"code"`
	Errors engine.ValidationErrors `json:"errors,omitempty"`
	// Truncated is how many problems are not in Errors.
	Truncated int `json:"truncated,omitempty"`
	*position
	RunID string `json:"runId,omitempty"` // of the run that was interrupted

	header http.Header // sent along
}

// position is where a body is malformed.
type position struct {
	Offset  int64  `json:"offset"`  // in bytes
	Pointer string `json:"pointer"` // RFC 6901, to the innermost value around the place
}

// Error implements error.
func (p *problem) Error() string { return p.Code + ": " + p.Detail }

func newProblem(status int, code, detail string) *problem {
	return &problem{Type: "about:blank", Title: http.StatusText(status), Status: status, Detail: detail, Code: code}
}

// with adds a header to the answer.
func (p *problem) with(name, text string) *problem {
	if p.header == nil {
		p.header = http.Header{}
	}
	p.header.Set(name, text)
	return p
}

func invalidParameter(detail string) *problem {
	return newProblem(http.StatusBadRequest, codeInvalidParameter, detail)
}

// meaning is what an error means to callers.
type meaning struct {
	err    error // as errors.Is has it
	status int
	code   string
	detail string
}

// meanings is the table of all errors that have no data of their own. Of several
// that fit, the first one counts. Details are fixed texts, since errors of stores
// may hold paths.
func meanings() []meaning {
	const (
		none     = "no such workflow, or no such revision of it, is stored"
		damaged  = "the stored workflow cannot be read; save it again, or delete it"
		full     = "the disk of the service is full; nothing was changed"
		disk     = "the service cannot use its storage at the moment; nothing was changed"
		stopping = "the request was given up before it was done; try again"
	)
	return []meaning{
		{workflow.ErrNotFound, http.StatusNotFound, codeNotFound, none},
		{workflow.ErrConflict, http.StatusPreconditionFailed, codePreconditionFailed, "the stored workflow is not the expected one; load it again"},
		{store.ErrDamaged, http.StatusConflict, codeDamaged, damaged},
		{store.ErrUnavailable, http.StatusServiceUnavailable, codeUnavailable, "the database of the workflows cannot be reached at the moment; try again, and look first whether a change was made"},
		{engine.ErrNoChoices, http.StatusNotFound, codeNotFound, engine.ErrNoChoices.Error()},
		{app.ErrNoRevisions, http.StatusNotFound, codeNoRevisions, app.ErrNoRevisions.Error()},
		{app.ErrActive, http.StatusConflict, codeActive, app.ErrActive.Error()},
		{app.ErrNoTriggers, http.StatusConflict, codeTriggersOff, app.ErrNoTriggers.Error()},
		{app.ErrNeverFired, http.StatusNotFound, codeNeverFired, app.ErrNeverFired.Error()},
		{trigger.ErrInboxFull, http.StatusServiceUnavailable, codeInboxFull, trigger.ErrInboxFull.Error()},
		{trigger.ErrDisarmed, http.StatusNotFound, codeNotFound, "there is nothing at this address"},
		{store.ErrNotActive, http.StatusNotFound, codeNotActive, store.ErrNotActive.Error()},
		{store.ErrArmedElsewhere, http.StatusConflict, codeArmedElsewhere, store.ErrArmedElsewhere.Error() + "; ask that one"},
		{app.ErrNoState, http.StatusNotFound, codeNoState, app.ErrNoState.Error()},
		{app.ErrStateConflict, http.StatusPreconditionFailed, codePreconditionFailed, app.ErrStateConflict.Error()},
		{store.ErrStateKey, http.StatusBadRequest, codeInvalidKey, store.ErrStateKey.Error()},
		{store.ErrStateValue, http.StatusUnprocessableEntity, codeLimitExceeded, store.ErrStateValue.Error()},
		{store.ErrStateFull, http.StatusUnprocessableEntity, codeLimitExceeded, store.ErrStateFull.Error()},
		{app.ErrFileConflict, http.StatusPreconditionFailed, codePreconditionFailed, app.ErrFileConflict.Error()},
		{app.ErrFolderInUse, http.StatusConflict, codeConflict, app.ErrFolderInUse.Error()},
		{store.ErrRunNotFound, http.StatusNotFound, codeNotFound, "no such run is kept; GET /executions lists those that are"},
		{store.ErrRunDamaged, http.StatusConflict, codeDamaged, "what was recorded of the run cannot be read"},
		{store.ErrInvalidCursor, http.StatusBadRequest, codeInvalidParameter, "the query parameter cursor is the one that the page before names"},
		{runs.ErrRunEnded, http.StatusConflict, codeRunEnded, runs.ErrRunEnded.Error()},
		{store.ErrRunRunning, http.StatusConflict, codeRunRunning, store.ErrRunRunning.Error()},
		{app.ErrResultGone, http.StatusConflict, codeResultGone, app.ErrResultGone.Error()},
		{store.ErrTooManyKeys, http.StatusServiceUnavailable, codeTooManyKeys, store.ErrTooManyKeys.Error()},
		{runs.ErrRunNotResumable, http.StatusConflict, codeNotResumable, runs.ErrRunNotResumable.Error()},
		{app.ErrNoSuchNode, http.StatusBadRequest, codeInvalidParameter, app.ErrNoSuchNode.Error()},
		{runs.ErrKeyReused, http.StatusUnprocessableEntity, codeKeyReused, runs.ErrKeyReused.Error()},
		{runs.ErrKeyTooLong, http.StatusBadRequest, codeInvalidParameter, runs.ErrKeyTooLong.Error()},
		{runs.ErrRunLimit, http.StatusServiceUnavailable, codeRunLimit, runs.ErrRunLimit.Error()},
		{runs.ErrStopping, http.StatusServiceUnavailable, codeStopping, runs.ErrStopping.Error()},
		{runs.ErrCrowded, http.StatusServiceUnavailable, codeTooMuch, runs.ErrCrowded.Error()},
		{runs.ErrBusy, http.StatusServiceUnavailable, codeBusy, runs.ErrBusy.Error()},
		{workflow.ErrTooLarge, http.StatusRequestEntityTooLarge, codeTooLarge, "the workflow has more bytes than this service takes"},
		{value.ErrTooBig, http.StatusRequestEntityTooLarge, codeTooLarge, "the values in the body take more memory than a request may; send fewer, or larger, lists and objects"},
		{syscall.ENOSPC, http.StatusInsufficientStorage, codeStorageFull, full},
		{syscall.EDQUOT, http.StatusInsufficientStorage, codeStorageFull, full},
		{syscall.EMFILE, http.StatusServiceUnavailable, codeUnavailable, disk},
		{syscall.ENFILE, http.StatusServiceUnavailable, codeUnavailable, disk},
		{syscall.EROFS, http.StatusServiceUnavailable, codeUnavailable, disk},
		{fs.ErrPermission, http.StatusServiceUnavailable, codeUnavailable, disk},
		{ring.ErrExists, http.StatusConflict, codeKeyExists, ring.ErrExists.Error()},
		{ring.ErrTooMany, http.StatusConflict, codeKeyLimit, ring.ErrTooMany.Error()},
		{ring.ErrNotFound, http.StatusNotFound, codeNotFound, ring.ErrNotFound.Error()},
		{ring.ErrDamaged, http.StatusServiceUnavailable, codeUnavailable, "the named keys cannot be read; the log says why"},
		{context.Canceled, http.StatusServiceUnavailable, codeCancelled, stopping},
		{context.DeadlineExceeded, http.StatusServiceUnavailable, codeCancelled, stopping},
	}
}

// problemOf returns what callers are told about err.
func problemOf(err error) *problem {
	if p := new(problem); errors.As(err, &p) {
		return p
	}
	for _, m := range append(secretMeanings(), meanings()...) {
		if !errors.Is(err, m.err) {
			continue
		}
		p := newProblem(m.status, m.code, cmp.Or(m.detail, err.Error()))
		if m.status == http.StatusServiceUnavailable {
			return p.with("Retry-After", "1")
		}
		return p
	}
	var invalid engine.ValidationErrors
	var syntax *value.SyntaxError
	var interrupted *app.InterruptedError
	var spent *ring.Spent
	var taken *trigger.PathInUseError
	switch {
	case errors.As(err, &taken):
		return newProblem(http.StatusConflict, codePathInUse, taken.Error())
	case errors.As(err, &spent):
		return spentProblem(spent)
	case errors.As(err, &interrupted):
		p := newProblem(http.StatusConflict, codeInterrupted, interrupted.Error())
		p.RunID = interrupted.RunID
		return p
	case errors.As(err, &invalid):
		return validationProblem(invalid)
	case errors.As(err, &syntax):
		p := newProblem(http.StatusBadRequest, codeMalformed, syntax.Error())
		p.position = &position{syntax.Offset, syntax.Pointer}
		return p
	}
	return newProblem(http.StatusInternalServerError, codeInternal, internalDetail)
}

func validationProblem(errs engine.ValidationErrors) *problem {
	detail := fmt.Sprintf("%d problems, see errors; nothing was run or saved", errs.Total())
	if len(errs) == 1 {
		detail = errs[0].Error()
	}
	p := newProblem(http.StatusUnprocessableEntity, codeInvalid, detail)
	p.Errors, p.Truncated = errs, errs.Truncated()
	return p
}

// bodyProblem returns what callers are told when their body could not be read up
// to its end, of which read bytes came.
func bodyProblem(err error, read int) *problem {
	var tooLarge *http.MaxBytesError
	var known *problem
	switch {
	case errors.As(err, &known):
		return known
	case errors.As(err, &tooLarge):
		return bodyTooLarge(tooLarge.Limit)
	case errors.Is(err, os.ErrDeadlineExceeded):
		return newProblem(http.StatusRequestTimeout, codeRequestTimeout, "the body took too long to arrive")
	}
	p := newProblem(http.StatusBadRequest, codeMalformed, "the body ends before its announced length, or is not framed as HTTP asks for")
	p.position = &position{Offset: int64(read)}
	return p
}

func bodyTooLarge(limit int64) *problem {
	return newProblem(http.StatusRequestEntityTooLarge, codeTooLarge, fmt.Sprintf("the body has more than the %d bytes that are allowed", limit))
}

// spentProblem says when what a key has no budget for is worth trying again.
func spentProblem(spent *ring.Spent) *problem {
	seconds := strconv.Itoa(max(1, int(math.Ceil(spent.After.Seconds()))))
	return newProblem(http.StatusTooManyRequests, codeBudget, spent.Error()+"; try again in "+seconds+" s").with("Retry-After", seconds)
}

// secretMeanings are the errors of logins and of sources of credentials. Without a
// detail of their own they are shown as they are: package oauth makes its texts
// for users.
func secretMeanings() []meaning {
	const (
		readOnly = "this credential belongs to the environment of the server; change it there"
		changed  = "the credential was changed by somebody else; try again"
		away     = "the source of credentials, or the network, does not answer; try again later"
	)
	return []meaning{
		{oauth.ErrUnknownNetwork, http.StatusNotFound, codeUnknownNetwork, ""},
		{oauth.ErrUnknownLogin, http.StatusNotFound, codeNotFound, ""},
		{oauth.ErrTooManyLogins, http.StatusServiceUnavailable, codeBusy, ""},
		{oauth.ErrNotConfigured, http.StatusConflict, codeNotConfigured, ""},
		{oauth.ErrState, http.StatusBadRequest, codeWrongState, ""},
		{oauth.ErrDenied, http.StatusBadRequest, codeLoginFailed, ""},
		{oauth.ErrIssuer, http.StatusBadRequest, codeLoginFailed, ""},
		{oauth.ErrExpired, http.StatusBadRequest, codeLoginFailed, ""},
		{oauth.ErrRefused, http.StatusBadRequest, codeLoginFailed, ""},
		{credentials.ErrNotFound, http.StatusNotFound, codeNotFound, "there is no such credential"},
		{credentials.ErrReauthorize, http.StatusConflict, codeReauthorize, ""},
		{credentials.ErrMalformed, http.StatusUnprocessableEntity, codeMalformedCredential, ""},
		{credentials.ErrReadOnly, http.StatusConflict, codeReadOnly, readOnly},
		{credentials.ErrConflict, http.StatusConflict, codeConflict, changed},
		{credentials.ErrUnavailable, http.StatusServiceUnavailable, codeUnavailable, away},
	}
}
