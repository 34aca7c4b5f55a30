package email

import (
	"context"
	"net"
	"net/mail"
	"net/netip"
	"net/url"
	"strings"

	"github.com/svcflow/svc/credentials"
	"github.com/svcflow/svc/credentials/network"
	"github.com/svcflow/svc/nodes/service"
)

// settings are the operator's variables.
type settings struct{ getenv func(name string) string }

// value returns a setting of an account and the variable that holds it: the
// account's own, else the one for all accounts. Without either, the name is that
// for all.
func (s settings) value(ref credentials.Ref, setting string) (text, variable string) {
	variable = network.Network{Name: group}.Variable(setting)
	if s.getenv == nil {
		return "", variable
	}
	own := network.AccountVariable(ref, setting)
	if text := strings.TrimSpace(s.getenv(own)); text != "" {
		return text, own
	}
	return strings.TrimSpace(s.getenv(variable)), variable
}

// security is how a connection is protected.
type security uint8

const (
	implicitTLS security = iota // from the first byte
	startTLS                    // before anything is said that matters
	noTLS                       // on this computer only
)

// server is a mail server of an account.
type server struct {
	host, port string
	security   security
}

func (s server) address() string { return net.JoinHostPort(s.host, s.port) }

// protocol is IMAP or SMTP.
type protocol struct {
	setting, scheme    string
	tlsPort, otherPort string
}

func imapProtocol() protocol { return protocol{"IMAP_URL", "imap", "993", "143"} }
func smtpProtocol() protocol { return protocol{"SMTP_URL", "smtp", "465", "587"} }

// server returns the server of an account for protocol p. Errors never repeat the
// variable's value, which may hold a password in the wrong place.
func (s settings) server(ref credentials.Ref, p protocol) (server, error) {
	text, variable := s.value(ref, p.setting)
	if text == "" {
		return server{}, permanent(service.CodeNotConfigured, "set %s to the mail server, for example %ss://%s.example.com", variable, p.scheme, p.scheme)
	}
	u, err := url.Parse(text)
	if err != nil || u.Hostname() == "" || u.User != nil || strings.Trim(u.Path, "/") != "" {
		return server{}, permanent(service.CodeNotConfigured, "%s is no address such as %ss://%s.example.com:%s", variable, p.scheme, p.scheme, p.tlsPort)
	}
	srv := server{host: u.Hostname(), port: u.Port()}
	if srv.security, err = p.security(u, variable); err != nil {
		return server{}, err
	}
	if srv.port == "" {
		srv.port = p.port(srv.security)
	}
	return srv, nil
}

// security returns the protection for the address u, which is the value of variable.
func (p protocol) security(u *url.URL, variable string) (security, error) {
	switch {
	case u.RawQuery == "" && u.Scheme == p.scheme+"s":
		return implicitTLS, nil
	case u.RawQuery == "" && u.Scheme == p.scheme:
		return startTLS, nil
	case u.Scheme == p.scheme && u.RawQuery == "tls=none" && isLoopback(u.Hostname()):
		return noTLS, nil
	case u.RawQuery != "":
		return 0, permanent(service.CodeNotConfigured, "%s: all that may stand behind the address is ?tls=none, after %s:// and a server on this computer", variable, p.scheme)
	}
	return 0, permanent(service.CodeNotConfigured, "%s begins neither with %ss:// nor with %s://", variable, p.scheme, p.scheme)
}

func (p protocol) port(s security) string {
	if s == implicitTLS {
		return p.tlsPort
	}
	return p.otherPort
}

func isLoopback(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback()
}

// sender returns the address that an account's messages come from.
func (s settings) sender(ref credentials.Ref) (*mail.Address, error) {
	text, variable := s.value(ref, "FROM")
	if text == "" {
		text, _ = s.value(ref, "USER")
	}
	from, err := mail.ParseAddress(text)
	if err != nil || hasControl(from.Name) || useASCII(from) != nil {
		return nil, permanent(service.CodeNotConfigured, "set %s to the address of the sender, for example Ann <ann@example.com>", variable)
	}
	return from, nil
}

// login has the name and secret of an account.
type login struct {
	ref    credentials.Ref
	user   string
	secret credentials.Secret
	oauth  bool // the secret is an access token
}

// login resolves the credential of an account.
func (m mailer) login(ctx context.Context, ref credentials.Ref) (login, error) {
	user, variable := m.settings.value(ref, "USER")
	if user == "" || hasControl(user) {
		return login{}, permanent(service.CodeNotConfigured, "set %s to the name that %s logs in with, which is often its address", variable, ref)
	}
	auth, variable := m.settings.value(ref, "AUTH")
	if auth != "" && auth != "password" && auth != "xoauth2" {
		return login{}, permanent(service.CodeNotConfigured, "%s is neither password nor xoauth2", variable)
	}
	c, err := m.secrets.Resolve(ctx, ref)
	if err != nil {
		return login{}, err
	}
	return login{ref: ref, user: user, secret: c.Access, oauth: auth == "xoauth2"}, nil
}
