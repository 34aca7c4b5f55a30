package jsonnode

import (
	"encoding/json"
	"math/big"
	"reflect"

	"github.com/itchyny/gojq"
)

// The approximate memory of values, including the memory that measuring them takes.
const (
	wordBytes = 8
	slotBytes = 16 // of a list
	listBytes = 64
	boxBytes  = 24 // a number or the head of a string
)

// recordBytes is what a record of n fields takes. Small ones have eight places.
func recordBytes(n int) int {
	return listBytes + 272 + 76*max(0, n-8)
}

// scale measures the memory of a running query: the values on the stacks of its machine,
// and everything reachable from them, each part once.
type scale struct {
	sum  int
	met  map[uintptr]struct{} // addresses of records and long strings
	ends map[uintptr]uintptr  // see fresh
	todo []any                // lists, records and what is gojq's own
}

// stacks are the slices that the machine of a running query grows as it calls and
// remembers.
type stacks []reflect.Value

func stacksOf(iter gojq.Iter) stacks {
	machine := reflect.ValueOf(iter).Elem()
	return stacks{
		machine.FieldByName("values"), machine.FieldByName("forks"), machine.FieldByName("stack").Elem().FieldByName("data"),
		machine.FieldByName("paths").Elem().FieldByName("data"), machine.FieldByName("scopes").Elem().FieldByName("data"),
	}
}

// bytes returns what the stacks take while they grow, when what there was and its copy,
// up to twice as long, are there at once.
func (s stacks) bytes() (n int) {
	const growing = 3
	for _, v := range s {
		n += growing * v.Cap() * int(v.Type().Elem().Size())
	}
	return n
}

// holds returns how many bytes are held by what is on the stacks and the results so
// far, but not the stacks themselves, or some number above limit.
func holds(on stacks, results []any, limit int) int {
	s := &scale{met: map[uintptr]struct{}{}, ends: map[uintptr]uintptr{}}
	for _, v := range on {
		s.items(v, v.Cap())
	}
	s.value(results)
	for len(s.todo) > 0 && s.sum <= limit {
		v := s.todo[len(s.todo)-1]
		s.todo = s.todo[:len(s.todo)-1]
		s.open(v)
	}
	return s.sum
}

// slice weighs a slice of gojq's own.
func (s *scale) slice(v reflect.Value) {
	elem := v.Type().Elem()
	fresh := s.fresh(v.Pointer(), v.Cap(), int(elem.Size()))
	s.sum += fresh * int(elem.Size())
	s.items(v, fresh)
}

// items weighs the values in the first n items of such a slice.
func (s *scale) items(v reflect.Value, n int) {
	if !hasValues(v.Type().Elem()) {
		return
	}
	v = v.Slice(0, v.Cap())
	for i := range n {
		s.own(v.Index(i))
	}
}

// own weighs the values in an item of such a slice.
func (s *scale) own(v reflect.Value) {
	switch v.Kind() {
	case reflect.Interface:
		s.value(settable(v).Interface())
	case reflect.Struct:
		for _, field := range v.Fields() {
			s.own(field)
		}
	}
}

func hasValues(t reflect.Type) bool {
	if t.Kind() == reflect.Struct {
		for field := range t.Fields() {
			if hasValues(field.Type) {
				return true
			}
		}
	}
	return t.Kind() == reflect.Interface
}

// value weighs what has no parts, and leaves the rest for later.
func (s *scale) value(v any) {
	switch x := v.(type) {
	case nil, bool:
	case int, float64:
		s.sum += wordBytes
	case string:
		s.text(v, len(x))
	case json.Number:
		s.text(v, len(x))
	case *big.Int:
		s.sum += boxBytes + len(x.Bits())*wordBytes
	default:
		s.todo = append(s.todo, v)
	}
}

func (s *scale) open(v any) {
	switch x := v.(type) {
	case []any:
		if cap(x) == 0 {
			return
		}
		s.sum += listBytes
		fresh := s.fresh(reflect.ValueOf(v).Pointer(), cap(x), slotBytes)
		s.sum += fresh * slotBytes
		for _, e := range x[:fresh] {
			s.value(e)
		}
	case map[string]any:
		if len(x) > 0 && s.first(v) {
			s.sum += recordBytes(len(x))
			for k, e := range x {
				s.sum += len(k)
				s.value(e)
			}
		}
	default:
		switch own := reflect.ValueOf(v); own.Kind() {
		case reflect.Slice:
			s.slice(own)
		case reflect.Map:
			s.sum += recordBytes(own.Len())
		}
	}
}

// text weighs a string. Short ones are not worth remembering.
func (s *scale) text(v any, n int) {
	const short = 64
	s.sum += boxBytes
	if n <= short || s.first(v) {
		s.sum += n
	}
}

// first says whether v was not met before.
func (s *scale) first(v any) bool {
	at := reflect.ValueOf(v).Pointer()
	_, met := s.met[at]
	s.met[at] = struct{}{}
	return !met
}

// fresh returns how many of the n items that start at an address were not met
// before; they are the first ones. Slices of one list end, with their capacity, at
// the same address, and the one that starts first has all items of the others.
func (s *scale) fresh(start uintptr, n, size int) int {
	if n == 0 {
		return 0
	}
	end := start + uintptr(n*size)
	before, met := s.ends[end]
	if met && before <= start {
		return 0
	}
	s.ends[end] = start
	if met {
		return int(before-start) / size
	}
	return n
}
