package email_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/emersion/go-imap/v2"
	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/nodes/email"
	"github.com/svcflow/svc/nodes/nodetest"
)

// mixed is a message as mail programs write it: two alternatives of the text, a picture in
// the second, and attachments with awkward names.
const mixed = `From: "Bob, the builder" <bob@example.com>
To: =?UTF-8?Q?Ann_=C3=84tzend?= <ann@example.com>
Cc: carl@example.com
Subject: =?ISO-8859-1?Q?Gr=FC=DFe?= an
 alle
Message-ID: <m1@example.com>
Received: from a
Received: from b
MIME-Version: 1.0
Content-Type: multipart/mixed; boundary=out

--out
Content-Type: multipart/related; boundary=rel

--rel
Content-Type: multipart/alternative; boundary=alt

--alt
Content-Type: text/plain; charset=windows-1252
Content-Transfer-Encoding: quoted-printable

Preis: 5 =80

--alt
Content-Type: text/html; charset=utf-8
Content-Transfer-Encoding: base64

PHA+UHJlaXM6IDUg4oKsPC9wPg==

--alt--
--rel
Content-Type: image/png; name="logo.png"
Content-ID: <logo>
Content-Transfer-Encoding: base64

iVBORw==

--rel--
--out
Content-Type: application/pdf
Content-Disposition: attachment; filename*=UTF-8''Rechnung%20%C3%84.pdf
Content-Transfer-Encoding: base64

JVBERg==

--out
Content-Type: text/plain; name="=?UTF-8?B?w7wudHh0?="
Content-Disposition: attachment; filename="=?UTF-8?B?w7wudHh0?="

not the text

--out
Content-Type: application/octet-stream
Content-Disposition: attachment; filename="../../etc/p:ass'? wd"

x

--out--
`

// readOne puts a message into a new mailbox and reads it.
func readOne(t *testing.T, message string, inputs record) (record, *desk) {
	t.Helper()
	p := newProvider(t, plain)
	p.put(t, "INBOX", message)
	d := newDesk(t, p)
	inputs["id"] = firstID(t, d)
	return d.exec(t, "email.read_email", inputs), d
}

func firstID(t *testing.T, d *desk) string {
	t.Helper()
	return d.exec(t, "email.fetch_emails", record{})["emails"].([]any)[0].(record)["id"].(string)
}

func TestRead(t *testing.T) {
	out, d := readOne(t, mixed, record{"attachments_dir": "in/mail"})
	require.Equal(t, `"Bob, the builder" <bob@example.com>`, out["from"])
	require.Equal(t, []any{"Ann Ätzend <ann@example.com>"}, out["to"])
	require.Equal(t, []any{"carl@example.com"}, out["cc"])
	require.Equal(t, "Grüße an alle", out["subject"])
	require.Equal(t, "<m1@example.com>", out["message_id"])
	require.Equal(t, "2026-11-20T10:00:00Z", out["timestamp"])
	require.Equal(t, "Preis: 5 €\n", out["text"])
	require.Equal(t, "<p>Preis: 5 €</p>", out["html"])
	headers := out["headers"].(record)
	require.Equal(t, "from a\nfrom b", headers["received"])
	require.Equal(t, "Grüße an alle", headers["subject"])

	var names, kinds, contents []string
	for _, a := range out["attachments"].([]any) {
		a := a.(record)
		names, kinds = append(names, a["filename"].(string)), append(kinds, a["mime"].(string))
		data, err := os.ReadFile(filepath.Join(d.dir, a["path"].(string)))
		require.NoError(t, err)
		require.Len(t, data, a["bytes"].(int))
		contents = append(contents, strings.TrimSpace(string(data)))
	}
	require.Equal(t, []string{"logo.png", "Rechnung Ä.pdf", "ü.txt", "../../etc/p:ass'? wd"}, names)
	require.Equal(t, []string{"image/png", "application/pdf", "text/plain", "application/octet-stream"}, kinds)
	require.Equal(t, []string{"\x89PNG", "%PDF", "not the text", "x"}, contents)
	entries, err := os.ReadDir(filepath.Join(d.dir, "in", "mail"))
	require.NoError(t, err)
	require.Len(t, entries, 4)
	require.Regexp(t, `^[0-9a-f]{12}-1-logo\.png$`, entries[0].Name())
	require.Regexp(t, `^[0-9a-f]{12}-4-pass wd$`, entries[3].Name())
}

