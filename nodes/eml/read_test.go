package eml_test

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/nodes/eml"
	"github.com/svcflow/svc/nodes/reading"
)

// read reads a message whose lines end with \n, and returns the notes.
func read(t *testing.T, message string) (*eml.Letter, []string) {
	t.Helper()
	var notes reading.Notes
	l, err := eml.Read([]byte(message), &notes)
	require.NoError(t, err)
	var texts []string
	for _, n := range notes.All() {
		texts = append(texts, n.String())
	}
	return l, texts
}

// multipart returns a message with parts that boundary b separates.
func multipart(parts ...string) string {
	return "Subject: a\nContent-Type: multipart/mixed; boundary=b\n\n--b\n" + strings.Join(parts, "\n--b\n") + "\n--b--\n"
}

func TestWhatMailparserLosesIsRead(t *testing.T) {
	for name, c := range map[string]struct{ message, text, note string }{
		"boundary not declared":    {"Content-Type: multipart/mixed\n\n--x\nContent-Type: text/plain\n\nHello\n--x--\n", "Hello", "were separated by"},
		"boundary declared wrong":  {"Content-Type: multipart/mixed; boundary=y\n\n--x\nContent-Type: text/plain\n\nHello\n--x--\n", "Hello", `boundary "y" does not occur`},
		"no part at all":           {"Content-Type: multipart/mixed; boundary=y\n\nHello\n", "Hello\n", "no parts"},
		"semicolon missing":        {"Content-Type: multipart/mixed\n boundary=\"x\"\n\n--x\nContent-Type: text/plain\n\nHello\n--x--\n", "Hello", ""},
		"encoded multipart":        {"Content-Type: multipart/mixed; boundary=x\nContent-Transfer-Encoding: base64\n\n" + base64.StdEncoding.EncodeToString([]byte("--x\n\nHello\n--x--\n")), "Hello", ""},
		"parts of a text":          {"Content-Type: text/html; boundary=x\n\n--x\nContent-Type: text/plain\n\nHello\n--x--\n", "Hello", ""},
		"type without subtype":     {"Content-Type: text\n\nHello", "Hello", ""},
		"type with a parameter":    {"Content-Type: text/plain charset=utf-8\n\nHello", "Hello", ""},
		"quoted transfer encoding": {"Content-Transfer-Encoding: \"base64\"\n\nSGVsbG8=", "Hello", ""},
		"footer behind base64":     {"Content-Transfer-Encoding: base64\n\nSGVsbG8=\n___\nto unsubscribe: x\n", "Hello", "base64"},
		"cut off in the header":    {"Subject: a\nContent-Typ", "", ""},
		"boundary first":           {"--x\nSubject: a\nMIME-Version: 1.0\n\nHello", "Hello", "left out"},
		"no empty line":            {"Subject: a\nHello\nthere\n", "Hello\nthere\n", "empty line"},
		"junk in the header":       {"Subject: a\nno field\nMIME-Version: 1.0\nContent-Transfer-Encoding: base64\n\nSGVsbG8=", "Hello", `left out: "no field"`},
		"line of blanks":           {"Subject: a\n \nHello\n", "Hello\n", ""},
		"empty lines first":        {"\r\n\r\nSubject: a\r\n\r\nHello", "Hello", ""},
		"byte order mark":          {"\ufeffSubject: a\n\nHello", "Hello", ""},
		"carriage returns only":    {"Subject: a\rTo: b@example.com\r\rHello\rthere", "Hello\nthere", ""},
		"double carriage returns":  {"Subject: a\r\r\n\r\r\nHello\r\r\nthere", "Hello\nthere", ""},
		"Latin-1 without charset":  {"Subject: a\n\nGr\xfc\xdfe aus K\xf6ln", "Grüße aus Köln", ""},
		"Latin-1 as us-ascii":      {"Content-Type: text/plain; charset=us-ascii\n\nGr\xfc\xdfe", "Grüße", ""},
		"Latin-1 as UTF-8":         {"Content-Type: text/plain; charset=utf-8\n\nGr\xfc\xdfe", "Grüße", ""},
		"UTF-8 with a bad byte":    {"Content-Type: text/plain; charset=utf-8\n\nGrüße \xff äöü", "Grüße \ufffd äöü", "1 characters"},
		"UTF-8 as Latin-1":         {"Content-Type: text/plain; charset=iso-8859-1\n\nGrüße", "Grüße", ""},
		"charset unknown":          {"Content-Type: text/plain; charset=klingon\n\nGrüße", "Grüße", `no encoding "klingon"`},
		"GBK that looks like UTF-8": {"Content-Type: text/plain; charset=gb2312\nContent-Transfer-Encoding: base64\n\n" +
			base64.StdEncoding.EncodeToString([]byte("\xd6\xb1\xd2\xbb")), "直一", ""},
		"charset in the page": {"Content-Type: text/html\n\n<meta charset=iso-8859-2><p>\xb1", "ą", ""},
		"UTF-16 with a mark": {"Content-Type: text/plain; charset=utf-16\nContent-Transfer-Encoding: base64\n\n" +
			base64.StdEncoding.EncodeToString([]byte("\xfe\xff\x65\xe5\x67\x2c")), "日本", ""},
		"empty parts": {multipart("Content-Type: text/plain\n\n", "", "\nHello"), "Hello", ""},
		"same boundary in a part": {"Content-Type: multipart/mixed; boundary=\"b\"\n\n--b\nContent-Type: multipart/alternative; boundary=\"b\"\n\n\n--b\n\nHello\n--b\n" +
			"Content-Type: text/html\n\n<p>Hello\n--b--\n\n--b\n\nBye\n--b--\n", "Hello\nBye", ""},
		"HTML between texts":          {multipart("\nOne", "Content-Type: text/html\n\n<p>Two</p>", "\nThree"), "One\nTwo\nThree", ""},
		"named text":                  {"Content-Type: text/plain; name=message.txt\n\nHello", "Hello", ""},
		"uuencode":                    {"Content-Transfer-Encoding: x-uuencode\n\nbegin 644 a.txt\n%2&5L;&\\\n`\nend\n", "Hello", ""},
		"Apple's length first":        {"18   \nSubject: a\n\nHello\n<?xml version=\"1.0\"?>", "Hello\n", ""},
		"carriage return in a header": {"Subject: a\rb\n\nHello", "Hello", ""},
		"mail in a mailbox":           {">From ann@example.com Mon Feb  2 10:00:00 2026\nSubject: a\n\nHello\n\nFrom here on\n", "Hello\n\nFrom here on\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			l, notes := read(t, c.message)
			require.Equal(t, c.text, l.Body())
			require.Empty(t, l.Attachments)
			if c.note == "" {
				require.Empty(t, notes)
			} else {
				require.Contains(t, strings.Join(notes, "\n"), c.note)
			}
		})
	}
}

