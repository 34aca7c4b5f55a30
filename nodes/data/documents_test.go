package data_test

import (
	"encoding/base64"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/nodes/data"
	"github.com/svcflow/svc/nodes/nodetest"
)

func TestXMLParse(t *testing.T) {
	h, dir := host(t)
	for _, tt := range []struct {
		config record
		text   string
		want   any
	}{
		{
			nil, `<?xml version="1.0"?><!DOCTYPE a><order id="7"><!-- no --><item>tea</item><item>milk &amp; more</item><note/></order>`,
			record{"order": record{"@id": "7", "item": []any{"tea", "milk & more"}, "note": ""}},
		},
		{record{"lists": []any{"item"}, "attributes": "$"}, `<o a="1"><item>x</item></o>`, record{"o": record{"$a": "1", "item": []any{"x"}}}},
		{nil, `<a x="1"> text </a>`, record{"a": record{"@x": "1", "#text": " text "}}},
		{nil, `<s:Envelope xmlns:s="urn:s"><s:Body><![CDATA[<x>]]></s:Body></s:Envelope>`, record{"s:Envelope": record{"@xmlns:s": "urn:s", "s:Body": "<x>"}}},
		{nil, "\ufeff<a>ä</a>", record{"a": "ä"}},
		{nil, "<o>\n  <i>\n    <n>1</n>\n  </i>\n  <i/>\n</o>\n", record{"o": record{"i": []any{record{"n": "1"}, ""}}}},
	} {
		out, err := h.Exec("data.xml_parse", tt.config, record{"text": tt.text})
		require.NoError(t, err, tt.text)
		require.Equal(t, tt.want, out["value"])
	}
	put(t, dir, "latin.xml", "<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><a>\xe4</a>")
	out, err := h.Exec("data.xml_parse", nil, record{"path": "latin.xml"})
	require.NoError(t, err)
	require.Equal(t, record{"a": "ä"}, out["value"])
	for text, message := range map[string]string{
		"":                          "there is no element in it",
		"plain":                     "text stands outside of the root element",
		"<a>\n<b></a>":              "line 2, column 8: </a> stands where <b> has to be closed",
		"<a>":                       "<a> is not closed",
		"</a>":                      "closes nothing",
		"<a/><b/>":                  "<b> stands behind the root element",
		"<a>\n&evil;</a>":           "line 2: invalid character entity &evil;",
		"<a b=c/>":                  "line 1: unquoted or missing attribute value",
		"<a>\x01</a>":               "illegal character code",
		strings.Repeat("<a>", 1001): "elements nest deeper than 1000",
		`<!DOCTYPE a [<!ENTITY x "y"><!ENTITY z "&x;&x;&x;">]><a>&z;</a>`:  "has entities of its own, which are not taken",
		`<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>`: "has entities of its own",
		"<a>" + strings.Repeat("<b/>", 1_000_001) + "</a>":                 "line 1: there are more than 1000000 elements",
	} {
		_, err := h.Exec("data.xml_parse", nil, record{"text": text})
		require.ErrorContains(t, err, message, cutTo(text))
		require.True(t, node.IsPermanent(err))
	}
}

func cutTo(text string) string { return text[:min(len(text), 40)] }

func TestXMLFormat(t *testing.T) {
	h, _ := host(t)
	out, err := h.Exec("data.xml_format", record{"root": "order", "indent": false}, record{"value": record{
		"@id": 7, "item": []any{"tea & <milk>", nil, record{"#text": "x", "@n": true}}, "deep": record{"s:a": 1.5}, "lists": []any{[]any{1, 2}},
	}})
	require.NoError(t, err)
	require.Equal(t, `<order id="7"><deep><s:a>1.5</s:a></deep><item>tea &amp; &lt;milk&gt;</item><item></item><item n="true">x</item><lists><item>1</item><item>2</item></lists></order>`, out["text"])
	out, err = h.Exec("data.xml_format", record{"root": "a"}, record{"value": record{"b": "c"}})
	require.NoError(t, err)
	require.Equal(t, "<a>\n  <b>c</b>\n</a>", out["text"])
	for message, inputs := range map[string]record{
		`"a b" cannot be the name`:                  {"root": "a b", "value": record{}},
		`"1" cannot be the name`:                    {"root": "a", "value": record{"1": "x"}},
		`"><x" cannot be the name`:                  {"root": "a", "value": record{"@><x": "x"}},
		"an attribute or a text is a list":          {"root": "a", "value": record{"@x": []any{}}},
		`the character U+0000 at byte 1 of "x\x00"`: {"root": "a", "value": record{"b": "x\x00"}},
	} {
		_, err := h.Exec("data.xml_format", nil, inputs)
		require.Equal(t, node.CodeInvalidInput, node.CodeOf(err))
		require.ErrorContains(t, err, message)
	}
}

