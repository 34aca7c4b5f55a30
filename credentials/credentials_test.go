package credentials_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/credentials"
)

func TestParseRef(t *testing.T) {
	ref, err := credentials.ParseRef("pronet:team-a")
	require.NoError(t, err)
	require.Equal(t, "pronet", ref.Network())
	require.Equal(t, "team-a", ref.Account())
	_, err = credentials.ParseRef(canary)
	require.Error(t, err)
	requireHidden(t, err.Error())
}
