package email

import (
	"context"

	"github.com/emersion/go-imap/v2"
	"github.com/emersion/go-imap/v2/imapclient"
	"github.com/emersion/go-sasl"

	"github.com/svcflow/svc/credentials"
)

// withInbox calls use with a connection to where the mail of ref is read, and
// ends it.
func (m mailer) withInbox(ctx context.Context, ref credentials.Ref, use func(*imapclient.Client) error) error {
	return m.withNews(ctx, ref, nil, use)
}

// withNews is withInbox that calls news, unless it is nil, when the server says that
// something has changed in the mailbox that is open. It must be quick.
func (m mailer) withNews(ctx context.Context, ref credentials.Ref, news func(), use func(*imapclient.Client) error) error {
	srv, err := m.settings.server(ref, imapProtocol())
	if err != nil {
		return err
	}
	l, err := m.login(ctx, ref)
	if err != nil {
		return err
	}
	client, err := m.connect(ctx, srv, news)
	if err != nil {
		return readFailure(ctx, srv, err)
	}
	defer client.Close() //nolint:errcheck // all that was asked for is here, or its error
	if err = authenticate(client, l); err == nil {
		err = use(client)
	}
	return readFailure(ctx, srv, err)
}

// connect returns a client whose connection is secure but not logged in.
func (m mailer) connect(ctx context.Context, srv server, news func()) (*imapclient.Client, error) {
	conn, err := m.dial(ctx, srv)
	if err != nil {
		return nil, err
	}
	options := &imapclient.Options{}
	if news != nil {
		options.UnilateralDataHandler = &imapclient.UnilateralDataHandler{Mailbox: func(*imapclient.UnilateralDataMailbox) { news() }}
	}
	if srv.security == startTLS {
		options.TLSConfig = m.tlsFor(srv)
		return imapclient.NewStartTLS(conn, options)
	}
	client := imapclient.New(conn, options)
	if err := client.WaitGreeting(); err != nil {
		_ = client.Close() // the first error is the one to tell
		return nil, err
	}
	return client, nil
}

// authenticate logs in.
func authenticate(client *imapclient.Client, l login) error {
	var err error
	switch caps := client.Caps(); {
	case l.oauth:
		err = client.Authenticate(xoauth2(l))
	case caps.Has(imap.AuthCap(sasl.Plain)):
		err = client.Authenticate(sasl.NewPlainClient("", l.user, l.secret.Reveal()))
	default:
		err = client.Login(l.user, l.secret.Reveal()).Wait()
	}
	if answer, ok := asAnswer(err); ok && !isTemporary(answer) {
		return loginRefused(l, answer.Text)
	}
	return err
}

// bearer is the client side of XOAUTH2, with which Google and Microsoft take
// access tokens (https://developers.google.com/gmail/imap/xoauth2-protocol).
type bearer struct{ initial []byte }

func xoauth2(l login) sasl.Client {
	return bearer{[]byte("user=" + l.user + "\x01auth=Bearer " + l.secret.Reveal() + "\x01\x01")}
}

// Start implements [sasl.Client].
func (b bearer) Start() (mech string, initial []byte, err error) { return "XOAUTH2", b.initial, nil }

// Next implements [sasl.Client]. The only challenge is a refusal with its reason;
// an empty answer makes the server end the exchange.
func (b bearer) Next([]byte) ([]byte, error) { return []byte{}, nil }
