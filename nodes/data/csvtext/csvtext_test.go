package csvtext

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/limit"
	"github.com/svcflow/svc/nodes/charset"
	"github.com/svcflow/svc/nodes/reading"
)

// read returns the columns and rows of a table, and its notes with "dropped" or "repaired".
func read(t testing.TB, r io.Reader, o Options) (names []string, rows [][]string, notes []string) {
	t.Helper()
	if o.Delimiter == "" {
		o.Delimiter = "auto"
	}
	if o.Quote == "" {
		o.Quote = `"`
	}
	var n reading.Notes
	table, err := Open(r, o, &n)
	require.NoError(t, err)
	for {
		row, err := table.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		if row != nil {
			rows = append(rows, slices.Clone(row))
		}
	}
	for _, note := range n.All() {
		kind := "repaired"
		if note.Dropped {
			kind = "dropped"
		}
		notes = append(notes, fmt.Sprintf("%s, line %d: %s", kind, note.Line, note.Message))
	}
	return table.Columns(), rows, notes
}

func TestRowsAreThoseOfPython(t *testing.T) {
	data, err := os.ReadFile("testdata/python.json")
	require.NoError(t, err)
	var golden struct {
		Cases []struct {
			Name, Text string
			Rows       [][]string
		}
	}
	require.NoError(t, json.Unmarshal(data, &golden))
	require.NotEmpty(t, golden.Cases)
	for _, c := range golden.Cases {
		if strings.HasPrefix(c.Name, "random") && unclosed(c.Text) {
			continue // see TestQuotes
		}
		t.Run(c.Name, func(t *testing.T) {
			for _, r := range []io.Reader{strings.NewReader(c.Text), iotest.OneByteReader(strings.NewReader(c.Text))} {
				own := reader{lines: newLines(r), delim: ',', quote: '"'}
				var rows [][]string
				for row, err := own.row(); err == nil; row, err = own.row() {
					rows = append(rows, slices.Clone(row))
				}
				require.Equal(t, c.Rows, rows)
			}
		})
	}
}

// unclosed reports whether the reader repairs or drops a quote that is not closed in text.
func unclosed(text string) bool {
	var notes reading.Notes
	c := reader{lines: newLines(strings.NewReader(text)), delim: ',', quote: '"', notes: &notes}
	for _, err := c.row(); err == nil; _, err = c.row() {
	}
	return slices.ContainsFunc(notes.All(), func(n reading.Note) bool { return strings.Contains(n.Message, "never closed") })
}

func TestQuotes(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       [][]string
		notes      []string
	}{
		{"backslashes before quotes", "a,b\n\"say \\\"hi\\\", ok\",2\n", [][]string{{`say "hi", ok`, "2"}}, []string{`repaired, line 2: column 1: \" is taken as a quote; CSV doubles quotes`}},
		{"a backslash at the end of a field", "a,b\n\"C:\\dir\\\",2\n", [][]string{{`C:\dir\`, "2"}}, nil},
		{"a path, then an escaped quote", "a,b\n\"C:\\x\\\\\",\"5\\\" disk\"\n", [][]string{{`C:\x\\`, `5" disk`}}, []string{`repaired, line 2: column 2: \" is taken as a quote; CSV doubles quotes`}},
		{"not closed at the end", "a,b\n1,2\n3,\"4\n", [][]string{{"1", "2"}, {"3", "4"}}, []string{"repaired, line 3: column 2: the quote that opens the field is never closed; the field ends with the text"}},
		{
			"not closed before other rows", "a,b\r\n1,\"2\r\n3,4\r\n5,6\r\n",
			[][]string{{"3", "4"}, {"5", "6"}},
			[]string{"dropped, line 2: column 2: the quote that opens the field is never closed; close it, or double it if it belongs to the text"},
		},
		{
			"not closed where other quotes follow", "a,b\n\"3,4\n5,6\n\"x\"y,7\n",
			[][]string{{"3,4\n5,6\nx\"y", "7"}},
			[]string{"repaired, line 2: column 1: there is text after the closing quote; a quote inside quotes has to be doubled"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, rows, notes := read(t, strings.NewReader(c.text), Options{Header: true, Delimiter: ","})
			require.Equal(t, c.want, rows)
			require.Equal(t, c.notes, notes)
		})
	}
}

func TestTheDelimiterIsTheOneThatSplitsRowsAlike(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       byte
	}{
		{"commas", "a,b\n1,2\n", ','},
		{"decimal commas", "a;b;c\n1,5;2,5;3,5\n1,0;2,0;3,0\n", ';'},
		{"decimal commas without a header", "1,5;2,5\n3,5;4,5\n", ';'},
		{"commas in the header", "Preis (EUR, netto);Menge, Stück;Ort\n1;2;a\n3;4;b\n", ';'},
		{"texts with commas", "id;text\n1;Hello, world\n2;Hi, all, of you\n3;Plain\n", ';'},
		{"lists in a column", "id,tags\n1,a;b\n2,c;d\n3,e;f\n", ','},
		{"quoted parts", "\"a;b\",\"c;d\"\n\"1;2\",3\n\"x\n;;;\n\",4\n", ','},
		{"tabs", "name\tnote\nAda\tfirst, of all; really\nAlan\tx\n", '\t'},
		{"bars", "a|b|c\n1,2|3|4\n", '|'},
		{"one row", "a,b;c\n", ','},
		{"one row of more semicolons", "a,b;c;d", ';'},
		{"one column", "name\nAda\nAlan\n", ','},
		{"a title above", "Report of 2026, all\n\na;b;c\n1;2;3\n4;5;6\n", ';'},
		{"CR only", "a;b\r1,5;2\r2,5;3\r", ';'},
		{"nothing", "", ','},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.Equal(t, string(c.want), string(findDelimiter([]byte(c.text), '"')))
		})
	}
}

