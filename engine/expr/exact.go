package expr

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/vm/runtime"

	"github.com/svcflow/svc/engine/value"
)

// The functions of this file replace operations of the library that count the bytes of a
// text instead of its characters, or return a wrong number when an integer overflows. Their
// names cannot be written in source text.
const (
	addFunction      = "~add"
	subtractFunction = "~subtract"
	multiplyFunction = "~multiply"
	negateFunction   = "~negate"
	sumFunction      = "~sum"
	sliceFunction    = "~slice"
	itemFunction     = "~item"
)

// exactOperators are the arithmetic operators whose results may overflow.
var exactOperators = map[string]string{"+": addFunction, "-": subtractFunction, "*": multiplyFunction} //nolint:gochecknoglobals // a constant table

// exactFunctions returns the functions of this file, and those that replace functions of
// the library.
func exactFunctions() []expr.Option {
	return []expr.Option{
		expr.Function(addFunction, func(args ...any) (any, error) { return add(args[0], args[1]) }),
		expr.Function(subtractFunction, func(args ...any) (any, error) { return subtract(args[0], args[1]) }),
		expr.Function(multiplyFunction, func(args ...any) (any, error) { return multiply(args[0], args[1]) }),
		expr.Function(negateFunction, func(args ...any) (any, error) { return negate(args[0]) }),
		expr.Function(sumFunction, func(args ...any) (any, error) { return sum(args[0]) }),
		expr.Function(sliceFunction, func(args ...any) (any, error) { return slice(args[0], args[1], args[2]) }),
		expr.Function(itemFunction, func(args ...any) (any, error) { return itemAt(args[0], args[1]) }),
		expr.Function("int", func(args ...any) (any, error) { return toInt(args[0]) }, new(func(any) int)),
		expr.Function("abs", func(args ...any) (any, error) { return absolute(args[0]) }, new(func(any) any)),
		expr.Function("indexOf", func(args ...any) (any, error) { return position(args, strings.Index) }, new(func(string, string) int)),
		expr.Function("lastIndexOf", func(args ...any) (any, error) { return position(args, strings.LastIndex) }, new(func(string, string) int)),
	}
}

// patchExact replaces n if it is one of the operations of this file.
func patchExact(n *ast.Node) {
	switch x := (*n).(type) {
	case *ast.BinaryNode:
		if name, ok := exactOperators[x.Operator]; ok {
			ast.Patch(n, call(name, x.Left, x.Right))
		}
	case *ast.UnaryNode:
		if x.Operator == "-" {
			ast.Patch(n, call(negateFunction, x.Node))
		}
	case *ast.SliceNode:
		ast.Patch(n, call(sliceFunction, x.Node, orNil(x.From), orNil(x.To)))
	case *ast.BuiltinNode:
		if x.Name != "sum" {
			return
		}
		list := x.Arguments[0]
		if len(x.Arguments) > 1 {
			list = &ast.BuiltinNode{Name: "map", Arguments: x.Arguments}
		}
		ast.Patch(n, call(sumFunction, list))
	}
}

func orNil(n ast.Node) ast.Node {
	if n == nil {
		return &ast.NilNode{}
	}
	return n
}

func overflow(a any, operator string, b any) error {
	return fmt.Errorf("%v %s %v is no 64-bit integer; write float(…) around a number to calculate with floats", a, operator, b)
}

func add(a, b any) (any, error) {
	x, y, ints := integers(a, b)
	if !ints {
		return runtime.Add(a, b), nil
	}
	if s := x + y; (s > x) == (y > 0) {
		return s, nil
	}
	return nil, overflow(a, "+", b)
}

func subtract(a, b any) (any, error) {
	x, y, ints := integers(a, b)
	if !ints {
		return runtime.Subtract(a, b), nil
	}
	if d := x - y; (d < x) == (y > 0) {
		return d, nil
	}
	return nil, overflow(a, "-", b)
}

func multiply(a, b any) (any, error) {
	x, y, ints := integers(a, b)
	if !ints {
		return runtime.Multiply(a, b), nil
	}
	high, low := bits.Mul64(magnitude(x), magnitude(y))
	negative := (x < 0) != (y < 0)
	switch {
	case high == 0 && low <= math.MaxInt64, high == 0 && negative && low == 1<<63:
		return x * y, nil
	}
	return nil, overflow(a, "*", b)
}

