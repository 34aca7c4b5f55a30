package data_test

import (
	"bytes"
	"compress/zlib"
	"context"
	"encoding/base64"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"codeberg.org/go-pdf/fpdf"
	"github.com/stretchr/testify/require"
	"golang.org/x/image/font/gofont/goregular"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/nodes/data"
	"github.com/svcflow/svc/nodes/data/pdf"
	"github.com/svcflow/svc/nodes/nodetest"
)

// TestMain also lets the test binary be the child process that reads documents.
func TestMain(m *testing.M) {
	if pdf.Wanted(os.Args[1:]) {
		os.Exit(pdf.Work(os.Stdin, os.Stdout))
	}
	flag.Bool("update", false, "write the golden files anew")
	os.Exit(m.Run())
}

func readerHost(t testing.TB, command func() *exec.Cmd) (*nodetest.Host, string) {
	t.Helper()
	dir := t.TempDir()
	p := data.New(data.Config{Files: files(t, dir), Documents: command})
	t.Cleanup(func() { require.NoError(t, p.Close()) })
	return nodetest.New(t, p), dir
}

func reader() *exec.Cmd { return exec.Command(os.Args[0], pdf.Word) }

// letter is a document of two pages, with a table and characters beyond Latin.
func letter(t testing.TB, change func(f *fpdf.Fpdf)) []byte {
	t.Helper()
	f := fpdf.New("P", "mm", "A4", "")
	f.SetTitle("Größe", true)
	if change != nil {
		change(f)
	}
	f.AddUTF8FontFromBytes("go", "", goregular.TTF)
	f.AddPage()
	f.SetFont("Helvetica", "", 12)
	f.MultiCell(60, 6, "Dear reader, this is a line that is longer than it may be.", "", "", false)
	for _, cell := range []string{"Apples", "2", "3.50"} {
		f.CellFormat(30, 6, cell, "1", 0, "", false, 0, "")
	}
	f.AddPage()
	f.SetFont("go", "", 12)
	f.Cell(100, 6, "Привет, καλημέρα – 5 €")
	var out bytes.Buffer
	require.NoError(t, f.Output(&out))
	return out.Bytes()
}

func save(t testing.TB, dir, name string, document []byte) {
	t.Helper()
	require.NoError(t, os.WriteFile(filepath.Join(dir, name), document, 0o600))
}

func TestPDFText(t *testing.T) {
	h, dir := readerHost(t, reader)
	save(t, dir, "a.pdf", letter(t, nil))
	first, second := "Dear reader, this is a line that\nis longer than it may be.\nApples\n2\n\n3.50", "Привет, καλημέρα – 5 €"
	out, err := h.Exec("data.pdf_text", record{"path": "a.pdf"}, nil)
	require.NoError(t, err)
	require.Equal(t, record{"text": first + "\n\n" + second, "pages": []any{first, second}, "count": 2, "title": "Größe", "warnings": []any{}}, out)
	for pages, want := range map[string][]any{"1": {first}, "2-": {second}, " 2 , 1-2 ": {second, first, second}} {
		out, err := h.Exec("data.pdf_text", record{"path": "a.pdf", "pages": pages}, nil)
		require.NoError(t, err)
		require.Equal(t, want, out["pages"], pages)
		require.Equal(t, 2, out["count"])
	}
	for _, pages := range []string{"", "0", "x", "2-1", "1,,2", "-1", "1-2-3", "99999999"} {
		_, err := h.Exec("data.pdf_text", record{"path": "a.pdf", "pages": pages}, nil)
		require.Equal(t, node.CodeInvalidInput, node.CodeOf(err), pages)
		require.ErrorContains(t, err, "1-3,7 or 5-", pages)
	}
	_, err = h.Exec("data.pdf_text", record{"path": "a.pdf", "pages": "1-3"}, nil)
	require.ErrorContains(t, err, "there is no page 3; the document has 2")
}

// Encrypted documents can be read if they open without a password and use a common
// encryption. So can other variants of the format.
func TestKindsOfPDF(t *testing.T) {
	h, dir := readerHost(t, reader)
	for name, says := range map[string]string{
		"aes-128": "", "rc4-128": "", "object-streams": "", "linearized": "",
		"rc4-40": "", "aes-256": "",
	} {
		document, err := os.ReadFile(filepath.Join("testdata", "pdf", name+".pdf"))
		require.NoError(t, err)
		save(t, dir, "a.pdf", document)
		out, err := h.Exec("data.pdf_text", record{"path": "a.pdf"}, nil)
		if says != "" {
			require.Equal(t, node.CodeInvalidInput, node.CodeOf(err), name)
			require.ErrorContains(t, err, says, name)
			continue
		}
		require.NoError(t, err, name)
		require.Equal(t, "Nobody needs a password for this.", out["text"], name)
	}
	save(t, dir, "a.pdf", letter(t, func(f *fpdf.Fpdf) { f.SetProtection(fpdf.CnProtectPrint, "secret", "other") }))
	_, err := h.Exec("data.pdf_text", record{"path": "a.pdf"}, nil)
	require.Equal(t, node.CodeInvalidInput, node.CodeOf(err))
	require.ErrorContains(t, err, "with a password only")
}

