// Package network is the table of networks that accounts can belong to. Everything about
// a network follows from its entry: its references and variables, the hosts that may get
// its tokens, how its logins work, and its page in the manual.
//
// [Shipped] is the table that comes with Svc, and [Table.With] adds to it.
package network

import "cmp"

// Network is one entry of the table: the properties of a network that need no
// configuration. An entry must not be changed once it is in a table.
type Network struct {
	Name  string `json:"name"`  // first part of its references, and, in upper case, of its variables
	Label string `json:"label"` // name for people; Name if empty
	// Kind is what its accounts hold. Empty means [KindOAuth] for an entry with a TokenURL,
	// else [KindSecret].
	Kind Kind `json:"kind"`

	// How accounts are logged in. Addresses that are empty here must be set in the
	// environment, except RevokeURL, APIURL, ProfileURL and Issuer.
	AuthURL    string    `json:"authUrl"`    // where users log in and consent
	TokenURL   string    `json:"tokenUrl"`   // where codes and refresh tokens are exchanged
	RevokeURL  string    `json:"revokeUrl"`  // where tokens are revoked; if empty, a logout does not revoke them
	APIURL     string    `json:"apiUrl"`     // default address of its API
	ProfileURL string    `json:"profileUrl"` // accepts any valid token, for tests of accounts
	Issuer     string    `json:"issuer"`     // the iss parameter in its responses (RFC 9207)
	Scopes     []string  `json:"scopes"`
	PKCE       PKCE      `json:"pkce"`      // empty is [PKCERequired]
	AuthStyle  AuthStyle `json:"authStyle"` // empty is [AuthBody]
	// ScopeSeparator separates scopes in a login; empty means a space, as in the standard.
	// TokenType is the type of its tokens; empty means bearer.
	ScopeSeparator string `json:"scopeSeparator"`
	TokenType      string `json:"tokenType"`
	// AuthorizeParams are sent with each login, in addition to those of the standard.
	AuthorizeParams map[string]string `json:"authorizeParams"`

	// Hosts may receive its tokens, such as api.example.com.
	Hosts []string `json:"hosts"`

	// Settings are the variables that only this network's nodes read, without the
	// network's name: ROUTES is PRONET_ROUTES. AccountSettings are read for one account:
	// URN is PRONET_COMPANY_URN for pronet:company.
	Settings        []string `json:"settings"`
	AccountSettings []string `json:"accountSettings"`
}

// Kind says what the accounts of a network hold.
type Kind string

// The kinds of networks.
const (
	KindOAuth  Kind = "oauth2" // tokens from a login
	KindSecret Kind = "secret" // a text such as a password, stored by an operator
	KindAny    Kind = "any"    // a credential that itself sets its kind and its hosts
)

// PKCE says whether logins use a code verifier (RFC 7636).
type PKCE string

// The values of <NETWORK>_PKCE.
const (
	// PKCERequired sends an S256 challenge with each login.
	PKCERequired PKCE = "required"
	// PKCENever sends no challenge, for networks that reject one. It requires a client
	// secret.
	PKCENever PKCE = "never"
)

// AuthStyle is how a client with a secret authenticates.
type AuthStyle string

// The values of <NETWORK>_AUTH_STYLE.
const (
	AuthBasic AuthStyle = "basic" // in the Authorization header (RFC 6749 section 2.3.1)
	AuthBody  AuthStyle = "body"  // as fields of the form
)

// Logins reports whether accounts of the network are connected by a login.
func (n Network) Logins() bool { return n.Kind == KindOAuth }

// complete returns n with defaults for empty fields.
func (n Network) complete() Network {
	if n.Label == "" {
		n.Label = n.Name
	}
	if n.Kind == "" {
		n.Kind = KindSecret
		if n.TokenURL != "" {
			n.Kind = KindOAuth
		}
	}
	if n.PKCE == "" {
		n.PKCE = PKCERequired
	}
	if n.AuthStyle == "" {
		n.AuthStyle = AuthBody
	}
	n.ScopeSeparator = cmp.Or(n.ScopeSeparator, " ")
	n.TokenType = cmp.Or(n.TokenType, "bearer")
	return n
}
