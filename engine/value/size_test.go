package value_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/svcflow/svc/engine/value"
)

// endless returns a value of 60 lists that prints in more than 2^60 bytes.
func endless() any {
	var v any = "x"
	for range 60 {
		v = []any{v, v}
	}
	return map[string]any{"deep": v}
}

func TestSizeIsAboutTheLengthOfTheText(t *testing.T) {
	text := strings.Repeat("x", 100)
	for _, v := range []any{
		text, value.Credential("pronet:main"),
		[]any{text, text, 1234},
		map[string]any{"key": text, "other": []any{text}},
		value.Media{Kind: "image", MIME: "image/png", Path: text},
	} {
		require.InEpsilon(t, len(value.Append(nil, v)), value.Size(v, 1000), 0.1, "%v", v)
	}
}

func TestSizeCountsAPartAsOftenAsItIsReached(t *testing.T) {
	part := []any{strings.Repeat("x", 100)}
	require.Equal(t, 10*value.Size(part, 1000)+11, value.Size([]any{part, part, part, part, part, part, part, part, part, part}, 10_000))
}

func TestEndlessValuesAreGivenUp(t *testing.T) {
	require.Greater(t, value.Size(endless(), 1000), 1000)
	dst, ok := value.AppendMax([]byte("head"), endless(), 1000)
	require.False(t, ok)
	require.Equal(t, "head", string(dst))
}

func TestAppendMaxTakesWhatFits(t *testing.T) {
	v := []any{"abc", map[string]any{"k": 1}}
	size := len(value.Append(nil, v))
	dst, ok := value.AppendMax([]byte("head"), v, size)
	require.True(t, ok)
	require.Equal(t, `head["abc",{"k":1}]`, string(dst))
	_, ok = value.AppendMax(nil, v, size-1)
	require.False(t, ok)
}

func TestExceeds(t *testing.T) {
	var gauge value.Gauge // for all of them
	shared := []any{"long text", 1, 2, []any{3}}
	for _, v := range []any{
		nil, 1, -1.5, "text",
		[]any{},
		[]any{1, 2, 3},
		[]any{"a", nil, true},
		shared, shared[:2], shared,
		[]any{shared, nil},
		map[string]any{"part": shared[:3], "other": shared},
		map[string]any{},
		map[string]any{"a": 1, "b": []any{"c"}},
		value.Credential("pronet:main"),
		value.Media{Kind: "image", MIME: "image/png", Path: "a.png"},
	} {
		size := len(value.Encode(v))
		require.False(t, value.Exceeds(v, size), "%v", v)
		require.False(t, value.Exceeds(v, size+100), "%v", v)
		for n := range size + 10 {
			about, exceeds := gauge.Measure(v, n)
			require.Equal(t, value.Size(v, value.MaxSize), about, "%v", v)
			require.Equal(t, value.Exceeds(v, n), exceeds, "%v, %d", v, n)
		}
	}
	long := strings.Repeat("x", 1000)
	require.True(t, value.Exceeds([]any{long, long}, 1000))
	require.True(t, value.Exceeds(map[string]any{long: 1}, 1000))
}
