package node

import (
	"context"
	"errors"
	"time"
)

// Hook is a source that fires on HTTP requests to /hooks/ of a service.
type Hook struct {
	// Methods are the accepted HTTP methods, in upper case. HEAD never makes it fire.
	Methods []string
	// Path is the path below /hooks/. A segment in braces matches any one segment.
	Path string
	// MaxBytes is the longest body, in bytes.
	MaxBytes int
	// Origins may call it from web pages, as may the service's own origin; "*" allows any.
	Origins []string
	// Page makes the answers for people; nil if programs call the hook, which get JSON. With a
	// Page, GET has no side effect.
	Page *HookPage
	// Ready returns why no call can be accepted now, such as a secret that is missing. It is nil if
	// nothing can be missing.
	Ready func(ctx context.Context) error
	// Accept decides how to answer a call. It must be safe for concurrent use. A [HookError] goes
	// to the caller; other errors go to the operator's log.
	Accept func(ctx context.Context, call *HookCall) (HookAnswer, error)
}

func (Hook) source() {}

// HookPage makes the answers of a [Hook] for people with a browser.
type HookPage struct {
	// Refused answers a refused call, with the status and a sentence. The call has no body if
	// that was not read.
	Refused func(ctx context.Context, call *HookCall, status int, message string) Reply
	// Ended answers an accepted call.
	Ended func(end HookEnd) Reply
}

// HookEnd is the result of an accepted call, as far as the caller waited for it.
type HookEnd struct {
	RunID string
	// Outputs are the outputs of the run, if the caller waited and the run completed.
	Outputs map[string]any
	// Failed says that the run failed, and Late that it had not ended when the wait was over.
	Failed, Late bool
}

// HookCall is a request to a [Hook].
type HookCall struct {
	Method string
	// Params are the segments that match braces of the path, by name.
	Params map[string]string
	// Query and Header hold all values; the names of headers are as net/http writes them.
	Query, Header map[string][]string
	Body          []byte
	Remote        string // the address of the caller
	Now           time.Time
}

// HookAnswer is the decision of [Hook.Accept] about a call.
type HookAnswer struct {
	// Firing starts a run; if it is nil, the call is answered with Reply.
	Firing *Firing
	// Awaits says what the caller waits for, and Within the longest wait.
	Awaits Awaits
	Within time.Duration
	Reply  *Reply
}

// Awaits says what the caller of a hook waits for.
type Awaits string

// The things that the caller of a hook can wait for.
const (
	AwaitAccepted Awaits = "accepted" // the firing is on disk
	AwaitResult   Awaits = "result"   // the outputs of the run
	AwaitNode     Awaits = "node"     // the answer of a node of the run, by [Respond]
)

// HookError is the answer to a call that a hook refuses.
type HookError struct {
	Status  int
	Code    string
	Message string
}

// Error implements error.
func (e *HookError) Error() string { return e.Message }

// ErrNobodyWaits means that no caller waits for an answer of the run.
var ErrNobodyWaits = errors.New("nobody waits for an answer of this run")

type responderKey struct{}

// WithResponder returns a context in which [Respond] calls respond.
func WithResponder(ctx context.Context, respond func(Reply) error) context.Context {
	return context.WithValue(ctx, responderKey{}, respond)
}

// Respond answers the caller that waits for the run of ctx. The run continues. If no caller waits,
// or it was answered before, the error is [ErrNobodyWaits].
func Respond(ctx context.Context, r Reply) error {
	if respond, ok := ctx.Value(responderKey{}).(func(Reply) error); ok {
		return respond(r)
	}
	return ErrNobodyWaits
}
