package service_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/credentials"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/nodes/service"
	"github.com/svcflow/svc/nodes/service/servicetest"
)

// answer is a provider that always returns the same.
type answer struct {
	credentials.Provider
	credential credentials.Credential
	err        error
}

func (a answer) Credential(context.Context, credentials.Ref) (credentials.Credential, error) {
	return a.credential, a.err
}

// run records what a node conceals.
type run struct{ concealed []string }

func (r *run) Progress(int, int, string)   {}
func (r *run) ConcealOutput(secret string) { r.concealed = append(r.concealed, secret) }
func (r *run) Conceal(secret string)       { r.concealed = append(r.concealed, secret) }

func (r *run) Redact(text string) string { return text }

func (r *run) Key() string { return "" }

func TestResolveConcealsBothSecrets(t *testing.T) {
	stored := credentials.Credential{
		Access:  credentials.NewSecret("access-1"),
		Refresh: credentials.NewSecret("refresh-1"),
		Scopes:  []string{"read"},
	}
	var r run
	got, err := service.Resolver{Provider: answer{credential: stored}}.Resolve(node.WithRun(t.Context(), &r), "pronet:main")
	require.NoError(t, err)
	require.Equal(t, stored, got)
	require.Equal(t, []string{"access-1", "refresh-1"}, r.concealed)
}

func TestResolveDoesNotConcealTheEmptyText(t *testing.T) {
	var r run
	c := credentials.Credential{Access: credentials.NewSecret("access-1")}
	_, err := service.Resolver{Provider: answer{credential: c}}.Resolve(node.WithRun(t.Context(), &r), "pronet:main")
	require.NoError(t, err)
	require.Equal(t, []string{"access-1"}, r.concealed)
}

func TestResolveFailures(t *testing.T) {
	wrap := func(err error) error { return fmt.Errorf("vault: %w", err) }
	tests := []struct {
		name      string
		resolver  service.Resolver
		code      string
		permanent bool
		message   string
	}{
		{"no provider", service.Resolver{}, "unknown_credential", true, "PRONET_TEAM_A"},
		{"not found", service.Resolver{Provider: answer{err: wrap(credentials.ErrNotFound)}}, "unknown_credential", true, "pronet:team-a"},
		{"empty secret", service.Resolver{Provider: answer{}}, "unknown_credential", true, "PRONET_TEAM_A"},
		{"expired", service.Resolver{Provider: answer{err: wrap(credentials.ErrReauthorize)}}, "reauthorize", true, "connect the account again"},
		{"down", service.Resolver{Provider: answer{err: wrap(credentials.ErrUnavailable)}}, "unavailable", false, "not available"},
		{"other", service.Resolver{Provider: answer{err: errors.New("boom")}}, "failed", false, "boom"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := tt.resolver.Resolve(t.Context(), "pronet:team-a")
			require.Equal(t, tt.code, node.CodeOf(err))
			require.Equal(t, tt.permanent, node.IsPermanent(err))
			require.ErrorContains(t, err, tt.message)
		})
	}
}

func TestResolveEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := service.Resolver{Provider: answer{err: credentials.ErrUnavailable}}.Resolve(ctx, "pronet:main")
	require.ErrorIs(t, err, context.Canceled)
}

func TestRenewWithoutARenewer(t *testing.T) {
	held := credentials.Credential{Access: credentials.NewSecret("access-1")}
	resolver := service.Resolver{Provider: answer{credential: held}}
	_, err := resolver.Renew(t.Context(), "pronet:main", held.Access)
	require.Equal(t, node.CodeReauthorize, node.CodeOf(err))

	got, err := resolver.Renew(t.Context(), "pronet:main", credentials.NewSecret("access-0"))
	require.NoError(t, err, "somebody has stored another one meanwhile")
	require.Equal(t, held, got)
}

func TestRenewConceals(t *testing.T) {
	var r run
	provider := servicetest.Hold(t.Context(), "pronet:main")
	got, err := service.Resolver{Provider: provider}.Renew(node.WithRun(t.Context(), &r), "pronet:main", credentials.NewSecret(servicetest.Token))
	require.NoError(t, err)
	require.Equal(t, servicetest.Renewed, got.Access.Reveal())
	require.Equal(t, []string{servicetest.Renewed}, r.concealed)

	_, err = service.Resolver{Provider: provider}.Renew(t.Context(), "pronet:main", got.Access)
	require.Equal(t, node.CodeReauthorize, node.CodeOf(err))
}
