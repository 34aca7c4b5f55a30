package enginetest

import (
	"context"
	"fmt"
	"runtime"
	"time"

	"github.com/svcflow/svc/engine/node"
)

// waiting are the nodes that take time.
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
	ms.Default = 1 << 40 // for ever
	return []node.Port{input("value", "any", true), ms}
}

// wait passes its value on after ms milliseconds, or fails when its context ends.
func wait(ctx context.Context, in, out []any) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(time.Duration(in[1].(int)) * time.Millisecond):
		out[0] = in[0]
		return nil
	}
}

// nap is wait that says that it does nothing but wait.
func nap(ctx context.Context, in, out []any) error {
	out[0] = in[0]
	return node.Wait(ctx, time.Duration(in[1].(int))*time.Millisecond)
}

// deaf is wait without an ear for its context. It goes on talking, too.
func deaf(ctx context.Context, in, out []any) error {
	<-time.After(time.Duration(in[1].(int)) * time.Millisecond)
	node.Progress(ctx, 1, 1, "still here")
	out[0] = "too late"
	return nil
}

// deadline tells how many milliseconds it has.
func deadline(ctx context.Context, _, out []any) error {
	at, _ := ctx.Deadline()
	out[0] = int(time.Until(at).Milliseconds())
	return nil
}

// telling are the nodes that talk to their run.
func telling() []node.Node {
	secret, in := input("secret", "string", false), input("value", "any", true)
	out := []node.Port{output("value", "any")}
	return []node.Node{
		static("test.conceal", []node.Port{in, secret}, out, conceal),
		static("test.progress", []node.Port{in, input("steps", "int", false)}, out, progress),
		static("test.exit", []node.Port{in}, out, func(context.Context, []any, []any) error { runtime.Goexit(); return nil }),
	}
}

// conceal makes its secret one and tells it in its progress.
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
