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

// maxCost limits the results of a query: the bytes of all texts, plus itemCost for each
// item and field. A part that is shared counts each time, as it would be printed each time.
const (
	maxCost  = 256 << 20
	itemCost = 16
)

// sizer enforces the limits of one query's results.
type sizer struct {
	left   int
	copies int // bytes left for changed lists and records
}

func (s *sizer) take(n int) error {
	if s.left -= n; s.left < 0 {
		return tooBig()
	}
	return nil
}

// changed charges for a copied list or record and returns it.
func (s *sizer) changed(v any, bytes int) (any, bool, error) {
	if s.copies -= bytes; s.copies < 0 {
		return nil, false, tooBig()
	}
	return v, true, nil
}

func tooBig() error {
	return node.Permanent(node.Errorf(node.CodeLimitExceeded, "the results are too big; select less"))
}

// value converts a result of gojq: a number without fraction becomes an int, and a big
// integer a float. It does not modify v, which may share parts with the query's inputs.
func (s *sizer) value(v any) (any, error) {
	v, _, err := s.convert(v, 0)
	return v, err
}

// convert is value for a part at a depth. changed reports whether out differs from v.
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
	case json.Number: // from fromjson
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

// convertFloat converts a float. boxed is the same float as an interface; it is returned
// unchanged if possible, to save an allocation.
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

// convertNumber converts a number that gojq has kept as text.
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
