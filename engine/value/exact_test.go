package value_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/value"
)

func TestAppendExact(t *testing.T) {
	for text, v := range map[string]any{
		"2.0": 2.0, "2": 2, "-3.0": -3.0, "2.5": 2.5, "1e+21": 1e21, "-0": negativeZero(), "100000000000000000000": 1e20, "null": nil,
		`[1.0,1,{"a":4.0,"b":"4"}]`: []any{1.0, 1, map[string]any{"b": "4", "a": 4.0}}, "[]": []any{}, "{}": map[string]any{},
	} {
		got := string(value.AppendExact(nil, v))
		require.Equal(t, text, got)
		again, err := value.Decode([]byte(got))
		require.NoError(t, err)
		require.Equal(t, v, again)
	}
}

func negativeZero() float64 {
	zero := 0.0
	return -zero
}
