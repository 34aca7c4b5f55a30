package charset_test

import (
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/nodes/charset"
)

// encoded returns text in the encoding that label names.
func encoded(t *testing.T, label, text string) string {
	t.Helper()
	e, err := charset.ByLabel(label)
	require.NoError(t, err)
	out, err := e.Encode(text)
	require.NoError(t, err)
	return string(out)
}

func TestFindsTheEncodingByTheBytes(t *testing.T) {
	for _, c := range []struct{ label, text string }{
		{"utf-8", "Grüße, 名前"},
		{"utf-8", "plain"},
		{"utf-8", ""},
		{"utf-16le", "name;city\r\nJosé;Köln\r\n"},
		{"utf-16be", "name;city\r\nJosé;Köln\r\n"},
		{"utf-8", "first,\x00\nother,\x00\n"},
		{"utf-16le", "名前,都市\r\n山田太郎と花子さん,東京都千代田区丸の内\r\n"},
		{"utf-16be", "Имя;Город\nИван Иванович;Москва\n"},
		{"shift_jis", "名前,都市\n鈴木,大阪\n"},
		{"shift_jis", "商品コード,数量\r\nりんご,3\r\n"},
		{"euc-jp", "これは長い文章です。よろしくお願いします。"},
		{"gb18030", "姓名,城市\n王五,广州\n李四,上海"},
		{"big5", "姓名,城市\n張三,台北\n李四,高雄"},
		{"euc-kr", "이름,도시\n김철수,부산\n"},
		{"koi8-r", "Имя,Город\nИван,Москва\n"},
		{"windows-1251", "Имя,Город\nПётр,Казань\n"},
		{"windows-1253", "Καλημέρα κόσμε"},
		{"windows-1252", "Straße; Zürich; “naïve” – 5 €"},
		{"windows-1252", "Don’t; it’s; he’d; we’ll"},
		{"windows-1252", "año;corazón;A Coruña"},
		{"windows-1252", "déjà vu"},
	} {
		t.Run(c.label, func(t *testing.T) {
			data := encoded(t, c.label, c.text)
			require.Equal(t, c.label, charset.Find([]byte(data)).String(), c.text)
			text, _, replaced, err := charset.Text([]byte(data), charset.Auto, "")
			require.NoError(t, err)
			require.Zero(t, replaced)
			require.Equal(t, c.text, text)
			for _, r := range []io.Reader{strings.NewReader(data), iotest.OneByteReader(strings.NewReader(data))} {
				stream, err := charset.NewReader(r, "", "")
				require.NoError(t, err)
				all, err := io.ReadAll(stream)
				require.NoError(t, err)
				require.Equal(t, c.text, string(all))
				require.Equal(t, c.label, stream.Found().String())
			}
		})
	}
}

func TestNamesAreReadAsProgramsWriteThem(t *testing.T) {
	for label, want := range map[string]string{
		"win-1251": "windows-1251", "cp-1250": "windows-1250", "latin-1": "windows-1252", "Latin_2": "iso-8859-2", "latin-9": "iso-8859-15", "ISO8859_15": "iso-8859-15",
		"iso_8859_5": "iso-8859-5", "8859-2": "iso-8859-2", "utf_8": "utf-8", "UTF 8": "utf-8", "EUC_JP": "euc-jp", "eucKR": "euc-kr", "ISO2022JP": "iso-2022-jp", "KOI8R": "koi8-r", "Shift JIS": "shift_jis", "big-5": "big5",
	} {
		e, err := charset.ByLabel(label)
		require.NoError(t, err, label)
		require.Equal(t, want, e.String(), label)
	}
	for _, label := range []string{"klingon", "win-9999", "utf-7", "iso-8859-99", ""} {
		_, err := charset.ByLabel(label)
		require.Error(t, err, label)
	}
}

func TestAMarkWinsOverLabelsAndDeclarations(t *testing.T) {
	for data, want := range map[string]string{"\ufeffGrüße": "Grüße", "\xff\xfeG\x00\xfc\x00": "Gü", "\xfe\xff\x00G\x00\xfc": "Gü"} {
		text, _, replaced, err := charset.Text([]byte(data), "latin1", "koi8-r")
		require.NoError(t, err)
		require.Zero(t, replaced)
		require.Equal(t, want, text)
	}
}

