package credentials

import (
	"net/url"
	"slices"
	"strings"
)

// Kind says what a credential is made of, and how it is sent.
type Kind string

// The kinds of credentials. The empty kind is a bare text.
const (
	KindBearer            Kind = "bearer"             // Authorization: Bearer
	KindBasic             Kind = "basic"              // a user and a password (RFC 7617)
	KindHeader            Kind = "header"             // the value of a header
	KindQuery             Kind = "query"              // the value of a parameter in the query
	KindOAuth             Kind = "oauth2"             // a token from a login
	KindClientCredentials Kind = "client_credentials" // a secret that is exchanged for tokens
	KindPassword          Kind = "password"           // for protocols other than HTTP
	KindHMAC              Kind = "hmac"               // a signing key
	KindKey               Kind = "key"                // a private key in PEM
	KindDSN               Kind = "dsn"                // the address of a database
)

// Field is a field of a kind of credential, by its name in JSON.
type Field struct {
	Name     string
	Secret   bool // hidden in input forms
	Optional bool
	List     bool // words separated by spaces
}

// Kinds returns the kinds that users can choose, the most usual first.
func Kinds() []Kind {
	return []Kind{
		KindBearer, KindBasic, KindHeader, KindQuery, KindOAuth, KindClientCredentials, KindPassword, KindHMAC, KindKey, KindDSN,
	}
}

// Fields returns the fields of the kind except hosts, in the order of input forms; nil
// for an unknown kind.
func (k Kind) Fields() []Field {
	secret := func(name string) Field { return Field{Name: name, Secret: true} }
	switch k {
	case KindBearer:
		return []Field{secret("access_token")}
	case KindBasic:
		return []Field{{Name: "username", Optional: true}, {Name: "password", Secret: true, Optional: true}}
	case KindHeader, KindQuery:
		return []Field{{Name: "name"}, secret("value")}
	case KindOAuth:
		return []Field{secret("access_token"), {Name: "refresh_token", Secret: true, Optional: true}, {Name: "expires_at", Optional: true}, {Name: "scope", Optional: true, List: true}}
	case KindClientCredentials:
		return []Field{{Name: "token_url"}, {Name: "client_id"}, secret("client_secret"), {Name: "scopes", Optional: true, List: true}}
	case KindPassword:
		return []Field{{Name: "username", Optional: true}, secret("password")}
	case KindHMAC:
		return []Field{secret("secret")}
	case KindKey:
		return []Field{secret("pem")}
	case KindDSN:
		return []Field{secret("dsn")}
	}
	return nil
}

// Sent reports whether credentials of the kind are sent with HTTP requests, and therefore
// need hosts.
func (k Kind) Sent() bool {
	switch k {
	case "", KindBearer, KindBasic, KindHeader, KindQuery, KindOAuth, KindClientCredentials:
		return true
	}
	return false
}

// Secrets returns every text of c that must not be shown.
func (c Credential) Secrets() []Secret {
	all := []Secret{c.Access, c.Refresh, c.Client.Secret}
	switch c.Kind {
	case KindBasic: // without a password, the user is a key
		if c.Access.IsZero() {
			all = append(all, NewSecret(c.User))
		}
	case KindKey: // a log may contain single lines
		for line := range strings.Lines(c.Access.Reveal()) {
			if line = strings.TrimSpace(line); !strings.HasPrefix(line, "-----") {
				all = append(all, NewSecret(line))
			}
		}
	case KindDSN:
		if u, err := url.Parse(c.Access.Reveal()); err == nil {
			password, _ := u.User.Password()
			all = append(all, NewSecret(password))
		}
	}
	return slices.DeleteFunc(all, Secret.IsZero)
}
