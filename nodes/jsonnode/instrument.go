package jsonnode

import (
	"errors"
	"fmt"
	"reflect"

	"github.com/itchyny/gojq"
)

// errMachine means that this release of gojq has other internals than this package expects.
var errMachine = errors.New("the memory of a jq filter cannot be bounded with this release of github.com/itchyny/gojq; use the one in go.mod")

// native is a Go function that a filter calls with its input and its arguments.
type native = func(v any, args []any) any

// iterName is the name of .[], which is an instruction, among the names of gojq's
// functions.
const iterName = ".[]"

// instrument replaces every Go function that a compiled filter calls by the result of wrap.
// It adds a call before each .[], and replaces each slice with constant bounds by a call.
// wrap may return the function unchanged.
//
// gojq has no hook for this, and rewriting the filter's source would not reach gojq's
// built-in definitions. So the compiled instructions are changed: a .[] at i becomes a jump
// to the end of the code, where the call, the .[], and a jump to i+1 are appended. If
// gojq's internals are not as expected, instrument returns errMachine.
func instrument(code *gojq.Code, wrap func(name string, f native) native) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%w: %v", errMachine, p)
		}
	}()
	codes := settable(reflect.ValueOf(code).Elem().FieldByName("codes"))
	last := codes.Index(codes.Len() - 1) // a run ends at this instruction and resumes there, so it must stay the last
	assembler := newAssembler(last.Type().Elem())
	index, err := indexer()
	if err != nil {
		return err
	}
	for i := range codes.Len() {
		op, v := parts(codes.Index(i))
		switch opName(op) {
		case "call":
			if call, ok := reflect.TypeAssert[[3]any](v); ok {
				call[0] = wrap(call[2].(string), call[0].(native))
				v.Set(reflect.ValueOf(call))
			}
		case "iter":
			before := [3]any{wrap(iterName, identity), 0, iterName}
			end := codes.Len()
			codes.Set(reflect.Append(codes,
				assembler.code("call", before), assembler.code("iter", nil), assembler.code("jump", i+1)))
			codes.Index(i).Set(assembler.code("jump", end))
		case "index", "indexarray":
			if key, slice := reflect.TypeAssert[map[string]any](v); slice {
				end := codes.Len()
				codes.Set(reflect.Append(codes, assembler.code("dup", nil), assembler.code("push", key),
					assembler.code("call", [3]any{sliced(wrap("_index", index)), 2, "_index"}), assembler.code("jump", i+1)))
				codes.Index(i).Set(assembler.code("jump", end))
			}
		}
	}
	codes.Set(reflect.Append(codes, last))
	return nil
}

// sliced returns the function that replaces a slice with constant bounds. Its input is the
// bounds, and its arguments are the value twice. It stores the bounds in the second
// argument, where gojq expects them.
func sliced(f native) native {
	return func(bounds any, args []any) any {
		args[1] = bounds
		return f(args[0], args)
	}
}

// indexer returns gojq's function _index.
func indexer() (index native, err error) {
	parsed, err := gojq.Parse(`. as $i | .[$i]`)
	if err != nil {
		return nil, err
	}
	code, err := gojq.Compile(parsed)
	if err != nil {
		return nil, err
	}
	codes := settable(reflect.ValueOf(code).Elem().FieldByName("codes"))
	for i := range codes.Len() {
		if _, v := parts(codes.Index(i)); v.IsValid() {
			if call, ok := reflect.TypeAssert[[3]any](v); ok && call[2] == "_index" {
				return call[0].(native), nil
			}
		}
	}
	return nil, errMachine
}

func identity(v any, _ []any) any { return v }

// settable makes an unexported field accessible.
func settable(field reflect.Value) reflect.Value {
	return reflect.NewAt(field.Type(), field.Addr().UnsafePointer()).Elem()
}

// parts returns the fields op and v of an instruction.
func parts(code reflect.Value) (op, v reflect.Value) {
	return settable(code.Elem().FieldByName("op")), settable(code.Elem().FieldByName("v"))
}

func opName(op reflect.Value) string { return op.Interface().(fmt.Stringer).String() }

// assembler creates instructions.
type assembler struct {
	instruction reflect.Type
	ops         map[string]reflect.Value
}

func newAssembler(instruction reflect.Type) assembler {
	a := assembler{instruction, map[string]reflect.Value{}}
	field, _ := instruction.FieldByName("op")
	for n := int64(0); len(a.ops) < 5; n++ { // opName panics for an unknown number
		op := reflect.New(field.Type).Elem()
		op.SetInt(n)
		switch name := opName(op); name {
		case "call", "iter", "jump", "dup", "push":
			a.ops[name] = op
		}
	}
	return a
}

func (a assembler) code(name string, v any) reflect.Value {
	made := reflect.New(a.instruction)
	op, value := parts(made)
	op.Set(a.ops[name])
	if v != nil {
		value.Set(reflect.ValueOf(v))
	}
	return made
}
