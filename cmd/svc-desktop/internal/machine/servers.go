package machine

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/svcflow/svc/credentials"
	"github.com/svcflow/svc/credentials/client"
	"github.com/svcflow/svc/credentials/network"
	"github.com/svcflow/svc/engine/run"
	remote "github.com/svcflow/svc/httpapi/client"
	"github.com/svcflow/svc/ui/hosts"
)

// connectTimeout limits how long a server may take to answer when the user connects to it.
const connectTimeout = 15 * time.Second

// keyVariable is the environment variable with the key of Config.Server.
const keyVariable = "SVC_API_KEY"

// servers are the Svc servers of the user. Their keys are in the keyring under a separate
// name, out of reach of the list of accounts and of workflows.
type servers struct {
	near      media // of this computer
	list      list
	given     string // Config.Server, normalised
	givenErr  error
	givenKey  string
	transport http.RoundTripper
	networks  network.Table
	openURL   func(address string) error
	log       *slog.Logger
	keyring   client.Options

	mu   sync.Mutex
	keys *client.Provider // nil until the first key
}

var _ hosts.Servers = (*servers)(nil)

func newServers(c *Config, networks network.Table) *servers {
	s := &servers{
		list: list{path: c.Folders.servers()}, transport: c.Transport, networks: networks, openURL: c.OpenURL, log: c.Log,
		keyring: client.Options{Dir: c.Folders.keys(), Service: keyringName + ".servers", Keyring: c.Keyring},
	}
	if c.Server != "" {
		s.given, s.givenErr = cleanAddress(c.Server)
		s.givenKey = c.getenv(keyVariable)
	}
	return s
}

// exchange returns the server that the user has configured; nil without one.
func (s *servers) exchange() (client.Exchange, error) {
	if s.given == "" {
		return nil, s.givenErr
	}
	c, err := s.client(s.given, s.givenKey)
	if err != nil {
		return nil, err
	}
	return exchange{c}, nil
}

func (s *servers) client(address, key string) (*remote.Client, error) {
	return remote.New(remote.Config{URL: address, APIKey: key, Transport: s.transport})
}

// Known implements [hosts.Servers].
func (s *servers) Known() []string {
	known, err := s.list.read()
	if err != nil {
		s.log.Warn("the list of servers cannot be read", slog.Any("error", err))
	}
	if s.given != "" && !slices.Contains(known, s.given) {
		known = append(known, s.given)
	}
	return known
}

// Connect implements [hosts.Servers].
func (s *servers) Connect(ctx context.Context, address, key string) (hosts.Host, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, connectTimeout, fmt.Errorf("%w: it did not answer within %s", remote.ErrUnreachable, connectTimeout))
	defer cancel()
	address, err := cleanAddress(address)
	if err != nil {
		return hosts.Host{}, err
	}
	key = strings.TrimSpace(key) // a copied key may have white space
	given := key != ""
	if !given {
		key = s.key(ctx, address)
	}
	c, err := s.client(address, key)
	if err != nil {
		return hosts.Host{}, err
	}
	if err := check(ctx, c, key != "", given); err != nil {
		return hosts.Host{}, err
	}
	if err := s.keep(ctx, address, key, given); err != nil {
		s.log.Warn("the server will have to be entered again", slog.String("address", address), slog.Any("error", err))
	}
	look := func(ctx context.Context) error { return check(ctx, c, key != "", false) }
	return hosts.Host{URL: address, Backend: c, Accounts: remoteAccounts{exchange{c}, s.networks, s.openURL}, Look: look, Media: remoteMedia{c, s.near}}, nil
}

// check finds out whether a Svc server answers and accepts the key. hasKey reports whether
// there is a key, and entered whether the user has just entered it.
func check(ctx context.Context, c *remote.Client, hasKey, entered bool) error {
	_, err := c.Health(ctx)
	switch {
	case err != nil && ctx.Err() == nil && !errors.Is(err, remote.ErrUnreachable):
		return fmt.Errorf("there is no Svc server at %s; check the address, with the path at its end if the server has one", c.URL())
	case err != nil:
		return err
	}
	_, err = c.Runs(ctx, run.Query{Limit: 1})
	if !errors.Is(err, &remote.Error{Code: remote.CodeUnauthorized}) {
		return err
	}
	switch {
	case !hasKey:
		return fmt.Errorf("%s asks for an API key; enter the one that its operator gave you", c.URL())
	case !entered:
		return fmt.Errorf("%s no longer takes the API key that was kept; enter its new one", c.URL())
	}
	return fmt.Errorf("%s does not take this API key; enter the one that its operator gave you", c.URL())
}

// key returns the stored key of a server; "" without one.
func (s *servers) key(ctx context.Context, address string) string {
	if address == s.given && s.givenKey != "" {
		return s.givenKey
	}
	kept, err := s.provider(ctx).Credential(ctx, keyRef(address))
	if err != nil && !errors.Is(err, credentials.ErrNotFound) {
		s.log.Warn("the key of a server cannot be read", slog.String("address", address), slog.Any("error", err))
	}
	return kept.Access.Reveal()
}

// keep moves a server to the head of the list, and stores its key in the keyring if the user
// has entered it.
func (s *servers) keep(ctx context.Context, address, key string, entered bool) error {
	err := s.list.change(func(known []string) []string { return append([]string{address}, without(known, address)...) })
	if entered {
		c := credentials.Credential{Access: credentials.NewSecret(key)}
		err = errors.Join(err, s.provider(ctx).SetCredential(ctx, keyRef(address), c))
	}
	return err
}

// Forget implements [hosts.Servers].
func (s *servers) Forget(ctx context.Context, address string) error {
	clean, err := cleanAddress(address)
	if err != nil {
		clean = address // the user may have edited the list
	}
	return errors.Join(
		s.list.change(func(known []string) []string { return without(known, clean) }),
		s.provider(ctx).Delete(ctx, keyRef(clean)),
	)
}

// provider returns the store of keys. It opens it on demand, because the user may have to
// unlock the keyring.
func (s *servers) provider(ctx context.Context) *client.Provider {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.keys == nil {
		s.keys = client.Open(ctx, s.keyring)
	}
	return s.keys
}

// keyRef returns the name of a server's key: an address may have characters that are not
// allowed in names of accounts.
func keyRef(address string) credentials.Ref {
	sum := sha256.Sum256([]byte(address))
	return credentials.Ref("svc:" + hex.EncodeToString(sum[:16]))
}

func without(known []string, address string) []string {
	return slices.DeleteFunc(slices.Clone(known), func(s string) bool { return s == address })
}

// cleanAddress normalises an address of a server. Without a scheme it is http for this
// computer, and https for others.
func cleanAddress(address string) (string, error) {
	address = strings.TrimSpace(address)
	if address == "" {
		return "", errors.New("enter the address of the server, such as https://svc.example.org")
	}
	if !strings.Contains(address, "://") {
		scheme := "https://"
		if u, err := url.Parse(scheme + address); err == nil && isHere(u.Hostname()) {
			scheme = "http://"
		}
		address = scheme + address
	}
	c, err := remote.New(remote.Config{URL: address})
	if err != nil {
		return "", err
	}
	return c.URL(), nil
}

// isHere reports whether host is this computer.
func isHere(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback()
}
