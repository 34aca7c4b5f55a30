package engine

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"

	"github.com/svcflow/svc/engine/internal/redact"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
)

// ErrNoChoices means that the node type does not exist, or that it offers no choices for
// the input.
var ErrNoChoices = errors.New("there are no choices for this input of this node type")

// maxChoices is the largest number of choices returned; nobody looks through more.
const maxChoices = 1_000

// Choices asks a node type for sensible values of one of its inputs, given the node's
// config so far. The type's timeout applies. Secrets that the type conceals are redacted in
// choices and errors.
func Choices(ctx context.Context, registry *node.Registry, typ, port string, config map[string]any) ([]node.Choice, error) {
	n, ok := registry.Lookup(typ)
	if !ok || n.Choose == nil || !hasChoices(&n.Spec, port) {
		return nil, ErrNoChoices
	}
	ctx, cancel := context.WithTimeout(ctx, n.Spec.Timeout)
	defer cancel()
	var scrub redact.Redactor
	choices, err := choose(node.WithRun(ctx, choosing{&scrub}), n.Choose, port, acceptable(&n.Spec, config))
	if err != nil {
		return nil, &node.Error{Code: node.CodeOf(err), Message: scrub.Text(err.Error()), Permanent: node.IsPermanent(err)}
	}
	choices = choices[:min(len(choices), maxChoices)]
	out := make([]node.Choice, len(choices))
	for i, c := range choices {
		if err := value.Check(c.Value); err != nil {
			return nil, node.Errorf(node.CodeFailed, "choice %d of input %q: %v", i, port, err)
		}
		out[i] = node.Choice{Value: scrub.Value(c.Value), Label: scrub.Text(c.Label)}
	}
	return out, nil
}

// acceptable returns the config values that fit the inputs of a type, converted, and
// defaults for inputs that are not configured.
func acceptable(s *node.Spec, config map[string]any) map[string]any {
	out := map[string]any{}
	for i := range s.Inputs {
		p := &s.Inputs[i]
		if given, ok := config[p.Name]; ok {
			if v, err := p.Accept(given); err == nil {
				out[p.Name] = v
			}
		} else if p.Default != nil {
			out[p.Name] = p.Default
		}
	}
	return out
}

func hasChoices(s *node.Spec, port string) bool {
	for i := range s.Inputs {
		if s.Inputs[i].Name == port {
			return s.Inputs[i].Choices
		}
	}
	return false
}

// choose calls chooser and turns a panic into an error.
func choose(ctx context.Context, chooser node.Chooser, port string, config map[string]any) (choices []node.Choice, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &node.Error{Code: node.CodePanic, Message: fmt.Sprintf("the node type panicked: %v", p), Err: stackError(debug.Stack())}
		}
	}()
	return chooser(ctx, port, config)
}

// choosing is the [node.Run] of a call to Choices, which has no run. It only collects
// secrets.
type choosing struct{ scrub *redact.Redactor }

// Progress implements [node.Run].
func (choosing) Progress(int, int, string) {}

// Conceal implements [node.Run].
func (c choosing) Conceal(secret string) { c.scrub.Add(secret) }

// ConcealOutput implements [node.Run]. The output goes to no other node, so it is redacted
// like any secret.
func (c choosing) ConcealOutput(secret string) { c.scrub.Add(secret) }

// Redact implements [node.Run].
func (c choosing) Redact(text string) string { return c.scrub.Text(text) }

// Key implements [node.Run].
func (choosing) Key() string { return "" }
