package enginetest

import (
	"context"
	"errors"
	"math"

	"github.com/svcflow/svc/engine/node"
)

// failing returns the node types that fail.
func failing(k *Kit) []node.Node {
	trigger, out := []node.Port{input("value", "any", true)}, []node.Port{output("value", "any")}
	return []node.Node{
		static("test.fail", failInputs(), out, k.fail),
		static("test.fail_inline", failInputs(), out, k.fail).Inline(),
		static("test.panic", trigger, out, func(context.Context, []any, []any) error { panic("boom") }),
		static("test.panic_inline", trigger, out, func(context.Context, []any, []any) error { panic("boom") }).Inline(),
		node.Func("test.nan", "Not a number", notANumber),
	}
}

func failInputs() []node.Port {
	times := input("times", "int", false)
	times.Default = 0
	permanent := input("permanent", "bool", false)
	permanent.Default = false
	message := input("message", "string", false)
	message.Default = "broken"
	code := input("code", "string", false)
	code.Default = node.CodeFailed
	return []node.Port{input("value", "any", true), message, code, permanent, times}
}

// fail sets its output and then fails: always, or in the first calls of nodes with the same
// message in the kit. The number of these is an input.
func (k *Kit) fail(_ context.Context, in, out []any) error {
	message := in[1].(string)
	out[0] = in[0]
	if k.passes(message, in[4].(int)) {
		return nil
	}
	err := node.Errorf(in[2].(string), "%s", message)
	if in[3] == true {
		return node.Permanent(err)
	}
	return err
}

func (k *Kit) passes(message string, times int) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.failed[message]++
	return times > 0 && k.failed[message] > times
}

type number struct {
	Value float64 `port:"value" doc:"The number."`
}

func notANumber(context.Context, struct{}) (number, error) { return number{math.NaN()}, nil }

// installMaps registers the node types that use the public calling form.
func installMaps(k *Kit, r *node.Registrar) {
	register := func(typ string, inputs, outputs []node.Port, e node.Executor) {
		r.RegisterSpec(node.Spec{Type: typ, Inputs: inputs, Outputs: outputs})
		r.RegisterExecutor(typ, func(ctx context.Context, in map[string]any) (map[string]any, error) {
			k.count(typ)
			return e(ctx, in)
		})
	}
	in, out := []node.Port{input("value", "any", true)}, []node.Port{output("value", "any")}
	register("test.map", in, out, func(_ context.Context, in map[string]any) (map[string]any, error) { return in, nil })
	register("test.map_error", in, out, func(context.Context, map[string]any) (map[string]any, error) {
		return nil, errors.New("plain error")
	})
	register("test.map_nan", in, out, func(context.Context, map[string]any) (map[string]any, error) {
		return map[string]any{"value": []any{1, math.Inf(1)}}, nil
	})
	register("test.map_foreign", in, out, func(context.Context, map[string]any) (map[string]any, error) {
		return map[string]any{"value": make(chan int)}, nil
	})
	register("test.map_extra", in, out, func(context.Context, map[string]any) (map[string]any, error) {
		return map[string]any{"value": 1, "surprise": 2}, nil
	})
	register("test.map_type", in, []node.Port{output("value", "int")}, func(context.Context, map[string]any) (map[string]any, error) {
		return map[string]any{"value": "one"}, nil
	})
}
