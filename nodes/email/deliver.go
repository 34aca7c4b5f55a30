package email

import (
	"context"
	"errors"
	"net"
	"net/textproto"
	"strconv"
	"strings"
	"time"

	gomail "github.com/wneessen/go-mail"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/nodes/service"
)

// deliver sends a message to the mail server, once. An error with the code outcome_unknown
// means that the server may have accepted it; any other, that it has not.
func (m mailer) deliver(ctx context.Context, o outbox, msg *gomail.Msg) error {
	conn, err := m.dial(ctx, o.server)
	if err != nil {
		return err
	}
	defer conn.Close()
	client, err := m.smtpClient(o, conn)
	if err != nil {
		return node.Errorf(node.CodeFailed, "the mail server cannot be used: %s", reason(err))
	}
	session, err := client.DialToSMTPClientWithContext(ctx)
	if err != nil {
		return notGreeted(o, err)
	}
	err = client.SendWithSMTPClient(session, msg)
	if !msg.IsDelivered() {
		return notDelivered(o, err)
	}
	// Whatever happens from here on, the message is sent.
	_ = conn.SetDeadline(time.Now().Add(goodbye))
	_ = session.Quit()
	return nil
}

const (
	// goodbye is how long the server may take to answer QUIT.
	goodbye = time.Second
	// patience is longer than any node may take: the context sets the real limit.
	patience = 1000 * time.Hour
	// introduction is the host name in EHLO. It hides the name of the machine; servers that
	// require a login accept any name.
	introduction = "[127.0.0.1]"
)

// smtpClient returns a client that talks over conn.
func (m mailer) smtpClient(o outbox, conn net.Conn) (*gomail.Client, error) {
	port, err := strconv.Atoi(o.server.port)
	if err != nil {
		return nil, err
	}
	policy := gomail.NoTLS // conn has it already, or goes without
	if o.server.security == startTLS {
		policy = gomail.TLSMandatory
	}
	auth := gomail.WithSMTPAuth(gomail.SMTPAuthXOAUTH2)
	switch {
	case o.login.oauth:
	case o.server.security == noTLS:
		auth = gomail.WithOpportunisticSMTPAuth(gomail.SMTPAuthPlainNoEnc, gomail.SMTPAuthLoginNoEnc)
	default:
		auth = gomail.WithOpportunisticSMTPAuth(gomail.SMTPAuthPlain, gomail.SMTPAuthLogin)
	}
	return gomail.NewClient(o.server.host, gomail.WithPort(port), gomail.WithHELO(introduction), gomail.WithTimeout(patience),
		gomail.WithTLSPolicy(policy), gomail.WithTLSConfig(m.tlsFor(o.server)), gomail.WithoutNoop(), gomail.WithoutRset(),
		auth, gomail.WithUsername(o.login.user), gomail.WithPassword(o.login.secret.Reveal()),
		gomail.WithDialContextFunc(func(context.Context, string, string) (net.Conn, error) { return conn, nil }))
}

// Answers to a login (RFC 4954 section 6).
const (
	mechanismTooWeak = 534
	loginInvalid     = 535
)

// notGreeted is the error of a session that failed before a message was sent.
func notGreeted(o outbox, err error) error {
	answer, answered := errors.AsType[*textproto.Error](err)
	switch {
	case answered && (answer.Code == loginInvalid || answer.Code == mechanismTooWeak):
		return loginRefused(o.login, answer.Msg)
	case answered:
		return node.Errorf(node.CodeFailed, "the mail server says: %s", oneLine(answer.Error()))
	}
	return unreachable(o.server, err)
}

// notDelivered is the error of a message that the server has not confirmed.
func notDelivered(o outbox, err error) error {
	failure, ok := errors.AsType[*gomail.SendError](err)
	switch {
	case !ok:
		return node.Errorf(node.CodeFailed, "the message was not sent: %s", reason(err))
	case failure.ErrorCode() != 0:
		said, _, _ := strings.Cut(failure.Error(), ", affected message ID") // of a message that was not sent
		return node.Errorf(node.CodeFailed, "the mail server refused the message: %s", oneLine(said))
	case failure.Reason == gomail.ErrSMTPDataClose:
		return permanent(service.CodeOutcomeUnknown, "outcome unknown: the connection to %s was lost after the message had been handed over; "+
			"it may have been sent, and is not sent again", o.server.host)
	}
	return unreachable(o.server, errors.New("the connection was lost before the message was complete; it was not sent"))
}
