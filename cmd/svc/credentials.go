package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
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
	Test   testCredentialCmd   `cmd:"" help:"Say whether a credential can be used, and renew it if it has expired."`
	Login  loginCmd            `cmd:"" help:"Connect an account with your browser."`
	Logout logoutCmd           `cmd:"" help:"Disconnect an account: forget its credential and end it at the network."`
	Set    setCredentialCmd    `cmd:"" help:"Store a key, password or token for an API."`
	Import importCredentialCmd `cmd:"" help:"Store a token that you have."`

	Networks networksCmd `cmd:"" help:"List the networks that accounts can be of."`
}

// Help implements kong.HelpProvider.
func (c *credentialsCmd) Help() string {
	return `Workflows name credentials, such as pronet:main, and never hold secrets. A server finds them in its environment (PRONET_MAIN), in the file DIR/credentials.env, and in a vault. No command prints a secret.

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

// check says so if no account can have this reference.
func (s *sources) check(ref credentials.Ref) error {
	if _, ok := s.networks.Lookup(ref.Network()); !ok {
		return usagef("there is no network %s; there are %s", ref.Network(), strings.Join(s.networks.Names(), ", "))
	}
	if !s.networks.Allows(ref) {
		return usagef("no account can be called %s, since %s sets something up; choose another name", ref, network.Variable(ref))
	}
	return nil
}

// sources opens the credentials that a server with this data directory has.
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

// parseRef reads a reference; an account that is not named is main.
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
	placeFlags
}

// Help implements kong.HelpProvider.
func (c *listCredentialsCmd) Help() string {
	return `Of each credential: reference, state, source, when it expires. States are valid, expiring (soon, and nothing renews it), expired (its next use renews it), reauthorize (log in again), malformed and unavailable.

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
	placeFlags
}

// Help implements kong.HelpProvider.
func (c *testCredentialCmd) Help() string {
	return `Finds the credential as a node would, renews it if it has expired, and asks the network whether it takes it, if the network has an address that tells. The exit status is 1 if a node could not use it.

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
	text := string(ref) + " can be used"
	if !found.ExpiresAt.IsZero() {
		text += fmt.Sprintf(" until %s", found.ExpiresAt.Local().Format(time.DateTime))
	}
	if !found.Refresh.IsZero() || found.Kind == credentials.KindClientCredentials {
		text += ", and is renewed then"
	}
	return c.answer(h, usable{Ref: ref, ExpiresAt: found.ExpiresAt}, text+"\n")
}

// usable is what svc credentials test answers of a credential that a node could use.
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
	placeFlags
}

// Help implements kong.HelpProvider.
func (c *logoutCmd) Help() string {
	return `A credential in the environment cannot be deleted by a command; take it out of the environment.

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
	return `The token is a line of text, or JSON: {"access_token":"…","refresh_token":"…","expires_at":"2026-12-24T18:00:00Z","scope":"…"}. It is never given as an argument, where other users of the computer could see it.

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
	parsed, err := credentials.Parse(strings.TrimSpace(string(text)))
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
	Kind     string   `required:"" enum:"bearer,basic,header,query,oauth2,client_credentials,password,hmac,key,dsn" placeholder:"KIND" help:"What it is: ${enum}."`
	Host     []string `placeholder:"HOST" help:"Host that it may be sent to, such as api.example.com, *.example.com or http://127.0.0.1:8080. May be repeated."`
	Username string   `placeholder:"NAME" help:"Who logs in (basic, password)."`
	Name     string   `placeholder:"NAME" help:"Name of the header or of the query parameter (header, query)."`
	TokenURL string   `name:"token-url" placeholder:"URL" help:"Where tokens come from (client_credentials)."`
	ClientID string   `name:"client-id" placeholder:"ID" help:"Who asks for tokens (client_credentials)."`
	Scope    []string `placeholder:"SCOPE" help:"What tokens are for (client_credentials, oauth2). May be repeated."`
	outputFlag
	placeFlags
}

// Help implements kong.HelpProvider.
func (c *setCredentialCmd) Help() string {
	return `The secret is asked for without being shown, or read from standard input. It is never given as an argument, where other users of the computer could see it. A credential that is sent with requests goes to its hosts only.

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
	return c.answer(h, connected{ref}, "stored "+string(ref)+"\n")
}

// connected is what commands answer that store a credential.
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

// set stores a credential of a network that there is.
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
		case field.Secret && !field.Optional:
			all[field.Name] = secret
		case text != "":
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

// maxSecret bounds what is read of a secret, in bytes.
const maxSecret = 64 << 10

// secret asks for the secret of a credential, or reads it where nobody can be asked.
func (h *host) secret(kind credentials.Kind) (string, error) {
	if kind != credentials.KindKey {
		return h.ask("secret")
	}
	if h.canAsk() {
		return "", usagef("a key has several lines; give it to standard input: svc credentials set … < key.pem")
	}
	return h.readSecret()
}

// ask asks for a line that is not shown, or reads it where nobody can be asked.
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

// canAsk reports whether somebody sits before standard input.
func (h *host) canAsk() bool {
	f, ok := h.stdin.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// readSecret reads what is on standard input.
func (h *host) readSecret() (string, error) {
	text, err := io.ReadAll(io.LimitReader(bufio.NewReader(h.stdin), maxSecret+1))
	if err == nil && len(text) > maxSecret {
		err = errors.New("the secret on standard input is too long")
	}
	return string(text), err
}
