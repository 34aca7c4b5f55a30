package sheet

import (
	"archive/zip"
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/nodes/charset"
	"github.com/svcflow/svc/nodes/reading"
)

const (
	plain  = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
	strict = "http://purl.oclc.org/ooxml/officeDocument/relationships"
)

// book returns a workbook with the rows of one sheet, and other parts that replace its own.
func book(t testing.TB, rows string, parts map[string]string) []byte {
	t.Helper()
	all := map[string]string{
		"_rels/.rels":                `<Relationships><Relationship Id="a" Type="` + plain + `/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
		"xl/workbook.xml":            `<workbook xmlns:r="` + plain + `"><sheets><sheet name="S" sheetId="9" r:id="b"/></sheets></workbook>`,
		"xl/_rels/workbook.xml.rels": `<Relationships><Relationship Id="b" Type="` + plain + `/worksheet" Target="worksheets/x.xml"/><Relationship Id="c" Type="` + plain + `/styles" Target="styles.xml"/></Relationships>`,
		"xl/worksheets/x.xml":        `<worksheet><sheetData>` + rows + `</sheetData></worksheet>`,
		"xl/styles.xml":              `<styleSheet><cellXfs><xf/><xf numFmtId="14"/><xf numFmtId="46"/><xf numFmtId="22"/></cellXfs></styleSheet>`,
	}
	maps.Copy(all, parts)
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		w, err := z.Create(name)
		require.NoError(t, err)
		_, err = w.Write([]byte(all[name]))
		require.NoError(t, err)
	}
	require.NoError(t, z.Close())
	return b.Bytes()
}

func TestFormatsShowDatesNumbersOrDurations(t *testing.T) {
	for code, want := range map[string]kind{
		"General": number, "Standard": number, "GENERAL": number, "G/通用格式": number, "0": number, "0.00E+00": number, "##0.0E-0": number, "@": number,
		"[Red]0": number, "[Color10]0": number, `0" days"`: number, `0\d`: number, `0_d`: number, `*d0`: number, "[$-409]0": number, "[$€-407]0.00": number,
		"[DBNum1]0": number, `#,##0 "h:mm"`: number, "": number, ";;;": number, `"unclosed`: number, "[unclosed": number, `\`: number, `# ?/?`: number,
		"yyyy-mm-dd": date, "mmm": date, "D.M.YY": date, "[Red]d/m": date, "dddd": date, "[$-F800]dddd, mmmm dd, yyyy": date, `ggge"年"m"月"d"日"`: date,
		`[$-ja-JP-x-gannen]ggge"年"m"月"d"日"`: date, `[$-411]ge.m.d`: date, "e/m/d": date, "[$-D07041E]d mmm bbbb": date, "aaaa": date, "yyyy h:mm": date, `[$-411]"令和"e"年"`: date,
		"h:mm": clock, "h:mm AM/PM": clock, "mm:ss.0": clock, `上午/下午h"时"mm"分"`: clock, "[$-F400]h:mm:ss": clock, "h A/P": clock,
		"[h]:mm": duration, "[hh]:mm:ss": duration, "[m]": duration, "[mm]:ss": duration, "[SS].000": duration, "[Red][h]:mm": duration,
	} {
		require.Equal(t, want, parseFormat(code).of(5), code)
	}
	conditional := parseFormat(`[<1]h:mm;[>=100]0" days";yyyy-mm-dd`)
	require.Equal(t, clock, conditional.of(0.5))
	require.Equal(t, number, conditional.of(100))
	require.Equal(t, date, conditional.of(50))
	require.Equal(t, duration, parseFormat(`[=0]"-";[h]:mm`).of(1.5))
	require.Equal(t, date, parseFormat(`yyyy-mm-dd;@`).of(1))
	for id, want := range map[int]kind{0: number, 9: number, 14: date, 21: clock, 22: date, 31: date, 37: number, 45: clock, 46: duration, 49: number, 57: date, 164: number} {
		require.Equal(t, want, builtIn(id).of(1), id)
	}
}

