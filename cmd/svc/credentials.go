package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"strings"
	"time"

	"golang.org/x/term"

	"github.com/svcflow/svc/credentials"
	"github.com/svcflow/svc/credentials/network"
	"github.com/svcflow/svc/credentials/oauth"
	"github.com/svcflow/svc/credentials/server"
	"github.com/svcflow/svc/httpapi/client"
)

type credentialsCmd struct {
	List   listCredentialsCmd  `cmd:"" help:"List the credentials that workflows can use."`
	Test   testCredentialCmd   `cmd:"" help:"Check whether a credential works, and renew it if it has expired."`
	Login  loginCmd            `cmd:"" help:"Connect an account with your browser."`
	Logout logoutCmd           `cmd:"" help:"Disconnect an account: delete its credential and revoke it at the network."`
	Set    setCredentialCmd    `cmd:"" help:"Store a key, password or token for an API."`
	Import importCredentialCmd `cmd:"" help:"Store an existing token."`

	Networks networksCmd `cmd:"" help:"List the known networks."`
}

// Help implements kong.HelpProvider.
func (c *credentialsCmd) Help() string {
	return `Workflows contain names of credentials, such as pronet:main, and never secrets. A server looks secrets up in its environment (PRONET_MAIN), in the file DIR/credentials.env, and in a vault. No command prints a secret.

Examples:

    svc credentials login pronet:main --data ./data
    svc credentials list --server http://127.0.0.1:8080 --key-file data/api-key`
}

// sources are the credentials of a data directory.
type sources struct {
	*server.Provider
	networks  network.Table
	clients   oauth.Clients
	refresher *oauth.Refresher
}

// check returns an error if no account can have this reference.
func (s *sources) check(ref credentials.Ref) error {
	if _, ok := s.networks.Lookup(ref.Network()); !ok {
		return usagef("there is no network %s; there are %s", ref.Network(), strings.Join(s.networks.Names(), ", "))
	}
	if !s.networks.Allows(ref) {
		return usagef("no account can be called %s, since %s sets something up; choose another name", ref, network.Variable(ref))
	}
	return nil
}

// sources opens the credentials of a server with this data directory.
func (h *host) sources(data string) (*sources, error) {
	networks, err := network.Open(data)
	if err != nil {
		return nil, usageError{Err: err}
	}
	log := slog.New(slog.NewTextHandler(h.stderr, nil))
	provider, err := server.Open(server.Config{DataDir: data, Networks: networks, Getenv: h.env, Log: log})
	if err != nil {
		return nil, err
	}
	clients := oauth.NewClients(networks, h.getenv, nil)
	return &sources{Provider: provider, networks: networks, clients: clients, refresher: oauth.NewRefresher(provider, clients, log)}, nil
}

// parseRef parses a reference. The default account is main.
func parseRef(text string) (credentials.Ref, error) {
	if !strings.Contains(text, ":") {
		text += ":main"
	}
	ref, err := credentials.ParseRef(text)
	if err != nil {
		return "", usageError{Err: err}
	}
	return ref, nil
}

type listCredentialsCmd struct {
	outputFlag
	targetFlags
}

// Help implements kong.HelpProvider.
func (c *listCredentialsCmd) Help() string {
	return `Prints the reference, state, source and expiry of each credential. States are valid, expiring (soon, and it cannot be renewed), expired (the next use renews it), reauthorize (log in again), malformed and unavailable.

Examples:

    svc credentials list
    svc credentials list --server http://127.0.0.1:8080 --output json`
}

// Run lists the credentials.
func (c *listCredentialsCmd) Run(ctx context.Context, h *host) error {
	list, err := c.statuses(ctx, h)
	if err != nil {
		return err
	}
	t := newTable("REFERENCE", "STATE", "SOURCE", "EXPIRES", "KIND", "HOSTS")
	for i := range list {
		expires := "-"
		if !list[i].ExpiresAt.IsZero() {
			expires = list[i].ExpiresAt.Local().Format(time.DateTime)
		}
		kind, hosts := dash(string(list[i].Kind)), dash(strings.Join(list[i].Hosts, " "))
		t.row(string(list[i].Ref), string(list[i].State), list[i].Source, expires, kind, hosts)
	}
	if err := c.answer(h, list, t.text()); err != nil || c.asJSON() {
		return err
	}
	for i := range list {
		if list[i].Note != "" {
			h.errorf("%s", oneLine(list[i].Note))
		}
	}
	return nil
}

