package nodetest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"testing"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
)

// Host calls single nodes of plugins. It is safe for concurrent use.
type Host struct {
	tb       testing.TB
	registry *node.Registry
}

// New returns a host of plugins. It fails the test if they cannot be installed.
func New(tb testing.TB, plugins ...node.Plugin) *Host {
	tb.Helper()
	registry, err := node.NewRegistry(plugins...)
	if err != nil {
		tb.Fatalf("the plugins cannot be installed: %v", err)
	}
	return &Host{tb: tb, registry: registry}
}

// Exec binds a node of type typ with config, calls it with wired values, and returns its
// outputs by name, without those that are absent. If the node cannot be bound, the error
// has the code of the first problem.
//
// Exec fails the test if the node breaks a rule: if an output is not a value of its port's
// type, if an input was modified, or if a pure node returns two different results.
func (h *Host) Exec(typ string, config, wired map[string]any) (map[string]any, error) {
	h.tb.Helper()
	return h.ExecContext(h.tb.Context(), typ, config, wired)
}

// ExecContext is [Host.Exec] with a context for the node.
func (h *Host) ExecContext(ctx context.Context, typ string, config, wired map[string]any) (map[string]any, error) {
	h.tb.Helper()
	b := h.bind(typ, config, wired, nil)
	if len(b.problems) > 0 {
		return nil, problemsError(b.problems)
	}
	return h.exec(ctx, b)
}

// exec calls a bound node; a pure node is called twice.
func (h *Host) exec(ctx context.Context, b *binding) (map[string]any, error) {
	h.tb.Helper()
	outputs, err := h.call(ctx, b)
	if b.spec.Pure && ctx.Err() == nil {
		again, errAgain := h.call(ctx, b)
		if !reflect.DeepEqual(outputs, again) || node.CodeOf(err) != node.CodeOf(errAgain) {
			h.tb.Errorf("%s is pure and answers differently:\n%#v, %v\n%#v, %v", b.spec.Type, outputs, err, again, errAgain)
		}
	}
	return outputs, err
}

// Problems returns the problems that validation would report for a node of type typ with
// config, and with wires to the named ports.
func (h *Host) Problems(typ string, config map[string]any, wires ...string) []node.Problem {
	h.tb.Helper()
	wired := map[string]any{}
	for _, name := range wires {
		wired[name] = node.Absent{}
	}
	return h.bind(typ, config, wired, nil).problems
}

func problemsError(problems []node.Problem) error {
	errs := make([]error, len(problems))
	for i, p := range problems {
		code := p.Code
		if code == "" {
			code = node.CodeInvalidConfig
		}
		errs[i] = node.Errorf(code, "port %q: %s", p.Port, p.Message)
	}
	return errors.Join(errs...)
}

// call calls a bound node once, with a copy of the inputs.
func (h *Host) call(ctx context.Context, b *binding) (map[string]any, error) {
	h.tb.Helper()
	in, out := slices.Clone(b.slots), make([]any, len(b.Outputs))
	for i := range out {
		out[i] = node.Absent{}
	}
	before := clone(in).([]any)
	err := b.Call(ctx, in, out)
	if !reflect.DeepEqual(before, in) {
		h.tb.Errorf("%s changed its inputs; values are shared: copy before changing\nbefore: %#v\nafter:  %#v", b.spec.Type, before, in)
	}
	if err != nil {
		return nil, err
	}
	outputs := map[string]any{}
	for i := range out {
		if !node.Present(out[i]) {
			continue
		}
		if err := conforms(out[i], b.Outputs[i].Type); err != nil {
			h.tb.Errorf("%s, output %q: %v", b.spec.Type, b.Outputs[i].Name, err)
		}
		outputs[b.Outputs[i].Name] = out[i]
	}
	return outputs, nil
}

// conforms is stricter than value.Conform: it refuses values that would have to be
// converted.
func conforms(v any, t value.Type) error {
	if err := value.Check(v); err != nil {
		return err
	}
	c, err := value.Conform(v, t)
	if err == nil && !reflect.DeepEqual(c, v) {
		return fmt.Errorf("%#v is no value of type %s yet: convert it with value.Conform", v, t)
	}
	return err
}

// clone returns a deep copy of v.
func clone(v any) any {
	switch v := v.(type) {
	case []any:
		if v == nil {
			return v
		}
		list := make([]any, len(v))
		for i, e := range v {
			list[i] = clone(e)
		}
		return list
	case map[string]any:
		record := maps.Clone(v)
		for k, e := range record {
			record[k] = clone(e)
		}
		return record
	}
	return v
}
