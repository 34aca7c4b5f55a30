//go:build e2e

package email_test

import (
	"bytes"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/emersion/go-smtp"
	"github.com/stretchr/testify/require"
	"github.com/svcflow/svc/nodes/email/dovecottest"
)

// TestDovecot sends a message through an SMTP server into a real mailbox, reads it there
// and replies to it. The parsed message is compared with that of npm's mailparser. The test
// must run as root, and needs Dovecot with LMTP, node and npm.
func TestDovecot(t *testing.T) {
	parser := mailparser(t)
	for _, secure := range []security{startTLS, implicit} {
		d, p := newDovecot(t, secure)
		picture := bytes.Repeat([]byte{0, 0xff, '\r', '\n', '.'}, 50_000)
		require.NoError(t, os.WriteFile(filepath.Join(d.dir, "Bild größer.png"), picture, 0o600))

		sent := d.exec(t, "email.send_email", record{
			"to": []any{"Ann Ätzend <ann@example.com>"}, "subject": "Grüße aus 東京, mit einem Betreff, der nicht in eine Zeile paßt: 🎉🎉🎉",
			"text": "Zeile eins\n.\nFrom here: 5 €\n" + strings.Repeat("long ", 300), "html": "<p>5&nbsp;€ für <b>東京</b></p>",
			"attachments": []any{"Bild größer.png"},
		})
		require.Equal(t, true, sent["success"], sent["error"])
		read := d.arrives(t, sent["message_id"])
		require.Equal(t, "Grüße aus 東京, mit einem Betreff, der nicht in eine Zeile paßt: 🎉🎉🎉", read["subject"])
		attached := read["attachments"].([]any)[0].(record)
		require.Equal(t, "Bild größer.png", attached["filename"])
		saved, err := os.ReadFile(filepath.Join(d.dir, attached["path"].(string)))
		require.NoError(t, err)
		require.Equal(t, picture, saved)
		require.Empty(t, d.exec(t, "email.fetch_emails", record{"unread_only": true})["emails"])
		require.Equal(t, 1, d.exec(t, "email.fetch_emails", record{"query": "東京"})["count"])

		reply := d.exec(t, "email.reply_email", record{"id": read["id"], "text": "Danke für 東京", "reply_all": true})
		require.Equal(t, true, reply["success"], reply["error"])
		answer := d.arrives(t, reply["message_id"])
		require.Equal(t, "Re: "+read["subject"].(string), answer["subject"])
		require.Equal(t, sent["message_id"], answer["headers"].(record)["in-reply-to"])

		boxes := d.exec(t, "email.get_mailboxes", record{})["mailboxes"]
		require.Equal(t, []any{"Erledigt; Größeres", "INBOX"}, boxes)
		require.Equal(t, 0, d.exec(t, "email.fetch_emails", record{"mailbox": "Erledigt; Größeres"})["count"])

		_, messages := p.taken()
		parser.requireSame(t, messages[0], read, d.dir)
		parser.requireSame(t, messages[1], answer, d.dir)
	}
}

// arrives waits until the newest message is the one called messageID, and reads it.
func (d *desk) arrives(t *testing.T, messageID any) (read record) {
	t.Helper()
	require.Eventually(t, func() bool {
		list := d.exec(t, "email.fetch_emails", record{"limit": 1, "unread_only": true})["emails"].([]any)
		if len(list) == 0 {
			return false
		}
		read = d.exec(t, "email.read_email", record{"id": list[0].(record)["id"], "attachments_dir": "in", "mark_read": true})
		return read["message_id"] == messageID
	}, time.Minute, 50*time.Millisecond)
	return read
}

// parts is the output of testdata/mailparser.
type parts struct {
	Subject, Text, MessageID, InReplyTo string
	HTML                                any // false if the message has none
	References                          []string
	From, To                            []struct{ Name, Address string }
	Attachments                         []struct{ Filename, MIME, SHA256 string }
}

// parserDir is a directory with mailparser installed.
type parserDir string