func TestSerialNumbersAreDates(t *testing.T) {
	for _, c := range []struct {
		n        float64
		k        kind
		from1904 bool
		want     string
	}{
		{0, date, false, "00:00:00"},
		{1, date, false, "1900-01-01"},
		{59, date, false, "1900-02-28"},
		{60, date, false, "1900-02-28"},
		{61, date, false, "1900-03-01"},
		{0, date, true, "1904-01-01"},
		{0.5, clock, true, "12:00:00"},
		{44591, date, true, "2026-01-31"},
		{46053.7535763889, date, false, "2026-01-31T18:05:09"},
		{46053.75357638, date, false, "2026-01-31T18:05:08.999"},
		{46053.999999999, date, false, "2026-02-01"},
		{46053.000005787, date, false, "2026-01-31T00:00:00.5"},
		{1.5, duration, false, "36:00:00"},
		{-0.0625, duration, false, "-01:30:00"},
		{0.000017361, duration, false, "00:00:01.5"},
		{1000, duration, true, "24000:00:00"},
	} {
		got, ok, leap := calendar{c.from1904}.text(c.n, c.k)
		require.True(t, ok)
		require.Equal(t, c.want, got, c.n)
		require.Equal(t, c.n == 60, leap)
	}
	for _, n := range []float64{-1, 2958466, 1e300} {
		_, ok, _ := calendar{}.text(n, date)
		require.False(t, ok)
	}
	for text, want := range map[string]string{"PT36H": "36:00:00", "P1DT1H2M3.5S": "25:02:03.5", "18:05": "18:05:00", "T18:05:09,25": "18:05:09.25", "2026-01-31T18:05:09+02:00": "2026-01-31T18:05:09", "2026-02-30": "", "x": "", "": "", "PT": ""} {
		got, _, ok := calendar{}.iso(text)
		require.Equal(t, want != "" && text != "", ok, text)
		require.Equal(t, want, got, text)
	}
	_, serial, _ := calendar{}.iso("2026-01-31T12:00:00")
	require.InDelta(t, 46053.5, serial, 0)
	_, serial, _ = calendar{}.iso("1900-01-01")
	require.InDelta(t, 1, serial, 0)
}

func TestEscapesAreCharacters(t *testing.T) {
	for text, want := range map[string]string{
		"a_x000D_\nb": "a\r\nb", "_x005F_x000D_": "_x000D_", "_x0041__x0042_": "AB", "_xD83D__xDE00_": "😀", "_xD83D_": "\ufffd", "a_b_x": "a_b_x", "_x00": "_x00", "_xZZZZ_": "_xZZZZ_", "__x0041_": "_A",
	} {
		require.Equal(t, want, unescape(text))
	}
}

