package expr

import (
	"fmt"
	"math"
	"reflect"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/svcflow/svc/engine/value"
)

// value charges the cost of v and returns it as a valid value. Times become RFC 3339 text,
// durations text such as "1h30m0s", and other integers int. It does not change v and copies
// only what it must.
func (s *sizer) value(v any) (any, error) {
	v, _, err := s.convert(v, resultDepth)
	return v, err
}

const (
	resultDepth = 1 // results are items of a list
	fieldDepth  = resultDepth + 1
)

// convert also reports whether the result differs from v.
func (s *sizer) convert(v any, depth int) (out any, changed bool, err error) {
	if err := s.take(itemCost); err != nil {
		return nil, false, err
	}
	switch x := v.(type) {
	case nil, bool, int, value.Credential, value.Media:
		return v, false, nil
	case float64:
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return nil, false, errNotFinite
		}
		return v, false, nil
	case string:
		if !utf8.ValidString(x) { // cut in the middle of a character
			return strings.ToValidUTF8(x, "\ufffd"), true, s.take(len(x))
		}
		return v, false, s.take(len(x))
	case time.Time:
		return x.Format(time.RFC3339Nano), true, nil
	case time.Duration:
		return x.String(), true, nil
	}
	if depth >= value.MaxDepth {
		return nil, false, errTooDeep
	}
	switch x := v.(type) {
	case []any:
		return s.convertList(x, v, depth)
	case map[string]any:
		return s.convertRecord(x, depth)
	}
	out, err = s.convertForeign(reflect.ValueOf(v), depth)
	return out, true, err
}

// convertList gets the list a second time as boxed and returns that if nothing changes, so
// that nothing is allocated.
func (s *sizer) convertList(list []any, boxed any, depth int) (any, bool, error) {
	out, changed, err := value.EditList(list, func(_ int, item any) (any, bool, error) {
		return s.convert(item, depth+1)
	})
	if err != nil || !changed {
		return boxed, false, err
	}
	return out, true, nil
}

func (s *sizer) convertRecord(record map[string]any, depth int) (any, bool, error) {
	return value.EditRecord(record, func(key string, field any) (any, bool, error) {
		if err := s.takeKey(key); err != nil {
			return nil, false, err
		}
		return s.convert(field, depth+1)
	})
}

func (s *sizer) takeKey(k string) error {
	if !utf8.ValidString(k) {
		return fmt.Errorf("the field name %q is not valid UTF-8", k)
	}
	return s.take(len(k))
}

// convertForeign converts values of types that only the expression library makes: other
// number types, typed slices, and the maps of groupBy.
func (s *sizer) convertForeign(v reflect.Value, depth int) (any, error) {
	switch {
	case v.CanInt():
		return int(v.Int()), nil
	case v.CanUint() && v.Uint() <= math.MaxInt:
		return int(v.Uint()), nil
	case v.Kind() == reflect.Float32:
		out, _, err := s.convert(v.Float(), depth)
		return out, err
	case v.Kind() == reflect.Slice || v.Kind() == reflect.Array:
		list := make([]any, v.Len())
		for i := range list {
			var err error
			if list[i], _, err = s.convert(v.Index(i).Interface(), depth+1); err != nil {
				return nil, err
			}
		}
		return list, nil
	case v.Kind() == reflect.Map:
		return s.convertMap(v, depth)
	}
	return nil, fmt.Errorf("a %s cannot leave an expression", v.Type())
}

// convertMap converts a map with keys other than strings to a record, if no two keys have
// the same text.
func (s *sizer) convertMap(m reflect.Value, depth int) (any, error) {
	record := make(map[string]any, m.Len())
	for it := m.MapRange(); it.Next(); {
		k, err := keyText(it.Key().Interface())
		if err == nil {
			err = s.takeKey(k)
		}
		if err != nil {
			return nil, err
		}
		if _, twice := record[k]; twice {
			return nil, fmt.Errorf("two keys of a record read %q", k)
		}
		if record[k], _, err = s.convert(it.Value().Interface(), depth+1); err != nil {
			return nil, err
		}
	}
	return record, nil
}

func keyText(k any) (string, error) {
	switch k := k.(type) {
	case string:
		return k, nil
	case nil, bool, int, float64:
		return string(value.Append(nil, k)), nil
	}
	return "", fmt.Errorf("a %T cannot be the key of a record", k)
}
