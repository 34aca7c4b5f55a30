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

func TestEnvVar(t *testing.T) {
	for ref, want := range map[credentials.Ref]string{
		"pronet:main":     "PRONET_MAIN",
		"pronet:company":  "PRONET_COMPANY",
		"microblog:bot":   "MICROBLOG_BOT",
		"x1:team-a_2-b":   "X1_TEAM_A_2_B",
		"microblog:a--b1": "MICROBLOG_A__B1",
	} {
		require.Equal(t, want, credentials.EnvVar(ref))
	}
}

func TestCheckEnvVars(t *testing.T) {
	require.NoError(t, credentials.CheckEnvVars(nil))
	require.NoError(t, credentials.CheckEnvVars([]credentials.Ref{"pronet:main", "pronet:main", "microblog:main", "pronet:ab"}))
	err := credentials.CheckEnvVars([]credentials.Ref{"pronet:main", "pronet:a-b", "pronet:a_b"})
	require.ErrorContains(t, err, "pronet:a-b and pronet:a_b share the environment variable PRONET_A_B")
}