func TestTextThatWasDecodedBeforeIsNotDecodedAgain(t *testing.T) {
	l, err := eml.ReadText("Subject: Grüße =?iso-8859-1?Q?Köln?=\nContent-Type: text/plain; charset=koi8-r\n\nGrüße", nil)
	require.NoError(t, err)
	require.Equal(t, "Grüße", l.Text)
	require.True(t, strings.HasPrefix(l.Field("subject"), "Grüße Köln"))
	l, err = eml.ReadText("Content-Type: text/plain; charset=koi8-r\nContent-Transfer-Encoding: quoted-printable\n\n=F0=D2", nil)
	require.NoError(t, err)
	require.Equal(t, "Пр", l.Text)
}

func TestAMessageSavedAsUTF16IsRead(t *testing.T) {
	raw := []byte{0xff, 0xfe}
	for _, unit := range utf16.Encode([]rune("Subject: Grüße\r\n\r\nHello\r\n")) {
		raw = append(raw, byte(unit), byte(unit>>8))
	}
	l, err := eml.Read(raw, nil)
	require.NoError(t, err)
	require.Equal(t, "Grüße", l.Field("Subject"))
	require.Equal(t, "Hello\n", l.Text)
}

func TestTheOtherMessagesOfAMailboxAreDropped(t *testing.T) {
	from := "From ann@example.com Mon Feb  2 10:00:00 2026\n"
	var notes reading.Notes
	file := from + "Subject: one\n\nHello\n\n" + from + "Subject: two\n\nBye\n"
	l, _ := read(t, file)
	require.Contains(t, l.Text, "Bye", "a message that is no file")
	l, err := eml.ReadFile([]byte(file), &notes)
	require.NoError(t, err)
	require.Equal(t, "Hello\n", l.Text)
	require.Len(t, notes.All(), 1)
	require.True(t, notes.All()[0].Dropped)
}

