package value_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/value"
)

// nest wraps v into n lists.
func nest(n int, v any) any {
	for range n {
		v = []any{v}
	}
	return v
}

func TestCheck(t *testing.T) {
	for _, v := range samples() {
		require.NoError(t, value.Check(v))
	}
	require.NoError(t, value.Check(nest(value.MaxDepth, 1)))
}

func TestCheckErrors(t *testing.T) {
	for _, c := range []struct {
		in   any
		want string
	}{
		{int64(1), "the Go type int64 is no value"},
		{float32(1), "float32"},
		{[]string{"a"}, "[]string"},
		{time.Time{}, "time.Time"},
		{[]any{1, map[string]any{"a": []any{uint(1)}}}, `[1]: "a": [0]: the Go type uint`},
		{"\xff", "not valid UTF-8"},
		{map[string]any{"\xff": 1}, `"\xff": not valid UTF-8`},
		{nest(value.MaxDepth+1, 1), "nested deeper than 1,000"},
		{nest(value.MaxDepth, map[string]any{}), "nested deeper than 1,000"},
		{value.Credential("hunter2"), "not a credential reference"},
		{value.Media{Kind: "image"}, "exactly one of path, url and recipe"},
		{value.Media{Kind: "image", Path: "\xff"}, "not valid UTF-8"},
	} {
		err := value.Check(c.in)
		require.ErrorContains(t, err, c.want)
		require.NotContains(t, err.Error(), "hunter2")
	}
	for _, f := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		require.ErrorIs(t, value.Check([]any{f}), value.ErrNotFinite)
	}
}

func TestKindOf(t *testing.T) {
	for want, v := range map[string]any{
		"null": nil, "bool": false, "int": 0, "float": 0.0, "string": "", "list": []any{}, "record": map[string]any{},
		"credential": value.Credential(""), "media": value.Media{}, "foreign": struct{}{},
	} {
		require.Equal(t, want, value.KindOf(v))
	}
}

func TestParseCredential(t *testing.T) {
	for _, good := range []string{"pronet:main", "a:b", "x9:a-b_c", "microblog:0"} {
		c, err := value.ParseCredential(good)
		require.NoError(t, err, good)
		require.Equal(t, good, c.Network()+":"+c.Account())
	}
	for _, bad := range []string{"", "pronet", ":main", "pronet:", "Pronet:main", "pronet:Main", "9a:b", "a:-b", "a:b-", "a:b:c", "a:b\n", "pronet: main", "https://x"} {
		_, err := value.ParseCredential(bad)
		require.EqualError(t, err, `not a credential reference; write network:account, for example "pronet:main"`)
	}
}