func (c *listCredentialsCmd) statuses(ctx context.Context, h *host) ([]credentials.Status, error) {
	remote, err := c.remote(h)
	switch {
	case err != nil:
		return nil, err
	case remote != nil:
		return remote.Credentials(ctx)
	}
	s, err := h.sources(c.dir())
	if err != nil {
		return nil, err
	}
	return s.Statuses(ctx, time.Now())
}

type testCredentialCmd struct {
	Ref string `arg:"" name:"ref" help:"Network and account, such as pronet:main."`
	outputFlag
	targetFlags
}

// Help implements kong.HelpProvider.
func (c *testCredentialCmd) Help() string {
	return `Looks the credential up as a node would and renews it if it has expired. If the network has an address to check a token, calls that, too. Connects to a database, and makes the file of SQLite if there is none. The exit status is 1 if a node could not use the credential.

Examples:

    svc credentials test pronet:main`
}

// Run tests the credential.
func (c *testCredentialCmd) Run(ctx context.Context, h *host) error {
	ref, err := parseRef(c.Ref)
	if err != nil {
		return err
	}
	remote, err := c.remote(h)
	switch {
	case err != nil:
		return err
	case remote != nil:
		return c.testOnServer(ctx, h, remote, ref)
	}
	s, err := h.sources(c.dir())
	if err != nil {
		return err
	}
	if err := s.check(ref); err != nil {
		return err
	}
	defer s.refresher.Wait()
	found, err := s.refresher.Test(ctx, ref)
	if errors.Is(err, credentials.ErrNotFound) {
		return fmt.Errorf("there is no credential %s; set %s, or run: svc credentials login %s", ref, network.Variable(ref), ref)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", ref, err)
	}
	if err := h.openCredential(ctx, s, ref); err != nil {
		return fmt.Errorf("%s: %w", ref, err)
	}
	text := string(ref) + " can be used"
	if !found.ExpiresAt.IsZero() {
		text += fmt.Sprintf(" until %s", found.ExpiresAt.Local().Format(time.DateTime))
	}
	if !found.Refresh.IsZero() || found.Kind == credentials.KindClientCredentials {
		text += ", and is renewed then"
	}
	return c.answer(h, usable{Ref: ref, ExpiresAt: found.ExpiresAt}, text+"\n")
}

// usable is the answer of svc credentials test for a credential that works.
type usable struct {
	Ref       credentials.Ref `json:"ref"`
	ExpiresAt time.Time       `json:"expiresAt,omitzero"`
}

func (c *testCredentialCmd) testOnServer(ctx context.Context, h *host, remote *client.Client, ref credentials.Ref) error {
	if err := remote.TestCredential(ctx, ref); err != nil {
		return err
	}
	return c.answer(h, usable{Ref: ref}, string(ref)+" can be used\n")
}

type logoutCmd struct {
	Ref string `arg:"" name:"ref" help:"Network and account, such as pronet:main."`
	outputFlag
	targetFlags
}

// Help implements kong.HelpProvider.
func (c *logoutCmd) Help() string {
	return `A credential in the environment cannot be deleted by a command; remove it from the environment.

Examples:

    svc credentials logout pronet:main
    svc credentials logout pronet:main --server http://127.0.0.1:8080`
}

// Run disconnects the account.
func (c *logoutCmd) Run(ctx context.Context, h *host) error {
	ref, err := parseRef(c.Ref)
	if err != nil {
		return err
	}
	remote, err := c.remote(h)
	switch {
	case err != nil:
		return err
	case remote != nil:
		err = remote.DeleteCredential(ctx, ref)
	default:
		err = c.logoutHere(ctx, h, ref)
	}
	if err != nil {
		return err
	}
	return c.answer(h, deleted{Deleted: []string{string(ref)}}, "")
}