func TestRawHeadersAreInTheEncodingOfTheText(t *testing.T) {
	l, _ := read(t, "Subject: \xf0\xd2\xc9\xd7\xc5\xd4\nContent-Type: text/plain; charset=koi8-r\n\n")
	require.Equal(t, "Привет", l.Field("Subject"))
	l, _ = read(t, "Subject: \xd6\xd0\xce\xc4\nContent-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: text/plain; charset=gb2312\n\n\xc4\xe3\n"+
		"--b\nContent-Type: application/pdf; name=\"\xb8\xbd\xbc\xfe.pdf\"\n\nx\n--b--\n")
	require.Equal(t, "中文", l.Field("Subject"))
	require.Equal(t, "你", l.Text)
	require.Equal(t, "附件.pdf", l.Attachments[0].Filename)
	l, _ = read(t, "Subject: =?iso-8859-1?Q?Fr\xf6sche?=\nTo: J\xfcrgen <j@example.com>\n\n")
	require.Equal(t, "Frösche", l.Field("Subject"))
	require.Equal(t, []string{"Jürgen <j@example.com>"}, l.Shown("To"))
}

func TestEncodedWordsAsPeopleWriteThem(t *testing.T) {
	for text, want := range map[string]string{
		"=?utf-8?B?R3LDvMOfZ?= =?utf-8?Q?Q?=": "Grüß" + "Q", // lost padding
		"=?utf-8?Q?Why??=":                    "Why?",
		"=?utf-8?q?a?==?utf-8?q?b?=":          "ab",
		"=?utf-8?q?a?=  b =?utf-8?q?c?=":      "a  b c",
		"a=?utf-8?q?=C3=A4?=b":                "aäb",
		"=?utf-8?Q?=C3?= =?UTF-8?B?vA==?=":    "ü",
		"=?klingon?Q?=C3=A4?=":                "ä",
		"=?unknown-8bit?Q?Gr=FC=DFe?=":        "Grüße",
		"=?iso-8859-1?Q?Gr=FC= DFe?=":         "Grüße",
		"=?gb2312?B?1rHSuw==?=":               "直一",
		"=?utf-8?Q?=":                         "=?utf-8?Q?=",
		"=?=?=?":                              "=?=?=?",
	} {
		l, _ := read(t, "Subject: "+text+"\n\n")
		require.Equal(t, want, l.Field("subject"), text)
	}
}

func TestNamesOfFilesAsPeopleWriteThem(t *testing.T) {
	for disposition, want := range map[string]string{
		`filename=Invoice (1) 2024.pdf`:                    "Invoice (1) 2024.pdf",
		`filename="C:\My Files\a.pdf"`:                     `C:\My Files\a.pdf`,
		`filename="a.pdf`:                                  "a.pdf",
		`filename="a.pdf"; filename="b.pdf"`:               "a.pdf",
		`filename*=%C3%A4.pdf`:                             "ä.pdf",
		`filename*="UTF-8''%C3%A4 b.pdf"`:                  "ä b.pdf",
		`filename*0*=utf-8''%C3; filename*1*=%A4.pdf`:      "ä.pdf",
		`filename*0*=utf-8''a%20; filename*1="100%25.pdf"`: "a 100%25.pdf",
		`filename*=klingon''%C3%A4.pdf`:                    "ä.pdf",
		`filename*=utf-8''%3D%3Futf-8%3FQ%3F%3D41%3F%3D`:   "=?utf-8?Q?=41?=",
		`filename*0="=?utf-8?Q?=C3=A4?="; filename*1=.pdf`: "ä.pdf",
		`size=1; FileName = "a.pdf"`:                       "a.pdf",
		`filename=`:                                        "",
		`filename*x`:                                       "",
	} {
		l, _ := read(t, "Content-Type: application/pdf\nContent-Disposition: attachment; "+disposition+"\n\nx")
		require.Len(t, l.Attachments, 1, disposition)
		require.Equal(t, want, l.Attachments[0].Filename, disposition)
		require.Equal(t, "application/pdf", l.Attachments[0].MIME)
	}
	l, _ := read(t, "Content-Disposition: attachment; filename=a.PNG\n\nx")
	require.Equal(t, "image/png", l.Attachments[0].MIME, "the type that is missing")
	l, _ = read(t, "Content-Type: application/pdf\nContent-Disposition: filename=\"a.pdf\"\n\nx")
	require.Equal(t, "a.pdf", l.Attachments[0].Filename)
}

