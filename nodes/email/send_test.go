package email_test

import (
	"bytes"
	"context"
	"mime"
	"net/mail"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/emersion/go-smtp"
	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/node"
)

// headerOf parses the header of a message with the standard library.
func headerOf(t *testing.T, message []byte) mail.Header {
	t.Helper()
	msg, err := mail.ReadMessage(bytes.NewReader(message))
	require.NoError(t, err)
	return msg.Header
}

func TestSend(t *testing.T) {
	p := newProvider(t, plain)
	d := newDesk(t, p)
	require.NoError(t, os.WriteFile(filepath.Join(d.dir, "größe.txt"), []byte("42"), 0o600))
	out := d.exec(t, "email.send_email", record{
		"to": []any{"Bob <bob@example.com>, carl@example.com"}, "cc": []any{"dora@bücher.example", " "}, "bcc": []any{"eve@example.com"},
		"subject": "Grüße: 你好", "text": "Hallo Welt.\n.\nEnde", "html": "<p>Hallo <b>Welt</b></p>", "attachments": []any{"größe.txt"},
	})
	require.Equal(t, true, out["success"], out["error"])
	require.Nil(t, out["error"])

	recipients, messages := p.taken()
	require.Equal(t, [][]string{{"bob@example.com", "carl@example.com", "dora@xn--bcher-kva.example", "eve@example.com"}}, recipients)
	header := headerOf(t, messages[0])
	require.Equal(t, out["message_id"], header.Get("Message-Id"))
	require.Regexp(t, `^<[0-9a-f-]{36}@example\.com>$`, out["message_id"])
	subject, err := new(mime.WordDecoder).DecodeHeader(header.Get("Subject"))
	require.NoError(t, err)
	require.Equal(t, "Grüße: 你好", subject)
	from, err := header.AddressList("From")
	require.NoError(t, err)
	require.Equal(t, []*mail.Address{{Name: "Ann Ätzend", Address: user}}, from)
	require.NotContains(t, string(messages[0]), "eve@", "who gets a blind copy is nobody's business")
	host, err := os.Hostname()
	require.NoError(t, err)
	require.NotContains(t, string(messages[0])+p.hello, host)
	require.Empty(t, header.Get("X-Mailer")+header.Get("User-Agent"))

	list := d.exec(t, "email.fetch_emails", record{})["emails"].([]any)
	read := d.exec(t, "email.read_email", record{"id": list[0].(record)["id"]})
	require.Equal(t, "Hallo Welt.\n.\nEnde", strings.TrimRight(read["text"].(string), "\n"))
	require.Equal(t, "<p>Hallo <b>Welt</b></p>", strings.TrimRight(read["html"].(string), "\n"))
	require.Equal(t, []any{record{"filename": "größe.txt", "mime": "text/plain", "bytes": 2, "path": nil}}, read["attachments"])
}

func TestSendOnlyHTMLOrOnlyAnAttachment(t *testing.T) {
	p := newProvider(t, plain)
	d := newDesk(t, p)
	require.NoError(t, os.WriteFile(filepath.Join(d.dir, "a.pdf"), []byte("%PDF"), 0o600))
	for _, inputs := range []record{{"html": "<p>x</p>"}, {"attachments": []any{"a.pdf"}}, {"text": "x"}} {
		inputs["to"] = []any{"bob@example.com"}
		out := d.exec(t, "email.send_email", inputs)
		require.Equal(t, true, out["success"], out["error"])
	}
	_, messages := p.taken()
	require.Contains(t, string(messages[0]), "Content-Type: text/html")
	require.NotContains(t, string(messages[0]), "text/plain")
	require.Contains(t, string(messages[1]), "application/pdf")
	require.NotContains(t, string(messages[2]), "multipart")
}

func TestWhatCannotBeSentIsReported(t *testing.T) {
	p := newProvider(t, plain)
	p.refuse["nobody@example.com"] = &smtp.SMTPError{Code: 550, Message: "no such user"}
	d := newDesk(t, p)
	require.NoError(t, os.WriteFile(filepath.Join(d.dir, "big"), make([]byte, 25<<20), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(d.dir, "a\nb"), nil, 0o600))
	many := strings.Repeat("a@example.com,", 100) + "a@example.com"
	tests := []struct {
		name   string
		inputs record
		want   string
	}{
		{"no address", record{"to": []any{""}}, "1 to 100 addresses"},
		{"too many addresses", record{"to": []any{many}}, "1 to 100 addresses"},
		{"no domain", record{"to": []any{"bob"}}, "no address"},
		{"no name of a domain", record{"to": []any{"bob@ex_ample"}}, "mail domain"},
		{"line end in an address", record{"to": []any{"bob@example.com\r\nBcc: eve@example.com"}}, "no address"},
		{"line end in a name", record{"cc": []any{"\"Bob\r\nBcc: eve@example.com\" <bob@example.com>"}}, "no address"},
		{"hidden line end in a name", record{"cc": []any{"=?UTF-8?Q?Bob=0D=0ABcc=3A_eve?= <bob@example.com>"}}, "no address"},
		{"folded list", record{"bcc": []any{"bob@example.com,\r\n eve@example.com"}}, "no address"},
		{"line end in the subject", record{"subject": "Hi\r\nBcc: eve@example.com"}, "line end"},
		{"bare line feed in the subject", record{"subject": "Hi\nX: y"}, "line end"},
		{"empty", record{"text": ""}, "is empty"},
		{"no such file", record{"attachments": []any{"missing"}}, "does not exist"},
		{"empty path", record{"attachments": []any{""}}, "path of an attachment is empty"},
		{"directory", record{"attachments": []any{"."}}, "no regular file"},
		{"line end in a file name", record{"attachments": []any{"a\nb"}}, "rename"},
		{"huge", record{"attachments": []any{"big"}}, "25 MiB"},
		{"huge text", record{"text": strings.Repeat("x", 25<<20+1)}, "25 MiB"},
		{"many files", record{"attachments": make([]any, 21)}, "20 attachments"},
		{"refused address", record{"to": []any{"nobody@example.com"}}, "no such user"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			inputs := record{"to": []any{"bob@example.com"}, "text": "hi"}
			for name, v := range tt.inputs {
				if list, ok := v.([]any); ok && len(list) > 20 {
					for i := range list {
						list[i] = "a"
					}
				}
				inputs[name] = v
			}
			out := d.exec(t, "email.send_email", inputs)
			require.Equal(t, false, out["success"])
			require.Nil(t, out["message_id"])
			require.Contains(t, out["error"], tt.want)
			require.NotContains(t, out["error"], "\n")
		})
	}
	_, messages := p.taken()
	require.Empty(t, messages)
}

