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
	for _, t := range target.fields {
		i := slices.IndexFunc(source.fields, func(s Field) bool { return s.Name == t.Name })
		switch {
		case i >= 0:
			fit = min(fit, Assign(source.fields[i].Type, t.Type))
		case !t.Type.Nullable():
			return Misfit
		case t.Type.kind != KindAny:
			fit = min(fit, Checked)
		}
	}
	return fit
}
