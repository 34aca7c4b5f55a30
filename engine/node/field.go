package node

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/svcflow/svc/engine/value"
)

// field is one port of a [Func]: a struct field, its port and its codec.
type field struct {
	port  Port
	index []int // for reflect.Value.FieldByIndex
	codec codec
}

// fieldsOf reads the tags of struct t. Its error lists every mistake.
func fieldsOf(t reflect.Type) ([]field, error) {
	if t.Kind() != reflect.Struct {
		return nil, fmt.Errorf("%s is no struct", t)
	}
	var fields []field
	var errs []error
	for _, sf := range reflect.VisibleFields(t) {
		tag, ok := sf.Tag.Lookup("port")
		if !ok {
			continue
		}
		f, err := fieldOf(t, sf, tag)
		if err != nil {
			errs = append(errs, fmt.Errorf("field %s: %w", sf.Name, err))
		}
		fields = append(fields, f)
	}
	return fields, errors.Join(errs...)
}

// cyclic reports whether t, which is contained in the types of around, contains itself.
func cyclic(t reflect.Type, around []reflect.Type) bool {
	if slices.Contains(around, t) {
		return true
	}
	around = append(around, t)
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice:
		return cyclic(t.Elem(), around)
	case reflect.Struct:
		return slices.ContainsFunc(reflect.VisibleFields(t), func(sf reflect.StructField) bool {
			_, port := sf.Tag.Lookup("port")
			return port && cyclic(sf.Type, slices.Clone(around))
		})
	default:
		return false
	}
}

// throughPointer reports whether the path to a field of t passes through an embedded
// pointer, which may be nil.
func throughPointer(t reflect.Type, index []int) bool {
	for _, i := range index[:len(index)-1] {
		if t = t.Field(i).Type; t.Kind() == reflect.Pointer {
			return true
		}
	}
	return false
}

func fieldOf(t reflect.Type, sf reflect.StructField, tag string) (field, error) {
	f := field{index: sf.Index}
	switch {
	case !sf.IsExported():
		return f, errors.New("a port's field has to be exported")
	case throughPointer(t, sf.Index):
		return f, errors.New("a struct with ports has to be embedded by value")
	case cyclic(sf.Type, []reflect.Type{t}):
		return f, fmt.Errorf("the Go type %s contains itself", sf.Type)
	}
	name, flags, _ := strings.Cut(tag, ",")
	f.port = Port{Name: name, Description: sf.Tag.Get("doc"), Widget: sf.Tag.Get("widget")}
	for flag := range strings.SplitSeq(flags, ",") {
		switch flag {
		case "":
		case "optional":
			f.port.Optional = true
		case "literal":
			f.port.Literal = true
		case "partial":
			f.port.Partial = true
		case "deferred":
			f.port.Deferred = true
		case "choices":
			f.port.Choices = true
		case "outcome":
			f.port.Outcome = true
		case "warnings":
			f.port.Warnings = true
		default:
			return f, fmt.Errorf("unknown flag %q in the port tag", flag)
		}
	}
	var err error
	if f.codec, err = codecOf(sf.Type); err != nil {
		return f, err
	}
	f.port.Type = f.codec.typ
	if networks := sf.Tag.Get("network"); networks != "" {
		f.port.Networks = strings.Split(networks, "|")
	}
	return f, f.refine(sf.Tag)
}

// refine applies the enum, media and default tags.
func (f *field) refine(tag reflect.StructTag) error {
	if kinds, ok := tag.Lookup("media"); ok {
		media, err := value.ParseType("media(" + kinds + ")")
		if err != nil {
			return err
		}
		if f.port.Type, ok = ofKinds(f.port.Type, media); !ok {
			return errors.New("only media has kinds")
		}
		f.codec.exact = false
	}
	if members, ok := tag.Lookup("enum"); ok {
		enum, err := value.ParseType("enum(" + members + ")")
		if err != nil {
			return err
		}
		if f.port.Type.Kind() != value.KindString {
			return errors.New("only strings can be enums")
		}
		if f.port.Type.Nullable() {
			enum = enum.OrNull()
		}
		f.port.Type, f.codec.exact = enum, false
	}
	text, ok := tag.Lookup("default")
	if !ok {
		return nil
	}
	v, err := parseDefault(text, f.port.Type)
	if err != nil {
		return fmt.Errorf("default %q: %w", text, err)
	}
	f.port.Default, f.port.Optional = v, true
	return nil
}

// ofKinds replaces media in t with the media type that has kinds; t is media or a list of
// it.
func ofKinds(t, media value.Type) (value.Type, bool) {
	var made value.Type
	switch t.Kind() {
	case value.KindMedia:
		made = media
	case value.KindList:
		elem, ok := ofKinds(t.Elem(), media)
		if !ok {
			return t, false
		}
		made = value.ListOf(elem)
	default:
		return t, false
	}
	if t.Nullable() {
		made = made.OrNull()
	}
	return made, true
}

// parseDefault reads a default tag: a bare string for strings, JSON for all else.
func parseDefault(text string, t value.Type) (any, error) {
	if k := t.Kind(); k == value.KindString || k == value.KindEnum || k == value.KindCredential {
		return value.Conform(text, t)
	}
	v, err := value.Decode([]byte(text))
	if err != nil {
		return nil, err
	}
	return value.Conform(v, t)
}
