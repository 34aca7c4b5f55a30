package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"

	"github.com/svcflow/svc/credentials"
)

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
