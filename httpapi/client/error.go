package client

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"
	"time"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/workflow"
)

// ErrUnreachable says that the server did not answer or the connection was lost.
var ErrUnreachable = errors.New("the server cannot be reached")

// Error is an error answer of the server (RFC 9457). An invalid workflow is reported as
// [engine.ValidationErrors] instead.
//
// errors.Is compares codes: errors.Is(err, &client.Error{Code: "not_found"}).
type Error struct {
	Status int    `json:"status"` // HTTP status
	Code   string `json:"code"`   // stable; empty if the answer did not come from a Svc server
	Detail string `json:"detail"`
	// RetryAfter is how long to wait before a retry; 0 if the server did not say.
	RetryAfter time.Duration `json:"-"`
}

// Codes that callers often check. The OpenAPI document of the server lists all of them.
const (
	CodeNotFound           = "not_found"
	CodePreconditionFailed = "precondition_failed"
	CodeUnauthorized       = "unauthorized"
)

// Error implements error.
func (e *Error) Error() string {
	switch {
	case e.Detail == "":
		return "the server answers " + strconv.Itoa(e.Status) + " " + http.StatusText(e.Status)
	case e.Code == "":
		return e.Detail
	}
	return e.Detail + " (" + e.Code + ")"
}

// Is reports whether target is an *Error with the same code, or the corresponding error of package
// workflow.
func (e *Error) Is(target error) bool {
	switch target {
	case workflow.ErrNotFound:
		return e.Code == CodeNotFound
	case workflow.ErrConflict:
		return e.Code == CodePreconditionFailed
	}
	t, ok := target.(*Error)
	return ok && t.Code == e.Code
}

// maxProblem limits how much of an error answer is read. An invalid workflow may have many
// problems.
const maxProblem = 16 << 20

// readError returns the error of an unsuccessful answer.
func readError(answer *http.Response) error {
	var p struct {
		Error
		Errors engine.ValidationErrors `json:"errors"`
	}
	text, err := io.ReadAll(io.LimitReader(answer.Body, maxProblem))
	if err != nil || json.Unmarshal(text, &p) != nil {
		p.Error = Error{}
	}
	if len(p.Errors) > 0 {
		return p.Errors
	}
	e := p.Error
	e.Status = answer.StatusCode
	if seconds, err := strconv.Atoi(answer.Header.Get("Retry-After")); err == nil && seconds >= 0 {
		e.RetryAfter = time.Duration(seconds) * time.Second
	}
	return &e
}
