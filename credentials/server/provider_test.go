package server_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/credentials"
	"github.com/svcflow/svc/credentials/credentialstest"
	"github.com/svcflow/svc/credentials/server"
)

func secret(text string) credentials.Credential {
	return credentials.Credential{Access: credentials.NewSecret(text)}
}

func requireSecret(t *testing.T, p credentials.Provider, ref credentials.Ref, want string) {
	t.Helper()
	c, err := p.Credential(t.Context(), ref)
	require.NoError(t, err)
	require.Equal(t, want, c.Access.Reveal())
}

func TestProvider(t *testing.T) {
	credentialstest.Run(t, func(_ *testing.T, held credentialstest.Holding) credentials.Provider {
		return server.New(environment(nil), credentialstest.NewMemory(held), credentialstest.NewMemory(nil))
	}, credentialstest.Options{})
}

func TestProviderReadOnly(t *testing.T) {
	credentialstest.Run(t, func(t *testing.T, held credentialstest.Holding) credentials.Provider {
		// Nobody writes while he holds a lock of what cannot be written.
		return struct{ credentials.Provider }{server.New(environment(nil), environment(variables(t, held)))}
	}, credentialstest.Options{ReadOnly: true})
}

func TestProviderWithoutSources(t *testing.T) {
	p := server.New()
	_, err := p.Credential(t.Context(), "pronet:main")
	require.ErrorIs(t, err, credentials.ErrNotFound)
	require.ErrorIs(t, p.SetCredential(t.Context(), "pronet:main", secret("x")), credentials.ErrReadOnly)
	require.NoError(t, p.Delete(t.Context(), "pronet:main"))
}

func TestFirstSourceOwns(t *testing.T) {
	vault := credentialstest.NewMemory(credentialstest.Holding{"pronet:main": secret("vault"), "pronet:company": secret("vault")})
	p := server.New(environment(map[string]string{"PRONET_MAIN": "env"}), vault)
	requireSecret(t, p, "pronet:main", "env")
	requireSecret(t, p, "pronet:company", "vault")

	require.ErrorIs(t, p.SetCredential(t.Context(), "pronet:main", secret("new")), credentials.ErrReadOnly)
	require.ErrorIs(t, p.Delete(t.Context(), "pronet:main"), credentials.ErrReadOnly)
	requireSecret(t, vault, "pronet:main", "vault")
	require.NoError(t, p.SetCredential(t.Context(), "pronet:company", secret("new")))
	require.NoError(t, p.SetCredential(t.Context(), "microblog:bot", secret("new")))
	requireSecret(t, vault, "pronet:company", "new")
	requireSecret(t, vault, "microblog:bot", "new")

	infos, err := p.List(t.Context())
	require.NoError(t, err)
	require.Equal(t, []credentials.Info{
		{Ref: "microblog:bot", Source: "memory"}, {Ref: "pronet:company", Source: "memory"}, {Ref: "pronet:main", Source: "environment"},
	}, infos)
}

func TestWritesGoToTheOwner(t *testing.T) {
	first := credentialstest.NewMemory(nil)
	second := credentialstest.NewMemory(credentialstest.Holding{"pronet:main": secret("old")})
	p := server.New(first, second)
	require.NoError(t, p.SetCredential(t.Context(), "pronet:main", secret("new")))
	requireSecret(t, second, "pronet:main", "new")
	_, err := first.Credential(t.Context(), "pronet:main")
	require.ErrorIs(t, err, credentials.ErrNotFound)
}

func TestDeleteLeavesNothingBehind(t *testing.T) {
	p := server.New(
		credentialstest.NewMemory(credentialstest.Holding{"pronet:main": secret("1")}),
		credentialstest.NewMemory(credentialstest.Holding{"pronet:main": secret("2")}),
	)
	require.NoError(t, p.Delete(t.Context(), "pronet:main"))
	_, err := p.Credential(t.Context(), "pronet:main")
	require.ErrorIs(t, err, credentials.ErrNotFound)
}

// broken is a source that fails.
type broken struct{ err error }

func (b broken) Credential(context.Context, credentials.Ref) (credentials.Credential, error) {
	return credentials.Credential{}, b.err
}

