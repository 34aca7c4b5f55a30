package server

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/svcflow/svc/credentials"
	"github.com/svcflow/svc/credentials/network"
)

// Environment finds credentials in environment variables (docs/design.md, Credentials): that
// of pronet:main in PRONET_MAIN, or in the file that PRONET_MAIN_FILE names. It
// holds what [credentials.Parse] reads. The field account of the JSON form says whose
// the credential is where references share a variable, as pronet:a-b and pronet:a_b do. A variable that is set to nothing is not
// set. Variables and files are read each time they are asked for, and never
// written.
//
// Set all fields. Lookup and Environ are os.LookupEnv and os.Environ except in
// tests.
type Environment struct {
	// Networks are the only ones whose variables are read. A reference to
	// another could name any variable of the process, as svc:api-key does.
	Networks network.Table
	Lookup   func(name string) (value string, ok bool)
	Environ  func() []string
}

// Credential implements [credentials.Provider].
func (e Environment) Credential(ctx context.Context, ref credentials.Ref) (credentials.Credential, error) {
	if err := ctx.Err(); err != nil {
		return credentials.Credential{}, err
	}
	if !e.Networks.Allows(ref) {
		return credentials.Credential{}, fmt.Errorf("%w: the environment cannot hold %s", credentials.ErrNotFound, ref)
	}
	name := network.Variable(ref)
	text, err := e.text(ref)
	if err != nil {
		return credentials.Credential{}, err
	}
	c, account, err := credentials.ParseNamed(text)
	if err == nil {
		n, _ := e.Networks.Lookup(ref.Network())
		err = c.CheckFor(n)
	}
	switch {
	case account != "" && account != ref.Account():
		return credentials.Credential{}, fmt.Errorf("%w: %s holds that of the account %q", credentials.ErrNotFound, name, account)
	case err != nil:
		return credentials.Credential{}, fmt.Errorf("%w: %s: %w", credentials.ErrMalformed, name, err)
	}
	return c, nil
}

// owner returns whose credential the variable of ref holds, if that says so: an account
// whose reference has the same variable; else ref.
func (e Environment) owner(ref credentials.Ref) credentials.Ref {
	text, _ := e.text(ref)
	_, account, _ := credentials.ParseNamed(text)
	named := credentials.Ref(ref.Network() + ":" + account)
	if account == "" || network.Variable(named) != network.Variable(ref) || !e.Networks.Allows(named) {
		return ref
	}
	return named
}

// text returns what the variable of ref holds, itself or in a file.
func (e Environment) text(ref credentials.Ref) (string, error) {
	name, fileName := network.Variable(ref), network.FileVariable(ref)
	text, _ := e.Lookup(name)
	path, _ := e.Lookup(fileName)
	switch {
	case text != "" && path != "":
		return "", fmt.Errorf("%w: %s and %s are both set; unset one", credentials.ErrMalformed, name, fileName)
	case text != "":
		return text, nil
	case path == "":
		return "", fmt.Errorf("%w: %s is not set", credentials.ErrNotFound, name)
	}
	text, err := readSecretFile(path)
	if err != nil {
		return "", fmt.Errorf("%w: the file that %s names: %w", credentials.ErrUnavailable, fileName, err)
	}
	return text, nil
}

// maxSecretFile is in bytes. Tokens have a few thousand at most.
const maxSecretFile = 64 << 10

// readSecretFile returns what the file holds without its last line end. Its
// error does not repeat the path, which may be a secret in the wrong variable.
func readSecretFile(path string) (string, error) {
	text, _, err := readRegular(path, maxSecretFile)
	return strings.TrimSuffix(strings.TrimSuffix(text, "\n"), "\r"), err
}

// SetCredential implements [credentials.Provider]: it answers
// [credentials.ErrReadOnly].
func (e Environment) SetCredential(ctx context.Context, ref credentials.Ref, _ credentials.Credential) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return readOnly(ref)
}

// CheckWritable answers [credentials.ErrReadOnly].
func (e Environment) CheckWritable(_ context.Context, ref credentials.Ref) error {
	return readOnly(ref)
}

// Delete implements [credentials.Provider].
func (e Environment) Delete(ctx context.Context, ref credentials.Ref) error {
	_, err := e.Credential(ctx, ref)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, credentials.ErrNotFound):
		return nil
	}
	return readOnly(ref)
}

func readOnly(ref credentials.Ref) error {
	return fmt.Errorf("%w: change %s in the server's environment", credentials.ErrReadOnly, network.Variable(ref))
}

// List implements [credentials.Provider]. It gives a variable that does not name its
// account the plainest reference, with an underscore where there might be a dash. What is malformed
// is listed too, without what cannot be read.
func (e Environment) List(ctx context.Context) ([]credentials.Info, error) {
	found := map[credentials.Ref]bool{}
	for _, variable := range e.Environ() {
		name, _, _ := strings.Cut(variable, "=")
		if ref, ok := e.Networks.Ref(name); ok {
			found[e.owner(ref)] = true
		}
	}
	infos := make([]credentials.Info, 0, len(found))
	for _, ref := range slices.Sorted(maps.Keys(found)) {
		c, err := e.Credential(ctx, ref)
		if errors.Is(err, credentials.ErrNotFound) {
			continue // set to nothing
		}
		infos = append(infos, credentials.Info{Ref: ref, Source: "environment", Scopes: c.Scopes, ExpiresAt: c.ExpiresAt})
	}
	return infos, ctx.Err()
}
