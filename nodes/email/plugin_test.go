package email_test

import (
	"crypto/tls"
	"io"
	"os"
	"path"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/credentials"
	"github.com/svcflow/svc/credentials/credentialstest"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/nodes/email"
	"github.com/svcflow/svc/nodes/nodetest"
)

type record = map[string]any

const account = value.Credential("email:main")

func TestSpecs(t *testing.T) { nodetest.Check(t, email.New(email.Config{})) }

func TestRandom(t *testing.T) {
	p := newProvider(t, plain)
	p.put(t, "INBOX", mixed)
	configs := map[string][]map[string]any{}
	for typ, inputs := range everyNode() {
		configs[typ] = []map[string]any{{"credential": account}, inputs}
	}
	configs["trigger.email"] = []map[string]any{{"credential": account, "mailbox": "INBOX", "query": "", "every": "1m"}}
	nodetest.Quick(t, email.New(newDesk(t, p).config), configs)
}

// rootFiles is a minimal file system for tests.
type rootFiles struct{ *os.Root }

func (rootFiles) Clean(name string) (string, error) { return path.Clean(name), nil }

func (rootFiles) Writer(f *os.File) io.Writer { return f }

// desk is a host of the nodes, with their variables, credential and directory.
type desk struct {
	*nodetest.Host

	config    email.Config
	variables map[string]string
	dir       string
}

// newDesk returns a desk for the user of p, with unencrypted connections.
func newDesk(t *testing.T, p *provider) *desk {
	t.Helper()
	return newDeskWith(t, p, password, nil)
}

func newDeskWith(t *testing.T, p *provider, secret string, config *tls.Config) *desk {
	t.Helper()
	d := &desk{dir: t.TempDir(), variables: map[string]string{
		"EMAIL_IMAP_URL": "imap://" + p.imap + "?tls=none", "EMAIL_SMTP_URL": "smtp://" + p.smtp + "?tls=none",
		"EMAIL_USER": user, "EMAIL_FROM": "Ann Ätzend <ann@example.com>",
	}}
	root, err := os.OpenRoot(d.dir)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, root.Close()) })
	d.config = email.Config{
		Credentials: credentialstest.NewMemory(credentialstest.Holding{account: {Access: credentials.NewSecret(secret)}}),
		Getenv:      func(name string) string { return d.variables[name] },
		Files:       rootFiles{root},
		TLS:         config,
	}
	d.Host = nodetest.New(t, email.New(d.config))
	return d
}

// exec calls a node with the account and requires success.
func (d *desk) exec(t *testing.T, typ string, inputs record) record {
	t.Helper()
	inputs["credential"] = account
	out, err := d.Exec(typ, nil, inputs)
	require.NoError(t, err)
	return out
}

// failure calls a node with the account and returns its error.
func (d *desk) failure(t *testing.T, typ string, inputs record) error {
	t.Helper()
	inputs["credential"] = account
	_, err := d.Exec(typ, nil, inputs)
	require.Error(t, err)
	return err
}

func TestNothingIsInReachOfTheZeroConfig(t *testing.T) {
	h := nodetest.New(t, email.New(email.Config{}))
	for typ, inputs := range everyNode() {
		_, err := h.Exec(typ, nil, inputs)
		require.Equal(t, "not_configured", node.CodeOf(err), typ)
		require.True(t, node.IsPermanent(err), typ)
	}
}

// everyNode returns inputs that each node accepts.
func everyNode() map[string]record {
	return map[string]record{
		"email.fetch_emails":  {"credential": account},
		"email.read_email":    {"credential": account, "id": "INBOX;1;1"},
		"email.send_email":    {"credential": account, "to": []any{"bob@example.com"}, "text": "hi"},
		"email.reply_email":   {"credential": account, "id": "INBOX;1;1", "text": "hi"},
		"email.get_mailboxes": {"credential": account},
	}
}

func TestSettings(t *testing.T) {
	tests := []struct {
		name, value, message string
	}{
		{"EMAIL_IMAP_URL", "", "EMAIL_IMAP_URL"},
		{"EMAIL_IMAP_URL", "imap.example.com", "EMAIL_IMAP_URL"},
		{"EMAIL_IMAP_URL", "https://imap.example.com", "imaps://"},
		{"EMAIL_IMAP_URL", "imaps://ann:geheim@imap.example.com", "imaps://imap.example.com:993"},
		{"EMAIL_IMAP_URL", "imaps://imap.example.com/INBOX", "no address"},
		{"EMAIL_IMAP_URL", "imap://imap.example.com?tls=none", "on this computer"},
		{"EMAIL_IMAP_URL", "imaps://127.0.0.1?tls=none", "tls=none"},
		{"EMAIL_IMAP_URL", "imap://127.0.0.1?tls=maybe", "tls=none"},
		{"EMAIL_MAIN_IMAP_URL", "smtp://127.0.0.1", "EMAIL_MAIN_IMAP_URL"},
		{"EMAIL_USER", "", "EMAIL_USER"},
		{"EMAIL_AUTH", "kerberos", "xoauth2"},
	}
	p := newProvider(t, plain)
	for _, tt := range tests {
		t.Run(tt.name+"="+tt.value, func(t *testing.T) {
			d := newDesk(t, p)
			d.variables[tt.name] = tt.value
			err := d.failure(t, "email.get_mailboxes", record{})
			require.Equal(t, "not_configured", node.CodeOf(err))
			require.ErrorContains(t, err, tt.message)
			require.NotContains(t, err.Error(), "geheim")
		})
	}
}

