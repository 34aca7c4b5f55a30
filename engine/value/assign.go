package value

// Fit says whether a wire may lead from a port of one type to a port of another.
type Fit uint8

// The fits, from worst to best.
const (
	Misfit   Fit = iota // never: a type_mismatch
	Checked             // legal, but each value has to pass [Conform] when it arrives
	Converts            // every value fits after [Conform] (int to float)
	Fits                // every value fits as it is
)

// String returns the name of f.
func (f Fit) String() string { return [...]string{"misfit", "checked", "converts", "fits"}[f] }

// Assign decides whether a value of type source may go into a port of type target:
//
//   - the same type fits, and everything fits any
//   - null fits nullable types only; T? into T is checked
//   - any into T, string into enum, string into credential and a bare record
//     into a record with fields are checked
//   - int into float converts; enum into string fits
//   - an enum fits an enum with all its members
//   - media of some kinds fits media of these kinds, of more, or of any; it is
//     checked if the target takes only some of its kinds
//   - lists are compared by element, records by field: every target field that is
//     not nullable must exist in the source, and each common field must fit; a
//     nullable target field that the source does not declare is checked, because
//     the record may have more fields than its type declares
func Assign(source, target Type) Fit {
	c := Comparison{}
	return c.Assign(source, target)
}

// Comparison compares types with a limit on the work.
type Comparison struct {
	// Step, if set, is called before each comparison of a member or field. If it returns
	// false, the comparison stops, and its result is meaningless.
	Step func() bool
}

func (c *Comparison) step() bool { return c.Step == nil || c.Step() }

// Assign is like the function Assign. It visits at most as many members or fields as the
// smaller of the two types has.
func (c *Comparison) Assign(source, target Type) Fit {
	fit := c.shape(&source, &target)
	if fit != Misfit && source.Nullable() && !target.Nullable() {
		fit = min(fit, Checked)
	}
	return fit
}

func (c *Comparison) shape(source, target *Type) Fit {
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
		return c.members(source, target)
	case KindMedia:
		return c.kinds(source, target)
	case KindList:
		return c.Assign(source.Elem(), target.Elem())
	case KindRecord:
		return c.fields(source, target)
	}
	return Fits
}

func (c *Comparison) members(source, target *Type) Fit {
	if len(source.Members()) > len(target.Members()) {
		return Misfit
	}
	for _, m := range source.Members() {
		if !c.step() || !target.hasMember(m) {
			return Misfit
		}
	}
	return Fits
}

func (c *Comparison) fields(source, target *Type) Fit {
	switch {
	case len(target.Fields()) == 0:
		return Fits
	case len(source.Fields()) == 0:
		return Checked
	case target.index() != nil && len(source.Fields()) < len(target.Fields()):
		return c.narrow(source, target)
	}
	fit := Fits
	fields := target.Fields()
	for i := range fields {
		if !c.step() {
			return Misfit
		}
		t := &fields[i]
		s := source.field(t.Name)
		switch {
		case s != nil:
			fit = min(fit, c.Assign(s.Type, t.Type))
		case !t.Type.Nullable():
			return Misfit
		case t.Type.kind != KindAny:
			fit = min(fit, Checked)
		}
		if fit == Misfit {
			return Misfit
		}
	}
	return fit
}

// narrow compares the fields of a record type with those of a wider one.
func (c *Comparison) narrow(source, target *Type) Fit {
	needed, loose := len(target.index().needed), target.index().loose
	fit, fields := Fits, source.Fields()
	if len(fields) < needed {
		return Misfit
	}
	for i := range fields {
		if !c.step() {
			return Misfit
		}
		t := target.field(fields[i].Name)
		if t == nil {
			continue
		}
		if fit = min(fit, c.Assign(fields[i].Type, t.Type)); fit == Misfit {
			return Misfit
		}
		switch {
		case !t.Type.Nullable():
			needed--
		case t.Type.kind != KindAny:
			loose--
		}
	}
	switch {
	case needed > 0:
		return Misfit
	case loose > 0:
		return min(fit, Checked)
	}
	return fit
}
