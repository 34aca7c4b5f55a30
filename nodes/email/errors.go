package email

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"strings"
	"unicode"

	"github.com/emersion/go-imap/v2"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/nodes/service"
)

// readFailure makes a node error of a failure to read mail from srv.
func readFailure(ctx context.Context, srv server, err error) error {
	var known *node.Error
	answer, answered := asAnswer(err)
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &known):
		return known
	case !answered:
		return unreachable(srv, err)
	case answer.Code == imap.ResponseCodeNonExistent:
		return permanent(service.CodeNotFound, "the mail server says: %s", oneLine(answer.Text))
	case isTemporary(answer):
		return node.Errorf(node.CodeUnavailable, "the mail server says: %s", oneLine(answer.Text))
	}
	return node.Errorf(node.CodeFailed, "the mail server says: %s", oneLine(answer.Text))
}

// asAnswer returns the error answer of an IMAP server.
func asAnswer(err error) (*imap.Error, bool) { return errors.AsType[*imap.Error](err) }

func isTemporary(answer *imap.Error) bool {
	switch answer.Code {
	case imap.ResponseCodeUnavailable, imap.ResponseCodeInUse, imap.ResponseCodeLimit, imap.ResponseCodeServerBug:
		return true
	}
	return answer.Type == imap.StatusResponseTypeBye
}

// unreachable is the error of a connection that failed or broke.
func unreachable(srv server, err error) error {
	return &node.Error{Code: node.CodeUnavailable, Message: "the mail server " + srv.host + ": " + reason(err), Err: err}
}

// loginRefused is the error of a credential that the server refuses.
func loginRefused(l login, answer string) error {
	return permanent(node.CodeReauthorize, "the mail server does not accept the credential %q: %s; store a valid password or access token",
		l.ref, oneLine(answer))
}

// reason is the part of err that says what happened, without the addresses of
// machines.
func reason(err error) string {
	var dns *net.DNSError
	var cert *tls.CertificateVerificationError
	var op *net.OpError
	switch {
	case errors.As(err, &dns):
		return "its name cannot be resolved"
	case errors.As(err, &cert):
		return oneLine(cert.Unwrap().Error())
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return "it closed the connection"
	case errors.As(err, &op):
		return oneLine(op.Err.Error())
	}
	return oneLine(err.Error())
}

// longestReason bounds what messages quote of a server's answer, in bytes.
const longestReason = 300

// oneLine makes untrusted text fit for an error message.
func oneLine(text string) string { return printable(text[:min(len(text), longestReason)]) }

// printable returns text on one line, without unprintable characters.
func printable(text string) string {
	words := strings.FieldsFunc(strings.ToValidUTF8(text, ""), func(r rune) bool { return unicode.IsControl(r) || unicode.IsSpace(r) })
	return strings.Join(words, " ")
}

func hasControl(text string) bool { return strings.ContainsFunc(text, unicode.IsControl) }