func TestSenderHasToBeAnAddress(t *testing.T) {
	p := newProvider(t, plain)
	d := newDesk(t, p)
	d.variables["EMAIL_FROM"] = "Ann"
	err := d.failure(t, "email.send_email", record{"to": []any{"bob@example.com"}, "text": "hi"})
	require.Equal(t, "not_configured", node.CodeOf(err))

	d.variables["EMAIL_FROM"] = "Ann <ann@bücher.example>"
	sent := d.exec(t, "email.send_email", record{"to": []any{"bob@example.com"}, "text": "hi"})
	require.Regexp(t, `@xn--bcher-kva\.example>$`, sent["message_id"])

	d.variables["EMAIL_FROM"] = "" // the user name is an address
	require.Equal(t, true, d.exec(t, "email.send_email", record{"to": []any{"bob@example.com"}, "text": "hi"})["success"])
}

func TestAnAccountHasSettingsOfItsOwn(t *testing.T) {
	p := newProvider(t, plain)
	d := newDesk(t, p)
	d.variables["EMAIL_MAIN_IMAP_URL"] = d.variables["EMAIL_IMAP_URL"]
	d.variables["EMAIL_IMAP_URL"] = "imaps://imap.invalid"
	require.Equal(t, []any{"INBOX"}, d.exec(t, "email.get_mailboxes", record{})["mailboxes"])
}

func TestConnections(t *testing.T) {
	tests := []struct {
		name           string
		security       security
		suffix, secret string
		auth           string
	}{
		{"password over TLS", implicit, "s", password, "password"},
		{"password after STARTTLS", startTLS, "", password, ""},
		{"token over TLS", implicit, "s", token, "xoauth2"},
		{"token after STARTTLS", startTLS, "", token, "xoauth2"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := newProvider(t, tt.security)
			_, trust := certificate(t)
			d := newDeskWith(t, p, tt.secret, trust)
			d.variables["EMAIL_IMAP_URL"], d.variables["EMAIL_SMTP_URL"] = "imap"+tt.suffix+"://"+p.imap, "smtp"+tt.suffix+"://"+p.smtp
			d.variables["EMAIL_AUTH"] = tt.auth
			sent := d.exec(t, "email.send_email", record{"to": []any{"bob@example.com"}, "text": "hi"})
			require.Equal(t, true, sent["success"], sent["error"])
			require.Equal(t, 1, d.exec(t, "email.fetch_emails", record{})["count"])
		})
	}
}

func TestConnectionsAreSecureOrNotMade(t *testing.T) {
	tests := []struct {
		name     string
		security security
		suffix   string
		trusted  bool
	}{
		{"no STARTTLS", plain, "", true},
		{"no TLS", plain, "s", true},
		{"unknown certificate", implicit, "s", false},
		{"unknown certificate after STARTTLS", startTLS, "", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := newProvider(t, tt.security)
			var config *tls.Config
			if tt.trusted {
				_, config = certificate(t)
			}
			d := newDeskWith(t, p, password, config)
			d.variables["EMAIL_IMAP_URL"], d.variables["EMAIL_SMTP_URL"] = "imap"+tt.suffix+"://"+p.imap, "smtp"+tt.suffix+"://"+p.smtp
			require.Error(t, d.failure(t, "email.get_mailboxes", record{}))
			sent := d.exec(t, "email.send_email", record{"to": []any{"bob@example.com"}, "text": "hi"})
			require.Equal(t, false, sent["success"])
			_, messages := p.taken()
			require.Empty(t, messages)
		})
	}
}

func TestARefusedCredentialFailsEveryNode(t *testing.T) {
	p := newProvider(t, plain)
	for _, auth := range []string{"password", "xoauth2"} {
		d := newDeskWith(t, p, "Wr0ngSecret", nil)
		d.variables["EMAIL_AUTH"] = auth
		for typ, inputs := range everyNode() {
			_, err := d.Exec(typ, nil, inputs)
			require.Equal(t, "reauthorize", node.CodeOf(err), "%s %s: %v", typ, auth, err)
			require.True(t, node.IsPermanent(err), typ)
			require.NotContains(t, err.Error(), "Wr0ngSecret", typ)
		}
	}
}

func TestAnUnknownAccountFailsEveryNode(t *testing.T) {
	p := newProvider(t, plain)
	d := newDesk(t, p)
	for typ, inputs := range everyNode() {
		inputs["credential"] = value.Credential("email:other")
		_, err := d.Exec(typ, nil, inputs)
		require.Equal(t, "unknown_credential", node.CodeOf(err), typ)
		require.ErrorContains(t, err, "EMAIL_OTHER", typ)
	}
}
