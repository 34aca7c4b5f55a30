package value

import (
	"bytes"
	"reflect"
	"strings"
)

// The approximate memory of values.
const (
	boxBytes   = 16  // the target of an interface: a number, or the header of a string
	headBytes  = 24  // of a list
	slotBytes  = 16  // of a list, for each item
	emptyBytes = 48  // of a record
	groupBytes = 288 // of a record: its first eight fields
	fieldBytes = 76  // of a record: each further field
)

// Weight returns the approximate memory of v, in bytes. Shared parts count each time; see
// [Scale].
func Weight(v any) int {
	switch v := v.(type) {
	case nil, bool:
		return 0
	case int, float64:
		return boxBytes
	case string:
		return boxBytes + len(v)
	case Credential:
		return boxBytes + len(v)
	case Media:
		return mediaBytes(v)
	case []any:
		sum := headBytes + slotBytes*cap(v)
		for _, e := range v {
			if e != nil {
				sum += Weight(e)
			}
		}
		return sum
	case map[string]any:
		sum := RecordWeight(len(v))
		for k, e := range v {
			sum += len(k) + Weight(e)
		}
		return sum
	}
	return 0
}

// WeightOfFirst returns the approximate memory of the first n values in v, including lists
// and records, and reports whether these are all.
func WeightOfFirst(n int, v any) (bytes int, all bool) {
	bytes = weightOfFirst(&n, v)
	return bytes, n >= 0
}

// weightOfFirst subtracts the number of weighed values from n. A negative n means that
// there are more.
func weightOfFirst(n *int, v any) (sum int) {
	if *n--; *n < 0 {
		return 0
	}
	switch v := v.(type) {
	case []any:
		sum = ListWeight(cap(v))
		for _, e := range v {
			if sum += weightOfFirst(n, e); *n < 0 {
				break
			}
		}
		return sum
	case map[string]any:
		sum = RecordWeight(len(v))
		for k, e := range v {
			if sum += len(k) + weightOfFirst(n, e); *n < 0 {
				break
			}
		}
		return sum
	}
	return Weight(v)
}

// RecordWeight returns the approximate memory of a record with n fields, without names and
// values.
func RecordWeight(n int) int {
	if n == 0 {
		return emptyBytes
	}
	return emptyBytes + groupBytes + fieldBytes*max(0, n-8)
}

// ListWeight returns the approximate memory of a list with n items, without the items.
func ListWeight(n int) int { return headBytes + slotBytes*n }

func mediaBytes(m Media) int {
	return 6*boxBytes + len(m.Kind) + len(m.MIME) + len(m.Path) + len(m.URL) + len(m.Recipe)
}

// Scale weighs values together and counts each shared part once. The zero value is ready
// for use.
type Scale struct {
	sum int
	met map[uintptr]int // address of a list, record or long text → number of its items or bytes counted so far
}

// shortText is the length up to which texts are not remembered.
const shortText = 64

// Add adds v to the sum.
func (s *Scale) Add(v any) {
	switch x := v.(type) {
	case nil, bool:
	case int, float64:
		s.sum += boxBytes
	case string:
		s.text(v, len(x))
	case Credential:
		s.sum += boxBytes + len(x)
	case Media:
		s.sum += mediaBytes(x)
	case []any:
		s.list(x)
	case map[string]any:
		if s.fresh(reflect.ValueOf(x).Pointer(), 1) == 0 {
			return
		}
		s.sum += RecordWeight(len(x))
		for k, e := range x {
			s.sum += len(k)
			s.Add(e)
		}
	}
}

// Sum returns the memory of all added values, in bytes.
func (s *Scale) Sum() int { return s.sum }

func (s *Scale) list(x []any) {
	s.sum += headBytes
	if cap(x) == 0 {
		return
	}
	fresh := s.fresh(reflect.ValueOf(x).Pointer(), cap(x))
	s.sum += slotBytes * fresh
	for _, e := range x[:cap(x)][cap(x)-fresh:] { // earlier ones are counted already
		s.Add(e)
	}
}

func (s *Scale) text(v any, n int) {
	s.sum += boxBytes
	if n <= shortText {
		s.sum += n
		return
	}
	s.sum += s.fresh(reflect.ValueOf(v).Pointer(), n)
}

// fresh returns how many of the n items or bytes at an address were not counted before.
func (s *Scale) fresh(at uintptr, n int) int {
	before := s.met[at]
	if before >= n {
		return 0
	}
	if s.met == nil {
		s.met = map[uintptr]int{}
	}
	s.met[at] = n
	return n - before
}

// DecodedWeight returns an upper bound of the memory of the value that a JSON text encodes,
// in bytes, without decoding it.
func DecodedWeight[T string | []byte](text T) int {
	const item, member = slotBytes + boxBytes + slotBytes/2, 2*fieldBytes - slotBytes // appended lists have spare capacity, records up to twice their size
	count := counter(text)
	items, members, lists, records := count(","), count(":"), 1+count("["), count("{")
	return len(text) + items*item + lists*(headBytes+item) + records*(emptyBytes+groupBytes) + max(0, members-8*records)*member
}

// counter returns a function that counts a byte in text with an optimized search.
func counter[T string | []byte](text T) func(b string) int {
	switch text := any(text).(type) {
	case string:
		return func(b string) int { return strings.Count(text, b) }
	case []byte:
		return func(b string) int { return bytes.Count(text, []byte(b)) }
	}
	return nil
}
