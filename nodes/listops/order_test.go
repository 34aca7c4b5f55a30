package listops

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/expr"
	"github.com/svcflow/svc/engine/value"
)

// ascending returns groups of equal values, in increasing order.
func ascending() [][]any {
	const reference = "test:main"
	media := value.Media{Kind: "image", MIME: "image/png", Path: "a"}
	return [][]any{
		{nil},
		{false},
		{true},
		{-math.MaxFloat64},
		{math.MinInt, float64(math.MinInt)},
		{math.MinInt + 1},
		{-2, -2.0},
		{-1.5},
		{-1},
		{0, 0.0, math.Copysign(0, -1)},
		{math.SmallestNonzeroFloat64},
		{1, 1.0},
		{1 << 53, float64(1 << 53)},
		{1<<53 + 1},
		{1<<60 - 1},
		{1 << 60, float64(1 << 60)},
		{math.MaxInt},
		{float64(math.MaxInt)}, // MaxInt + 1 as a float
		{1e300},
		{""},
		{"Z"},
		{"a"},
		{"a\x00"},
		{"ab"},
		{reference, value.Credential(reference)},
		{"é"},
		{"日"},
		{"👍"},
		{[]any{}},
		{[]any{nil}},
		{[]any{1}, []any{1.0}},
		{[]any{1, 2}},
		{[]any{"12"}},
		{[]any{[]any{}}},
		{map[string]any{}},
		{map[string]any{"a": 1}, map[string]any{"a": 1.0}},
		{map[string]any{"a": 2}},
		{map[string]any{"a": 1, "b": 0}},
		{map[string]any{"b": 0}},
		{media, map[string]any{"kind": "image", "mime": "image/png", "path": "a"}},
	}
}

func TestOrderAndKeys(t *testing.T) {
	o, k := order{meter: expr.NewMeter(t.Context())}, keys{}
	groups := ascending()
	for i, left := range groups {
		for j, right := range groups {
			for _, a := range left {
				for _, b := range right {
					want := 0
					if i != j {
						want = 1 - 2*b2i(i < j)
					}
					require.Equal(t, want, o.compare(a, b), "%#v, %#v", a, b)
					require.Equal(t, want == 0, k.of(a) == k.of(b), "the keys of %#v, %#v", a, b)
					require.Equal(t, want == 0, k.of([]any{a, "x"}) == k.of([]any{b, "x"}), "the keys of lists of %#v, %#v", a, b)
				}
			}
		}
	}
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

func TestKeysOfLists(t *testing.T) {
	k := keys{}
	long := slices.Repeat([]any{"some text", 1}, 2000) // hashed in several chunks
	require.Equal(t, k.of(long), k.of(slices.Clone(long)))
	require.NotEqual(t, k.of(long), k.of(append([]any{"some texT"}, long[1:]...)))
	for _, pair := range [][2]any{
		{[]any{"ab", "c"}, []any{"a", "bc"}},
		{[]any{[]any{1}, 2}, []any{[]any{1, 2}}},
		{[]any{"n"}, []any{nil}},
		{[]any{true}, []any{"true"}},
		{[]any{"a", 1}, map[string]any{"a": 1}},
	} {
		require.NotEqual(t, k.of(pair[0]), k.of(pair[1]), "%v", pair)
	}
}

// exactSum computes the sum in a slow and obvious way: with big floats of sufficient
// precision.
func exactSum(numbers []any) float64 {
	sum := new(big.Float).SetPrec(4096)
	for _, n := range numbers {
		x := new(big.Float).SetPrec(4096)
		switch n := n.(type) {
		case int:
			x.SetInt64(int64(n))
		case float64:
			x.SetFloat64(n)
		}
		sum.Add(sum, x)
	}
	f, _ := sum.Float64()
	return f + 0
}

func TestTotalIsExact(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		numbers := make([]any, random.IntN(30))
		for i := range numbers {
			switch random.IntN(4) {
			case 0:
				numbers[i] = int(random.Uint64())
			case 1:
				numbers[i] = random.IntN(10) - 5
			case 2: // close to ties
				numbers[i] = math.Ldexp(1-2*float64(random.IntN(2)), random.IntN(120)-60)
			default:
				numbers[i] = math.Ldexp(random.NormFloat64(), random.IntN(1800)-900)
			}
		}
		var sum total
		for _, n := range numbers {
			sum.add(n)
		}
		require.Equal(t, exactSum(numbers), sum.float(), "%v", numbers)
	}
}
