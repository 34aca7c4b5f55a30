package value_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/value"
)

func TestTypeRoundTrip(t *testing.T) {
	for text, printed := range map[string]string{
		"any":                                "any",
		"any?":                               "any", // any includes null
		"string?":                            "string?",
		" list < int ? > ? ":                 "list<int?>?",
		"enum( a | b-1 | C.2_ )":             "enum(a|b-1|C.2_)",
		"record":                             "record",
		"record{}?":                          "record?",
		"record{id:string, name : string?}":  "record{id:string,name:string?}",
		`record{"full name":int,"a":any}`:    `record{"full name":int,a:any}`,
		`record{"\u00e9\n":int}`:             `record{"é\n":int}`,
		`record{"":list<record{x:enum(a)}>}`: `record{"":list<record{x:enum(a)}>}`,
		"credential":                         "credential",
		"media?":                             "media?",
		"media ( image | video )?":           "media(image|video)?",
	} {
		parsed, err := value.ParseType(text)
		require.NoError(t, err, text)
		require.Equal(t, printed, parsed.String())
		again, err := value.ParseType(printed)
		require.NoError(t, err, printed)
		require.True(t, parsed.Equal(again), text)
	}
}

func TestParseTypeErrors(t *testing.T) {
	for _, c := range []struct {
		text   string
		offset int
		reason string
	}{
		{"", 0, "expected any"},
		{"strin", 0, "expected any"},
		{"String", 0, "expected any"},
		{"string string", 7, "after the type"},
		{"string??", 7, "after the type"},
		{"list", 4, `expected "<"`},
		{"list<", 5, "expected any"},
		{"list<int", 8, `expected ">"`},
		{"enum", 4, `expected "("`},
		{"enum()", 5, "expected a member"},
		{"media(video|video)", 17, "stands twice"},
		{"enum(a|)", 7, "expected a member"},
		{"enum(a|a)", 8, "stands twice"},
		{"enum(a b)", 7, `expected ")"`},
		{"record{id}", 9, `expected ":"`},
		{"record{1a:int}", 7, "expected a field name"},
		{"record{id:int,}", 14, "expected a field name"},
		{"record{id:int,id:int}", 16, "stands twice"},
		{`record{"id:int}`, 7, "malformed field name"},
		{"record{\"\xff\":int}", 7, "malformed field name"},
		{`record{"\`, 7, "malformed field name"},
		{strings.Repeat("list<", 100) + "int" + strings.Repeat(">", 100), 65 * 5, "nested deeper than 64"},
	} {
		_, err := value.ParseType(c.text)
		var typeErr *value.TypeError
		require.ErrorAs(t, err, &typeErr, c.text)
		require.Equal(t, c.offset, typeErr.Offset, "%s: %v", c.text, err)
		require.Contains(t, typeErr.Reason, c.reason, c.text)
	}
	_, err := value.ParseType("list<x>")
	require.EqualError(t, err, `type "list<x>", offset 5: expected any, string, int, float, bool, credential, media, enum(…), list<…> or record`)
}

func TestTypeConstructors(t *testing.T) {
	built := value.RecordOf(
		value.Field{Name: "id", Type: value.Int()},
		value.Field{Name: "tags", Type: value.ListOf(value.EnumOf("a", "b")).OrNull()},
	)
	parsed := value.MustType("record{id:int,tags:list<enum(a|b)>?}")
	require.True(t, built.Equal(parsed))
	require.False(t, built.Equal(value.MustType("record{id:int,tags:list<enum(a|c)>?}")))
	require.False(t, built.Equal(parsed.OrNull()))
	require.True(t, parsed.OrNull().NotNull().Equal(parsed))
	require.Equal(t, value.KindEnum, parsed.Fields()[1].Type.Elem().Kind())
	require.Equal(t, []string{"a", "b"}, parsed.Fields()[1].Type.Elem().Members())
	require.True(t, value.Type{}.Equal(value.Any()), "the zero Type is any")
	require.Equal(t, value.Any(), value.Int().Elem())
	require.Panics(t, func() { value.MustType("nonsense") })
}

func TestTypeText(t *testing.T) {
	var typ value.Type
	require.NoError(t, typ.UnmarshalText([]byte("list<int>")))
	text, err := typ.MarshalText()
	require.NoError(t, err)
	require.Equal(t, "list<int>", string(text))
	require.Error(t, typ.UnmarshalText([]byte("list<>")))
}

func FuzzParseType(f *testing.F) {
	for _, text := range []string{"any", "list<int?>?", "enum(a|b)", `record{id:string,"full name":list<record>}`, `record{"\u0000":int}`} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		parsed, err := value.ParseType(text)
		if err != nil {
			var typeErr *value.TypeError
			require.ErrorAs(t, err, &typeErr)
			require.LessOrEqual(t, typeErr.Offset, len(text))
			return
		}
		printed := parsed.String()
		again, err := value.ParseType(printed)
		require.NoError(t, err)
		require.True(t, parsed.Equal(again))
		require.Equal(t, printed, again.String())
		require.Equal(t, value.Fits, value.Assign(parsed, again))
	})
}
