package xmltree_test

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/nodes/charset"
	"github.com/svcflow/svc/nodes/data/xmltree"
	"github.com/svcflow/svc/nodes/reading"
)

type record = map[string]any

func parse(t testing.TB, text string) (record, error) {
	t.Helper()
	return xmltree.Parse(t.Context(), text, xmltree.Options{Attributes: "@"}, nil)
}

// document is a document of testdata/cases.json.
type document struct {
	Name, XML, Encoding string
	BOM                 bool
	Attributes          []string // namespace declarations, which ElementTree does not report
}

// bytes returns the document as testdata/elementtree.py gives it to ElementTree.
func (d *document) bytes(t *testing.T) []byte {
	t.Helper()
	label, text := d.Encoding, d.XML
	switch d.Encoding {
	case "":
		label = "utf-8"
	case "latin-1":
		label = "iso-8859-1"
	case "utf-16":
		label, d.BOM = "utf-16le", true
	case "utf-16-le", "utf-16-be":
		label = "utf-16" + d.Encoding[len("utf-16-"):]
	}
	if d.BOM {
		text = "\ufeff" + text
	}
	e, err := charset.ByLabel(label)
	require.NoError(t, err)
	data, err := e.Encode(text)
	require.NoError(t, err)
	return data
}

func TestReadsWhatElementTreeReads(t *testing.T) {
	var documents []document
	var golden struct {
		Results map[string]struct {
			Value record
			Error string
		}
	}
	for name, v := range map[string]any{"cases.json": &documents, "elementtree.json": &golden} {
		data, err := os.ReadFile("testdata/" + name)
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(data, v))
	}
	require.Len(t, golden.Results, len(documents))
	for i := range documents {
		d := &documents[i]
		t.Run(d.Name, func(t *testing.T) {
			want := golden.Results[d.Name]
			data := d.bytes(t)
			text, _, _, err := charset.Text(data, charset.Auto, xmltree.Declared(data))
			require.NoError(t, err)
			var notes reading.Notes
			root, err := xmltree.Parse(t.Context(), text, xmltree.Options{Attributes: "@"}, &notes)
			if want.Error != "" {
				require.Error(t, err)
				require.True(t, node.IsPermanent(err))
				return
			}
			require.NoError(t, err)
			for _, v := range root {
				for _, name := range d.Attributes {
					delete(v.(record), "@"+name)
				}
			}
			require.Equal(t, want.Value, root)
			require.Empty(t, notes.All())
		})
	}
}

func TestRepairsAreNoted(t *testing.T) {
	for _, c := range []struct {
		text, note string
		want       record
	}{
		{"\n\n<?xml version=\"1.0\"?><a>x</a>", "line 1: there is white space before the XML declaration", record{"a": "x"}},
		{
			"<a>\n<b c='&uuml;'>1&nbsp;&euro;&nbsp;</b><!-- &nbsp; --><d><![CDATA[&nbsp;]]>&amp;</d></a>", "line 2: the HTML entity &uuml; is not declared; it was read as \"ü\"",
			record{"a": record{"b": record{"@c": "ü", "#text": "1\u00a0€\u00a0"}, "d": "&nbsp;&"}},
		},
	} {
		var notes reading.Notes
		root, err := xmltree.Parse(t.Context(), c.text, xmltree.Options{Attributes: "@"}, &notes)
		require.NoError(t, err)
		require.Equal(t, c.want, root)
		require.Equal(t, c.note, notes.All()[0].String())
		require.False(t, notes.All()[0].Dropped)
	}
}

func TestTextKeepsAnOldDeclaration(t *testing.T) {
	root, err := parse(t, `<?xml version="1.0" encoding="ISO-8859-1"?><a>Grüße</a>`)
	require.NoError(t, err)
	require.Equal(t, record{"a": "Grüße"}, root)
}

func TestWhiteSpaceIsKeptWhereTheDocumentSaysSo(t *testing.T) {
	root, err := parse(t, "<a><b xml:space='preserve'> <c/> </b><b> <c/> </b></a>")
	require.NoError(t, err)
	require.Equal(t, record{"a": record{"b": []any{record{"@xml:space": "preserve", "c": "", "#text": "  "}, record{"c": ""}}}}, root)
}

func TestErrorsNameTheLine(t *testing.T) {
	for text, message := range map[string]string{
		"<a>\n<b x='1' x='2'/></a>":            "line 2, column 17: <b> has the attribute x twice",
		"<a>\n\n&evil;</a>":                    "line 3: invalid character entity &evil;",
		"<a>&nbsp;\n&evil;</a>":                "line 2: invalid character entity &evil;",
		"<a>\n<b>":                             "line 2, column 4: <b> is not closed",
		strings.Repeat("<a>\n", 1001):          "line 1001: elements nest deeper than 1000",
		"<!DOCTYPE a [\n<!ENTITY x 'y'>]><a/>": "the document has entities of its own",
	} {
		_, err := parse(t, text)
		require.ErrorContains(t, err, message)
	}
}

func TestManyAttributesTakeNoLongerThanOthers(t *testing.T) {
	var b strings.Builder
	b.WriteString("<a")
	for i := range 300_000 {
		fmt.Fprintf(&b, " a%d=''", i)
	}
	start := time.Now()
	_, err := parse(t, b.String()+"/>")
	require.NoError(t, err)
	require.Less(t, time.Since(start), time.Minute)
}

func TestWhatIsWrittenIsReadAgain(t *testing.T) {
	for _, v := range []record{
		{"a": "x", "b": []any{"1", record{"@n": "<&\"'>\n\t", "#text": " y "}}, "c": record{"d": ""}},
		{"p": record{"#text": "Hello  world", "b": "big"}},
		{"p": record{"#text": "x\r\ny", "b": record{"c": []any{"1", "2"}}}},
	} {
		for _, indent := range []bool{true, false} {
			text, err := xmltree.Format(t.Context(), "root", v, indent)
			require.NoError(t, err)
			root, err := parse(t, text)
			require.NoError(t, err)
			require.Equal(t, record{"root": v}, root, text)
		}
	}
}

// sample returns an indented document with n items.
func sample(n int) string {
	return "<?xml version=\"1.0\"?>\n<order>\n" + strings.Repeat("  <item id=\"7\">\n    <name>Tea &amp; milk</name>\n    <price>3.50</price>\n  </item>\n", n) + "</order>\n"
}

func BenchmarkParse(b *testing.B) {
	text := sample(5000)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		_, err := parse(b, text)
		require.NoError(b, err)
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{sample(2), "<?xml version='1.1' encoding='utf-16'?><!DOCTYPE a [<!ELEMENT a ANY>]><a b='&#10;'>&nbsp;<![CDATA[x]]></a>", "\xff\xfe<\x00a\x00/\x00>\x00", "\n<?xml version='1.0'?><a>&eacute</a>"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		text, _, _, err := charset.Text(data, charset.Auto, xmltree.Declared(data))
		require.NoError(t, err)
		root, err := parse(t, text)
		if err != nil {
			require.True(t, node.IsPermanent(err))
			return
		}
		require.Len(t, root, 1)
	})
}