func TestTextWithTheNameOfAFileIsAnAttachment(t *testing.T) {
	notes := "Content-Type: text/plain\nContent-Disposition: inline; filename=notes.txt\n\nnotes"
	l, _ := read(t, multipart("\nHello", notes))
	require.Equal(t, "Hello", l.Text)
	require.Equal(t, []eml.Attachment{{Filename: "notes.txt", MIME: "text/plain", Data: []byte("notes")}}, l.Attachments)
	l, _ = read(t, multipart("Content-Type: text/plain; name=message.txt\n\nHello", strings.Replace(notes, "inline", "attachment", 1)))
	require.Equal(t, "Hello", l.Text)
	require.Len(t, l.Attachments, 1)
	l, _ = read(t, multipart(notes))
	require.Equal(t, "notes", l.Text, "no other part is text")
	require.Empty(t, l.Attachments)
}

func TestAddressesAsPeopleWriteThem(t *testing.T) {
	for text, want := range map[string][]string{
		`Ann <a,n@example.com>`:                              {"Ann <a,n@example.com>"},
		`<ann@example.com, bob@example.com>`:                 {"ann@example.com", "bob@example.com"},
		`Ann <ann@example.com`:                               {"Ann <ann@example.com>"},
		`Ann <ann@example.com, Bob <bob@example.com>`:        {"Ann <ann@example.com>", "Bob <bob@example.com>"},
		`Ann <ann@example.com> Bob <bob@example.com>`:        {"Ann <ann@example.com>", "Bob <bob@example.com>"},
		`"Ann <ann@example.com>`:                             {"Ann <ann@example.com>"},
		`ann@example.com; bob@example.com`:                   {"ann@example.com", "bob@example.com"},
		`Ann (a (nested) comment) Lee <ann@example.com (w)>`: {"Ann Lee <ann@example.com>"},
		`<@relay,@other:ann@example.com>`:                    {"ann@example.com"},
		`ann @ example.com`:                                  {"ann@example.com"},
		`=?utf-8?Q?Lee,_Ann?= <ann@example.com>`:             {`"Lee, Ann" <ann@example.com>`},
		`"ann@example.com" <ann@example.com>`:                {"ann@example.com"},
		`ann@[IPv6:2001:db8::1]`:                             {"ann@[IPv6:2001:db8::1]"},
		`"a,b"@example.com`:                                  {"a,b@example.com"},
		`undisclosed-recipients:;`:                           {"undisclosed-recipients:;"},
		`Team: Ann <ann@example.com>, bob@example.com;`:      {"Ann <ann@example.com>", "bob@example.com"},
		`Ann`:                                    {"Ann"},
		`Ann Lee [mailto:ann@example.com]`:       {"Ann Lee <ann@example.com>"},
		`mailto:ann@example.com`:                 {"ann@example.com"},
		`Doe, Ann, Dr. <ann@example.com>, Bob`:   {`"Doe, Ann, Dr." <ann@example.com>`, "Bob"},
		`<mailto:ann@example.com>`:               {"ann@example.com"},
		`=?utf-8?q?A=0D=0AB?= <ann@example.com>`: {"A  B <ann@example.com>"},
		`, ,;`:                                   {", ,;"},
		``:                                       {},
	} {
		l, _ := read(t, "To: "+text+"\n\n")
		require.Equal(t, want, l.Shown("To"), text)
	}
	l, _ := read(t, "To: Ann <ann@example.com>, Bob, x@, <y z>\n\n")
	require.Len(t, l.Addresses("To"), 1, "others cannot be written to")
}

