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
//   - media of some kinds fits media of these kinds, of more, or of any; it is checked where
//     the target takes some of its kinds only
//   - lists go element by element, records by width: every field that the target
//     does not let be null has to be there, and each that is there has to fit; a
//     nullable field of which the source says nothing is checked, because the
//     record may hold more than its type names
func Assign(source, target Type) Fit {
	c := Comparison{}
	return c.Assign(source, target)
}

// Comparison compares types for a caller that bounds what it spends on that.
type Comparison struct {
	// Step, if set, is called before each member or field that is looked at. When it
	// returns false, nothing more is, and the answers are of no use.
	Step func() bool
}

func (c *Comparison) step() bool { return c.Step == nil || c.Step() }

// Assign is the function of that name. It looks at no more members or fields than the
// smaller one of two types has.
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

// narrow compares the fields of a record with those of a wider one.
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