func TestARefusedMessageIsReported(t *testing.T) {
	p := newProvider(t, plain)
	p.refuse["."] = &smtp.SMTPError{Code: 552, Message: "too big for me"}
	out := newDesk(t, p).exec(t, "email.send_email", record{"to": []any{"bob@example.com"}, "text": "hi"})
	require.Equal(t, false, out["success"])
	require.Contains(t, out["error"], "too big for me")
	require.NotContains(t, out["error"], "example.com", "the id of a message that does not exist says nothing")
	require.NotContains(t, out["error"], "unknown")
}

// sendStages are the client's commands while it sends mail, in order. After the last one
// the server may have accepted the message.
func sendStages() []string {
	return []string{"", "EHLO", "AUTH", "MAIL", "RCPT", "DATA", "\r\n.\r\n"}
}

func TestALostConnectionIsReported(t *testing.T) {
	for _, stage := range sendStages() {
		t.Run(strings.TrimSpace("at "+stage), func(t *testing.T) {
			p := newProvider(t, plain)
			d := newDesk(t, p)
			address, _ := cut(t, p.smtp, stage, false)
			d.variables["EMAIL_SMTP_URL"] = "smtp://" + address + "?tls=none"
			out := d.exec(t, "email.send_email", record{"to": []any{"bob@example.com"}, "text": "hi"})
			require.Equal(t, false, out["success"])
			require.Nil(t, out["message_id"])
			_, messages := p.taken()
			if stage == "\r\n.\r\n" {
				require.Contains(t, out["error"], "outcome unknown")
				require.Len(t, messages, 1, "it is never sent again")
				return
			}
			require.NotContains(t, out["error"], "unknown")
			require.Empty(t, messages)
		})
	}
}

func TestAMessageThatIsTakenIsSentWhateverComesThen(t *testing.T) {
	for _, then := range []string{"QUIT", "RSET"} {
		p := newProvider(t, plain)
		d := newDesk(t, p)
		address, _ := cut(t, p.smtp, then, true)
		d.variables["EMAIL_SMTP_URL"] = "smtp://" + address + "?tls=none"
		require.Equal(t, true, d.exec(t, "email.send_email", record{"to": []any{"bob@example.com"}, "text": "hi"})["success"])
	}
}

func TestASilentServerIsLeftWhenTimeIsUp(t *testing.T) {
	for _, stage := range sendStages() {
		t.Run(strings.TrimSpace("at "+stage), func(t *testing.T) {
			p := newProvider(t, plain)
			d := newDesk(t, p)
			address, stuck := cut(t, p.smtp, stage, true)
			d.variables["EMAIL_SMTP_URL"] = "smtp://" + address + "?tls=none"
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			go func() { <-stuck; cancel() }()
			inputs := record{"credential": account, "to": []any{"bob@example.com"}, "text": "hi"}
			out, err := d.ExecContext(ctx, "email.send_email", nil, inputs)
			if stage != "\r\n.\r\n" {
				require.Error(t, err)
				return
			}
			// A failure could be retried, and the message sent twice.
			require.NoError(t, err)
			require.Equal(t, false, out["success"])
			require.Contains(t, out["error"], "outcome unknown")
		})
	}
}

func TestNobodyAtTheServersAddress(t *testing.T) {
	p := newProvider(t, plain)
	d := newDesk(t, p)
	l := listen(t, plain, nil)
	require.NoError(t, l.Close())
	d.variables["EMAIL_SMTP_URL"] = "smtp://" + l.Addr().String() + "?tls=none"
	d.variables["EMAIL_IMAP_URL"] = "imap://" + l.Addr().String() + "?tls=none"
	out := d.exec(t, "email.send_email", record{"to": []any{"bob@example.com"}, "text": "hi"})
	require.Contains(t, out["error"], "connection refused")
	err := d.failure(t, "email.fetch_emails", record{})
	require.Equal(t, "unavailable", node.CodeOf(err))
	require.False(t, node.IsPermanent(err))
}
