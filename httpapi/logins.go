package httpapi

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/svcflow/svc/credentials"
	"github.com/svcflow/svc/credentials/network"
	"github.com/svcflow/svc/credentials/oauth"
	"github.com/svcflow/svc/credentials/server"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/httpapi/internal/problem"
)

// callbackPath is the path to which networks redirect browsers. It needs no key.
const callbackPath = "/auth/{network}/callback"

// beginLogin answers POST /auth/{network}/login.
func (s *Service) beginLogin(a *answer, r *http.Request) error {
	text, err := s.body(a, r)
	if err != nil {
		return err
	}
	account, err := decodeAccount(text)
	if err != nil {
		return err
	}
	if s.publicURL == "" {
		return problem.New(http.StatusConflict, problem.CodeNotConfigured,
			"the service does not know its own address, to which the network sends the browser back; set SVC_PUBLIC_URL (Config.PublicURL)")
	}
	ref, err := credentials.ParseRef(a.wildcards[0] + ":" + account)
	if err != nil {
		return problem.InvalidParameter("an account is named by up to 64 lower-case letters, digits, - and _, such as main")
	}
	a.subject = string(ref)
	begun, err := s.secrets.logins.Begin(r.Context(), ref)
	if err != nil {
		return err
	}
	return a.json(http.StatusOK, begun)
}

// decodeAccount reads {"account":"main"}, which is also the default for an empty text.
func decodeAccount(text []byte) (account string, err error) {
	account = "main"
	if len(text) == 0 {
		return account, nil
	}
	err = value.Read(text, func(r *value.Reader) error {
		return r.Object(0, []string{"account"}, func(string) (err error) {
			account, err = r.Text()
			return err
		})
	})
	return account, err
}

// getLogin answers GET /auth/{network}/logins/{loginId}.
func (s *Service) getLogin(a *answer, r *http.Request) error {
	outcome, err := s.secrets.logins.Outcome(r.Context(), a.wildcards[0], a.wildcards[1])
	if err != nil {
		return err
	}
	return a.json(http.StatusOK, outcome)
}

// finishLogin answers GET /auth/{network}/callback. The browser has no key: the one-time state
// proves that a caller with the key began the login.
func (s *Service) finishLogin(a *answer, r *http.Request) error {
	err := s.secrets.logins.Finish(r.Context(), a.wildcards[0], r.URL.Query())
	if err != nil && !wantsHTML(r) {
		return err
	}
	if err != nil {
		a.code = problem.Of(err).Code
	}
	oauth.WritePage(a, err)
	return nil
}

// listCredentials answers GET /credentials. The answer contains no secrets.
func (s *Service) listCredentials(a *answer, r *http.Request) error {
	statuses, err := s.secrets.Statuses(r.Context(), time.Now())
	if err != nil {
		return err
	}
	return a.json(http.StatusOK, statuses)
}

// putCredential answers PUT /credentials/{ref} with a credential in its JSON form.
func (s *Service) putCredential(a *answer, r *http.Request) error {
	ref, err := s.account(a)
	if err != nil {
		return err
	}
	text, err := s.body(a, r)
	if err != nil {
		return err
	}
	object := strings.TrimSpace(string(text))
	if !strings.HasPrefix(object, "{") {
		return fmt.Errorf("%w: send an object such as {\"kind\":\"bearer\",\"access_token\":\"…\",\"hosts\":[\"api.example.com\"]}", credentials.ErrMalformed)
	}
	c, err := credentials.Parse(object)
	if err == nil {
		n, _ := s.secrets.networks.Lookup(ref.Network())
		err = c.CheckFor(n)
	}
	if err != nil {
		return fmt.Errorf("%w: %w", credentials.ErrMalformed, err)
	}
	unlock, err := s.secrets.Lock(r.Context(), ref) // a pending renewal of the old credential must not overwrite it
	if err != nil {
		return err
	}
	defer unlock()
	if err := s.secrets.SetCredential(r.Context(), ref, c); err != nil {
		return err
	}
	a.WriteHeader(http.StatusNoContent)
	return nil
}

// account returns the reference in the path, if it is valid for an account.
func (s *Service) account(a *answer) (credentials.Ref, error) {
	ref, err := credentials.ParseRef(a.wildcards[0])
	if err != nil {
		return "", problem.New(http.StatusNotFound, problem.CodeNotFound, "no credential can have this reference; it is written network:account")
	}
	if _, ok := s.secrets.networks.Lookup(ref.Network()); !ok {
		return "", problem.New(http.StatusNotFound, problem.CodeUnknownNetwork, "there is no such network")
	}
	if !s.secrets.networks.Allows(ref) {
		return "", problem.InvalidParameter("no account can have the name of a setting; choose another one")
	}
	return ref, nil
}

// testCredential answers POST /credentials/{ref}/test.
func (s *Service) testCredential(a *answer, r *http.Request) error {
	ref, err := s.account(a)
	if err != nil {
		return err
	}
	if _, err := s.secrets.refresher.Test(r.Context(), ref); err != nil {
		return err
	}
	for _, tester := range s.secrets.testers {
		if err := tester.TestCredential(r.Context(), ref); err != nil {
			if failed, ok := errors.AsType[*node.Error](err); ok {
				return problem.New(http.StatusUnprocessableEntity, failed.Code, string(ref)+": "+failed.Message)
			}
			return err
		}
	}
	a.WriteHeader(http.StatusNoContent)
	return nil
}

// deleteCredential answers DELETE /credentials/{ref}. It also revokes the login at the network.
func (s *Service) deleteCredential(a *answer, r *http.Request) error {
	ref, err := credentials.ParseRef(a.wildcards[0])
	if err != nil {
		return problem.New(http.StatusNotFound, problem.CodeNotFound, "no credential can have this reference; it is written network:account")
	}
	err = s.secrets.refresher.Logout(r.Context(), ref)
	if errors.Is(err, oauth.ErrNotRevoked) {
		s.log.WarnContext(r.Context(), "a credential is deleted, but its network could not be told", "ref", ref, "error", err)
		err = nil
	}
	if err != nil {
		return err
	}
	a.WriteHeader(http.StatusNoContent)
	return nil
}

// secrets provides credentials to a service, and renews them.
type secrets struct {
	*server.Provider
	networks  network.Table
	refresher *oauth.Refresher
	logins    *oauth.Logins
	clients   oauth.Clients
	testers   []credentials.Tester // open what credentials are for
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

// source returns the provider of credentials for nodes.
func (s *secrets) source() credentials.Provider { return s.refresher }
