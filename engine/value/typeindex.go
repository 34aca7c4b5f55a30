package value

import "slices"

// fewNames is the number of members or fields up to which a linear search is faster than an
// index.
const fewNames = 16

// typeIndex finds the members or fields of a wide type by name. It is built with the type,
// because many types or records are compared with a wide type.
type typeIndex struct {
	places map[string]int
	needed []int // fields that are not nullable
	loose  int   // number of nullable fields other than any
}

// index returns the index of t, or nil if it has none.
func (t *Type) index() *typeIndex {
	if t.parts == nil {
		return nil
	}
	return t.parts.index
}

// enumOf makes an enum of members, which must not change afterwards. places has the index
// of each, or is nil.
func enumOf(members []string, places map[string]int) Type {
	p := &parts{members: members}
	if len(members) > fewNames {
		if places == nil {
			places = make(map[string]int, len(members))
			for i, m := range members {
				places[m] = i
			}
		}
		p.index = &typeIndex{places: places}
	}
	return Type{kind: KindEnum, parts: p}
}

// recordOf makes a record type of fields, which must not change afterwards. places has the
// index of each, or is nil.
func recordOf(fields []Field, places map[string]int) Type {
	if len(fields) == 0 {
		return Type{kind: KindRecord}
	}
	p := &parts{fields: fields}
	if len(fields) > fewNames {
		p.index = indexOf(fields, places)
	}
	return Type{kind: KindRecord, parts: p}
}

func indexOf(fields []Field, places map[string]int) *typeIndex {
	x := &typeIndex{places: places}
	if places == nil {
		x.places = make(map[string]int, len(fields))
	}
	for i := range fields {
		if places == nil {
			x.places[fields[i].Name] = i
		}
		switch f := &fields[i].Type; {
		case !f.Nullable():
			x.needed = append(x.needed, i)
		case f.kind != KindAny:
			x.loose++
		}
	}
	return x
}

// hasMember reports whether an enum has the member m.
func (t *Type) hasMember(m string) bool {
	x := t.index()
	if x == nil {
		return slices.Contains(t.Members(), m)
	}
	_, ok := x.places[m]
	return ok
}

// field returns the field called name, or nil.
func (t *Type) field(name string) *Field {
	fields := t.Fields()
	if x := t.index(); x != nil {
		if i, ok := x.places[name]; ok {
			return &fields[i]
		}
		return nil
	}
	for i := range fields {
		if fields[i].Name == name {
			return &fields[i]
		}
	}
	return nil
}

// FieldsOf returns the fields of a record type that are relevant for a record, in the order
// of the type: the fields that the record has, and the first required field that it lacks.
// It visits at most as many names as the smaller of the two has, so that checking many
// small records against a wide type is fast. The caller must not change the result.
func (t Type) FieldsOf(record map[string]any) []Field {
	all, x := t.Fields(), t.index()
	if x == nil || len(record) >= len(all) {
		return all
	}
	var few [fewNames]int
	places, needed := few[:0], 0
	for name := range record {
		if i, ok := x.places[name]; ok {
			places = append(places, i)
			if !all[i].Type.Nullable() {
				needed++
			}
		}
	}
	if needed < len(x.needed) {
		places = append(places, t.missing(record))
	}
	slices.Sort(places)
	fields := make([]Field, len(places))
	for k, i := range places {
		fields[k] = all[i]
	}
	return fields
}

// missing returns the index of the first required field that record lacks.
func (t *Type) missing(record map[string]any) int {
	needed := t.index().needed
	for _, i := range needed {
		if _, ok := record[t.parts.fields[i].Name]; !ok {
			return i
		}
	}
	return needed[0] // two fields have the same name
}
