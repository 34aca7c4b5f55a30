package listops

import (
	"cmp"
	"math"
)

// compareNumbers orders two numbers by what they are exactly, without rounding:
// the largest ints have no float of their own.
func compareNumbers(a, b any) int {
	switch a := a.(type) {
	case int:
		switch b := b.(type) {
		case int:
			return cmp.Compare(a, b)
		case float64:
			return compareIntFloat(a, b)
		}
	case float64:
		switch b := b.(type) {
		case int:
			return -compareIntFloat(b, a)
		case float64:
			return cmp.Compare(a, b)
		}
	}
	return 0
}

func compareIntFloat(i int, f float64) int {
	if n, whole := wholeNumber(f); whole {
		return cmp.Compare(i, n)
	}
	switch {
	case f >= math.MaxInt64: // which as a float is one more
		return -1
	case f < math.MinInt64:
		return +1
	}
	below := int(math.Floor(f)) // f lies between below and the next int
	if i <= below {
		return -1
	}
	return +1
}

// wholeNumber returns the int that is the same number as f, if there is one.
func wholeNumber(f float64) (int, bool) {
	if f != math.Trunc(f) || f < math.MinInt64 || f >= math.MaxInt64 {
		return 0, false
	}
	return int(f), true
}
