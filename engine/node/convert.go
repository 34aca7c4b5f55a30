package node

import "github.com/svcflow/svc/engine/value"

// Conversion says that a node type turns values of type From into values of type To.
type Conversion struct {
	From value.Type `json:"from"`
	To   value.Type `json:"to"`
}

// Converter returns the node type that turns values of one kind into values of
// another; ok is false if none is declared. One that is made for just these kinds goes
// before one that takes or gives anything, and what it takes counts for more.
func (r *Registry) Converter(from, to value.Kind) (typ string, ok bool) {
	best := 0
	for _, c := range r.converters {
		if n := 2*closeness(c.From, from) + closeness(c.To, to); closeness(c.From, from) > 0 && closeness(c.To, to) > 0 && n > best {
			typ, best = c.typ, n
		}
	}
	return typ, best > 0
}

// MediaConverter returns the node type that is declared to turn media of the kinds of one
// type into media of the kinds of another.
func (r *Registry) MediaConverter(from, to value.Type) (typ string, ok bool) {
	for _, c := range r.converters {
		if value.Assign(from.NotNull(), c.From) == value.Fits && value.Assign(c.To, to.NotNull()) == value.Fits && c.From.Kind() == value.KindMedia {
			return c.typ, true
		}
	}
	return "", false
}

// closeness says how well a declared type meets a kind: not at all, as anything, or
// exactly.
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

// convertersOf returns what the types do, in the order of types.
func convertersOf(specs []*Spec) (all []converter) {
	for _, s := range specs {
		for _, c := range s.Converts {
			all = append(all, converter{c, s.Type})
		}
	}
	return all
}
