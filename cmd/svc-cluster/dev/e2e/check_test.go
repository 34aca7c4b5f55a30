package e2e

import (
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/store/postgres"
)

// TestMembersThatDoNotFit starts processes of another cluster, and processes with different
// settings.
func TestMembersThatDoNotFit(t *testing.T) {
	m := newMembers(t)
	m.instance()
	m.drives("--place", "control.delay=slow")
	check := func(database string) string {
		text, _ := exec.Command(m.program, "check", "--postgres", database, "--temporal", m.address()).CombinedOutput() // the command fails if something is wrong
		return string(text)
	}
	text := check(m.database)
	require.Contains(t, text, "nobody answers slow")
	require.NotContains(t, text, apiKey)

	t.Setenv("SVC_NO_MEDIA", "1")
	m.key, m.dir = "another-4711-another-4711", t.TempDir()
	m.instance()
	text = check(m.database)
	for _, wrong := range []string{"instances have different API keys", "beware  processes have different data directories", "--no-media", "not all processes have the same node types"} {
		require.Contains(t, text, wrong)
	}
	require.NotContains(t, text, "another-4711")

	other := m.postgres.Database()
	_, err := postgres.Migrate(t.Context(), other)
	require.NoError(t, err)
	require.Contains(t, check(other), `it belongs to the cluster "svc"`)
	refused, err := exec.Command(m.program, "worker", "--postgres", other, "--temporal", m.address(), "--cluster", "theirs", "--data", t.TempDir()).CombinedOutput()
	require.Error(t, err)
	require.Contains(t, string(refused), `--namespace: the namespace at Temporal belongs to another cluster, "svc", and not to "theirs"`)
	third := m.postgres.Database()
	_, err = postgres.Migrate(t.Context(), third)
	require.NoError(t, err)
	refused, err = exec.Command(m.program, "worker", "--postgres", third, "--temporal", m.address(), "--data", t.TempDir()).CombinedOutput()
	require.Error(t, err)
	require.Contains(t, string(refused), "has another database")
}