func (c *logoutCmd) logoutHere(ctx context.Context, h *host, ref credentials.Ref) error {
	s, err := h.sources(c.dir())
	if err != nil {
		return err
	}
	err = s.refresher.Logout(ctx, ref)
	if errors.Is(err, oauth.ErrNotRevoked) {
		h.errorf("%s", oneLine(err.Error()))
		return nil
	}
	return err
}

type importCredentialCmd struct {
	Ref  string `arg:"" name:"ref" help:"Network and account, such as email:main."`
	File string `arg:"" optional:"" default:"-" help:"File with the token; - for standard input."`
	outputFlag
	dataFlag
}

// Help implements kong.HelpProvider.
func (c *importCredentialCmd) Help() string {
	return `The token is a line of text, or JSON: {"access_token":"…","refresh_token":"…","expires_at":"2026-12-24T18:00:00Z","scope":"…"}. It is never an argument, because other users of the computer can see arguments.

Examples:

    svc credentials import email:main < password.txt
    pass show pronet | svc credentials import pronet:company --data ./data`
}

// Run stores the token.
func (c *importCredentialCmd) Run(ctx context.Context, h *host) error {
	ref, err := parseRef(c.Ref)
	if err != nil {
		return err
	}
	text, err := h.read(c.File)
	if err != nil {
		return err
	}
	parsed, err := credentials.Parse(strings.Trim(string(text), "\ufeff \t\r\n"))
	if err != nil {
		return usagef("this is no credential: %w", err)
	}
	s, err := h.sources(c.Data)
	if err != nil {
		return err
	}
	if err := s.set(ctx, ref, parsed); err != nil {
		return err
	}
	return c.answer(h, connected{ref}, "stored "+string(ref)+"\n")
}

type setCredentialCmd struct {
	Ref      string   `arg:"" name:"ref" help:"Network and account, such as http:slack."`
	Kind     string   `required:"" enum:"bearer,basic,header,query,oauth2,client_credentials,password,hmac,key,dsn" placeholder:"KIND" help:"Kind of the credential: ${enum}."`
	Host     []string `placeholder:"HOST" help:"Host to which it may be sent, such as api.example.com, *.example.com or http://127.0.0.1:8080; without http:// it means https. May be repeated."`
	Username string   `placeholder:"NAME" help:"User name (basic, password)."`
	Name     string   `placeholder:"NAME" help:"Name of the header or of the query parameter (header, query)."`
	TokenURL string   `name:"token-url" placeholder:"URL" help:"Address that issues tokens (client_credentials)."`
	ClientID string   `name:"client-id" placeholder:"ID" help:"Client id for requests of tokens (client_credentials)."`
	Scope    []string `placeholder:"SCOPE" help:"Scope of tokens (client_credentials, oauth2). May be repeated."`
	outputFlag
	targetFlags
}

// Help implements kong.HelpProvider.
func (c *setCredentialCmd) Help() string {
	return `Asks for the secret without showing it, or reads it from standard input. It is never an argument, because other users of the computer can see arguments. A credential is sent to its hosts only.

Examples:

    svc credentials set http:slack --kind bearer --host slack.com
    svc credentials set http:crm --kind basic --username ann --host crm.example.com < password.txt
    svc credentials set http:maps --kind query --name key --host maps.example.com --server http://127.0.0.1:8080`
}

