package oauth

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/svcflow/svc/credentials"
	"github.com/svcflow/svc/credentials/network"
)

// Clients are the OAuth clients of all networks. Make them with [NewClients]. They
// are safe for concurrent use.
type Clients struct {
	byNetwork map[string]configured
	networks  network.Table
	transport http.RoundTripper
}

type configured struct {
	client *Client
	err    error
}

// NewClients reads how the networks are set up. getenv is os.Getenv except in
// tests. For a network called pronet it reads
//
//	PRONET_CLIENT_ID       what the network calls this installation; required
//	PRONET_CLIENT_SECRET   if it gave one
//	PRONET_AUTH_STYLE      how the secret is sent: basic or body
//	PRONET_AUTH_URL        where users log in; required if the table has no default
//	PRONET_TOKEN_URL       where codes are traded for tokens; likewise
//	PRONET_REVOKE_URL      where tokens are revoked
//	PRONET_ISSUER          what it must call itself in its answers
//	PRONET_SCOPES          instead of those of the table, separated by spaces
//	PRONET_PKCE            required or never
//	PRONET_REDIRECT_PORTS  the ports of 127.0.0.1 that are registered at the network for
//	                       logins on a desktop, separated by commas; none: any port
//
// An empty variable counts as not set. Mistakes are reported by
// [Clients.Client], so that one network does not hinder the others. transport
// carries all requests; nil is http.DefaultTransport.
func NewClients(networks network.Table, getenv func(string) string, transport http.RoundTripper) Clients {
	clients := Clients{map[string]configured{}, networks, transport}
	for _, name := range networks.WithLogins() {
		entry, _ := networks.Lookup(name)
		client, err := newClient(entry, getenv)
		if err == nil {
			client.transport = transport
		}
		clients.byNetwork[name] = configured{client, err}
	}
	return clients
}

// Client returns the client of network. Errors are [ErrUnknownNetwork], and
// [ErrNotConfigured] with the names of all variables to set or to correct.
func (c Clients) Client(network string) (*Client, error) {
	found, ok := c.byNetwork[network]
	if !ok {
		return nil, ErrUnknownNetwork
	}
	return found.client, found.err
}

// newClient reads the settings of one network.
func newClient(n network.Network, getenv func(string) string) (*Client, error) {
	s := settings{network: n, getenv: getenv}
	c := &Client{
		Network:       n.Name,
		ClientID:      s.required(network.SettingClientID, ""),
		ClientSecret:  credentials.NewSecret(s.text(network.SettingClientSecret, "")),
		AuthURL:       s.address(network.SettingAuthURL, s.required(network.SettingAuthURL, n.AuthURL)),
		TokenURL:      s.address(network.SettingTokenURL, s.required(network.SettingTokenURL, n.TokenURL)),
		RevokeURL:     s.address(network.SettingRevokeURL, s.text(network.SettingRevokeURL, n.RevokeURL)),
		Issuer:        s.text(network.SettingIssuer, n.Issuer),
		Scopes:        strings.Fields(s.text(network.SettingScopes, strings.Join(n.Scopes, " "))),
		PKCE:          network.PKCE(s.oneOf(network.SettingPKCE, string(n.PKCE), string(network.PKCERequired), string(network.PKCENever))),
		AuthStyle:     network.AuthStyle(s.oneOf(network.SettingAuthStyle, string(n.AuthStyle), string(network.AuthBasic), string(network.AuthBody))),
		RedirectPorts: s.ports(network.SettingRedirectPorts),
		entry:         n,
	}
	if c.PKCE == network.PKCENever && c.ClientSecret.IsZero() {
		s.problem(network.SettingClientSecret, "must be set when "+n.Variable(network.SettingPKCE)+" is never")
	}
	return c, s.err()
}

// settings reads variables and collects the mistakes in them.
type settings struct {
	network  network.Network
	getenv   func(string) string
	missing  []string
	problems []string
}

func (s *settings) text(name, otherwise string) string {
	if text := strings.TrimSpace(s.getenv(s.network.Variable(name))); text != "" {
		return text
	}
	return otherwise
}

func (s *settings) required(name, otherwise string) string {
	text := s.text(name, otherwise)
	if text == "" {
		s.missing = append(s.missing, s.network.Variable(name))
	}
	return text
}

// address checks the value of a setting.
func (s *settings) address(name, text string) string {
	if text == "" {
		return ""
	}
	if err := network.CheckAddress(text); err != nil {
		s.problem(name, err.Error())
	}
	return text
}

func (s *settings) oneOf(name, otherwise, first, second string) string {
	text := s.text(name, otherwise)
	if text != first && text != second {
		s.problem(name, "is neither "+first+" nor "+second)
	}
	return text
}

func (s *settings) ports(name string) []int {
	var ports []int
	for field := range strings.FieldsFuncSeq(s.text(name, ""), func(r rune) bool { return r == ',' || r == ' ' }) {
		port, err := strconv.ParseUint(field, 10, 16)
		if err != nil || port == 0 {
			s.problem(name, "is no list of ports such as 8085,8086")
			return nil
		}
		ports = append(ports, int(port))
	}
	return ports
}

func (s *settings) problem(name, what string) {
	s.problems = append(s.problems, s.network.Variable(name)+" "+what)
}

func (s *settings) err() error {
	var errs []string
	if len(s.missing) > 0 {
		errs = append(errs, "set "+strings.Join(s.missing, ", "))
	}
	errs = append(errs, s.problems...)
	if len(errs) == 0 {
		return nil
	}
	return fmt.Errorf("%w: %s: %w", ErrNotConfigured, s.network.Name, errors.New(strings.Join(errs, "; ")))
}
