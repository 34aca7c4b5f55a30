package value

import "slices"

// Fit says whether a wire may lead from a port of one type to a port of another.
type Fit uint8

// The fits, from worst to best.
const (
	Misfit   Fit = iota // never: a type_mismatch
	Checked             // legal, but each value has to pass [Conform] when it arrives
	Converts            // every value fits after [Conform] (int to float)
	Fits                // every value fits as it is
)

// String returns the word for f.
func (f Fit) String() string { return [...]string{"misfit", "checked", "converts", "fits"}[f] }

// Assign is the whole table of what may be wired to what: a value of type
// source going into a port of type target.
//
//   - the same type fits, and so does everything into any
//   - null fits only what is nullable; T? into T is checked
//   - any into T, string into enum, string into credential and a bare record
//     into a record with fields are checked
//   - int into float converts; enum into string fits
//   - an enum fits an enum with all its members
//   - lists go element by element, records by width: every field that the target
//     does not let be null has to be there, and each that is there has to fit; a
//     nullable field of which the source says nothing is checked, because the
//     record may hold more than its type names
func Assign(source, target Type) Fit {
	fit := assignShape(source, target)
	if fit != Misfit && source.Nullable() && !target.Nullable() {
		fit = min(fit, Checked)
	}
	return fit
}

func assignShape(source, target Type) Fit {
	switch {
	case target.kind == KindAny:
		return Fits
	case source.kind == KindAny:
		return Checked
	}
	switch source.kind {
	case KindInt:
		if target.kind == KindFloat {
			return Converts
		}
	case KindString:
		if target.kind == KindEnum || target.kind == KindCredential {
			return Checked
		}
	case KindEnum:
		if target.kind == KindString {
			return Fits
		}
	}
	if source.kind != target.kind {
		return Misfit
	}
	switch source.kind {
	case KindEnum:
		return assignMembers(source, target)
	case KindList:
		return Assign(source.Elem(), target.Elem())
	case KindRecord:
		return assignFields(source, target)
	}
	return Fits
}

func assignMembers(source, target Type) Fit {
	for _, m := range source.members {
		if !slices.Contains(target.members, m) {
			return Misfit
		}
	}
	return Fits
}

func assignFields(source, target Type) Fit {
	if len(target.fields) == 0 {
		return Fits
	}
	if len(source.fields) == 0 {
		return Checked
	}
	fit := Fits
	find := finder(source.fields)
	for _, t := range target.fields {
		s := find(t.Name)
		switch {
		case s != nil:
			fit = min(fit, Assign(s.Type, t.Type))
		case !t.Type.Nullable():
			return Misfit
		case t.Type.kind != KindAny:
			fit = min(fit, Checked)
		}
	}
	return fit
}

// finder returns a function that finds a field by its name, or gives nil. Fields
// stand in the order of the type's text; where there are many an index is worth
// its price.
func finder(fields []Field) func(name string) *Field {
	const few = 16
	if len(fields) <= few {
		return func(name string) *Field {
			for i := range fields {
				if fields[i].Name == name {
					return &fields[i]
				}
			}
			return nil
		}
	}
	index := make(map[string]*Field, len(fields))
	for i := range fields {
		index[fields[i].Name] = &fields[i]
	}
	return func(name string) *Field { return index[name] }
}
