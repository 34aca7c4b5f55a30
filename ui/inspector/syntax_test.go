package inspector_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/ui/inspector"
)

// syntax is a way to write values.
type syntax interface {
	Read(text string) (v any, given bool, err error)
	Write(v any) string
}

// roundTrip checks that the value of a text can be written and read again.
func roundTrip(t *testing.T, s syntax, text string) {
	t.Helper()
	v, given, err := s.Read(text)
	if err != nil || !given {
		require.Nil(t, v)
		return
	}
	require.NoError(t, value.Check(v), "it could not be stored")
	again, given, err := s.Read(s.Write(v))
	require.NoError(t, err, "%q", s.Write(v))
	require.True(t, given)
	require.Equal(t, v, again)
}

func FuzzNumber(f *testing.F) {
	for _, text := range []string{"", " 12 ", "-0", "1e3", "9223372036854775807", "9223372036854775808", "0x1", "NaN", "1_000", "null"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, typ := range []value.Type{value.Int(), value.Float(), value.Int().OrNull()} {
			s := inspector.SyntaxOf(&node.Port{Name: "p", Type: typ})
			roundTrip(t, s, text)
			switch v, given, err := s.Read(text); n := v.(type) {
			case int:
				require.Equal(t, value.KindInt, typ.Kind())
			case float64:
				require.Equal(t, value.KindFloat, typ.Kind())
				require.False(t, math.IsInf(n, 0) || math.IsNaN(n))
			case nil:
				require.True(t, err != nil || !given || typ.Nullable())
			}
		}
	})
}

func FuzzJSON(f *testing.F) {
	for _, text := range []string{"", `{"a":[1,2.5,null,"x"]}`, "[", `{"a":1,"a":2}`, "\"é\"", "\n\n }", "\xff"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		roundTrip(t, inspector.SyntaxOf(&node.Port{Name: "p"}), text)
	})
}

func FuzzLines(f *testing.F) {
	for _, text := range []string{"", "a\nb", "[", "[]", `["a","b\nc",""]`, "[x]\ny", "a\r\nb\r\n", "a\rb", `[1]`, "\xdc"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s := inspector.SyntaxOf(&node.Port{Name: "p", Type: value.ListOf(value.String())})
		roundTrip(t, s, text)
	})
}