func TestDatesAsPeopleWriteThem(t *testing.T) {
	for text, want := range map[string]string{
		"Mon, 02 Feb 2026 10:00:00 EST":             "2026-02-02T15:00:00Z",
		"Mon, 2 Feb 2026 10:00:00 pdt":              "2026-02-02T17:00:00Z",
		"2 Feb 26 10:00 +0100":                      "2026-02-02T09:00:00Z",
		"Mon, 02 Feb 99 10:00:00 GMT":               "1999-02-02T10:00:00Z",
		"02 Feb 126 10:00:00 Z":                     "2026-02-02T10:00:00Z",
		"Mon, 02 Feb 2026 10:00:00 +0100 (CET)":     "2026-02-02T09:00:00Z",
		"Mon (day), 02 (x (y)) Feb 2026 10:00 UT":   "2026-02-02T10:00:00Z",
		"Mon, 02 Feb 2026 10:00:00 +01:00":          "2026-02-02T09:00:00Z",
		"Mon, 02 Feb 2026 10:00:00 GMT+0100":        "2026-02-02T09:00:00Z",
		"Mon, 02 Feb 2026 10:00:00 GMT +0100":       "2026-02-02T09:00:00Z",
		"Mon, 02 Feb 2026 10:00:00 +0100 CET":       "2026-02-02T09:00:00Z",
		"Mon, 02 Feb 2026 10:00:00 CET":             "2026-02-02T09:00:00Z",
		"Mon, 02 Feb 2026 10:00:00 A":               "2026-02-02T10:00:00Z",
		"Mon, 02 Feb 2026 10:00:00 -0330":           "2026-02-02T13:30:00Z",
		"Mon, 02 Feb 2026 10:00:00":                 "2026-02-02T10:00:00Z",
		"Mon Feb  2 10:00:00 2026":                  "2026-02-02T10:00:00Z",
		"Mon Feb  2 10:00:00 EST 2026":              "2026-02-02T15:00:00Z",
		"Monday, 02-Feb-26 10:00:00 GMT":            "2026-02-02T10:00:00Z",
		"Mon, 02 February 2026 10:00:00 PM +0000":   "2026-02-02T22:00:00Z",
		"2026-02-02T10:00:00+01:00":                 "2026-02-02T09:00:00Z",
		"2026-02-02 10:00:00 -0500":                 "2026-02-02T15:00:00Z",
		"Thur, 31 Dec 2026 23:59:60 +0000":          "2026-12-31T23:59:59Z",
		"Mon, 02 Feb 2026 10:00:00.123 -0000":       "2026-02-02T10:00:00Z",
		"Mon, 02 Feb 2026 10:00:00 KLINGON":         "2026-02-02T10:00:00Z",
		"31 Feb 2026 10:00:00 GMT":                  "",
		"Mon, 02 Feb 2026 25:00:00 GMT":             "",
		"Mon, 02 Feb 2026 10.30.00 +0100":           "2026-02-02T09:30:00Z",
		"Mo, 02 Feb 2026 10:00:00 PDT-0700":         "2026-02-02T17:00:00Z",
		"Mon, 02 Feb 2026 10:00:00 UTC+2":           "2026-02-02T08:00:00Z",
		"yesterday":                                 "",
		"02/03/2026 10:00":                          "",
		"20260202":                                  "",
		"Mon, 02 Feb 2026 10:00:00 +0100 and more!": "",
	} {
		var notes reading.Notes
		l, err := eml.Read([]byte("Date: "+text+"\n\n"), &notes)
		require.NoError(t, err)
		got := ""
		if sent, ok := l.Date(&notes); ok {
			got = sent.UTC().Format(time.RFC3339)
		}
		require.Equal(t, want, got, text)
		if noted := want == "" || strings.Contains(text, "KLINGON"); noted {
			require.Len(t, notes.All(), 1, text)
		} else {
			require.Empty(t, notes.All(), text)
		}
	}
}

func TestIDsAreFoundWhateverIsAroundThem(t *testing.T) {
	l, _ := read(t, "Message-ID: (x) <a@example.com> (added)\nReferences: <b@example.com><c@\n example.com>\nIn-Reply-To: d@example.com\n\n")
	require.Equal(t, "<a@example.com>", l.MessageID())
	require.Equal(t, []string{"b@example.com", "c@example.com"}, l.IDs("References"))
	require.Equal(t, []string{"d@example.com"}, l.IDs("In-Reply-To"))
}

func TestLimits(t *testing.T) {
	nested := ""
	for i := range 40 {
		nested += fmt.Sprintf("Content-Type: multipart/mixed; boundary=x%dx\n\n--x%dx\n", i, i)
	}
	for name, message := range map[string]string{
		"depth":  nested,
		"parts":  "Content-Type: multipart/mixed; boundary=b\n\n" + strings.Repeat("--b\n\n\n", 5000),
		"header": strings.Repeat("A: b\n", 1<<20),
	} {
		_, err := eml.Read([]byte(message), nil)
		require.Equal(t, node.CodeLimitExceeded, node.CodeOf(err), name)
		require.True(t, node.IsPermanent(err))
	}
}