// Run stores the credential.
func (c *setCredentialCmd) Run(ctx context.Context, h *host) error {
	ref, err := parseRef(c.Ref)
	if err != nil {
		return err
	}
	secret, err := h.secret(credentials.Kind(c.Kind))
	if err != nil {
		return err
	}
	text, err := c.text(secret)
	if err != nil {
		return err
	}
	parsed, err := credentials.Parse(string(text))
	if err != nil {
		return usagef("this is no credential: %w", err)
	}
	remote, err := c.remote(h)
	switch {
	case err != nil:
		return err
	case remote != nil:
		err = remote.SetCredential(ctx, ref, parsed)
	default:
		err = c.setHere(ctx, h, ref, parsed)
	}
	if err != nil {
		return err
	}
	for _, bare := range c.Host {
		if isLocal := bare == "localhost" || net.ParseIP(bare) != nil; (isLocal || strings.Contains(bare, ":")) && !strings.Contains(bare, "://") {
			h.errorf("--host %s means https://%s; if the server there speaks plain HTTP, use --host http://%s", oneLine(bare), oneLine(bare), oneLine(bare))
		}
	}
	return c.answer(h, connected{ref}, "stored "+string(ref)+"\n")
}

// connected is the answer of commands that store a credential.
type connected struct {
	Ref credentials.Ref `json:"ref"`
}

func (c *setCredentialCmd) setHere(ctx context.Context, h *host, ref credentials.Ref, parsed credentials.Credential) error {
	s, err := h.sources(c.dir())
	if err != nil {
		return err
	}
	return s.set(ctx, ref, parsed)
}

// set stores a credential of a known network.
func (s *sources) set(ctx context.Context, ref credentials.Ref, c credentials.Credential) error {
	if err := s.check(ref); err != nil {
		return err
	}
	n, _ := s.networks.Lookup(ref.Network())
	if err := c.CheckFor(n); err != nil {
		return usagef("this is no credential for %s: %w", n.Name, err)
	}
	return s.SetCredential(ctx, ref, c)
}

// text is the credential in its JSON form.
func (c *setCredentialCmd) text(secret string) ([]byte, error) {
	given := map[string]string{
		"username": c.Username, "name": c.Name, "token_url": c.TokenURL, "client_id": c.ClientID,
		"scope": strings.Join(c.Scope, " "), "scopes": strings.Join(c.Scope, " "),
	}
	all := map[string]any{"kind": c.Kind, "hosts": c.Host}
	if len(c.Host) == 0 {
		delete(all, "hosts")
	}
	for _, field := range credentials.Kind(c.Kind).Fields() {
		switch text := given[field.Name]; {
		case field.Secret && (!field.Optional || field.Name == "password"):
			all[field.Name] = secret
		case text != "" || c.Kind == string(credentials.KindBasic):
			all[field.Name] = text
		}
		delete(given, field.Name)
	}
	delete(given, "scope")
	delete(given, "scopes")
	for name, text := range given {
		if text != "" {
			return nil, usagef("--%s is not for a credential of the kind %s", strings.ReplaceAll(name, "_", "-"), c.Kind)
		}
	}
	return json.Marshal(all)
}

// maxSecret is the greatest size of a secret, in bytes.
const maxSecret = 64 << 10

// secret asks for the secret of a credential on a terminal, else it reads standard input.
func (h *host) secret(kind credentials.Kind) (string, error) {
	if kind != credentials.KindKey {
		return h.ask("secret")
	}
	if h.canAsk() {
		return "", usagef("a key has several lines; give it to standard input: svc credentials set … < key.pem")
	}
	return h.readSecret()
}

// ask asks for a line on a terminal without showing it, else it reads standard input.
func (h *host) ask(what string) (string, error) {
	if !h.canAsk() {
		text, err := h.readSecret()
		return strings.TrimRight(text, "\r\n"), err
	}
	if _, err := fmt.Fprint(h.stderr, what+" (it is not shown): "); err != nil {
		return "", err
	}
	text, err := term.ReadPassword(int(h.stdin.(*os.File).Fd()))
	fmt.Fprintln(h.stderr) //nolint:errcheck // only ends the line
	return string(text), err
}

// canAsk reports whether standard input is a terminal.
func (h *host) canAsk() bool {
	f, ok := h.stdin.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// readSecret reads all of standard input.
func (h *host) readSecret() (string, error) {
	text, err := io.ReadAll(io.LimitReader(bufio.NewReader(h.stdin), maxSecret+1))
	if err == nil && len(text) > maxSecret {
		err = errors.New("the secret on standard input is too long")
	}
	return string(text), err
}
