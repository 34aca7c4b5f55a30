package value

import (
	"errors"
	"fmt"
	"maps"
	"math"
)

// Conform returns v as a value of type t. It converts an int to a float, an integral float
// to an int (both print the same JSON), a string to a credential and a record to media, at
// any depth. If nothing needs to be converted, it returns v itself and allocates nothing.
// Its error names the expected and the actual type, and never contains a value.
//
// Conform trusts that v is a value; call [Check] first for values from foreign code.
func Conform(v any, t Type) (any, error) {
	v, _, err := conform(v, t)
	return v, err
}

// conform also reports whether the result differs from v.
func conform(v any, t Type) (out any, changed bool, err error) {
	if t.kind == KindAny || v == nil && t.nullable {
		return v, false, nil
	}
	switch x := v.(type) {
	case string:
		return conformString(x, v, t)
	case bool:
		if t.kind == KindBool {
			return v, false, nil
		}
	case int:
		switch t.kind {
		case KindInt:
			return v, false, nil
		case KindFloat:
			return float64(x), true, nil
		}
	case float64:
		switch {
		case t.kind == KindFloat:
			return v, false, nil
		case t.kind == KindInt && x == math.Trunc(x) && math.Abs(x) <= 1<<53:
			return int(x), true, nil
		}
	case []any:
		if t.kind == KindList {
			return conformList(x, v, t.Elem())
		}
	case map[string]any:
		switch t.kind {
		case KindRecord:
			return conformRecord(x, t.FieldsOf(x))
		case KindMedia:
			return conformMedia(x, &t)
		}
	case Credential:
		if t.kind == KindCredential {
			return v, false, nil
		}
	case Media:
		if t.kind == KindMedia {
			return v, false, conformKind(x, &t)
		}
	}
	return nil, false, fmt.Errorf("expected %s, got %s", t.Brief(), KindOf(v))
}

// conformString gets the string a second time as boxed and returns that, so that nothing is
// allocated.
func conformString(s string, boxed any, t Type) (any, bool, error) {
	switch t.kind {
	case KindString:
		return boxed, false, nil
	case KindEnum:
		if t.hasMember(s) {
			return boxed, false, nil
		}
		return nil, false, fmt.Errorf("expected one of %s", t.Brief())
	case KindCredential:
		c, err := ParseCredential(s)
		if err != nil {
			return nil, false, err
		}
		return c, true, nil
	}
	return nil, false, fmt.Errorf("expected %s, got string", t.Brief())
}

func conformMedia(r map[string]any, t *Type) (any, bool, error) {
	m, ok := mediaFrom(r)
	if !ok {
		return nil, false, errors.New("expected media: a record with kind, mime and one of path, url and recipe")
	}
	return m, true, conformKind(m, t)
}

// conformList takes the list a second time as boxed, like conformString.
func conformList(list []any, boxed any, elem Type) (any, bool, error) {
	if elem.kind == KindAny {
		return boxed, false, nil
	}
	out, changed, err := EditList(list, func(i int, item any) (any, bool, error) {
		item, changed, err := conform(item, elem)
		if err != nil {
			err = fmt.Errorf("[%d]: %w", i, err)
		}
		return item, changed, err
	})
	if err != nil || !changed {
		return boxed, false, err
	}
	return out, true, nil
}

func conformRecord(record map[string]any, fields []Field) (any, bool, error) {
	out, cloned := record, false
	for _, f := range fields {
		e, present := record[f.Name]
		if !present {
			if !f.Type.Nullable() {
				return nil, false, fmt.Errorf("field %q is missing", Shorten(f.Name, maxBrief))
			}
			continue
		}
		c, changed, err := conform(e, f.Type)
		if err != nil {
			return nil, false, fmt.Errorf("field %q: %w", Shorten(f.Name, maxBrief), err)
		}
		if changed && !cloned {
			out, cloned = maps.Clone(record), true
		}
		if changed {
			out[f.Name] = c
		}
	}
	return out, cloned, nil
}
