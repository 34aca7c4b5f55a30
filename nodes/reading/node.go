package reading

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
)

// StrictPort and WarningsPort are the ports that [Node] adds.
const (
	StrictPort   = "strict"
	WarningsPort = "warnings"
)

// Node gives n the input strict and the output warnings, after its own ports, and requires
// exactly one of the inputs sources: see [Source] and [Binary]. The function of n notes in
// [NotesOf] what it repaired and what it dropped. If something was dropped, the node fails,
// unless strict is false or warnings is wired.
func Node(n node.Node, sources ...string) node.Node {
	ownIn, ownOut := slices.Clone(n.Spec.Inputs), slices.Clone(n.Spec.Outputs)
	strict := node.Port{
		Name: StrictPort, Type: value.MustType("bool"), Default: true,
		Description: "Whether the node fails if a part of the input cannot be read. It does not if warnings is wired.",
	}
	warnings := node.Port{
		Name: WarningsPort, Type: value.MustType("list<record{line:int?,item:string?,message:string}>"), Warnings: true,
		Description: "What was repaired in the input, and which parts could not be read.",
	}
	n.Spec.Inputs = append(slices.Clone(ownIn), strict)
	n.Spec.Outputs = append(slices.Clone(ownOut), warnings)
	bind := n.Bind
	n.Bind = func(b node.Binding) (node.Bound, []node.Problem) {
		inner, spec := b, *b.Spec
		spec.Inputs, spec.Outputs = ownIn, ownOut
		inner.Spec = &spec
		bound, problems := bind(inner)
		problems = append(problems, oneOf(b, sources)...)
		return reported(bound, strict, warnings, b.WiredOutput(WarningsPort)), problems
	}
	return n
}

// reported adds the ports to bound and collects the notes of its calls.
func reported(bound node.Bound, strict, warnings node.Port, wired bool) node.Bound {
	call, nIn, nOut := bound.Call, len(bound.Inputs), len(bound.Outputs)
	bound.Inputs = append(slices.Clone(bound.Inputs), strict)
	bound.Outputs = append(slices.Clone(bound.Outputs), warnings)
	bound.Call = func(ctx context.Context, in, out []any) error {
		notes := &Notes{strict: in[nIn] != false && !wired}
		if err := call(context.WithValue(ctx, notesKey{}, notes), in[:nIn:nIn], out[:nOut:nOut]); err != nil {
			return err
		}
		if err := notes.Err(); err != nil {
			return err
		}
		out[nOut] = notes.values()
		return nil
	}
	return bound
}

// oneOf returns a problem unless exactly one of the inputs has a wire or a value.
func oneOf(b node.Binding, inputs []string) []node.Problem {
	var given []string
	for _, port := range inputs {
		if b.Config[port] != nil || b.Wired(port) {
			given = append(given, port)
		}
	}
	switch {
	case len(inputs) == 0, len(given) == 1:
		return nil
	case len(given) == 0:
		return []node.Problem{node.Invalid(inputs[0], "there is nothing to read; give %s", or(inputs))}
	}
	return []node.Problem{node.Invalid(given[1], "there are %d inputs to read, %s; give one of them", len(given), strings.Join(given, " and "))}
}

// or returns "a, b or c".
func or(names []string) string {
	if len(names) == 1 {
		return names[0]
	}
	return fmt.Sprintf("%s or %s", strings.Join(names[:len(names)-1], ", "), names[len(names)-1])
}
