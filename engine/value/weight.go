package value

import (
	"bytes"
	"reflect"
	"strings"
)

// What values take in memory, about.
const (
	boxBytes   = 16  // what an interface points to: a number, or the head of a text
	headBytes  = 24  // of a list
	slotBytes  = 16  // of a list, for each item
	emptyBytes = 48  // of a record
	groupBytes = 288 // of a record: its first eight fields
	fieldBytes = 76  // of a record: each field more
)

// Weight returns about how many bytes of memory v takes. What is reachable twice in it
// counts twice; see [Scale].
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

// WeightOfFirst weighs the first n values in v, lists and records counted as well, and
// reports whether these were all.
func WeightOfFirst(n int, v any) (bytes int, all bool) {
	bytes = weightOfFirst(&n, v)
	return bytes, n >= 0
}

// weightOfFirst takes what it weighs off n. Below 0 there was more.
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

// RecordWeight returns about what a record of n fields takes without its names and values.
func RecordWeight(n int) int {
	if n == 0 {
		return emptyBytes
	}
	return emptyBytes + groupBytes + fieldBytes*max(0, n-8)
}

// ListWeight returns about what a list of n items takes without them.
func ListWeight(n int) int { return headBytes + slotBytes*n }

func mediaBytes(m Media) int {
	return 6*boxBytes + len(m.Kind) + len(m.MIME) + len(m.Path) + len(m.URL) + len(m.Recipe)
}

// Scale weighs values together, each part of them once, however many have it in common.
// Its zero value is ready for use.
type Scale struct {
	sum int
	met map[uintptr]int // where a list, record or long text lies, and how many items or bytes of it were counted
}

// shortText is how long a text has to be to be remembered.
const shortText = 64

// Add puts v to what is weighed.
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

// Sum returns what was added, in bytes.
func (s *Scale) Sum() int { return s.sum }

func (s *Scale) list(x []any) {
	s.sum += headBytes
	if cap(x) == 0 {
		return
	}
	fresh := s.fresh(reflect.ValueOf(x).Pointer(), cap(x))
	s.sum += slotBytes * fresh
	for _, e := range x[:cap(x)][cap(x)-fresh:] { // those before are counted
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

// fresh returns how many of the n things at an address were not counted before.
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

// DecodedWeight returns about how many bytes of memory the value takes that a JSON text
// stands for, from above and without decoding it.
func DecodedWeight[T string | []byte](text T) int {
	const item, member = slotBytes + boxBytes + slotBytes/2, 2*fieldBytes - slotBytes // lists grow, records by twice
	count := counter(text)
	items, members, lists, records := count(","), count(":"), 1+count("["), count("{")
	return len(text) + items*item + lists*(headBytes+item) + records*(emptyBytes+groupBytes) + max(0, members-8*records)*member
}

// counter returns what counts a byte in a text, many at a time.
func counter[T string | []byte](text T) func(b string) int {
	switch text := any(text).(type) {
	case string:
		return func(b string) int { return strings.Count(text, b) }
	case []byte:
		return func(b string) int { return bytes.Count(text, []byte(b)) }
	}
	return nil
}
