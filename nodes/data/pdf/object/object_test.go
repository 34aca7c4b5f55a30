package object_test

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/nodes/data/pdf/object"
	"github.com/svcflow/svc/nodes/reading"
)

// small is a file with one page whose content is "BT ET".
const small = "%PDF-1.4\n1 0 obj\n<</Type/Catalog/Pages 2 0 R>>\nendobj\n2 0 obj\n<</Type/Pages/Count 1/Kids[3 0 R]>>\nendobj\n" +
	"3 0 obj\n<</Type/Page/Contents 4 0 R>>\nendobj\n4 0 obj\n<</Length 5>>stream\nBT ET\nendstream\nendobj\n"

const trailer = "trailer\n<</Size 5/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n"

// table returns the cross-reference table of a text, counted from base.
func table(text string, base int) string {
	out := "xref\n0 5\n0000000000 65535 f \n"
	for n := 1; n < 5; n++ {
		out += fmt.Sprintf("%010d 00000 n \n", strings.Index(text, fmt.Sprintf("%d 0 obj", n))+base)
	}
	return out
}

// content returns the content of the first page.
func content(t *testing.T, data string) (string, []reading.Note) {
	t.Helper()
	notes := &reading.Notes{}
	f, err := object.Open([]byte(data), notes)
	require.NoError(t, err)
	kids := f.Array(f.Dict(f.Dict(f.Trailer()["Root"])["Pages"])["Kids"])
	s, is := f.Resolve(f.Dict(kids[0])["Contents"]).(*object.Stream)
	require.True(t, is)
	out, err := f.Decode(s)
	require.NoError(t, err)
	return string(out), notes.All()
}

func TestDamagedFilesAreRead(t *testing.T) {
	whole := small + table(small, 0) + fmt.Sprintf(trailer, len(small))
	const changed = "4 0 obj\n<</Length 2>>stream\nBT\nendstream\nendobj\n"
	for name, c := range map[string]struct {
		data     string
		repaired bool
	}{
		"whole":                    {whole, false},
		"bytes before":             {"\r\nHTTP/1.1 200 OK\r\n\r\n" + whole, false},
		"bytes before, counted":    {"\r\n" + small + table(small, 2) + fmt.Sprintf(trailer, len(small)+2), false},
		"bytes after":              {whole + strings.Repeat("000009207 00000 n\n", 500), false},
		"no end":                   {strings.TrimSuffix(whole, "%%EOF\n"), false},
		"header with a space":      {strings.Replace(whole, "%PDF-1.4\n", "%PDF-1.4 ", 1), false},
		"no header":                {strings.Replace(whole, "%PDF-1.4", "%xyz-1.4", 1), false},
		"no table":                 {small + "trailer\n<</Root 1 0 R>>\n", true},
		"no table and no trailer":  {small, true},
		"wrong offset of table":    {small + table(small, 0) + fmt.Sprintf(trailer, 7), true},
		"wrong offsets":            {small + table(small, 3) + fmt.Sprintf(trailer, len(small)), true},
		"numbered from 1":          {strings.Replace(whole, "xref\n0 5", "xref\n1 5", 1), false},
		"wrong length":             {strings.Replace(whole, "/Length 5", "/Length 9", 1), false},
		"length of itself":         {strings.Replace(whole, "/Length 5>>", "/Length 4 0 R>>", 1), true},
		"changed later":            {whole + changed + fmt.Sprintf("xref\n4 1\n%010d 00000 n \ntrailer\n<</Root 1 0 R/Prev %d>>\nstartxref\n%d\n%%%%EOF\n", len(whole), len(small), len(whole)+len(changed)), false},
		"line ends of a Mac":       {strings.ReplaceAll(whole, "\n", "\r"), false},
		"objects without endobj":   {strings.ReplaceAll(small, "endobj\n", ""), true},
		"table that refers itself": {strings.Replace(whole, "/Size 5", fmt.Sprintf("/Size 5/Prev %d", len(small)), 1), false},
	} {
		t.Run(name, func(t *testing.T) {
			text, notes := content(t, c.data)
			if name == "changed later" {
				require.Equal(t, "BT", text)
			} else {
				require.Equal(t, "BT ET", text)
			}
			require.Equal(t, c.repaired, len(notes) > 0, "%v", notes)
		})
	}
	for _, text := range []string{"", "hello", "%PDF-1.4\n%%EOF", "PK\x03\x04"} {
		_, err := object.Open([]byte(text), nil)
		require.ErrorIs(t, err, object.ErrNoPDF)
	}
}

func TestEncryptedFilesAreReadIfTheyOpenWithoutAPassword(t *testing.T) {
	for _, name := range []string{"rc4-40", "rc4-128", "aes-128", "aes-256", "object-streams", "linearized"} {
		data, err := os.ReadFile(filepath.Join("..", "..", "testdata", "pdf", name+".pdf"))
		require.NoError(t, err)
		text, notes := content(t, string(data))
		require.Contains(t, text, "Tj", name)
		require.Empty(t, notes)
		at := bytes.LastIndex(data, []byte("startxref"))
		text, notes = content(t, string(data[:at])+"startxref\n1\n")
		require.Contains(t, text, "Tj", "%s without a table", name)
		require.Len(t, notes, 1)
	}
}

