package jsonnode

import (
	"encoding/json"
	"math"
	"math/big"
	"strings"
	"unicode/utf8"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
)

// maxCost bounds all results of a query together: bytes of text, and itemCost
// for every item and field. What is reachable twice counts twice: so it would be
// printed.
const (
	maxCost  = 256 << 20
	itemCost = 16
)

// sizer keeps the budget of one query's results.
type sizer struct {
	left   int
	copies int // bytes that lists and records may take that are changed
}

func (s *sizer) take(n int) error {
	if s.left -= n; s.left < 0 {
		return tooBig()
	}
	return nil
}

// changed passes on what has become of a list or record, if anything.
func (s *sizer) changed(v any, bytes int) (any, bool, error) {
	if s.copies -= bytes; s.copies < 0 {
		return nil, false, tooBig()
	}
	return v, true, nil
}

func tooBig() error {
	return node.Permanent(node.Errorf(node.CodeLimitExceeded, "the results are too big; select less"))
}

// value returns a result of gojq as a value: a number without fraction becomes an
// int, and a big integer a float. It changes nothing of v, parts of which are the
// query's inputs.
func (s *sizer) value(v any) (any, error) {
	v, _, err := s.convert(v, 0)
	return v, err
}

// convert also says whether what it returns differs from v.
func (s *sizer) convert(v any, depth int) (out any, changed bool, err error) {
	if depth > value.MaxDepth {
		return nil, false, node.Errorf(node.CodeTypeError, "a result nests deeper than %d", value.MaxDepth)
	}
	if err := s.take(itemCost); err != nil {
		return nil, false, err
	}
	switch x := v.(type) {
	case nil, bool, int:
		return v, false, nil
	case float64:
		return convertFloat(x, v)
	case json.Number: // of fromjson
		return convertNumber(x)
	case *big.Int:
		f, _ := new(big.Float).SetInt(x).Float64()
		out, _, err := convertFloat(f, f)
		return out, true, err
	case string:
		if !utf8.ValidString(x) {
			return strings.ToValidUTF8(x, "\ufffd"), true, s.take(len(x))
		}
		return v, false, s.take(len(x))
	case []any:
		return s.convertList(x, v, depth)
	case map[string]any:
		return s.convertRecord(x, depth)
	}
	return nil, false, node.Errorf(node.CodeTypeError, "a result is a %T, which is no value", v)
}

// convertFloat takes the float a second time as boxed, which is what it returns
// if nothing has to change.
func convertFloat(f float64, boxed any) (any, bool, error) {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return nil, false, node.Permanent(node.Errorf(node.CodeNotFinite,
			"a result is a number that is not finite; guard against division by zero, infinite and nan"))
	}
	if f == math.Trunc(f) && math.Abs(f) <= 1<<53 && !(f == 0 && math.Signbit(f)) {
		return int(f), true, nil
	}
	return boxed, false, nil
}

// convertNumber reads a number that gojq has left as it was spelt.
func convertNumber(text json.Number) (any, bool, error) {
	n, err := value.Decode([]byte(text))
	if err != nil {
		return convertFloat(math.Inf(1), nil)
	}
	if f, ok := n.(float64); ok {
		n, _, err = convertFloat(f, n)
	}
	return n, true, err
}

func (s *sizer) convertList(list []any, boxed any, depth int) (any, bool, error) {
	out, changed, err := value.EditList(list, func(_ int, item any) (any, bool, error) {
		return s.convert(item, depth+1)
	})
	if err != nil || !changed {
		return boxed, false, err
	}
	return s.changed(out, listBytes+slotBytes*len(list))
}

func (s *sizer) convertRecord(record map[string]any, depth int) (any, bool, error) {
	out, changed, err := value.EditRecord(record, func(key string, field any) (any, bool, error) {
		if err := s.take(len(key)); err != nil {
			return nil, false, err
		}
		return s.convert(field, depth+1)
	})
	if err != nil || !changed {
		return record, false, err
	}
	return s.changed(out, recordBytes(len(record)))
}
