package email_test

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"log"
	"net"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/emersion/go-imap/v2"
	"github.com/emersion/go-imap/v2/imapserver"
	"github.com/emersion/go-imap/v2/imapserver/imapmemserver"
	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"
	"github.com/stretchr/testify/require"
)

const (
	user     = "ann@example.com"
	password = "pässword"
	token    = "token-1"
)

// provider is a mail provider on a loopback address. Mail that is sent by SMTP, to any
// address, arrives in the mailbox of its only user, which can be read by IMAP.
type provider struct {
	user *imapmemserver.User
	// imap and smtp are the addresses of its servers.
	imap, smtp string

	mu         sync.Mutex
	recipients [][]string // of each accepted message
	messages   [][]byte
	hello      string           // the name in the last client's EHLO
	refuse     map[string]error // errors by recipient, or by "." for the whole message

	// deliver handles accepted messages; by default it stores them in the user's mailbox.
	deliver func(from string, to []string, message []byte) error
}

// security is how connections to a provider are encrypted.
type security int

const (
	plain security = iota
	startTLS
	implicit
)

// newProvider starts a provider that ends with the test.
func newProvider(t *testing.T, s security) *provider {
	t.Helper()
	p := &provider{user: imapmemserver.NewUser(user, password), refuse: map[string]error{}}
	require.NoError(t, p.user.Create("INBOX", nil))
	p.deliver = func(_ string, _ []string, message []byte) error {
		_, err := p.user.Append("INBOX", literal{bytes.NewReader(message)}, &imap.AppendOptions{})
		return err
	}
	server, _ := certificate(t)
	p.serveIMAP(t, s, server)
	p.serveSMTP(t, s, server)
	return p
}

// certificate returns the TLS configurations of both sides of a connection to 127.0.0.1.
func certificate(t *testing.T) (server, client *tls.Config) {
	t.Helper()
	s := httptest.NewTLSServer(nil)
	defer s.Close()
	pool := x509.NewCertPool()
	pool.AddCert(s.Certificate())
	return &tls.Config{Certificates: s.TLS.Certificates, MinVersion: tls.VersionTLS12}, &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}
}

func listen(t *testing.T, s security, config *tls.Config) net.Listener {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	if s == implicit {
		l = tls.NewListener(l, config)
	}
	return l
}

func (p *provider) serveIMAP(t *testing.T, s security, config *tls.Config) {
	mem := imapmemserver.New()
	mem.AddUser(p.user)
	options := &imapserver.Options{
		NewSession: func(*imapserver.Conn) (imapserver.Session, *imapserver.GreetingData, error) {
			return imapSession{mem.NewSession()}, nil, nil
		},
		Caps:         imap.CapSet{imap.CapIMAP4rev1: {}, imap.CapSASLIR: {}},
		InsecureAuth: s == plain,
		Logger:       log.New(io.Discard, "", 0),
	}
	if s == startTLS {
		options.TLSConfig = config
	}
	server := imapserver.New(options)
	l := listen(t, s, config)
	p.imap = l.Addr().String()
	serve(t, func() error { return server.Serve(l) }, l, server)
}

func (p *provider) serveSMTP(t *testing.T, s security, config *tls.Config) {
	server := smtp.NewServer(smtp.BackendFunc(func(c *smtp.Conn) (smtp.Session, error) {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.hello = c.Hostname()
		return &smtpSession{provider: p}, nil
	}))
	server.AllowInsecureAuth, server.MaxMessageBytes = s == plain, 64<<20
	server.ErrorLog = log.New(io.Discard, "", 0)
	if s == startTLS {
		server.TLSConfig = config
	}
	l := listen(t, s, config)
	p.smtp = l.Addr().String()
	serve(t, func() error { return server.Serve(l) }, l, server)
}

// serve runs a server until the test ends, and then closes its listener and other closers.
func serve(t *testing.T, run func() error, closers ...io.Closer) {
	var wg sync.WaitGroup
	wg.Go(func() { _ = run() })
	t.Cleanup(func() {
		for _, c := range closers {
			_ = c.Close()
		}
		wg.Wait()
	})
}

// put stores a message in a mailbox.
func (p *provider) put(t *testing.T, mailbox, message string, flags ...imap.Flag) {
	t.Helper()
	message = strings.ReplaceAll(message, "\n", "\r\n")
	options := &imap.AppendOptions{Time: time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC), Flags: flags}
	_, err := p.user.Append(mailbox, literal{bytes.NewReader([]byte(message))}, options)
	require.NoError(t, err)
}

type literal struct{ *bytes.Reader }

// taken returns the messages that the SMTP server has accepted.
func (p *provider) taken() (recipients [][]string, messages [][]byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.recipients, p.messages
}

// imapSession adds XOAUTH2.
type imapSession struct{ imapserver.Session }

func (imapSession) AuthenticateMechanisms() []string { return []string{sasl.Plain, "XOAUTH2"} }

func (s imapSession) Authenticate(mech string) (sasl.Server, error) {
	return mechanism(mech, s.Login, imapserver.ErrAuthFailed), nil
}

// mechanism is the server side of PLAIN and XOAUTH2.
func mechanism(mech string, login func(user, password string) error, refused error) sasl.Server {
	if mech == sasl.Plain {
		return sasl.NewPlainServer(func(_, user, password string) error { return login(user, password) })
	}
	return &xoauth2Server{login: login, refused: refused}
}

type xoauth2Server struct {
	login   func(user, password string) error
	refused error
	told    bool
}

func (s *xoauth2Server) Next(response []byte) (challenge []byte, done bool, err error) {
	switch {
	case s.told:
		return nil, false, s.refused
	case string(response) == "user="+user+"\x01auth=Bearer "+token+"\x01\x01":
		return nil, true, s.login(user, password)
	}
	s.told = true
	return []byte(`{"status":"400"}`), false, nil
}

type smtpSession struct {
	*provider

	in   bool
	from string
	to   []string
}

func (*smtpSession) AuthMechanisms() []string { return []string{sasl.Plain, "XOAUTH2"} }

func (s *smtpSession) Auth(mech string) (sasl.Server, error) {
	login := func(u, p string) error {
		if s.in = u == user && p == password; !s.in {
			return smtp.ErrAuthFailed
		}
		return nil
	}
	return mechanism(mech, login, smtp.ErrAuthFailed), nil
}

func (s *smtpSession) Mail(from string, _ *smtp.MailOptions) error {
	s.from = from
	if !s.in {
		return smtp.ErrAuthRequired
	}
	return nil
}

func (s *smtpSession) Rcpt(to string, _ *smtp.RcptOptions) error {
	s.to = append(s.to, to)
	return s.refuse[to]
}

func (s *smtpSession) Data(r io.Reader) error {
	data, err := io.ReadAll(r)
	if err != nil || s.refuse["."] != nil {
		return errors.Join(err, s.refuse["."])
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.recipients, s.messages = append(s.recipients, s.to), append(s.messages, data)
	return s.deliver(s.from, s.to, data)
}

func (*smtpSession) Reset() {}

func (*smtpSession) Logout() error { return nil }
