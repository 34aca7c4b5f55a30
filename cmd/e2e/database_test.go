//go:build e2e

package e2e_test

import (
	"net/http"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/store/postgres/postgrestest"
)

// TestServersShareADatabase has two servers with separate data directories store their workflows
// in one database, which is unreachable for a while.
func TestServersShareADatabase(t *testing.T) {
	db := postgrestest.Start(t)
	url := db.Database()
	const secret = "s3cret"
	require.Contains(t, url, secret)
	out, err := exec.Command(program(t), "serve", "--addr", "127.0.0.1:0", "--data", t.TempDir(), "--workflows", url).CombinedOutput()
	require.Error(t, err)
	require.Contains(t, string(out), "svc migrate")
	require.NotContains(t, string(out), secret)
	migrate := exec.Command(program(t), "migrate")
	migrate.Env = append(os.Environ(), "SVC_WORKFLOWS="+url)
	out, err = migrate.CombinedOutput()
	require.NoError(t, err, "%s", out)

	one, other := launch(t, start{args: []string{"--workflows", url}}), launch(t, start{env: []string{"SVC_WORKFLOWS=" + url}})
	const greeting = `{"id":"greeting","name":"Greeting","nodes":[{"id":"out","type":"io.output","config":{"name":"greeting","value":"hello"}}],"connections":[]}`
	one.do(http.StatusCreated, "POST", "/workflows", greeting)
	saved := other.do(http.StatusOK, "GET", "/workflows/greeting", "")
	other.do(http.StatusOK, "POST", "/workflows/greeting/run", `{}`)
	const changed = `{"id":"greeting","name":"Another","nodes":[{"id":"out","type":"io.output","config":{"name":"greeting","value":"hi"}}],"connections":[]}`
	tag := saved.header.Get("ETag")
	require.NotEmpty(t, tag)
	one.do(http.StatusCreated, "POST", "/workflows", changed, "If-Match", tag)
	other.do(http.StatusPreconditionFailed, "POST", "/workflows", greeting, "If-Match", tag)
	require.Contains(t, string(other.do(http.StatusOK, "POST", "/workflows/greeting/run", `{}`).body), `"hi"`, "what the other server has saved")

	db.Down()
	require.Equal(t, "unavailable", field(t, one.do(http.StatusServiceUnavailable, "GET", "/workflows", ""), "code"))
	one.do(http.StatusOK, "POST", "/execute", greeting)
	db.Up()
	require.Eventually(t, func() bool {
		r, err := one.try("GET", "/workflows/greeting", "")
		return err == nil && r.status == http.StatusOK
	}, time.Minute, 50*time.Millisecond)
	require.NotContains(t, one.logged()+other.logged(), secret)
}