func TestReadOddMessages(t *testing.T) {
	tests := []struct {
		name, message, text, html string
		attachments               int
	}{
		{"no headers", "\nhello", "hello", "", 0},
		{"only HTML", "Content-Type: text/html\n\n<head><title>T</title></head>a<br>b<script>c</script> &lt;d&gt;", "a\nb <d>", "<head><title>T</title></head>a<br>b<script>c</script> &lt;d&gt;", 0},
		{"bad UTF-8", "Content-Type: text/plain; charset=utf-8\n\nä\xffö", "ä\uFFFDö", "", 0},
		{"Latin-1 that says UTF-8", "Content-Type: text/plain; charset=utf-8\n\nGr\xfc\xdfe", "Grüße", "", 0},
		{"unknown charset", "Content-Type: text/plain; charset=klingon\n\nabc", "abc", "", 0},
		{"unknown encoding", "Content-Type: text/plain\nContent-Transfer-Encoding: rot13\n\nabc", "abc", "", 0},
		{"bad base64", "Content-Transfer-Encoding: base64\n\naGVsbG8=!!!", "hello", "", 0},
		{"malformed type", "Content-Type: ;;;\n\nabc", "abc", "", 0},
		{"no boundary", "Content-Type: multipart/mixed\n\nabc", "abc", "", 0},
		{"no end", "Content-Type: multipart/mixed; boundary=x\n\n--x\n\nabc", "abc", "", 0},
		{"two texts", "Content-Type: multipart/mixed; boundary=x\n\n--x\n\none\n--x\n\ntwo\n--x--\n", "one\ntwo", "", 0},
		{"attached text", "Content-Disposition: attachment\n\nabc", "", "", 1},
		{"message in a message", "Content-Type: multipart/mixed; boundary=x\n\n--x\nContent-Type: message/rfc822\n\nSubject: in\n\nx\n--x--\n", "", "", 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			out, _ := readOne(t, tt.message, record{})
			require.Equal(t, tt.text, out["text"])
			require.Equal(t, tt.html, out["html"])
			require.Len(t, out["attachments"], tt.attachments)
		})
	}
}

func TestReadLeavesUnreadUnlessAsked(t *testing.T) {
	_, d := readOne(t, "Subject: a\n\nb", record{})
	unread := record{"unread_only": true}
	require.Equal(t, 1, d.exec(t, "email.fetch_emails", unread)["count"])
	d.exec(t, "email.read_email", record{"id": firstID(t, d), "mark_read": true})
	require.Equal(t, 0, d.exec(t, "email.fetch_emails", unread)["count"])
}

func TestReadFailures(t *testing.T) {
	p := newProvider(t, plain)
	p.put(t, "INBOX", "Subject: a\n\nb")
	p.put(t, "INBOX", "Subject: big\n\n"+strings.Repeat("0123456789\n", 25<<20/11+1))
	p.put(t, "INBOX", nested(100))
	p.put(t, "INBOX", "Content-Type: multipart/mixed; boundary=x\n\n"+strings.Repeat("--x\n\n\n", 2000))
	d := newDesk(t, p)
	small := strings.TrimSuffix(d.exec(t, "email.fetch_emails", record{})["emails"].([]any)[3].(record)["id"].(string), "1")
	tests := []struct{ id, code string }{
		{"", "invalid_input"},
		{"INBOX", "invalid_input"},
		{"INBOX;1", "invalid_input"},
		{"INBOX;1;0", "invalid_input"},
		{"INBOX;1;-1", "invalid_input"},
		{"INBOX;1;4294967296", "invalid_input"},
		{";1;1", "invalid_input"},
		{"IN\r\nBOX;1;1", "invalid_input"},
		{"INBOX;999;1", "not_found"},
		{"None;1;1", "not_found"},
		{small + "99", "not_found"},
		{small + "2", "limit_exceeded"},
		{small + "3", "limit_exceeded"},
		{small + "4", "limit_exceeded"},
	}
	for _, tt := range tests {
		err := d.failure(t, "email.read_email", record{"id": tt.id})
		require.Equal(t, tt.code, node.CodeOf(err), "%q: %v", tt.id, err)
		require.True(t, node.IsPermanent(err))
	}
}

// nested returns a message whose parts nest.
func nested(depth int) string {
	var b strings.Builder
	for i := range depth {
		fmt.Fprintf(&b, "Content-Type: multipart/mixed; boundary=x%dx\n\n--x%dx\n", i, i)
	}
	return b.String() + "\ntext"
}

func TestAttachmentsStayWhereWorkflowsMayWrite(t *testing.T) {
	p := newProvider(t, plain)
	p.put(t, "INBOX", mixed)
	d := newDesk(t, p)
	id := firstID(t, d)
	require.Error(t, d.failure(t, "email.read_email", record{"id": id, "attachments_dir": "../out"}))
	without := nodetest.New(t, email.New(email.Config{}))
	_, err := without.Exec("email.read_email", nil, record{"credential": account, "id": id, "attachments_dir": "in"})
	require.Error(t, err)
}

func TestReadKeepsFlags(t *testing.T) {
	p := newProvider(t, plain)
	p.put(t, "INBOX", "Subject: a\n\nb", imap.FlagFlagged)
	d := newDesk(t, p)
	d.exec(t, "email.read_email", record{"id": firstID(t, d), "mark_read": true})
	status, err := p.user.Status("INBOX", &imap.StatusOptions{NumUnseen: true, NumMessages: true})
	require.NoError(t, err)
	require.Equal(t, uint32(0), *status.NumUnseen)
	require.Equal(t, uint32(1), *status.NumMessages)
}