// magnitude returns |n|, also of the smallest int.
func magnitude(n int) uint64 {
	if n < 0 {
		return -uint64(n)
	}
	return uint64(n)
}

func negate(v any) (any, error) {
	if v == math.MinInt {
		return nil, overflow(0, "-", v)
	}
	return runtime.Negate(v), nil
}

func absolute(v any) (any, error) {
	switch n := v.(type) {
	case int:
		if n < 0 {
			return negate(n)
		}
		return n, nil
	case float64:
		return math.Abs(n), nil
	}
	return nil, fmt.Errorf("abs takes a number, not %s", value.KindOf(v))
}

func integers(a, b any) (x, y int, ok bool) {
	x, okX := a.(int)
	y, okY := b.(int)
	return x, y, okX && okY
}

// sum adds numbers; the sum of none is 0.
func sum(list any) (any, error) {
	items, ok := list.([]any)
	if !ok {
		if numbers, isInts := list.([]int); isInts { // of a range such as 1..3
			for _, n := range numbers {
				items = append(items, n)
			}
		} else {
			return nil, fmt.Errorf("sum takes a list, not %s", value.KindOf(list))
		}
	}
	var total any = 0
	for _, item := range items {
		if !IsNumber(item) {
			return nil, fmt.Errorf("sum takes a list of numbers, and one item is %s", value.KindOf(item))
		}
		var err error
		if total, err = add(total, item); err != nil {
			return nil, err
		}
	}
	return total, nil
}

// toInt converts a number, or a text of one. A number that does not fit is an error.
func toInt(v any) (any, error) {
	switch n := v.(type) {
	case int:
		return n, nil
	case float64:
		if n < -1<<63 || n >= 1<<63 || math.IsNaN(n) {
			return nil, fmt.Errorf("int(%v) is no 64-bit integer", n)
		}
		return int(n), nil
	case string:
		i, err := strconv.Atoi(n)
		if err != nil {
			return nil, fmt.Errorf("int(%.40q): the text is no 64-bit integer", n)
		}
		return i, nil
	}
	return nil, fmt.Errorf("int takes a number or a text, not %s", value.KindOf(v))
}

// slice returns the characters of a text, or the items of a list, from and to positions
// that count from the end if they are negative. nil stands for the beginning or the end.
func slice(of, from, to any) (any, error) {
	if of == nil {
		return nil, errors.New("null has no parts; it is no text and no list")
	}
	text, isText := of.(string)
	length := utf8.RuneCountInString(text)
	if !isText || length == len(text) {
		if to == nil {
			to = math.MaxInt
		}
		if from == nil {
			from = 0
		}
		return runtime.Slice(of, from, to), nil
	}
	begin, end := 0, length
	if from != nil {
		begin = within(runtime.ToInt(from), length)
	}
	if to != nil {
		end = within(runtime.ToInt(to), length)
	}
	if begin >= end {
		return "", nil
	}
	return text[offset(text, begin):offset(text, end)], nil
}

// within returns position i of a text with n characters as a number from 0 to n.
func within(i, n int) int {
	if i < 0 {
		i += n
	}
	return min(max(i, 0), n)
}

// offset returns where character i of a text begins, in bytes.
func offset(text string, i int) int {
	at := 0
	for ; i > 0; i-- {
		_, size := utf8.DecodeRuneInString(text[at:])
		at += size
	}
	return at
}

// itemAt returns an item of a list, a field of a record, or a character of a text.
func itemAt(of, i any) (any, error) {
	text, isText := of.(string)
	if !isText {
		return Plain(runtime.Fetch(of, i)), nil
	}
	index, length := runtime.ToInt(i), utf8.RuneCountInString(text)
	if index < 0 {
		index += length
	}
	if index < 0 || index >= length {
		return nil, fmt.Errorf("index out of range: %v (the text has %d characters)", i, length)
	}
	at := offset(text, index)
	return text[at : at+size(text[at:])], nil
}

func size(text string) int {
	_, n := utf8.DecodeRuneInString(text)
	return n
}

// position returns the position of a part of a text in characters, or -1.
func position(args []any, find func(text, part string) int) (any, error) {
	text, ok := args[0].(string)
	part, okPart := args[1].(string)
	if !ok || !okPart {
		return nil, errArguments
	}
	at := find(text, part)
	if at < 0 {
		return -1, nil
	}
	return utf8.RuneCountInString(text[:at]), nil
}