func TestYAML(t *testing.T) {
	h, _ := host(t)
	for text, want := range map[string][]any{
		"name: Ada\nn: 1\nf: 1.5\nb: true\nx: null\nd: 2026-01-31\ns: '12'\nh: 0x10": {record{"name": "Ada", "n": 1, "f": 1.5, "b": true, "x": nil, "d": "2026-01-31", "s": "12", "h": 16}},
		"a\n---\n- 1\n- [2, {x: y}]\n":                          {"a", []any{1, []any{2, record{"x": "y"}}}},
		"base: &b {x: 1, y: 2}\nmade: {<<: *b, y: 3}\nsame: *b": {record{"base": record{"x": 1, "y": 2}, "made": record{"x": 1, "y": 3}, "same": record{"x": 1, "y": 2}}},
		"1: a\ntrue: b":        {record{"1": "a", "true": "b"}},
		"18446744073709551615": {18446744073709551615.0},
		"":                     {},
	} {
		out, err := h.Exec("data.yaml_parse", nil, record{"text": text})
		require.NoError(t, err, text)
		require.Equal(t, want, out["documents"], text)
	}
	laughs := "a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n"
	for i := range 9 {
		from, to := string(rune('0'+i)), string(rune('1'+i))
		laughs += "a" + to + ": &a" + to + " [" + strings.Repeat("*a"+from+",", 9) + "*a" + from + "]\n"
	}
	for text, message := range map[string]string{
		laughs:                         "the references make more than 1000000 values",
		"a: &a [*a]":                   "line 1: *a refers to what it is in",
		"a: 1\na: 2":                   `line 2: the key "a" stands twice`,
		"a: [1\nb: 2":                  "line 2: did not find expected",
		"? [1]\n: 2":                   "line 1: a key is a list or a record",
		"a: .nan":                      "line 1: .nan is no number",
		"a: b\n\tc: d":                 "line 2: found a tab character",
		"a: *none":                     "unknown anchor 'none' referenced",
		"<<: 1":                        "line 1: what << merges is no record",
		strings.Repeat("[", 2000):      "line 2: did not find",
		strings.Repeat("- ", 1500):     "nest deeper than 1000",
		strings.Repeat("{a: ", 20_000): "exceeded max depth",
	} {
		_, err := h.Exec("data.yaml_parse", nil, record{"text": text})
		require.ErrorContains(t, err, message, cutTo(text))
		require.True(t, node.IsPermanent(err))
	}
	out, err := h.Exec("data.yaml_format", nil, record{"value": record{"b": []any{1, "no", "12", nil, true, 1.5}, "a": record{"x": "two\nlines"}}})
	require.NoError(t, err)
	require.Equal(t, "a:\n  x: |-\n    two\n    lines\nb:\n  - 1\n  - \"no\"\n  - \"12\"\n  - null\n  - true\n  - 1.5\n", out["text"])
}

func TestBytesInAnyEncodingAreRead(t *testing.T) {
	h, _ := host(t)
	for kind, text := range map[string]string{"yaml": "name: Jos\u00e9\n", "toml": "name = \"Jos\u00e9\"\n"} {
		for name, data := range map[string]string{
			"UTF-8": text, "mark": "\ufeff" + text, "Latin-1": strings.ReplaceAll(text, "\u00e9", "\xe9"),
			"UTF-16": "\xff\xfe" + strings.ReplaceAll(strings.Join(strings.Split(text, ""), "\x00"), "\u00e9", "\xe9") + "\x00",
		} {
			out, err := h.Exec("data."+kind+"_parse", nil, record{"base64": base64.StdEncoding.EncodeToString([]byte(data))})
			require.NoError(t, err, name)
			require.Equal(t, record{"name": "Jos\u00e9"}, out["value"], name)
			require.Empty(t, out["warnings"], name)
		}
	}
}

func TestTOML(t *testing.T) {
	h, _ := host(t)
	out, err := h.Exec("data.toml_parse", nil, record{"text": "name = \"Ada\"\nn = 1\nf = 1.5\nd = 2026-01-31\nt = 2026-01-31T18:05:09Z\nl = [1, {x = true}]\n[a.b]\nc = 07:32:00\n[[p]]\nx = 1\n[[p]]\nx = 2\n"})
	require.NoError(t, err)
	require.Equal(t, record{
		"name": "Ada", "n": 1, "f": 1.5, "d": "2026-01-31", "t": "2026-01-31T18:05:09Z", "l": []any{1, record{"x": true}},
		"a": record{"b": record{"c": "07:32:00"}}, "p": []any{record{"x": 1}, record{"x": 2}},
	}, out["value"])
	for text, message := range map[string]string{
		"a = ":                                  "line 1",
		"a = 1\nb = [1,\n":                      "line",
		"a = 1\na = 2":                          "a",
		"a = inf":                               "is no number that can be calculated with",
		"x = 1\n" + strings.Repeat("#", 1<<20):  "at most 1048576 can be read",
		strings.Repeat("a.", 2000) + "a = 1":    "nest deeper than 1000",
		"a = " + strings.Repeat("[", 1_000_000): "",
	} {
		_, err := h.Exec("data.toml_parse", nil, record{"text": text})
		require.ErrorContains(t, err, message, cutTo(text))
		require.True(t, node.IsPermanent(err))
	}
}

func FuzzDocuments(f *testing.F) {
	f.Add("<a x='1'><b/>t</a>")
	f.Add("a: &x [1, *x]\n---\nb: {<<: *x}")
	f.Add("a = [1, 2]\n[b]\nc = 2026-01-31")
	f.Fuzz(func(t *testing.T, text string) {
		if !utf8.ValidString(text) {
			return // not a valid text in a workflow
		}
		h := nodetest.New(t, data.New(data.Config{}))
		_, _ = h.Exec("data.xml_parse", nil, record{"text": text})
		_, _ = h.Exec("data.toml_parse", nil, record{"text": text})
		out, err := h.Exec("data.yaml_parse", nil, record{"text": text})
		if err != nil || out["value"] == nil {
			return
		}
		written, err := h.Exec("data.yaml_format", nil, record{"value": out["value"]})
		require.NoError(t, err)
		again, err := h.Exec("data.yaml_parse", nil, record{"text": written["text"]})
		require.NoError(t, err)
		require.Equal(t, out["value"], again["value"])
	})
}