func TestTables(t *testing.T) {
	for _, c := range []struct {
		name, text string
		o          Options
		columns    []string
		rows       [][]string
		notes      []string
	}{
		{"CR only", "name,city\rAda,London\rAlan,Manchester\r", Options{}, []string{"name", "city"}, [][]string{{"Ada", "London"}, {"Alan", "Manchester"}}, nil},
		{"CR CR LF", "a,b\r\r\n1,2\r\r\n", Options{}, []string{"a", "b"}, [][]string{{"1", "2"}}, nil},
		{"lines of CR CR LF are counted once", "a,b\r\r\n1,2\r\r\n3\r\r\n", Options{}, []string{"a", "b"}, [][]string{{"1", "2"}}, []string{
			"dropped, line 3: there are 1 fields, and 2 columns; the row is cut off, or a delimiter is missing",
		}},
		{"a mark before a quote", "\ufeff\"a\",\"b\"\n1,2\n", Options{}, []string{"a", "b"}, [][]string{{"1", "2"}}, nil},
		{"two marks", "\ufeff\ufeffa,b\n1,2\n", Options{}, []string{"a", "b"}, [][]string{{"1", "2"}}, nil},
		{"sep= with CR only", "sep=;\ra;b\r1,5;2\r", Options{}, []string{"a", "b"}, [][]string{{"1,5", "2"}}, nil},
		{"sep= in quotes", "\"SEP=|\"\r\na|b\r\n1|2\r\n", Options{}, []string{"a", "b"}, [][]string{{"1", "2"}}, nil},
		{"sep= is a column", "sep=x,b\n1,2\n", Options{}, []string{"sep=x", "b"}, [][]string{{"1", "2"}}, nil},
		{"comments above", "# exported by us, on Monday, at noon\nname,city\nAda,London\n# the end\n", Options{}, []string{"name", "city"}, [][]string{{"Ada", "London"}}, []string{
			"repaired, line 1: the line begins with # and does not fit the columns; it is taken as a comment",
			"repaired, line 4: the line begins with # and does not fit the columns; it is taken as a comment",
		}},
		{"a column called #", "#,city\n1,London\n2,Paris\n", Options{}, []string{"#", "city"}, [][]string{{"1", "London"}, {"2", "Paris"}}, nil},
		{"a cut row with a number sign", "id,city\n#5\n#6,Paris\n#7 x\n", Options{Columns: nil}, []string{"id", "city"}, [][]string{{"#6", "Paris"}}, []string{
			"dropped, line 2: there are 1 fields, and 2 columns; the row is cut off, or a delimiter is missing",
			"dropped, line 4: there are 1 fields, and 2 columns; the row is cut off, or a delimiter is missing",
		}},
		{"too few and too many", "a,b\n1\n2,3\n4,5,6\n7,8,\n", Options{}, []string{"a", "b"}, [][]string{{"2", "3"}, {"7", "8"}}, []string{
			"dropped, line 2: there are 1 fields, and 2 columns; the row is cut off, or a delimiter is missing",
			"dropped, line 4: there are 3 fields, and 2 columns; a field with a delimiter needs quotes",
			"repaired, line 5: there are 3 fields, and 2 columns; the fields that are too many are empty and left out",
		}},
		{"blank lines", "a,b\n \t\n1,2\n\n", Options{}, []string{"a", "b"}, [][]string{{"1", "2"}}, nil},
		{"the end of a file of DOS", "a,b\n1,2\n\x1a", Options{}, []string{"a", "b"}, [][]string{{"1", "2"}}, []string{"repaired, line 3: the line has no text, only control characters; it is left out"}},
		{"zeros at the end", "a,b\n1,2\n\x00\x00\x00", Options{}, []string{"a", "b"}, [][]string{{"1", "2"}}, []string{"repaired, line 3: the line has no text, only control characters; it is left out"}},
		{"names", " a ,,a,A,a_2\n1,2,3,4,5\n", Options{}, []string{"a", "column2", "a_2", "A", "a_2_2"}, [][]string{{"1", "2", "3", "4", "5"}}, []string{
			`repaired, line 1: two columns are called "a"; column 3 is "a_2" here`, `repaired, line 1: two columns are called "a_2"; column 5 is "a_2_2" here`,
		}},
		{"a header only", "a,b\r\n", Options{}, []string{"a", "b"}, nil, []string{"repaired, line 0: there is no row after the header a, b"}},
		{"nothing", "", Options{}, nil, nil, []string{"repaired, line 0: there is no row: the text is empty"}},
		{"empty lines only", "\r\n\r\n", Options{}, nil, nil, []string{"repaired, line 0: there is no row: the text has only empty lines"}},
		{"skipped lines", "Report\rof us\ra;b\r1;2\r", Options{Skip: 2}, []string{"a", "b"}, [][]string{{"1", "2"}}, nil},
		{"what could not be decoded", "a,b\n1,\ufffd\n", Options{Decoded: true}, []string{"a", "b"}, [][]string{{"1", "\ufffd"}}, []string{
			"repaired, line 2: column 2: characters that are not valid in the encoding became U+FFFD; name another encoding",
		}},
		{"what the sender wrote", "a,b\n1,\ufffd\n", Options{}, []string{"a", "b"}, [][]string{{"1", "\ufffd"}}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.o.Header = true
			names, rows, notes := read(t, strings.NewReader(c.text), c.o)
			require.Equal(t, c.columns, names)
			require.Equal(t, c.rows, rows)
			require.Equal(t, c.notes, notes)
		})
	}
}