// requireSame compares the output of email.read_email with that of mailparser.
func (p parserDir) requireSame(t *testing.T, message []byte, read record, dir string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "node", "parts.mjs")
	cmd.Dir, cmd.Stdin = string(p), bytes.NewReader(message)
	out, err := cmd.Output()
	require.NoError(t, err)
	var want parts
	require.NoError(t, json.Unmarshal(out, &want), string(out))

	require.Equal(t, want.Subject, read["subject"])
	require.Equal(t, want.MessageID, read["message_id"])
	require.Equal(t, want.From[0].Name+" <"+want.From[0].Address+">", read["from"])
	require.Equal(t, want.To[0].Name+" <"+want.To[0].Address+">", read["to"].([]any)[0])
	require.Equal(t, strings.TrimSpace(want.Text), strings.TrimSpace(read["text"].(string)))
	if want.HTML != false {
		require.Equal(t, want.HTML, read["html"])
	}
	headers := read["headers"].(record)
	for name, ids := range map[string]string{"in-reply-to": want.InReplyTo, "references": strings.Join(want.References, " ")} {
		got, _ := headers[name].(string)
		require.Equal(t, ids, got)
	}
	require.Len(t, read["attachments"], len(want.Attachments))
	for i, a := range read["attachments"].([]any) {
		a := a.(record)
		require.Equal(t, want.Attachments[i].Filename, a["filename"])
		require.Equal(t, want.Attachments[i].MIME, a["mime"])
		data, err := os.ReadFile(filepath.Join(dir, a["path"].(string)))
		require.NoError(t, err)
		sum := sha256.Sum256(data)
		require.Equal(t, want.Attachments[i].SHA256, hex.EncodeToString(sum[:]))
	}
}

// mailparser installs the parser.
func mailparser(t *testing.T) parserDir {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS("testdata/mailparser")))
	cmd := exec.CommandContext(t.Context(), "npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts")
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
	return parserDir(dir)
}

// newDovecot returns a desk whose mail is sent to a test SMTP server, which delivers it to
// Dovecot, and is read from Dovecot.
func newDovecot(t *testing.T, secure security) (*desk, *provider) {
	t.Helper()
	p := newProvider(t, secure)
	server, trust := certificate(t)
	address := func() string {
		l := listen(t, plain, nil)
		require.NoError(t, l.Close())
		return l.Addr().String()
	}
	imap, imaps, lmtp := address(), address(), address()
	startDovecot(t, server, map[string]string{"IMAP": port(t, imap), "IMAPS": port(t, imaps), "LMTP": port(t, lmtp), "PASSWORD": password})
	p.deliver = func(from string, to []string, message []byte) error {
		conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", lmtp)
		if err != nil {
			return err
		}
		defer conn.Close()
		return smtp.NewClientLMTP(conn).SendMail(from, to, bytes.NewReader(message))
	}
	d := newDeskWith(t, p, password, trust)
	d.variables["EMAIL_IMAP_URL"], d.variables["EMAIL_SMTP_URL"] = "imaps://"+imaps, "smtps://"+p.smtp
	if secure == startTLS {
		d.variables["EMAIL_IMAP_URL"], d.variables["EMAIL_SMTP_URL"] = "imap://"+imap, "smtp://"+p.smtp
	}
	return d, p
}

func port(t *testing.T, address string) string {
	t.Helper()
	_, port, err := net.SplitHostPort(address)
	require.NoError(t, err)
	return port
}

// startDovecot starts a server with testdata/dovecot.conf and ends it with the test.
func startDovecot(t *testing.T, config *tls.Config, names map[string]string) {
	t.Helper()
	dir := dovecottest.Dir(t)
	cert := config.Certificates[0]
	key, err := x509.MarshalPKCS8PrivateKey(cert.PrivateKey)
	require.NoError(t, err)
	writePEM(t, filepath.Join(dir, "cert.pem"), "CERTIFICATE", cert.Certificate[0])
	writePEM(t, filepath.Join(dir, "key.pem"), "PRIVATE KEY", key)
	dovecottest.Start(t, dir, "127.0.0.1:"+names["LMTP"], names)
}

func writePEM(t *testing.T, name, kind string, data []byte) {
	t.Helper()
	require.NoError(t, os.WriteFile(name, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: data}), 0o600))
}