func TestWhatIsOddInWorkbooksIsRead(t *testing.T) {
	utf16, err := charset.ByLabel("utf-16le")
	require.NoError(t, err)
	wide, err := utf16.Encode(`<?xml version="1.0" encoding="UTF-16"?><worksheet><sheetData><row r="1"><c r="A1" t="str"><v>ü</v></c></row></sheetData></worksheet>`)
	require.NoError(t, err)
	for _, c := range []struct {
		name  string
		rows  string
		parts map[string]string
		want  map[string]any
		notes []string
	}{
		{"the strict form", `<row r="1"><c r="A1" s="1" t="d"><v>2026-01-31</v></c></row>`, map[string]string{
			"_rels/.rels":                `<Relationships><Relationship Id="a" Type="` + strict + `/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
			"xl/_rels/workbook.xml.rels": `<Relationships><Relationship Id="b" Type="` + strict + `/worksheet" Target="/xl/worksheets/x.xml"/></Relationships>`,
		}, map[string]any{"A1": "2026-01-31"}, nil},
		{"no relationships", `<row><c><v>1</v></c></row>`, map[string]string{
			"xl/_rels/workbook.xml.rels": `<Relationships/>`, "_rels/.rels": `<Relationships/>`, "xl/worksheets/sheet1.xml": `<worksheet><sheetData><row><c><v>7</v></c></row></sheetData></worksheet>`,
		}, map[string]any{"A1": 7}, nil},
		{"UTF-16", "", map[string]string{"xl/worksheets/x.xml": "\xff\xfe" + string(wide)}, map[string]any{"A1": "ü"}, nil},
		{"a declared encoding", "", map[string]string{"xl/worksheets/x.xml": "<?xml version='1.0' encoding='windows-1252'?><worksheet><sheetData><row><c t='str'><v>\xfc\x80</v></c></row></sheetData></worksheet>"}, map[string]any{"A1": "ü€"}, nil},
		{"backslashes and upper case", `<row><c><v>1</v></c></row>`, map[string]string{
			"xl/_rels/workbook.xml.rels": `<Relationships><Relationship Id="b" Type="` + plain + `/worksheet" Target="Worksheets\X.xml"/></Relationships>`,
		}, map[string]any{"A1": 1}, nil},
		{"formulas without results", `<row r="1"><c r="A1"><f>1+1</f></c><c r="B1"><f>2</f></c><c r="C1" t="str"><f>""</f><v></v></c></row>`, nil, map[string]any{}, []string{
			"repaired: S!A1: the formula has no saved result, and so have 1 more; it is null; open the workbook in Excel and save it",
		}},
		{"a shared text that is missing", `<row r="2"><c r="B2" t="s"><v>3</v></c><c r="C2"><v>1</v></c></row>`, nil, map[string]any{"C2": 1}, []string{
			`dropped: line 2, S!B2: the text is missing: the workbook has no shared text "3"`,
		}},
		{"the 29 February 1900", `<row r="1"><c r="A1" s="1"><v>60</v></c></row>`, nil, map[string]any{"A1": "1900-02-28"}, []string{
			"repaired: line 1, S!A1: 29 February 1900 did not exist; it is taken as the 28th",
		}},
		{"what is no date", `<row r="1"><c r="A1" s="1"><v>-5</v></c><c r="B1" s="1"><v>1E9</v></c></row>`, nil, map[string]any{"A1": -5, "B1": 1e9}, []string{
			"repaired: line 1, S!A1: the cell is shown as a date, but -5 is none; it is taken as a number",
			"repaired: line 1, S!B1: the cell is shown as a date, but 1E9 is none; it is taken as a number",
		}},
		{"what is no number", `<row r="1"><c r="A1"><v>12,5</v></c><c r="B1"><v>NaN</v></c><c r="C1"><v> 7 </v></c></row>`, nil, map[string]any{"A1": "12,5", "B1": "NaN", "C1": 7}, []string{
			`repaired: line 1, S!A1: the number "12,5" is malformed; it is taken as a text`, `repaired: line 1, S!B1: the number "NaN" is malformed; it is taken as a text`,
		}},
		{"a damaged sheet", "", map[string]string{"xl/worksheets/x.xml": `<worksheet><sheetData><row r="1"><c r="A1"><v>1</v></c></row><row r="2"><c r="A2"><v>2</`}, map[string]any{"A1": 1}, []string{
			"dropped: line 2, S: the sheet is damaged after row 2 (XML syntax error on line 1: unexpected EOF); the rows that follow are missing",
		}},
		{"damaged styles", `<row r="1"><c r="A1" s="1"><v>1</v></c></row>`, map[string]string{"xl/styles.xml": `<styleSheet><cellXfs><xf`}, map[string]any{"A1": 1}, []string{
			"dropped: xl/styles.xml: the part is damaged (XML syntax error on line 1: unexpected EOF); dates or texts may be missing",
		}},
		{"rows of extensions", "", map[string]string{"xl/worksheets/x.xml": `<worksheet><sheetData><row r="1"><c r="A1"><v>1</v></c></row></sheetData><extLst><row r="9"><c r="A9"><v>9</v></c></row></extLst></worksheet>`}, map[string]any{"A1": 1}, nil},
		{"inline texts in cells of other types", `<row r="1"><c r="A1" t="inlineStr"><v>v</v></c><c r="B1"><is><t>a</t><rPh><t>b</t></rPh></is></c></row>`, nil, map[string]any{"A1": "v", "B1": "a"}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, notes, err := cells(t, book(t, c.rows, c.parts), Options{})
			require.NoError(t, err)
			require.Equal(t, c.want, got)
			var texts []string
			for _, n := range notes {
				texts = append(texts, map[bool]string{true: "dropped: ", false: "repaired: "}[n.Dropped]+n.String())
			}
			require.Equal(t, c.notes, texts)
		})
	}
}

func TestSheetsAreFoundByName(t *testing.T) {
	parts := map[string]string{
		"xl/workbook.xml": `<workbook xmlns:r="` + plain + `"><workbookPr date1904="true"/><sheets><sheet name="Chart" sheetId="1" r:id="d"/>` +
			`<sheet name="Hidden &amp; all" sheetId="2" state="hidden" r:id="b"/><sheet name="Gone" sheetId="3" r:id="e"/></sheets><extLst><ext><x14:workbookPr/></ext></extLst></workbook>`,
		"xl/_rels/workbook.xml.rels": `<Relationships><Relationship Id="b" Type="` + plain + `/worksheet" Target="worksheets/x.xml"/><Relationship Id="d" Type="` + plain +
			`/chartsheet" Target="c.xml"/><Relationship Id="e" Type="` + plain + `/worksheet" Target="gone.xml"/><Relationship Id="f" Type="` + plain + `/styles" Target="styles.xml"/></Relationships>`,
	}
	data := book(t, `<row r="1"><c r="A1" s="1"><v>44591</v></c></row>`, parts)
	for _, name := range []*string{nil, new("Hidden & all"), new("hidden & ALL")} {
		got, notes, err := cells(t, data, Options{Sheet: name})
		require.NoError(t, err)
		require.Empty(t, notes)
		require.Equal(t, map[string]any{"A1": "2026-01-31"}, got)
	}
	got, _, err := cells(t, data, Options{Serial: true})
	require.NoError(t, err)
	require.Equal(t, map[string]any{"A1": 44591}, got)
	for name, message := range map[string]string{
		"Chart": `the sheet "Chart" has no cells`, "Gone": "the workbook lacks the part xl/gone.xml", "x": `there is no sheet "x"; there are Chart, Hidden & all, Gone`,
	} {
		_, _, err := cells(t, data, Options{Sheet: &name})
		require.ErrorContains(t, err, message)
	}
}

func TestOtherFilesAreNamed(t *testing.T) {
	for message, data := range map[string][]byte{
		"an old XLS workbook":         []byte("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1 and more"),
		"it is HTML or XML":           []byte("<html><table></table></html>"),
		"the archive cannot be read":  []byte("a,b\n1,2\n"),
		"it is a binary workbook":     book(t, "", map[string]string{"_rels/.rels": `<Relationships><Relationship Type="x/officeDocument" Target="xl/workbook.bin"/></Relationships>`}),
		"it has no sheet":             book(t, "", map[string]string{"xl/workbook.xml": `<workbook/>`}),
		"the workbook lacks it":       book(t, "", map[string]string{"_rels/.rels": `<Relationships><Relationship Type="x/officeDocument" Target="y.xml"/></Relationships>`}),
		"there are more than 16384 c": book(t, `<row>`+strings.Repeat("<c/>", 16385)+`</row>`, nil),
	} {
		_, _, err := cells(t, data, Options{})
		require.ErrorContains(t, err, message)
	}
}

func TestRanges(t *testing.T) {
	var rows strings.Builder
	for r := 1; r <= 4; r++ {
		fmt.Fprintf(&rows, `<row r="%[1]d"><c r="A%[1]d"><v>1%[1]d</v></c><c r="B%[1]d"><v>2%[1]d</v></c><c r="C%[1]d"><v>3%[1]d</v></c></row>`, r)
	}
	data := book(t, rows.String(), nil)
	for text, want := range map[string]map[string]any{
		"B2:C3": {"B2": 22, "C2": 32, "B3": 23, "C3": 33}, "$a$4": {"A4": 14}, "C4:XFD99": {"C4": 34},
	} {
		r, err := ParseRange(text)
		require.NoError(t, err)
		got, _, err := cells(t, data, Options{Range: &r})
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	for _, text := range []string{"", "A", "1", "A0", "C1:A2", "A2:B1", "XFE1", "A1:B2:C3", "A9999999", "ÄÖ1"} {
		_, err := ParseRange(text)
		require.Error(t, err, text)
	}
	require.Equal(t, []string{"A", "Z", "AA", "XFD"}, []string{columnName(1), columnName(26), columnName(27), columnName(16384)})
}

func TestTablesNameTheirColumns(t *testing.T) {
	var notes reading.Notes
	table := NewTable(nil, true, &notes)
	names := func() (all []string) {
		for _, c := range table.Columns() {
			all = append(all, c.Name)
		}
		return all
	}
	_, ok := table.Fit(3, []any{nil, "a", " a ", nil, 2026, 0.5, true, "2026-01-31"})
	require.False(t, ok)
	require.Equal(t, []string{"a", "a_2", "column4", "2026", "0.5", "TRUE", "2026-01-31"}, names())
	require.Equal(t, `line 3, C3: two columns are called "a"; this one is "a_2" here`, notes.All()[0].String())
	values, ok := table.Fit(4, []any{"x", 1, 2, 3, 4, 5, 6, 7, nil, "y"})
	require.True(t, ok)
	require.Equal(t, "x", values[0])
	require.Equal(t, []string{"column1", "a", "a_2", "column4", "2026", "0.5", "TRUE", "2026-01-31", "column10"}, names())

	table = NewTable(&Range{Left: 2}, false, nil)
	_, ok = table.Fit(1, []any{nil, 1})
	require.True(t, ok)
	require.Equal(t, []string{"column2", "column3"}, names())
}

func FuzzSheet(f *testing.F) {
	f.Add(`<worksheet><sheetData><row r="1"><c r="A1" t="s" s="1"><f>1</f><v>0</v></c><c t="inlineStr"><is><t>_x000D_</t></is></c><c t="d"><v>PT1H</v></c></row></sheetData></worksheet>`, `<sst><si><t>a</t></si></sst>`, `<styleSheet><numFmts><numFmt numFmtId="200" formatCode="[h]:mm"/></numFmts><cellXfs><xf/><xf numFmtId="200"/></cellXfs></styleSheet>`)
	f.Fuzz(func(t *testing.T, sheet, texts, styles string) {
		data := book(t, "", map[string]string{
			"xl/worksheets/x.xml": sheet, "xl/t.xml": texts, "xl/styles.xml": styles,
			"xl/_rels/workbook.xml.rels": `<Relationships><Relationship Id="b" Type="/worksheet" Target="worksheets/x.xml"/><Relationship Id="c" Type="/styles" Target="styles.xml"/><Relationship Id="d" Type="/sharedStrings" Target="t.xml"/></Relationships>`,
		})
		_, _, _ = cells(t, data, Options{})
	})
}

func FuzzWorkbook(f *testing.F) {
	files, err := filepath.Glob("testdata/*.xlsx")
	require.NoError(f, err)
	for _, name := range files {
		data, err := os.ReadFile(name)
		require.NoError(f, err)
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) { _, _, _ = cells(t, data, Options{}) })
}
