package enginetest

import (
	"context"
	"fmt"
	"runtime"
	"time"

	"github.com/svcflow/svc/engine/node"
)

// waiting returns the node types that take time.
func waiting() []node.Node {
	return []node.Node{
		static("test.wait", waitInputs(), []node.Port{output("value", "any")}, wait),
		static("test.deaf", waitInputs(), []node.Port{output("value", "any")}, deaf),
		static("test.nap", waitInputs(), []node.Port{output("value", "any")}, nap).Timeout(node.BodyTimeout),
		static("test.deadline", nil, []node.Port{output("ms", "int")}, deadline),
		static("test.short", waitInputs(), []node.Port{output("value", "any")}, wait).Timeout(100 * time.Millisecond),
	}
}

func waitInputs() []node.Port {
	ms := input("ms", "int", false)
	ms.Default = 1 << 40 // never ends
	return []node.Port{input("value", "any", true), ms}
}

// wait emits its value after ms milliseconds, or fails when its context ends.
func wait(ctx context.Context, in, out []any) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(time.Duration(in[1].(int)) * time.Millisecond):
		out[0] = in[0]
		return nil
	}
}

// nap is wait with node.Wait, so that its run can be parked.
func nap(ctx context.Context, in, out []any) error {
	out[0] = in[0]
	return node.Wait(ctx, time.Duration(in[1].(int))*time.Millisecond)
}

// deaf is wait that ignores the end of its context and then still reports progress.
func deaf(ctx context.Context, in, out []any) error {
	<-time.After(time.Duration(in[1].(int)) * time.Millisecond)
	node.Progress(ctx, 1, 1, "still here")
	out[0] = "too late"
	return nil
}

// deadline emits the number of milliseconds until its deadline.
func deadline(ctx context.Context, _, out []any) error {
	at, _ := ctx.Deadline()
	out[0] = int(time.Until(at).Milliseconds())
	return nil
}

// telling returns the node types that report to their run.
func telling() []node.Node {
	secret, in := input("secret", "string", false), input("value", "any", true)
	out := []node.Port{output("value", "any")}
	return []node.Node{
		static("test.conceal", []node.Port{in, secret}, out, conceal),
		static("test.progress", []node.Port{in, input("steps", "int", false)}, out, progress),
		static("test.exit", []node.Port{in}, out, func(context.Context, []any, []any) error { runtime.Goexit(); return nil }),
	}
}

// conceal conceals its secret and then reports it as progress.
func conceal(ctx context.Context, in, out []any) error {
	secret := in[1].(string)
	node.Conceal(ctx, secret)
	node.Progress(ctx, 0, 0, "using "+secret)
	return pass(ctx, in, out)
}

func progress(ctx context.Context, in, out []any) error {
	steps := in[1].(int)
	for i := range steps {
		node.Progress(ctx, i+1, steps, fmt.Sprintf("step %d", i+1))
	}
	return pass(ctx, in, out)
}
