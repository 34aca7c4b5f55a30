package node

import (
	"context"
	"fmt"
	"reflect"
	"sync"
)

// Func makes a node type from a Go function. The fields of In are its inputs and the fields
// of Out its outputs, in order, so ports, code and documentation cannot get out of step:
//
//	type in struct {
//		Text string  `port:"text" doc:"The text to cut."`
//		Sep  string  `port:"delimiter" default:"," doc:"The separator of the parts."`
//		Max  *int    `port:"limit,optional" doc:"How many parts at most."`
//	}
//
// Tags of a field:
//
//	port     name, with ",optional" for an input that may be left out and
//	         ",literal" for one that comes from config only; ",partial",
//	         ",deferred", ",outcome", ",warnings" and ",choices" are those of [Port]; fields without the
//	         tag are not ports
//	default  the input's default, as JSON or as a bare string
//	enum     the members of an enum, "a|b"
//	media    the kinds of media, "image|video"; of a list, those of its items
//	network  the networks a credential input accepts, "pronet|microblog"
//	doc      what the port is for
//	widget   how an editor asks for the value
//
// Fields may be of type string, bool, int, float64, any, value.Credential, value.Media,
// []any, map[string]any, slices of these, structs (records) and slices of structs. A
// pointer is a nullable port: nil is null or an absent input; in an output marked
// ",optional", nil means that the output is not emitted. Embedded structs are flattened.
//
// Reflection over the types happens only here; [NewRegistry] reports mistakes in tags.
func Func[In, Out any](typ, label string, fn func(ctx context.Context, in In) (Out, error)) Node {
	n, newFunction := declared[In, Out](typ, label)
	if n.err == nil {
		n.Bind = Static(n.Spec.Inputs, n.Spec.Outputs, newFunction(fn).call)
	}
	return n
}

// FuncFor is [Func] for functions that depend on the node: prepare gets the same [Binding]
// as [Bind] and returns the function for one node. The ports are the same for all nodes.
func FuncFor[In, Out any](typ, label string, prepare func(Binding) (func(ctx context.Context, in In) (Out, error), []Problem)) Node {
	n, newFunction := declared[In, Out](typ, label)
	n.Bind = func(b Binding) (Bound, []Problem) {
		fn, problems := prepare(b)
		return Bound{Inputs: b.Spec.Inputs, Outputs: b.Spec.Outputs, Call: newFunction(fn).call}, problems
	}
	return n
}

// declared returns a node with the spec of a function, and a constructor of its call.
func declared[In, Out any](typ, label string) (n Node, newFunction func(func(context.Context, In) (Out, error)) *function[In, Out]) {
	n.Spec.Type, n.Spec.Label = typ, label
	inputs, errIn := fieldsOf(reflect.TypeFor[In]())
	outputs, errOut := fieldsOf(reflect.TypeFor[Out]())
	if n.err = joinErrors(errIn, errOut); n.err != nil {
		return n, nil
	}
	for i := range outputs {
		outputs[i].leaveOut()
	}
	n.Spec.Inputs, n.Spec.Outputs = portsOf(inputs), portsOf(outputs)
	return n, func(fn func(context.Context, In) (Out, error)) *function[In, Out] {
		f := &function[In, Out]{fn: fn, inputs: inputs, outputs: outputs}
		f.frames.New = func() any { return f.newFrame() }
		return f
	}
}

// leaveOut makes nil in an optional output mean that the output is not emitted, instead of
// null.
func (f *field) leaveOut() {
	if !f.port.Optional || !f.port.Type.Nullable() {
		return
	}
	f.port.Type = f.port.Type.NotNull()
	get := f.codec.get
	f.codec.get = func(src reflect.Value) any {
		if src.IsNil() {
			return Absent{}
		}
		return get(src)
	}
}

// function calls fn with structs that are filled from slots. The structs are pooled, so
// that the reflect.Values of their fields are made only once per frame.
type function[In, Out any] struct {
	fn              func(context.Context, In) (Out, error)
	inputs, outputs []field
	frames          sync.Pool
}

type frame[In, Out any] struct {
	in              In
	out             Out
	inputs, outputs []reflect.Value
}

func (f *function[In, Out]) newFrame() *frame[In, Out] {
	fr := new(frame[In, Out])
	in, out := reflect.ValueOf(&fr.in).Elem(), reflect.ValueOf(&fr.out).Elem()
	for _, field := range f.inputs {
		fr.inputs = append(fr.inputs, in.FieldByIndex(field.index))
	}
	for _, field := range f.outputs {
		fr.outputs = append(fr.outputs, out.FieldByIndex(field.index))
	}
	return fr
}

func (f *function[In, Out]) call(ctx context.Context, in, out []any) (err error) {
	fr := f.frames.Get().(*frame[In, Out])
	for i, v := range in {
		if v == (Absent{}) {
			continue
		}
		if err := f.inputs[i].codec.set(fr.inputs[i], v); err != nil {
			return Errorf(CodeTypeError, "input %q: %w", f.inputs[i].port.Name, err)
		}
	}
	if fr.out, err = f.fn(ctx, fr.in); err != nil {
		return err
	}
	for i := range out {
		if out[i], err = f.outputs[i].get(fr.outputs[i]); err != nil {
			return err
		}
	}
	var noIn In
	var noOut Out
	fr.in, fr.out = noIn, noOut
	f.frames.Put(fr)
	return nil
}

// get reads an output. It checks the value unless the Go type guarantees its port type.
func (f *field) get(src reflect.Value) (any, error) {
	v := f.codec.get(src)
	if f.codec.exact || !Present(v) {
		return v, nil
	}
	return Accept(&f.port, v)
}

func portsOf(fields []field) []Port {
	ports := make([]Port, len(fields))
	for i, f := range fields {
		ports[i] = f.port
	}
	return ports
}

func joinErrors(in, out error) error {
	switch {
	case in != nil && out != nil:
		return fmt.Errorf("%w; %w", in, out)
	case in != nil:
		return in
	}
	return out
}
