package microblog

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/svcflow/svc/nodes/nodetest/suites"
)

func TestWeights(t *testing.T) {
	tests := map[string]int{
		"Hello, world! 👋":             16,
		"👨‍👩‍👧‍👦":                     2,
		"👋🏽":                          2,
		"🇩🇪":                          2,
		"1️⃣":                         2,
		"❤️":                          2,
		strings.Repeat("漢", 140):      280,
		"é—“”…":                       6,
		"cafe\u0301":                  4,
		"":                            0,
		"http://test.co":              23,
		"see example.com.":            28,
		"(example.com/a_(b))":         25,
		"me@example.com":              14,
		"https://example.com/a?b=c&d": 23,
		"https://a.b":                 11,
		"日本語example.com":              29,
		strings.Repeat("a", 281):      281,
	}
	for text, want := range tests {
		assert.Equal(t, want, weigh(text), "%q", text)
	}
}

// The test cases of the network's own library. The first section is for version 2 of its
// configuration, which counts each character of an emoji.
func TestConformanceOfPostLengths(t *testing.T) {
	var suite struct {
		Tests map[string]yaml.Node `yaml:"tests"`
	}
	require.NoError(t, yaml.Unmarshal(suites.Read(t, "twitter-text/validate.yml"), &suite))
	joined := map[string]int{
		"Count a mix of single byte single word, and double word unicode characters":              7,
		"Count unicode emoji chars outside the basic multilingual plane with skin tone modifiers": 4,
	}
	checked := 0
	for name, section := range suite.Tests {
		if !strings.HasSuffix(name, "CounterTest") {
			continue
		}
		var cases []struct {
			Description, Text string
			Expected          struct {
				WeightedLength int `yaml:"weightedLength"`
			}
		}
		require.NoError(t, section.Decode(&cases))
		for _, c := range cases {
			want := c.Expected.WeightedLength
			if w, ok := joined[c.Description]; ok && name == "WeightedTweetsCounterTest" {
				want = w
			}
			assert.Equal(t, want, weigh(c.Text), "%s: %s", name, c.Description)
			checked++
		}
	}
	require.Equal(t, 44, checked)
}

func FuzzWeigh(f *testing.F) {
	for _, text := range []string{"see example.com/a_(b)", "http://ああ.com?x=1", "👨‍👩‍👧‍👦 @a.de", "\xff.com"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		last := 0
		for _, u := range findURLs(text) {
			require.True(t, last <= u.from && u.from < u.to && u.to <= len(text), "%v", u)
			last = u.to
		}
		require.GreaterOrEqual(t, weigh(text), 0)
	})
}
