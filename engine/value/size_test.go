package value_test

import (
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

func TestSizeIsTheLengthOfTheText(t *testing.T) {
	for _, v := range []any{
		nil, true, 12, 1.5, "", "a\"b\n", []any{}, []any{1, "x", nil}, map[string]any{},
		map[string]any{"a": 1, "b\n": []any{map[string]any{"c": ""}}},
		value.Media{Kind: "image", MIME: "image/png", Path: "a.png"}, value.Credential("pronet:main"),
	} {
		require.Equal(t, len(value.Append(nil, v)), value.Size(v, 1000), "%v", v)
	}
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
