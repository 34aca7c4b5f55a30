//go:build e2e

package sim_test

import (
	"encoding/json"
	"net/http/httptest"
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/nodes/sim"
)

// TestOfficialSDK makes calls with the network's own TypeScript SDK: those that the SDK and
// the simulator have in common. It needs node and npm.
func TestOfficialSDK(t *testing.T) {
	b := newBench(t, "microblog", sim.Config{Profile: sim.Live})
	server := httptest.NewServer(b)
	t.Cleanup(server.Close)
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS("testdata/sdk")))
	install := exec.CommandContext(t.Context(), "npm", "ci", "--no-audit", "--no-fund")
	install.Dir = dir
	out, err := install.CombinedOutput()
	require.NoError(t, err, string(out))
	calls := exec.CommandContext(t.Context(), "node", "calls.mjs", server.URL, b.token)
	calls.Dir, calls.Stderr = dir, os.Stderr
	out, err = calls.Output()
	require.NoError(t, err)

	var said map[string]record
	require.NoError(t, json.Unmarshal(out, &said), string(out))
	data := func(call string) record { return said[call]["data"].(record) }
	require.Equal(t, "ada", data("me")["username"])
	require.Equal(t, "grace", data("user")["username"])
	require.Len(t, said["found"]["data"], 3)
	require.Len(t, said["timeline"]["data"], 5)
	require.Len(t, said["next"]["data"], 2, "the second page has what the first had not")
	require.Equal(t, true, data("liked")["liked"])
	require.Equal(t, true, data("reposted")["retweeted"])
	require.Len(t, said["trends"]["data"], 2)
	require.Equal(t, 403.0, said["twice"]["status"])

	posts := b.Posts()
	last := posts[len(posts)-1]
	require.Equal(t, data("posted")["id"], last.ID)
	require.Equal(t, "From the SDK 👋", last.Text)
	require.Equal(t, []string{ada}, last.LikedBy)
	require.Equal(t, []string{ada}, last.RepostedBy)
	require.Equal(t, "Hello", b.Messages()[0].Text)
	require.Len(t, b.Requests(), 11)
}
