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

// index returns that of t, nil if it has none.
func (t *Type) index() *typeIndex {
	if t.parts == nil {
		return nil
	}
	return t.parts.index
}

// enumOf makes an enum of members, which nobody may change any more. places says where each
// of them is, if that is known.
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

// recordOf makes a record type of fields, which nobody may change any more. places says where
// each of them is, if that is known.
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

// field returns the field of that name, nil if there is none.
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

// FieldsOf returns the fields of a record type that a record is to be held to, in the
// order of the type: those that it has, and the first that it has to have and has not. It
// looks at no more names than the smaller of both has, so that many small records can be
// held to a wide type. The caller must not change them.
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

// missing returns the first field that record has to have and has not.
func (t *Type) missing(record map[string]any) int {
	needed := t.index().needed
	for _, i := range needed {
		if _, ok := record[t.parts.fields[i].Name]; !ok {
			return i
		}
	}
	return needed[0] // of two fields with one name
}
