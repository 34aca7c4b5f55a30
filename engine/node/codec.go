package node

import (
	"errors"
	"fmt"
	"reflect"

	"github.com/svcflow/svc/engine/value"
)

// codec converts between values in slots and Go variables of one type.
type codec struct {
	typ value.Type
	set func(dst reflect.Value, v any) error
	get func(src reflect.Value) any
	// exact means that get always returns a value of typ, so that it need not be checked.
	exact bool
}

var errGoType = errors.New("the value does not have the port's type")

func codecOf(t reflect.Type) (codec, error) {
	switch t {
	case reflect.TypeFor[any]():
		return anyCodec(), nil
	case reflect.TypeFor[value.Credential]():
		return direct[value.Credential](value.CredentialType(), true), nil
	case reflect.TypeFor[value.Media]():
		return direct[value.Media](value.MediaType(), true), nil
	case reflect.TypeFor[[]any]():
		return direct[[]any](value.ListOf(value.Any()), false), nil
	case reflect.TypeFor[map[string]any]():
		return direct[map[string]any](value.RecordOf(), false), nil
	case reflect.TypeFor[string]():
		return direct[string](value.String(), false), nil
	case reflect.TypeFor[bool]():
		return direct[bool](value.Bool(), true), nil
	case reflect.TypeFor[int]():
		return direct[int](value.Int(), true), nil
	case reflect.TypeFor[float64]():
		return direct[float64](value.Float(), false), nil
	}
	switch t.Kind() {
	case reflect.Pointer:
		return pointerCodec(t)
	case reflect.Slice:
		return sliceCodec(t)
	case reflect.Struct:
		return structCodec(t)
	}
	return codec{}, fmt.Errorf("the Go type %s cannot be a port; use string, bool, int, float64, any, a struct, a slice or a pointer", t)
}

// direct returns the codec of a Go type that values have themselves.
func direct[T any](typ value.Type, exact bool) codec {
	return codec{
		typ: typ,
		set: func(dst reflect.Value, v any) error {
			x, ok := v.(T)
			if !ok {
				return errGoType
			}
			*dst.Addr().Interface().(*T) = x
			return nil
		},
		get:   func(src reflect.Value) any { return *src.Addr().Interface().(*T) },
		exact: exact,
	}
}

func anyCodec() codec {
	return codec{
		typ: value.Any(),
		set: func(dst reflect.Value, v any) error { *dst.Addr().Interface().(*any) = v; return nil },
		get: func(src reflect.Value) any { return *src.Addr().Interface().(*any) },
	}
}

// pointerCodec converts between pointers and nullable values; nil is null.
func pointerCodec(t reflect.Type) (codec, error) {
	c, err := codecOf(t.Elem())
	if err != nil {
		return codec{}, err
	}
	return codec{
		typ: c.typ.OrNull(),
		set: func(dst reflect.Value, v any) error {
			if v == nil {
				dst.SetZero()
				return nil
			}
			dst.Set(reflect.New(t.Elem()))
			return c.set(dst.Elem(), v)
		},
		get: func(src reflect.Value) any {
			if src.IsNil() {
				return nil
			}
			return c.get(src.Elem())
		},
		exact: c.exact,
	}, nil
}

// sliceCodec converts between slices and lists; nil is the empty list.
func sliceCodec(t reflect.Type) (codec, error) {
	c, err := codecOf(t.Elem())
	if err != nil {
		return codec{}, err
	}
	return codec{
		typ: value.ListOf(c.typ),
		set: func(dst reflect.Value, v any) error {
			list, ok := v.([]any)
			if !ok {
				return errGoType
			}
			slice := reflect.MakeSlice(t, len(list), len(list))
			for i, e := range list {
				if err := c.set(slice.Index(i), e); err != nil {
					return fmt.Errorf("[%d]: %w", i, err)
				}
			}
			dst.Set(slice)
			return nil
		},
		get: func(src reflect.Value) any {
			list := make([]any, src.Len())
			for i := range list {
				list[i] = c.get(src.Index(i))
			}
			return list
		},
		exact: c.exact,
	}, nil
}

// structCodec converts between structs and records. The fields have the same tags as ports.
func structCodec(t reflect.Type) (codec, error) {
	fields, err := fieldsOf(t)
	if err != nil {
		return codec{}, err
	}
	types := make([]value.Field, len(fields))
	for i, f := range fields {
		if f.port.Optional || f.port.Literal {
			return codec{}, fmt.Errorf("field %q of a record cannot be optional, literal or have a default; make it a pointer", f.port.Name)
		}
		types[i] = value.Field{Name: f.port.Name, Type: f.port.Type}
	}
	return codec{
		typ: value.RecordOf(types...),
		set: func(dst reflect.Value, v any) error {
			record, ok := v.(map[string]any)
			if !ok {
				return errGoType
			}
			for _, f := range fields {
				e, present := record[f.port.Name]
				if !present {
					continue
				}
				if err := f.codec.set(dst.FieldByIndex(f.index), e); err != nil {
					return fmt.Errorf("field %q: %w", f.port.Name, err)
				}
			}
			return nil
		},
		get: func(src reflect.Value) any {
			record := make(map[string]any, len(fields))
			for _, f := range fields {
				record[f.port.Name] = f.codec.get(src.FieldByIndex(f.index))
			}
			return record
		},
	}, nil
}