func TestPDFIsNotRead(t *testing.T) {
	h, dir := host(t)
	save(t, dir, "a.pdf", letter(t, nil))
	_, err := h.Exec("data.pdf_text", record{"path": "a.pdf"}, nil)
	require.Equal(t, node.CodeUnavailable, node.CodeOf(err))
	for script, says := range map[string]string{"echo out of luck >&2; exit 1": "out of luck", "kill -9 $$": "signal: killed"} {
		h, dir := readerHost(t, func() *exec.Cmd { return exec.Command("sh", "-c", script) })
		save(t, dir, "a.pdf", letter(t, nil))
		_, err := h.Exec("data.pdf_text", record{"path": "a.pdf"}, nil)
		require.Equal(t, "reader_ended", node.CodeOf(err))
		require.ErrorContains(t, err, says)
	}
}

// document builds a PDF file from objects. The first is the root.
func document(objects ...string) []byte {
	var out bytes.Buffer
	out.WriteString("%PDF-1.7\n")
	places := []int{}
	for i, object := range objects {
		places = append(places, out.Len())
		fmt.Fprintf(&out, "%d 0 obj\n%s\nendobj\n", i+1, object)
	}
	at := out.Len()
	fmt.Fprintf(&out, "xref\n0 %d\n0000000000 65535 f \n", len(objects)+1)
	for _, place := range places {
		fmt.Fprintf(&out, "%010d 00000 n \n", place)
	}
	fmt.Fprintf(&out, "trailer\n<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n", len(objects)+1, at)
	return out.Bytes()
}

func stream(t testing.TB, more, text string) string {
	t.Helper()
	var packed bytes.Buffer
	z := zlib.NewWriter(&packed)
	_, err := z.Write([]byte(text))
	require.NoError(t, errors.Join(err, z.Close()))
	return fmt.Sprintf("<<%s/Filter/FlateDecode/Length %d>>stream\n%s\nendstream", more, packed.Len(), packed.String())
}

// onePage is a document with one page and the given content stream.
func onePage(t testing.TB, resources, text string, more ...string) []byte {
	t.Helper()
	return document(append([]string{
		"<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Count 1/Kids[3 0 R]>>",
		"<</Type/Page/Parent 2 0 R/Contents 4 0 R/Resources<<" + resources + ">>>>", stream(t, "", text),
	}, more...)...)
}

// attackers are documents that use excessive resources.
func attackers(t testing.TB) map[string][]byte {
	t.Helper()
	loop := document("<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Count 9/Kids[2 0 R]>>")
	table := onePage(t, "", "BT ET")
	deep := strings.Repeat("[", 200_000)
	return map[string][]byte{
		"tree in a circle": loop, "many pages": document("<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Count 999999999999/Kids[]>>"),
		"negative pages": document("<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Count -5/Kids[]>>"), "no pages": document("<</Type/Catalog>>"),
		"table in a circle": bytes.Replace(table, []byte("/Root 1 0 R"), fmt.Appendf(nil, "/Root 1 0 R/Prev %d", bytes.Index(table, []byte("xref\n"))), 1),
		"bomb":              onePage(t, "", "BT /F 1 Tf ("+strings.Repeat("x", 200<<20)+") Tj ET"),
		"a lot of text":     onePage(t, "/Font<</F<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>", "BT /F 1 Tf "+strings.Repeat("("+strings.Repeat("x", 1000)+") Tj ", 80_000)+"ET"),
		"a lot of orders":   onePage(t, "", strings.Repeat("q ", 30_000_000)),
		"deep list":         onePage(t, "", deep), "deep root": document(deep), "deep names": document(strings.Repeat("<</A", 200_000)),
		"form in itself":   onePage(t, "/XObject<</X 5 0 R>>", "/X Do", stream(t, "/Type/XObject/Subtype/Form/Resources<</XObject<</X 5 0 R>>>>", strings.Repeat("/X Do ", 100))),
		"wide widths":      onePage(t, "/Font<</F 5 0 R>>", "BT /F 1 Tf (ab) Tj ET", "<</Type/Font/Subtype/Type0/DescendantFonts[<</W["+strings.Repeat("0 999999999 1 ", 100_000)+"]>>]>>"),
		"wide letters":     onePage(t, "/Font<</F 5 0 R>>", "BT /F 1 Tf (ab) Tj ET", "<</Type/Font/Subtype/Type0/ToUnicode 6 0 R>>", stream(t, "", strings.Repeat("1 beginbfrange <0000> <FFFFFFFF> <0041> endbfrange ", 100_000))),
		"length of itself": document("<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Count 1/Kids[3 0 R]>>", "<</Type/Page/Contents 4 0 R>>", "<</Length 4 0 R>>stream\nBT\nendstream"),
		"itself":           document("1 0 R"), "cut": letter(t, nil)[:700], "nothing": {}, "text": []byte("%PDF-1.4 hello"),
		"odd operators": onePage(t, "", "BT 1 Tf /F Tf Tj TJ ' \" Td Tm TD TL T* Do [1 2 (a)] TJ (a) (b) \" ET"),
	}
}

