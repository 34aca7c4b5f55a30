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

// ErrNoChoices says that there is no such node type, or that nothing tells choices
// for that input of it.
var ErrNoChoices = errors.New("there are no choices for this input of this node type")

// maxChoices is how many choices are told; nobody looks through more.
const maxChoices = 1_000

// Choices asks a node type for the values that make sense for one of its inputs, for a
// node with that config so far. It takes no longer than the type's nodes may. What the
// type reports as a secret is in neither choices nor error.
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

// acceptable returns those values of a config that the inputs of a type take, as they
// take them.
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

// choose makes a panic an error.
func choose(ctx context.Context, chooser node.Chooser, port string, config map[string]any) (choices []node.Choice, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &node.Error{Code: node.CodePanic, Message: fmt.Sprintf("the node type panicked: %v", p), Err: stackError(debug.Stack())}
		}
	}()
	return chooser(ctx, port, config)
}

// choosing is the run of a question, which is none: it takes secrets and nothing else.
type choosing struct{ scrub *redact.Redactor }

// Progress implements [node.Run].
func (choosing) Progress(int, int, string) {}

// Conceal implements [node.Run].
func (c choosing) Conceal(secret string) { c.scrub.Add(secret) }

// ConcealOutput implements [node.Run]. There is nobody to hand anything to.
func (c choosing) ConcealOutput(secret string) { c.scrub.Add(secret) }

// Redact implements [node.Run].
func (c choosing) Redact(text string) string { return c.scrub.Text(text) }

// Key implements [node.Run].
func (choosing) Key() string { return "" }
