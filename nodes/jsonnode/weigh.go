package jsonnode

import (
	"encoding/json"
	"math/big"
	"reflect"

	"github.com/itchyny/gojq"
)

// Approximate sizes in memory. They include the memory that measuring takes.
const (
	wordBytes = 8
	slotBytes = 16 // item of a list
	listBytes = 64
	boxBytes  = 24 // a number, or the header of a string
)

// recordBytes returns the memory of a record with n fields. A map has room for eight
// entries from the start.
func recordBytes(n int) int {
	return listBytes + 272 + 76*max(0, n-8)
}

// scale measures the memory of a running query: the values on the stacks of its machine,
// and everything reachable from them, each part once.
type scale struct {
	sum  int
	met  map[uintptr]struct{} // addresses of records and long strings
	ends map[uintptr]uintptr  // see fresh
	todo []any                // lists, records and gojq's internal values that are still to be measured
}

// stacks holds the slices of a running query's machine that grow with calls and
// backtracking.
type stacks []reflect.Value

func stacksOf(iter gojq.Iter) stacks {
	machine := reflect.ValueOf(iter).Elem()
	return stacks{
		machine.FieldByName("values"), machine.FieldByName("forks"), machine.FieldByName("stack").Elem().FieldByName("data"),
		machine.FieldByName("paths").Elem().FieldByName("data"), machine.FieldByName("scopes").Elem().FieldByName("data"),
	}
}

// bytes returns the peak memory of the stacks: when a stack grows, it exists together with
// its copy, which is up to twice as large.
func (s stacks) bytes() (n int) {
	const growing = 3
	for _, v := range s {
		n += growing * v.Cap() * int(v.Type().Elem().Size())
	}
	return n
}

// holds returns the memory of the values on the stacks and of the results so far, without
// the stacks themselves. It stops when the sum exceeds limit.
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

// slice measures a slice of an internal type of gojq.
func (s *scale) slice(v reflect.Value) {
	elem := v.Type().Elem()
	fresh := s.fresh(v.Pointer(), v.Cap(), int(elem.Size()))
	s.sum += fresh * int(elem.Size())
	s.items(v, fresh)
}

// items measures the values in the first n items of such a slice.
func (s *scale) items(v reflect.Value, n int) {
	if !hasValues(v.Type().Elem()) {
		return
	}
	v = v.Slice(0, v.Cap())
	for i := range n {
		s.own(v.Index(i))
	}
}

// own measures the values in an item of such a slice.
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

// value measures a scalar, and adds other values to todo.
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

// text measures a string. Short strings are counted each time, which is cheaper than
// remembering them.
func (s *scale) text(v any, n int) {
	const short = 64
	s.sum += boxBytes
	if n <= short || s.first(v) {
		s.sum += n
	}
}

// first reports whether v is met for the first time.
func (s *scale) first(v any) bool {
	at := reflect.ValueOf(v).Pointer()
	_, met := s.met[at]
	s.met[at] = struct{}{}
	return !met
}

// fresh returns how many of the n items at an address are met for the first time; they come
// before the others. Slices of the same array end, by capacity, at the same address, so the
// one that starts first contains the items of the others.
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
