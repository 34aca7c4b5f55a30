package server

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"path"
	"slices"
	"strings"

	"github.com/openbao/openbao/api/v2"

	"github.com/svcflow/svc/credentials"
)

// Vault keeps credentials in a key-value engine, version 2, of OpenBao or
// HashiCorp Vault. Make one with [NewVault].
//
// The secret of pronet:main is at <path>/pronet/main, with the fields of the JSON
// form that [Environment] knows. Its revision is the version that the vault
// counts. A deleted credential leaves its place and its count of versions behind,
// and none of its versions, so that a revision never comes twice.
//
// Errors say what is wrong with the vault without quoting it: its answers go to the
// log, without secrets. All but [credentials.ErrNotFound],
// [credentials.ErrMalformed] and [credentials.ErrConflict] are
// [credentials.ErrUnavailable].
//
// It implements [credentials.Locker].
type Vault struct {
	session *session
}

// NewVault returns the source that keeps credentials below path, such as
// "secret/svc": the mount of an engine and a folder in it. It talks to the vault
// through client, as the one that login makes it; with [Token] or [AppRole] for
// example. The login comes with the first use, and again when the vault no longer
// takes the token. The client is then the source's own. A nil log discards.
func NewVault(client *api.Client, path string, login api.AuthMethod, log *slog.Logger) *Vault {
	return &Vault{newSession(client, strings.Trim(path, "/"), login, log)}
}

// Credential implements [credentials.Provider].
func (v *Vault) Credential(ctx context.Context, ref credentials.Ref) (credentials.Credential, error) {
	secret, err := v.get(ctx, ref)
	if err != nil {
		return credentials.Credential{}, err
	}
	text, err := json.Marshal(secret.Data)
	if err != nil {
		return credentials.Credential{}, fmt.Errorf("%w: %s in the vault", credentials.ErrMalformed, ref)
	}
	c, err := credentials.Parse(string(text))
	if err != nil {
		return credentials.Credential{}, fmt.Errorf("%w: %s in the vault: %w", credentials.ErrMalformed, ref, err)
	}
	c.Revision = int64(secret.VersionMetadata.Version)
	return c, nil
}

// get returns the secret that is stored for ref, or [credentials.ErrNotFound].
func (v *Vault) get(ctx context.Context, ref credentials.Ref) (*api.KVSecret, error) {
	place, err := vaultPlace(ref)
	if err != nil {
		return nil, err
	}
	secret, err := v.session.get(ctx, place)
	if err == nil && secret.Data == nil {
		err = fmt.Errorf("%w: %s is not in the vault", credentials.ErrNotFound, ref)
	}
	return secret, err
}

// vaultPlace returns the path of ref, relative to that of the source.
func vaultPlace(ref credentials.Ref) (string, error) {
	if _, err := credentials.ParseRef(string(ref)); err != nil {
		return "", fmt.Errorf("%w: %w", credentials.ErrNotFound, err)
	}
	return path.Join(ref.Network(), ref.Account()), nil
}

// SetCredential implements [credentials.Provider].
func (v *Vault) SetCredential(ctx context.Context, ref credentials.Ref, c credentials.Credential) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	place, err := vaultPlace(ref)
	if err != nil {
		return err
	}
	data, err := c.Fields()
	if err != nil {
		return err
	}
	version := int(c.Revision)
	if version == 0 {
		// Some vaults refuse writes without check-and-set.
		return v.overwrite(ctx, place, data)
	}
	_, err = v.session.put(ctx, place, data, version)
	if errors.Is(err, credentials.ErrConflict) && v.holds(ctx, ref, c) {
		return nil
	}
	return err
}

// holds reports whether c is stored as the revision after its own. If the answer to a
// write is lost, the client writes again and gets a conflict with its own write.
func (v *Vault) holds(ctx context.Context, ref credentials.Ref, c credentials.Credential) bool {
	held, err := v.Credential(ctx, ref)
	return err == nil && held.Revision == c.Revision+1 && held.Access == c.Access && held.Refresh == c.Refresh && held.Client == c.Client
}

// overwriteTries is how many conflicts with other writers overwrite accepts.
const overwriteTries = 5

// overwrite stores data at place, whatever its version.
func (v *Vault) overwrite(ctx context.Context, place string, data map[string]any) error {
	var err error
	for range overwriteTries {
		version, getErr := v.session.version(ctx, place)
		if getErr != nil {
			return getErr
		}
		if _, err = v.session.put(ctx, place, data, version); !errors.Is(err, credentials.ErrConflict) {
			return err
		}
	}
	return err
}

// Delete implements [credentials.Provider]. It destroys all versions.
func (v *Vault) Delete(ctx context.Context, ref credentials.Ref) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	place, err := vaultPlace(ref)
	if err != nil {
		return nil // an invalid reference cannot be stored
	}
	if version, err := v.session.version(ctx, place); version == 0 || err != nil {
		return err
	}
	return v.session.destroy(ctx, place)
}

// List implements [credentials.Provider]. It also lists malformed credentials, without the
// fields that cannot be read.
func (v *Vault) List(ctx context.Context) ([]credentials.Info, error) {
	refs, err := v.refs(ctx)
	if err != nil {
		return nil, err
	}
	infos := make([]credentials.Info, 0, len(refs))
	for _, ref := range refs {
		c, err := v.Credential(ctx, ref)
		switch {
		case errors.Is(err, credentials.ErrNotFound):
			continue // deleted
		case err != nil && !errors.Is(err, credentials.ErrMalformed):
			return nil, err
		}
		infos = append(infos, credentials.Info{Ref: ref, Source: "vault", Scopes: c.Scopes, ExpiresAt: c.ExpiresAt})
	}
	return infos, ctx.Err()
}

// refs returns the references with an entry in the vault, sorted.
func (v *Vault) refs(ctx context.Context) ([]credentials.Ref, error) {
	networks, err := v.session.list(ctx, "")
	if err != nil {
		return nil, err
	}
	var refs []credentials.Ref
	for _, network := range networks {
		name, isFolder := strings.CutSuffix(network, "/")
		if !isFolder {
			continue
		}
		accounts, err := v.session.list(ctx, name)
		if err != nil {
			return nil, err
		}
		for _, account := range accounts {
			if ref, err := credentials.ParseRef(name + ":" + account); err == nil {
				refs = append(refs, ref)
			}
		}
	}
	slices.SortFunc(refs, cmp.Compare[credentials.Ref])
	return refs, nil
}
