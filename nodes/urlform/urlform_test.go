package urlform_test

import (
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/nodes/urlform"
)

func TestParseReadsWhatSendersWrite(t *testing.T) {
	for text, want := range map[string]map[string][]string{
		"":                      {},
		"a=1&b=2&b=%33":         {"a": {"1"}, "b": {"2", "3"}},
		"css=a;b&c=d;":          {"css": {"a;b"}, "c": {"d;"}},
		"rate=5%&x=100%25":      {"rate": {"5%"}, "x": {"100%"}},
		"a=%zz&b=%4&c=%":        {"a": {"%zz"}, "b": {"%4"}, "c": {"%"}},
		"a+b=c+d&&=e&f":         {"a b": {"c d"}, "": {"e"}, "f": {""}},
		"a=b=c&%C3%BC=gr%c3%bc": {"a": {"b=c"}, "ü": {"grü"}},
		"a=%FC":                 {"a": {"\xfc"}},
	} {
		require.Equal(t, want, urlform.Parse(text), text)
	}
}

func FuzzParseAgreesWithTheStandardLibraryOnWhatThatTakes(f *testing.F) {
	for _, seed := range []string{"a=1&b=2", "a=%20+%2B", "&&=", "x=%", "a;b"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if values, err := url.ParseQuery(text); err == nil {
			require.Equal(t, map[string][]string(values), urlform.Parse(text))
		}
	})
}
