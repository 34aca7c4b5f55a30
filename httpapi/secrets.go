package httpapi

import (
	"github.com/svcflow/svc/credentials"
	"github.com/svcflow/svc/credentials/network"
	"github.com/svcflow/svc/credentials/oauth"
	"github.com/svcflow/svc/credentials/server"
)

// secrets is how a service comes by credentials: from its sources, through what
// renews them.
type secrets struct {
	*server.Provider
	networks  network.Table
	refresher *oauth.Refresher
	logins    *oauth.Logins
	clients   oauth.Clients
}

// secrets opens the sources of credentials.
func (c *Config) secrets() (*secrets, error) {
	networks, err := network.Open(c.DataDir, c.Networks...)
	if err != nil {
		return nil, err
	}
	s := &secrets{networks: networks}
	if c.Credentials != nil {
		s.Provider = server.New(c.Credentials)
	} else if s.Provider, err = server.Open(server.Config{DataDir: c.DataDir, Networks: networks, Getenv: c.Getenv, Log: c.Log}); err != nil {
		return nil, err
	}
	clients := oauth.NewClients(networks, func(name string) string { v, _ := c.Getenv(name); return v }, nil)
	s.clients = clients
	s.refresher = oauth.NewRefresher(s.Provider, clients, c.Log)
	s.logins = oauth.NewLogins(s.Provider, clients, func(network string) string { return c.PublicURL + "/auth/" + network + "/callback" })
	if key, _ := c.secret(); key != "" && c.Logins != nil {
		s.logins.KeepIn(c.Logins, key)
	}
	return s, nil
}

// source is where nodes get credentials from.
func (s *secrets) source() credentials.Provider { return s.refresher }
