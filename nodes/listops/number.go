package listops

import (
	"cmp"
	"math"
)

// compareNumbers compares two numbers exactly, without rounding. Converting both to float64
// would not be exact for large ints.
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
	case f >= math.MaxInt64: // MaxInt64 rounds up to 2^63 as a float
		return -1
	case f < math.MinInt64:
		return +1
	}
	below := int(math.Floor(f)) // f is between below and below+1
	if i <= below {
		return -1
	}
	return +1
}

// wholeNumber returns the int equal to f, if there is one.
func wholeNumber(f float64) (int, bool) {
	if f != math.Trunc(f) || f < math.MinInt64 || f >= math.MaxInt64 {
		return 0, false
	}
	return int(f), true
}