// hostile returns messages that are expensive for careless parsers.
func hostile() map[string]string {
	many := strings.Repeat
	return map[string]string{
		"comments":       "To: " + many("(", 1<<17) + "\nDate: " + many("(", 1<<17) + "\nContent-Type: " + many("a(", 1<<17) + "\n\n",
		"quotes":         "To: " + many(`"`, 1<<17) + "\nContent-Type: text/plain; x=" + many(`"a`, 1<<17) + "\n\n",
		"brackets":       "To: " + many("<\"", 1<<17) + "\n\n",
		"literal":        "To: a@[" + many(":", 1<<18) + "\n\n",
		"words":          "Subject: " + many("=?", 1<<18) + "\nTo: " + many("=?a?q?", 1<<16) + "\n\n",
		"joined words":   "Subject: " + many("=?utf-8?q?a?= ", 1<<16) + "\n\n",
		"addresses":      "To: " + many("@ a ", 1<<17) + "\n\n",
		"same field":     many("A: b\n", 1<<17) + "\n",
		"junk in header": "Subject: a\n" + many("junk\n", 1<<17) + "\nx",
		"false ends":     "Content-Type: multipart/mixed; boundary=-\n\n" + many("---x\n", 1<<18),
		"unknown words":  "Subject: " + many("=?x?q?=FF=FE?= a ", 1<<15) + "\n\n",
		"raw fields":     many("A: \xff\xfe\n", 1<<16) + "\n",
		"small comments": "Date: " + many("(a)", 1<<17) + "\nFrom: " + many("(a)", 1<<17) + "\n\n",
		"open comments":  "Date: " + many("(", 1<<18) + ")\nFrom: " + many("(", 1<<18) + ")\nContent-Type: " + many("a (", 1<<17) + ");\n\n",
		"parameters":     "Content-Type: text/plain" + many("; a=b", 1<<16) + "; x*1=2" + many("; x*1*=2", 1<<10) + "\n\n",
		"blank lines":    many(" \n", 1<<20),
	}
}

func TestHostileMessagesAreReadQuickly(t *testing.T) {
	for name, message := range hostile() {
		start := time.Now()
		l, err := eml.Read([]byte(message), nil)
		if err == nil {
			use(l)
		}
		require.Less(t, time.Since(start), 20*time.Second, name)
		t.Logf("%s: %v for %d bytes", name, time.Since(start), len(message))
	}
}

// use calls all that reads more of a letter.
func use(l *eml.Letter) []string {
	texts := append(l.Shown("From"), l.Shown("To")...)
	texts = append(texts, l.Body(), l.HTML, l.Snippet(), l.Field("Subject"), l.MessageID())
	for _, a := range l.Attachments {
		texts = append(texts, a.Filename, a.MIME)
	}
	for name, value := range l.Headers() {
		texts = append(texts, name, value.(string))
	}
	for _, name := range []string{"From", "To", "Reply-To"} {
		for _, a := range l.Addresses(name) {
			texts = append(texts, a.Name, a.Address)
		}
	}
	_, _ = l.Date(nil)
	return append(texts, l.IDs("References")...)
}

func FuzzRead(f *testing.F) {
	for _, message := range hostile() {
		f.Add([]byte(message[:min(len(message), 200)]))
	}
	for _, seed := range seeds(f) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		l, err := eml.Read(raw, &reading.Notes{})
		if err != nil {
			return
		}
		for _, text := range use(l) {
			require.True(t, utf8.ValidString(text), "%q", text)
		}
	})
}

func BenchmarkRead(b *testing.B) {
	words := strings.Repeat("Grüße aus Köln, and some more text.\r\n", 2000)
	encoded := base64.StdEncoding.EncodeToString([]byte(strings.Repeat("0123456789abcdef", 1<<16)))
	var lines strings.Builder
	for ; len(encoded) > 76; encoded = encoded[76:] {
		lines.WriteString(encoded[:76] + "\r\n")
	}
	header := "From: =?utf-8?q?Ann_M=C3=BCller?= <ann@example.com>\r\nTo: bob@example.com\r\n" + strings.Repeat("Received: from a by b; Mon, 2 Feb 2026 10:00:00 +0100\r\n", 10)
	part := "--b\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: "
	for name, message := range map[string]string{
		"text":   header + "Content-Type: text/plain; charset=utf-8\r\n\r\n" + words,
		"quoted": header + "Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n" + strings.NewReplacer("ü", "=C3=BC", "ö", "=C3=B6", "ß", "=C3=9F").Replace(words),
		"base64": header + "Content-Type: multipart/mixed; boundary=b\r\n\r\n" + part + "8bit\r\n\r\nHello\r\n" +
			"--b\r\nContent-Type: application/pdf; name=a.pdf\r\nContent-Transfer-Encoding: base64\r\n\r\n" + lines.String() + "\r\n--b--\r\n",
		"small": header + "\r\nHello\r\n",
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(message)))
			for b.Loop() {
				if _, err := eml.Read([]byte(message), nil); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