func TestADeclarationIsFollowedUnlessTheBytesContradictIt(t *testing.T) {
	for _, c := range []struct{ data, declared, want, name string }{
		{encoded(t, "iso-8859-2", "Příliš žluťoučký"), "ISO-8859-2", "Příliš žluťoučký", "iso-8859-2"},
		{"Grüße", "iso-8859-1", "Grüße", "utf-8"}, // decoded on its way
		{encoded(t, "windows-1252", "Grüße"), "utf-8", "Grüße", "windows-1252"},
		{"abc", "utf-16", "abc", "utf-8"},
		{"Grüße", "no such name", "Grüße", "utf-8"},
	} {
		text, e, _, err := charset.Text([]byte(c.data), charset.Auto, c.declared)
		require.NoError(t, err)
		require.Equal(t, c.want, text)
		require.Equal(t, c.name, e.String())
	}
}

func TestCharactersThatCannotBeDecodedAreCounted(t *testing.T) {
	text, _, replaced, err := charset.Text([]byte("a\xffb\ufffdc\xfe"), "utf-8", "")
	require.NoError(t, err)
	require.Equal(t, "a\ufffdb\ufffdc\ufffd", text)
	require.Equal(t, 2, replaced)
	_, _, _, err = charset.Text(nil, "klingon", "")
	require.ErrorContains(t, err, `"klingon"`)
}

func TestAStreamIsDecidedByItsFirstLetterThatIsNotASCII(t *testing.T) {
	data := strings.Repeat("plain text\n", 20_000) + encoded(t, "windows-1252", "Grüße aus Köln")
	stream, err := charset.NewReader(strings.NewReader(data), "", "")
	require.NoError(t, err)
	all, err := io.ReadAll(stream)
	require.NoError(t, err)
	require.Equal(t, strings.Repeat("plain text\n", 20_000)+"Grüße aus Köln", string(all))
	require.Equal(t, "windows-1252", stream.Found().String())
}

func TestDeclarationsAreFound(t *testing.T) {
	for text, want := range map[string]string{
		`<?xml version="1.0" encoding="ISO-8859-2"?><a/>`:                                                                       "ISO-8859-2",
		"\n<?xml version='1.0' encoding='koi8-r' standalone='yes'?>":                                                            "koi8-r",
		`<!DOCTYPE html><html><head><title>x</title><META CharSet=gbk>`:                                                         "gbk",
		`<meta name="a" content="text/html; charset=latin1"><meta http-equiv="Content-Type" content="text/html; charset=big5">`: "big5",
		`<!-- <meta charset="gbk"> --><p>`:                                                                                      "",
		`{"charset": "utf-8"}`:                                                                                                  "",
		``:                                                                                                                      "",
	} {
		require.Equal(t, want, charset.Declared([]byte(text)), text)
	}
	require.Equal(t, "utf-8", charset.OfType(`text/html; charset="utf-8"`))
	require.Equal(t, "latin1", charset.OfType(`text/html; charset=latin1; charset=latin1`))
	require.Empty(t, charset.OfType("text/html"))
}

func TestOnlyCertainTextIsDecoded(t *testing.T) {
	latin := encoded(t, "latin1", "Grüße")
	for _, c := range []struct {
		data     string
		declared []string
		want     string
		ok       bool
	}{
		{"Grüße", nil, "Grüße", true},
		{latin, nil, "", false},
		{latin, []string{"", "iso-8859-1"}, "Grüße", true},
		{latin, []string{"utf-8"}, "", false},
		{latin, []string{"utf-8", "latin1"}, "Grüße", true},
		{"\xff\xfeG\x00", []string{"utf-8"}, "G", true},
		{"\x89PNG\r\n\x1a\n\x00", []string{"latin1"}, "", false},
		{"a\x00b", nil, "a\x00b", true}, // JSON and others may hold it
		{"", []string{"klingon"}, "", true},
	} {
		text, ok := charset.Certain([]byte(c.data), c.declared...)
		require.Equal(t, c.ok, ok, "%q", c.data)
		require.Equal(t, c.want, text)
	}
}

func FuzzText(f *testing.F) {
	for _, seed := range []string{"a", "\xff\xfe", "\x96\xbc\x91\x4f", "G\xfc\xdfe", "\x00a\x00b"} {
		f.Add([]byte(seed), "auto", "")
	}
	f.Fuzz(func(t *testing.T, data []byte, label, declared string) {
		text, _, _, err := charset.Text(data, label, declared)
		if err == nil {
			require.Equal(t, strings.ToValidUTF8(text, ""), text, "valid UTF-8")
		}
	})
}