func TestLinesAreFoundAcrossTheEndOfTheBuffer(t *testing.T) {
	for _, end := range []string{"\n", "\r\n", "\r", "\r\r\n"} {
		for _, width := range []int{60, 61, 62, 63, 64, 65} {
			row := strings.Repeat("x", width) + ",\"y\"" + end
			text := "a,b" + end + strings.Repeat(row, 3*bufferBytes/len(row))
			_, rows, notes := read(t, strings.NewReader(text), Options{Header: true})
			require.Len(t, rows, 3*bufferBytes/len(row))
			require.Empty(t, notes)
		}
	}
}

func TestARowHasABound(t *testing.T) {
	for _, text := range []string{strings.Repeat("x", limit.TableRow+10), `"` + strings.Repeat("x\r\n", limit.TableRow), strings.Repeat("x", limit.TableRow+1) + "\n"} {
		table, err := Open(strings.NewReader(text), Options{Delimiter: ",", Quote: `"`}, nil)
		require.NoError(t, err)
		_, err = table.Next()
		require.ErrorContains(t, err, "line 1: the row is longer")
	}
}

func TestEncodings(t *testing.T) {
	text := "名前,都市\r\n山田,東京\r\n鈴木,大阪\r\n"
	for _, label := range []string{"shift_jis", "euc-jp", "utf-8", "utf-16le", "utf-16be"} {
		e, err := charset.ByLabel(label)
		require.NoError(t, err)
		data, err := e.Encode(text)
		require.NoError(t, err)
		for _, given := range []string{"auto", label} {
			r, err := charset.NewReader(bytes.NewReader(data), given, "")
			require.NoError(t, err)
			names, rows, notes := read(t, r, Options{Header: true})
			require.Equal(t, []string{"名前", "都市"}, names, "%s as %s", label, given)
			require.Equal(t, [][]string{{"山田", "東京"}, {"鈴木", "大阪"}}, rows)
			require.Empty(t, notes)
		}
	}
}

// FuzzTable reads any bytes, at once and one by one, with the same result.
func FuzzTable(f *testing.F) {
	for _, seed := range []string{"a,b\n1,2\n", "a;b\r\"1\r\n\";2\r", "\"a\nb", "sep=\\t\n", "# x\na\n", "\xff\xfea\x00", "\"\\\"x\\\"\",\"\"\r\r\n", "\"a\"b\"c\n\"d"} {
		f.Add([]byte(seed), true, "auto", 0)
	}
	f.Fuzz(func(t *testing.T, data []byte, header bool, delimiter string, skip int) {
		var results [2][][]string
		for i, r := range []io.Reader{bytes.NewReader(data), iotest.OneByteReader(bytes.NewReader(data))} {
			decoded, err := charset.NewReader(r, "utf-8", "")
			require.NoError(t, err)
			table, err := Open(decoded, Options{Header: header, Delimiter: delimiter, Quote: `"`, Skip: skip & 3}, &reading.Notes{})
			if err != nil {
				return
			}
			for n := 0; ; n++ {
				require.LessOrEqual(t, n, len(data)+1)
				row, err := table.Next()
				if err != nil {
					break
				}
				if row != nil {
					require.Len(t, row, len(table.Columns()))
					results[i] = append(results[i], slices.Clone(row))
				}
			}
		}
		require.Equal(t, results[0], results[1])
	})
}