func (b broken) SetCredential(context.Context, credentials.Ref, credentials.Credential) error {
	return nil
}
func (b broken) Delete(context.Context, credentials.Ref) error    { return b.err }
func (b broken) List(context.Context) ([]credentials.Info, error) { return nil, b.err }

// A source that fails might own the reference, so the next one is not asked.
func TestFailingSourceIsNotPassedOver(t *testing.T) {
	next := credentialstest.NewMemory(credentialstest.Holding{"pronet:main": secret("stale")})
	for _, cause := range []error{credentials.ErrUnavailable, credentials.ErrMalformed, errors.New("boom")} {
		p := server.New(broken{cause}, next)
		_, err := p.Credential(t.Context(), "pronet:main")
		require.ErrorIs(t, err, cause)
		_, err = p.List(t.Context())
		require.ErrorIs(t, err, cause)
		require.ErrorIs(t, p.Delete(t.Context(), "pronet:main"), cause)
		err = p.SetCredential(t.Context(), "pronet:main", secret("new"))
		if errors.Is(cause, credentials.ErrMalformed) {
			require.NoError(t, err, "a new login repairs what is malformed")
		} else {
			require.ErrorIs(t, err, cause)
		}
		requireSecret(t, next, "pronet:main", "stale")
	}
}

// A source that no other process can write is locked within this process.
func TestEnvironmentIsLockedHere(t *testing.T) {
	p := server.New(environment(map[string]string{"PRONET_MAIN": "x"}))
	unlock, err := p.Lock(t.Context(), "pronet:main")
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	_, err = p.Lock(ctx, "pronet:main")
	require.ErrorIs(t, err, context.DeadlineExceeded)
	unlock()
	unlock, err = p.Lock(t.Context(), "pronet:main")
	require.NoError(t, err)
	unlock()
}

// Two accounts may share a variable. A credential stored for one of them is not returned
// for the other, and the error says why.
func TestSharedVariable(t *testing.T) {
	path := credentialsFile(t, "")
	p := server.New(newFile(path))
	require.NoError(t, p.SetCredential(t.Context(), "pronet:team-a", secret("one")))
	require.NoError(t, p.SetCredential(t.Context(), "pronet:team-a", secret("two")), "again")
	requireSecret(t, p, "pronet:team-a", "two")
	for _, err := range []error{
		p.CheckWritable(t.Context(), "pronet:team_a"),
		p.SetCredential(t.Context(), "pronet:team_a", secret("other")),
	} {
		require.ErrorIs(t, err, credentials.ErrReadOnly)
		require.ErrorContains(t, err, "pronet:team-a and pronet:team_a share the variable PRONET_TEAM_A; call one of the accounts by another name")
	}
	_, err := p.Credential(t.Context(), "pronet:team_a")
	require.ErrorIs(t, err, credentials.ErrNotFound)
	require.NoError(t, p.Delete(t.Context(), "pronet:team_a"))
	requireSecret(t, p, "pronet:team-a", "two")
	infos, err := p.List(t.Context())
	require.NoError(t, err)
	require.Len(t, infos, 1)
	require.EqualValues(t, "pronet:team-a", infos[0].Ref)
}

// A bare secret does not say whose it is.
func TestSharedVariableIsNoted(t *testing.T) {
	vault := credentialstest.NewMemory(credentialstest.Holding{"pronet:a-b": secret("x"), "pronet:main": secret("y"), "email:a-b": secret("z"), "email:a_b": secret("z")})
	p := server.New(environment(map[string]string{"PRONET_A_B": "bare"}), vault)
	statuses, err := p.Statuses(t.Context(), time.Now())
	require.NoError(t, err)
	notes := map[credentials.Ref]string{}
	for _, s := range statuses {
		notes[s.Ref] = s.Note
	}
	require.Equal(t, map[credentials.Ref]string{
		"pronet:a-b":  "pronet:a-b and pronet:a_b share the variable PRONET_A_B, so one gets the secret of the other; call one of the accounts by another name",
		"pronet:a_b":  "pronet:a_b and pronet:a-b share the variable PRONET_A_B, so one gets the secret of the other; call one of the accounts by another name",
		"pronet:main": "", "email:a-b": "", "email:a_b": "",
	}, notes)
}
