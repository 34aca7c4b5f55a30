package node

import "github.com/svcflow/svc/engine/value"

// Conversion declares that a node type converts values of type From into values of type To.
type Conversion struct {
	From value.Type `json:"from"`
	To   value.Type `json:"to"`
}

// Converter returns the node type that converts values of one kind into another; ok is
// false if there is none. A converter for exactly these kinds is preferred to one that
// takes or returns any; the input matters more than the output.
func (r *Registry) Converter(from, to value.Kind) (typ string, ok bool) {
	best := 0
	for _, c := range r.converters {
		if n := 2*closeness(c.From, from) + closeness(c.To, to); closeness(c.From, from) > 0 && closeness(c.To, to) > 0 && n > best {
			typ, best = c.typ, n
		}
	}
	return typ, best > 0
}

// MediaConverter returns the node type that is declared to convert media of the kinds of
// one type into media of the kinds of another.
func (r *Registry) MediaConverter(from, to value.Type) (typ string, ok bool) {
	for _, c := range r.converters {
		if value.Assign(from.NotNull(), c.From) == value.Fits && value.Assign(c.To, to.NotNull()) == value.Fits && c.From.Kind() == value.KindMedia {
			return c.typ, true
		}
	}
	return "", false
}

// closeness returns how well a declared type matches a kind: 2 exactly, 1 if it is any,
// else 0.
func closeness(declared value.Type, kind value.Kind) int {
	switch declared.Kind() {
	case kind:
		return 2
	case value.KindAny:
		return 1
	default:
		return 0
	}
}

// converter is a conversion and the node type that does it.
type converter struct {
	Conversion

	typ string
}

// convertersOf returns the conversions of all types, in the order of specs.
func convertersOf(specs []*Spec) (all []converter) {
	for _, s := range specs {
		for _, c := range s.Converts {
			all = append(all, converter{c, s.Type})
		}
	}
	return all
}
