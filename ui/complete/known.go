package complete

import (
	"maps"
	"slices"

	"github.com/svcflow/svc/engine/value"
)

// Known is what is known of a value: examples from a run, and its type.
type Known struct {
	values []any
	typ    value.Type
}

// samples is the maximum number of items of a list to look at.
const samples = 20

// FromType returns what a type promises.
func FromType(t value.Type) Known { return Known{typ: t} }

// FromValue returns what a value shows of something of a type.
func FromValue(t value.Type, v any) Known { return Known{values: []any{v}, typ: t} }

// Item returns what is known of the items of a list.
func (k Known) Item() Known {
	item := Known{}
	if k.typ.Kind() == value.KindList {
		item.typ = k.typ.Elem()
	}
	for _, v := range k.values {
		list, _ := v.([]any)
		item.values = append(item.values, list[:min(len(list), max(samples-len(item.values), 0))]...)
	}
	return item
}

// field returns what is known of a field of a record.
func (k Known) field(name string) Known {
	field := Known{}
	for _, f := range k.typ.Fields() {
		if f.Name == name {
			field.typ = f.Type
		}
	}
	for _, v := range k.values {
		if record, ok := v.(map[string]any); ok {
			if of, has := record[name]; has {
				field.values = append(field.values, of)
			}
		}
	}
	return field
}

// fields returns the names of the fields.
func (k Known) fields() (all []Proposal) {
	found := map[string]Known{}
	for _, f := range k.typ.Fields() {
		found[f.Name] = k.field(f.Name)
	}
	for _, v := range k.values {
		record, _ := v.(map[string]any)
		for name := range record {
			found[name] = k.field(name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(found)) {
		all = append(all, Proposal{name, found[name].about()})
	}
	return all
}

// about describes a value in a word.
func (k Known) about() string {
	if k.typ.Kind() != value.KindAny {
		return k.typ.Brief()
	}
	if len(k.values) == 0 {
		return ""
	}
	return value.KindOf(k.values[0])
}

// along follows a path.
func (k Known) along(steps []step) Known {
	for _, s := range steps {
		switch s.kind {
		case intoField:
			k = k.field(s.name)
		case intoItem:
			k = k.items()
		case intoAny:
			k = Known{values: k.anywhere()}
		}
	}
	return k
}

// items is Item, or the values of the fields of a record.
func (k Known) items() Known {
	item := k.Item()
	for _, v := range k.values {
		record, _ := v.(map[string]any)
		for _, name := range slices.Sorted(maps.Keys(record)) {
			if len(item.values) < samples {
				item.values = append(item.values, record[name])
			}
		}
	}
	return item
}

// anywhere returns the records at any depth.
func (k Known) anywhere() (records []any) {
	const most = 500
	left := slices.Clone(k.values)
	for looked := 0; len(left) > 0 && looked < most; looked++ {
		v := left[0]
		left = left[1:]
		switch v := v.(type) {
		case map[string]any:
			records = append(records, v)
			for _, name := range slices.Sorted(maps.Keys(v)) {
				left = append(left, v[name])
			}
		case []any:
			left = append(left, v[:min(len(v), samples)]...)
		}
	}
	return records
}
