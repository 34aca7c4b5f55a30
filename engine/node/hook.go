package node

import (
	"context"
	"errors"
	"time"
)

// Hook is a source that others call over HTTP, below /hooks/ of a service.
type Hook struct {
	// Methods are those that it takes, in upper case. HEAD never makes it fire.
	Methods []string
	// Path is where it is: segments, of which one in braces stands for any one.
	Path string
	// MaxBytes is how long a body may be.
	MaxBytes int
	// Origins are those whose pages may call it, besides the service's own; "*" is any.
	Origins []string
	// Page words for people what programs are told in JSON; nil if only programs call it. What
	// has one changes nothing with GET.
	Page *HookPage
	// Accept says what a call means. It is called concurrently. Its error is what the caller
	// is told, if it is a [HookError]; any other is for the operator.
	Accept func(ctx context.Context, call *HookCall) (HookAnswer, error)
}

func (Hook) source() {}

// HookPage words the answers of a [Hook] for people with a browser.
type HookPage struct {
	// Refused answers a call that was not taken, with the status and a sentence. The body of
	// the call is missing if it was not read.
	Refused func(ctx context.Context, call *HookCall, status int, message string) Reply
	// Ended answers a call that was taken.
	Ended func(end HookEnd) Reply
}

// HookEnd is what has come of a call that was taken, as far as its caller has waited for it.
type HookEnd struct {
	RunID string
	// Outputs are those of the run, if it was waited for and has completed.
	Outputs map[string]any
	// Failed says that the run has failed, and Late that it goes on though its end was
	// waited for.
	Failed, Late bool
}

// HookCall is a request to a [Hook].
type HookCall struct {
	Method string
	// Params are what stands for the braces of the path, by name.
	Params map[string]string
	// Query and Header hold all values; the names of headers are as net/http writes them.
	Query, Header map[string][]string
	Body          []byte
	Remote        string // the address of the caller
	Now           time.Time
}

// HookAnswer says what a call means.
type HookAnswer struct {
	// Firing is what has happened; nil if nothing has, and Reply is the answer.
	Firing *Firing
	// Awaits says what the caller waits for, and Within how long.
	Awaits Awaits
	Within time.Duration
	Reply  *Reply
}

// Awaits says what the caller of a hook waits for.
type Awaits string

// What the caller of a hook may wait for.
const (
	AwaitAccepted Awaits = "accepted" // that it is on the disk
	AwaitResult   Awaits = "result"   // the outputs of the run
	AwaitNode     Awaits = "node"     // what a node of the run answers, with [Respond]
)

// Reply is an answer over HTTP.
type Reply struct {
	Status int
	Header map[string]string
	Type   string // of the body
	Body   []byte
}

// HookError is what the caller of a hook is told that has been refused.
type HookError struct {
	Status  int
	Code    string
	Message string
}

// Error implements error.
func (e *HookError) Error() string { return e.Message }

// ErrNobodyWaits says that a run has no caller who waits for an answer.
var ErrNobodyWaits = errors.New("nobody waits for an answer of this run")

type responderKey struct{}

// WithResponder returns a context with which nodes can answer the caller of their run.
func WithResponder(ctx context.Context, respond func(Reply) error) context.Context {
	return context.WithValue(ctx, responderKey{}, respond)
}

// Respond answers the caller of the run of ctx, who waits for that; the run goes on. Without
// one, or if it was answered already, the error is [ErrNobodyWaits].
func Respond(ctx context.Context, r Reply) error {
	if respond, ok := ctx.Value(responderKey{}).(func(Reply) error); ok {
		return respond(r)
	}
	return ErrNobodyWaits
}
