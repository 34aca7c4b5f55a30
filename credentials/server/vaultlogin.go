package server

import (
	"context"
	"path"

	"github.com/openbao/openbao/api/v2"

	"github.com/svcflow/svc/credentials"
)

// A SecretFunc reads a secret each time that it is needed, so that a secret renewed by
// another program, in a file for example, is found.
type SecretFunc func() (credentials.Secret, error)

// Token logs in to a vault with a token that exists already.
func Token(token SecretFunc) api.AuthMethod { return tokenLogin{token} }

type tokenLogin struct{ token SecretFunc }

// Login implements [api.AuthMethod].
func (l tokenLogin) Login(context.Context, *api.Client) (*api.Secret, error) {
	token, err := l.token()
	if err != nil {
		return nil, err
	}
	return &api.Secret{Auth: &api.SecretAuth{ClientToken: token.Reveal()}}, nil
}

// AppRole logs in to a vault with the AppRole method that is mounted below auth/
// at mount, usually "approle".
func AppRole(mount, roleID string, secretID SecretFunc) api.AuthMethod {
	return roleLogin{path.Join("auth", mount, "login"), roleID, secretID}
}

type roleLogin struct {
	path     string
	roleID   string
	secretID SecretFunc
}

// Login implements [api.AuthMethod].
func (l roleLogin) Login(ctx context.Context, client *api.Client) (*api.Secret, error) {
	secretID, err := l.secretID()
	if err != nil {
		return nil, err
	}
	return client.Logical().WriteWithContext(ctx, l.path, map[string]any{
		"role_id": l.roleID, "secret_id": secretID.Reveal(),
	})
}
