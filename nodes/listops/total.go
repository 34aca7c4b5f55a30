package listops

import "math"

// total adds numbers without rounding errors. It keeps a list of partials whose digits do
// not overlap and whose sum is exact (Shewchuk, "Adaptive Precision Floating-Point
// Arithmetic", 1997). So a sum does not depend on the order of the numbers, and
// 0.1 + 0.2 + 0.3 is 0.6.
type total struct{ partials []float64 } // in increasing order

func (t *total) add(number any) {
	switch x := number.(type) {
	case float64:
		t.addFloat(x)
	case int: // as two halves, each of which is exact as a float
		t.addFloat(float64(x & math.MaxUint32))
		t.addFloat(float64(x &^ math.MaxUint32))
	}
}

func (t *total) addFloat(x float64) {
	kept := t.partials[:0]
	for _, p := range t.partials {
		if math.Abs(x) < math.Abs(p) {
			x, p = p, x
		}
		sum := x + p
		if rest := p - (sum - x); rest != 0 {
			kept = append(kept, rest)
		}
		x = sum
	}
	t.partials = append(kept, x)
}

// float returns the sum, rounded once. It is not finite if the sum or a partial sum
// overflows.
func (t *total) float() float64 {
	n := len(t.partials) - 1
	if n < 0 {
		return 0
	}
	sum, rest := t.partials[n], 0.0
	for n > 0 && rest == 0 {
		n--
		x, p := sum, t.partials[n]
		sum = x + p
		rest = p - (sum - x)
	}
	// a tie was rounded to even; the next partial decides whether that was right
	if n > 0 && rest != 0 && math.Signbit(rest) == math.Signbit(t.partials[n-1]) {
		twice := rest * 2
		if up := sum + twice; up-sum == twice {
			return up
		}
	}
	return sum + 0 // turns -0 into 0
}