func TestObjects(t *testing.T) {
	l := object.NewLexer([]byte(`-.5 +3 4. 1-2 --7 (a\)\(b\\ (c) \101\
d) <4 1 4> /A#42#zz [1 [2] null] <</K true /L<</M(x)>>>> % comment
Tj`))
	var all []any
	for {
		o, more := l.Next()
		if !more {
			break
		}
		all = append(all, o)
	}
	require.Equal(t, []any{
		-0.5, 3, 4.0, 12, -7, object.String(`a)(b\ (c) Ad`), object.String("A@"), object.Name("AB#zz"),
		object.Array{1, object.Array{2}, nil},
		object.Dict{"K": true, "L": object.Dict{"M": object.String("x")}},
		object.Operator("Tj"),
	}, all)
}

func TestInlineImagesArePassed(t *testing.T) {
	for name, image := range map[string]string{
		"raw":     "/W 4 /H 2 /BPC 8 /CS /G ID \x00EI Q \xff\xff\nEI",
		"ASCII85": "/W 2 /H 2 /BPC 8 /CS /G /F [/A85] ID\n\"(\\+<b EI ~>\nEI",
		"hex":     "/F /AHx ID 00 ff>EI",
		"unknown": "/W 2 /H 2 /F /DCT ID \xff\xd8\x00 EI \x01\xff\xd9\nEI",
		"mask":    "/W 8 /H 8 /IM true ID abcdefgh\nEI",
	} {
		l := object.NewLexer([]byte("BI " + image + " Q /next"))
		_, _ = l.Next()
		l.SkipImage()
		o, _ := l.Next()
		require.Equal(t, object.Operator("Q"), o, name)
		o, _ = l.Next()
		require.Equal(t, object.Name("next"), o, name)
	}
}

// stream returns a file whose page has content with the entries of a stream.
func stream(entries, data string) string {
	text := strings.Replace(small, "<</Length 5>>stream\nBT ET\n", fmt.Sprintf("<</Length %d%s>>stream\n%s\n", len(data), entries, data), 1)
	return text + table(text, 0) + fmt.Sprintf(trailer, len(text))
}

func TestFilters(t *testing.T) {
	var packed bytes.Buffer
	z := zlib.NewWriter(&packed)
	_, _ = z.Write([]byte("BT ET"))
	require.NoError(t, z.Close())
	var rows bytes.Buffer
	z = zlib.NewWriter(&rows)
	_, _ = z.Write([]byte("\x01BT\xe0\x02\x03\xf1\x34")) // sub, then up
	require.NoError(t, z.Close())
	for name, c := range map[string][3]string{
		"hex":            {"/Filter/AHx", "4254 2045 54>", "BT ET"},
		"ASCII85":        {"/Filter[/ASCII85Decode]", "6<#'r;u~>", "BT ET"},
		"runs":           {"/Filter/RunLengthDecode", "\x01BT\x00 \x01ET\x80", "BT ET"},
		"runs repeated":  {"/Filter/RL", "\xfdA\x80", "AAAA"},
		"flate":          {"/Filter/FlateDecode", packed.String(), "BT ET"},
		"no checksum":    {"/Filter/FlateDecode", packed.String()[:packed.Len()-4], "BT ET"},
		"wrong checksum": {"/Filter/FlateDecode", packed.String()[:packed.Len()-1] + "x", "BT ET"},
		"raw deflate":    {"/Filter/FlateDecode", packed.String()[2:], "BT ET"},
		"two filters":    {"/Filter[/AHx/Fl]", fmt.Sprintf("%x>", packed.String()), "BT ET"},
		"LZW":            {"/Filter/LZWDecode", "\x80\x0B\x60\x50\x22\x0C\x0C\x85\x01", "-----A---B"},
		"PNG rows":       {"/Filter/Fl/DecodeParms<</Predictor 15/Columns 3>>", rows.String(), "B\x96vE\x87\xaa"},
	} {
		text, _ := content(t, stream(c[0], c[1]))
		require.Equal(t, c[2], text, name)
	}
	f, err := object.Open([]byte(stream("/Filter/FlateDecode", packed.String()[:6])), nil)
	require.NoError(t, err)
	_, err = f.Decode(f.Resolve(object.Ref{Num: 4}).(*object.Stream))
	require.ErrorContains(t, err, "the compressed data is damaged")
}

func TestTextStrings(t *testing.T) {
	for raw, want := range map[string]string{"\xfe\xff\x00G\x00\xfc": "Gü", "\xff\xfeG\x00\xfc\x00": "Gü", "\xef\xbb\xbfGü": "Gü", "G\xfc \x80 \xa0": "Gü • €", "\xfe\xff\xd8\x3d\xde\x00": "😀"} {
		require.Equal(t, want, object.Text(object.String(raw)))
	}
}

func FuzzOpen(f *testing.F) {
	f.Add([]byte(small + table(small, 0) + fmt.Sprintf(trailer, len(small))))
	f.Add([]byte(small))
	for _, name := range []string{"rc4-40", "aes-256", "object-streams", "linearized"} {
		data, err := os.ReadFile(filepath.Join("..", "..", "testdata", "pdf", name+".pdf"))
		require.NoError(f, err)
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := object.Open(data, &reading.Notes{})
		if err != nil {
			return
		}
		for n := range 12 {
			if s, is := file.Resolve(object.Ref{Num: n}).(*object.Stream); is {
				_, _ = file.Decode(s)
			}
		}
		l := object.NewLexer(data)
		for {
			o, more := l.Next()
			if !more {
				return
			}
			if o == object.Operator("BI") {
				l.SkipImage()
			}
		}
	})
}
