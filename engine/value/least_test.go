package value_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/value"
)

func TestLeast(t *testing.T) {
	for text, want := range map[string]any{
		"string": "", "int": 0, "float": 0.0, "bool": false, "int?": nil, "list<int>": []any{}, "enum(a|b)": "a",
		"record{n: int, of: record{s: string?}}": map[string]any{"n": 0, "of": map[string]any{"s": nil}}, "media": nil, "any": nil,
	} {
		typ, err := value.ParseType(text)
		require.NoError(t, err, text)
		require.Equal(t, want, value.ZeroValue(typ), text)
	}
}
