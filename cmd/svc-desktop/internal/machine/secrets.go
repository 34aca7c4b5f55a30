package machine

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/svcflow/svc/credentials"
	"github.com/svcflow/svc/credentials/client"
	"github.com/svcflow/svc/credentials/network"
	"github.com/svcflow/svc/credentials/oauth"
	"github.com/svcflow/svc/credentials/server"
	"github.com/svcflow/svc/ui/accounts"
)

// secrets are the accounts of this computer. The environment comes first, as for svc, so that
// the same workflows run; the keyring has all others.
type secrets struct {
	networks  network.Table
	sources   *server.Provider
	keyring   *client.Provider
	clients   oauth.Clients
	refresher *oauth.Refresher
	openURL   func(address string) error
}

var _ accounts.Source = (*secrets)(nil)

// openSecrets looks for a keyring. Without a keyring, exchange is the server that connects
// accounts; it may be nil.
func openSecrets(ctx context.Context, c *Config, networks network.Table, exchange client.Exchange) *secrets {
	s := &secrets{
		networks: networks,
		keyring: client.Open(ctx, client.Options{
			Dir: c.Folders.accounts(), Service: keyringName, Keyring: c.Keyring, Exchange: exchange,
		}),
		clients: oauth.NewClients(networks, c.getenv, c.Transport),
		openURL: c.OpenURL,
	}
	s.sources = server.New(&server.Environment{Networks: networks, Lookup: c.Getenv, Environ: c.Environ}, s.keyring)
	s.refresher = oauth.NewRefresher(s.sources, s.clients, c.Log)
	return s
}

// Accounts implements [accounts.Source].
func (s *secrets) Accounts(ctx context.Context) ([]credentials.Status, error) {
	infos, err := s.sources.List(ctx)
	if err != nil {
		return nil, err
	}
	statuses, err := s.sources.Statuses(ctx, time.Now())
	if err != nil {
		return nil, err
	}
	known := make(map[credentials.Ref]credentials.Status, len(statuses))
	for i := range statuses {
		known[statuses[i].Ref] = statuses[i]
	}
	list := make([]credentials.Status, 0, len(infos))
	for _, info := range infos {
		status, ok := known[info.Ref]
		if !ok && info.Source != string(client.OnServer) {
			continue // deleted since List
		}
		if !ok { // which renews what it stores
			status = info.Status(credentials.StateValid)
		}
		list = append(list, status)
	}
	return list, nil
}

// Networks implements [accounts.Source].
func (s *secrets) Networks() []string { return s.networks.Names() }

// Logins implements [accounts.Source].
func (s *secrets) Logins(name string) bool { return logins(s.networks, name) }

func logins(networks network.Table, name string) bool {
	n, _ := networks.Lookup(name)
	return n.Logins()
}

// Set implements [accounts.Source].
func (s *secrets) Set(ctx context.Context, ref credentials.Ref, c credentials.Credential) error {
	if !s.networks.Allows(ref) {
		return fmt.Errorf("no account can be called %s; choose another name", ref)
	}
	n, _ := s.networks.Lookup(ref.Network())
	if err := c.CheckFor(n); err != nil {
		return err
	}
	if err := s.sources.CheckWritable(ctx, ref); err != nil {
		return ofEnvironment(ref, err)
	}
	return s.keyring.Keep(ctx, ref, c)
}

// Connect implements [accounts.Source].
func (s *secrets) Connect(ctx context.Context, ref credentials.Ref, show func(address string)) error {
	if err := s.sources.CheckWritable(ctx, ref); err != nil {
		return ofEnvironment(ref, err)
	}
	return s.keyring.Login(ctx, ref, s.clients, oauth.Loopback{Open: s.openURL, ShowURL: show})
}

// Test implements [accounts.Source].
func (s *secrets) Test(ctx context.Context, ref credentials.Ref) error {
	_, err := s.refresher.Test(ctx, ref)
	return err
}

// Disconnect implements [accounts.Source].
func (s *secrets) Disconnect(ctx context.Context, ref credentials.Ref) error {
	return ofEnvironment(ref, s.refresher.Logout(ctx, ref))
}

// ofEnvironment words the error that an account of the environment cannot be changed. It
// leaves other errors unchanged.
func ofEnvironment(ref credentials.Ref, err error) error {
	if !errors.Is(err, credentials.ErrReadOnly) {
		return err
	}
	return fmt.Errorf("%w: %s is in the environment that the editor was started with; start it without %s to change that",
		credentials.ErrReadOnly, ref, network.Variable(ref))
}

// Storage implements [accounts.Source].
func (s *secrets) Storage() (text string, fine bool) {
	status := s.keyring.Status()
	return status.String(), status.Storage == client.InKeyring
}

// Retry implements [accounts.Source].
func (s *secrets) Retry(ctx context.Context) { s.keyring.Probe(ctx) }
