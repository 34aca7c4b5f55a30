// Package oauth logs accounts in at networks that speak OAuth 2.0 and keeps their
// credentials valid: the authorization code flow with PKCE (RFC 6749, 7636, 9207,
// 9700), a login with the browser of this computer (RFC 8252), refresh, and
// revocation (RFC 7009).
//
// Which networks there are is a table, [Networks]; how each is set up comes from
// the environment, through [NewClients]. A server and a desktop both log in with
// [Client.Begin] and [Login.Finish]; [Loopback] puts these together for a program
// that runs where its user sits. Nodes get their credentials from a [Refresher].
//
// The package stores nothing: that is the matter of a credentials.Provider.
package oauth

import (
	"errors"
	"net"
	"net/url"
	"slices"
	"strings"
)

// PKCE says whether logins prove with a code verifier that the one who began them
// ends them.
type PKCE string

// The values of <NETWORK>_PKCE.
const (
	// PKCERequired sends an S256 challenge with each login.
	PKCERequired PKCE = "required"
	// PKCENever sends none, for networks that answer one with an error. It takes a
	// client secret.
	PKCENever PKCE = "never"
)

// AuthStyle says how a client with a secret proves who it is.
type AuthStyle string

// The values of <NETWORK>_AUTH_STYLE.
const (
	AuthBasic AuthStyle = "basic" // in the Authorization header (RFC 6749 section 2.3.1)
	AuthBody  AuthStyle = "body"  // in the form that is posted
)

// Network is one entry of the table of networks: what is known of it before
// anybody sets it up. Addresses that are empty here must be set in the
// environment, except RevokeURL, APIURL and Issuer.
type Network struct {
	Name      string // first part of its references, and of its variables in upper case
	AuthURL   string // where users log in and consent
	TokenURL  string // where codes and refresh tokens are traded
	RevokeURL string // where tokens are revoked; a network without it cannot be told of a logout
	APIURL    string // the only address that its access tokens are for
	Issuer    string // that it names in its answers (RFC 9207)
	Scopes    []string
	PKCE      PKCE
	AuthStyle AuthStyle
}

// Networks is the table. To add a network, add an entry.
func Networks() []Network {
	return []Network{
		{
			Name:   "pronet",
			Scopes: strings.Fields("openid profile email r_basicprofile r_organization_social w_organization_social"),
			PKCE:   PKCERequired, AuthStyle: AuthBody,
		},
		{
			Name:   "microblog",
			Scopes: strings.Fields("tweet.read tweet.write tweet.moderate.write users.read follows.read follows.write offline.access"),
			PKCE:   PKCERequired, AuthStyle: AuthBasic,
		},
	}
}

// AllNetworks returns the names of the table's networks and of others, sorted and
// each once.
func AllNetworks(others []string) []string {
	names := slices.Clone(others)
	for _, n := range Networks() {
		names = append(names, n.Name)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// variable names the environment variable of a setting, e.g. PRONET_CLIENT_ID.
func (n Network) variable(setting string) string {
	return strings.ToUpper(n.Name) + "_" + setting
}

// checkURL accepts what secrets may be sent to. Its error does not repeat text,
// which may be a secret in the wrong variable.
func checkURL(text string) error {
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Host == "" || u.User != nil || u.Fragment != "":
		return errors.New("is no address such as https://network.example/path")
	case u.Scheme == "https", u.Scheme == "http" && isLoopback(u.Hostname()):
		return nil
	}
	return errors.New("does not begin with https://")
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