// A hostile document ends within its time, the next one is read, and the error is one
// sentence.
func TestHostilePDFs(t *testing.T) {
	h, dir := readerHost(t, reader)
	save(t, dir, "good.pdf", letter(t, nil))
	for name, document := range attackers(t) {
		save(t, dir, "a.pdf", document)
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		began := time.Now()
		_, err := h.ExecContext(ctx, "data.pdf_text", record{"path": "a.pdf"}, nil)
		took, late := time.Since(began), ctx.Err() != nil
		cancel()
		t.Logf("%s: %v: %v", name, took, err)
		require.Less(t, took, time.Minute, name)
		if err != nil && !late {
			require.Contains(t, []string{node.CodeInvalidInput, node.CodeLimitExceeded, "reader_ended"}, node.CodeOf(err), "%s: %v", name, err)
			require.Less(t, len(err.Error()), 1000, name)
		}
		out, err := h.Exec("data.pdf_text", record{"path": "good.pdf", "pages": "2"}, nil)
		require.NoError(t, err, name)
		require.Equal(t, "Привет, καλημέρα – 5 €", out["text"])
	}
}

// A damaged page does not spoil the others: it is dropped.
func TestADamagedPageIsDroppedAndTheOthersAreRead(t *testing.T) {
	h, dir := readerHost(t, reader)
	whole := document(
		"<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Count 2/Kids[3 0 R 4 0 R]>>",
		"<</Type/Page/Contents 5 0 R/Resources<</Font<</F<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>>>>>", "<</Type/Page/Contents 6 0 R>>",
		stream(t, "", "BT /F 12 Tf 50 50 Td (first) Tj ET"), "<</Filter/Nonsense/Length 2>>stream\nBT\nendstream",
	)
	save(t, dir, "a.pdf", whole)
	_, err := h.Exec("data.pdf_text", record{"path": "a.pdf"}, nil)
	require.Equal(t, node.CodeInvalidInput, node.CodeOf(err))
	require.ErrorContains(t, err, "page 2: a part of the page cannot be read")
	out, err := h.Exec("data.pdf_text", record{"path": "a.pdf", "strict": false}, nil)
	require.NoError(t, err)
	require.Equal(t, []any{"first", ""}, out["pages"])
	require.Equal(t, "page 2", out["warnings"].([]any)[0].(record)["item"])
	_, err = h.Exec("data.pdf_text", record{"path": "a.pdf", "pages": "1"}, nil)
	require.NoError(t, err)
	out, err = h.Exec("data.pdf_text", record{"base64": base64.StdEncoding.EncodeToString(letter(t, nil)), "pages": "2"}, nil)
	require.NoError(t, err)
	require.Equal(t, "Привет, καλημέρα – 5 €", out["text"])
}

func FuzzPDF(f *testing.F) {
	f.Add(letter(f, nil))
	for _, document := range attackers(f) {
		if len(document) < 1<<16 {
			f.Add(document)
		}
	}
	f.Fuzz(func(t *testing.T, document []byte) {
		h, dir := readerHost(t, reader)
		save(t, dir, "a.pdf", document)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := h.ExecContext(ctx, "data.pdf_text", record{"path": "a.pdf"}, nil)
		if err != nil && ctx.Err() == nil && node.CodeOf(err) == node.CodeFailed {
			t.Fatal(err)
		}
	})
}
