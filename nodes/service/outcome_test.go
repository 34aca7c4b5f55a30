package service_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/credentials"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/nodes/service"
	"github.com/svcflow/svc/nodes/service/servicetest"
)

func TestReport(t *testing.T) {
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	tests := []struct {
		name  string
		ctx   context.Context
		err   error
		fails bool
	}{
		{"success", t.Context(), nil, false},
		{"failure", t.Context(), node.Errorf(node.CodeUnavailable, "down"), false},
		{"unknown outcome after the end", ended, node.Errorf(service.CodeOutcomeUnknown, "perhaps"), false},
		{"cancelled", ended, ended.Err(), true},
		{"revoked", t.Context(), node.Errorf(node.CodeReauthorize, "again"), true},
		{"not set up", t.Context(), node.Errorf(service.CodeNotConfigured, "set it"), true},
	}
	for _, tt := range tests {
		out, err := service.Report(tt.ctx, tt.err)
		require.Equal(t, tt.fails, err != nil, tt.name)
		require.Equal(t, tt.err == nil, out.Success, tt.name)
		if tt.err != nil && !tt.fails {
			require.Equal(t, tt.err.Error(), *out.Error)
		}
	}
}

// Without a credential nothing was tried. So even a node that reports failures as outputs
// fails: a retry may help.
func TestWantOfACredentialIsNoOutcome(t *testing.T) {
	for _, provider := range []credentials.Provider{nil, answer{err: credentials.ErrUnavailable}, answer{err: errors.New("boom")}} {
		stub := &servicetest.Stub{}
		a := service.NewAPI(service.Network{Name: "net", Routes: []byte(table)}, service.Config{
			Getenv:      func(name string) string { return map[string]string{"NET_API_URL": "https://other.example"}[name] },
			Credentials: provider, Transport: stub,
		})
		_, err := a.Do(t.Context(), act(), nil)
		require.Error(t, err)
		_, err = service.Report(t.Context(), err)
		require.Error(t, err)
		require.Empty(t, stub.Requests())
	}
}

func TestDone(t *testing.T) {
	require.NoError(t, service.Done(nil))
	require.NoError(t, service.Done(node.Errorf(service.CodeConflict, "again")))
	require.Error(t, service.Done(errors.New("boom")))
}
