package value

import "slices"

// fewNames is up to how many members or fields a look at each is faster than an index.
const fewNames = 16

// typeIndex finds the members or fields of a wide type by name. It is made together with
// the type: what is wired to or read as a wide type comes in large numbers.
type typeIndex struct {
	places map[string]int
	needed []int // the fields that must be there
	loose  int   // how many fields may be null, but not anything
}

// enumOf makes an enum of members, which nobody may change any more.
func enumOf(members []string) Type {
	t := Type{kind: KindEnum, members: members}
	if len(members) > fewNames {
		t.index = &typeIndex{places: make(map[string]int, len(members))}
		for i, m := range members {
			t.index.places[m] = i
		}
	}
	return t
}

// recordOf makes a record type of fields, which nobody may change any more.
func recordOf(fields []Field) Type {
	t := Type{kind: KindRecord, fields: fields}
	if len(fields) <= fewNames {
		return t
	}
	t.index = &typeIndex{places: make(map[string]int, len(fields))}
	for i := range fields {
		t.index.places[fields[i].Name] = i
		switch f := &fields[i].Type; {
		case !f.Nullable():
			t.index.needed = append(t.index.needed, i)
		case f.kind != KindAny:
			t.index.loose++
		}
	}
	return t
}

// hasMember reports whether an enum has the member m.
func (t *Type) hasMember(m string) bool {
	if t.index == nil {
		return slices.Contains(t.members, m)
	}
	_, ok := t.index.places[m]
	return ok
}

// field returns the field of that name, nil if there is none.
func (t *Type) field(name string) *Field {
	if t.index != nil {
		if i, ok := t.index.places[name]; ok {
			return &t.fields[i]
		}
		return nil
	}
	for i := range t.fields {
		if t.fields[i].Name == name {
			return &t.fields[i]
		}
	}
	return nil
}

// FieldsOf returns the fields of a record type that a record is to be held to, in the
// order of the type: those that it has, and the first that it has to have and has not. It
// looks at no more names than the smaller of both has, so that many small records can be
// held to a wide type. The caller must not change them.
func (t Type) FieldsOf(record map[string]any) []Field {
	if t.index == nil || len(record) >= len(t.fields) {
		return t.fields
	}
	places := make([]int, 0, len(record)+1)
	needed := 0
	for name := range record {
		if i, ok := t.index.places[name]; ok {
			places = append(places, i)
			if !t.fields[i].Type.Nullable() {
				needed++
			}
		}
	}
	if needed < len(t.index.needed) {
		places = append(places, t.missing(record))
	}
	slices.Sort(places)
	fields := make([]Field, len(places))
	for k, i := range places {
		fields[k] = t.fields[i]
	}
	return fields
}

// missing returns the first field that record has to have and has not.
func (t *Type) missing(record map[string]any) int {
	for _, i := range t.index.needed {
		if _, ok := record[t.fields[i].Name]; !ok {
			return i
		}
	}
	return t.index.needed[0] // of two fields with one name
}
