package e2e

import (
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/engine/workflow"
)

// TestSecretsOfMembers uses a secret in several nodes, one of them placed on another worker. The
// network sends the secret back. The secret must not be in anything that is stored or shown.
func TestSecretsOfMembers(t *testing.T) {
	const secret = "canary-2718-secret"
	var told atomic.Int64
	network := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		told.Add(1)
		_, _ = io.WriteString(w, "the secret is "+secret) // the client may have gone
	}))
	defer network.Close()
	t.Setenv("WEBHOOK_MAIN", secret)
	t.Setenv("SVC_HTTP_ALLOW", "127.0.0.0/8")
	m := newMembers(t)
	instance := m.instance()
	driver, probed := m.drives("--place", "io.http_request=net", "--log-level", "debug"), m.probed("worker", "--runs", "0", "--answer", "net", "--log-level", "debug")
	def, err := workflow.Decode(fmt.Appendf(nil, `{"id":"secrets","name":"Secrets","nodes":[
		{"id":"sign","type":"crypto.hmac","config":{"secret":"webhook:main","text":"x"}},
		{"id":"there","type":"io.http_request","config":{"url":%[1]q}},
		{"id":"after","type":"text.format","config":{"template":"{x}"}}],
		"connections":[{"fromNodeId":"there","fromPort":"body","toNodeId":"after","toPort":"x"}]}`, network.URL), workflow.Limits{})
	require.NoError(t, err)
	id, err := m.at(instance).Start(t.Context(), def, run.Request{})
	require.NoError(t, err)
	last := m.follow(instance, id)
	require.Equal(t, engine.EventCompleted, last.Name, "%+v", last.Error)
	require.Equal(t, int64(1), told.Load())

	said := ask(t, probed, "/metrics", http.StatusOK) + instance.log.String() + driver.log.String() + probed.log.String()
	for e, err := range m.at(instance).Events(t.Context(), id, 0) {
		require.NoError(t, err)
		said += fmt.Sprintf("%+v", e)
	}
	require.Contains(t, said, "[redacted]", "what the network has told is shown, without the secret")
	said += m.dump()
	m.temporal.end()
	for _, file := range []string{"temporal.db", "temporal.db-wal"} {
		text, err := os.ReadFile(filepath.Join(m.dir, file))
		if !os.IsNotExist(err) {
			require.NoError(t, err)
		}
		said += string(text)
	}
	for _, form := range []string{secret, hex.EncodeToString([]byte(secret)), strings.ToUpper(hex.EncodeToString([]byte(secret)))} {
		at := strings.Index(said, form)
		require.Negative(t, at, "…%.300s", said[max(0, at-150):])
	}
}

// dump returns the complete content of the database.
func (m *members) dump() string {
	m.t.Helper()
	c, err := pgx.Connect(m.t.Context(), m.database)
	require.NoError(m.t, err)
	defer func() { require.NoError(m.t, c.Close(m.t.Context())) }()
	rows, err := c.Query(m.t.Context(), `select table_name from information_schema.tables where table_schema = 'public'`)
	require.NoError(m.t, err)
	tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(m.t, err)
	require.NotEmpty(m.t, tables)
	var all strings.Builder
	for _, table := range tables {
		var text string
		require.NoError(m.t, c.QueryRow(m.t.Context(), `select coalesce(string_agg(t::text, E'\n'), '') from `+pgx.Identifier{table}.Sanitize()+` t`).Scan(&text))
		all.WriteString(text)
	}
	return all.String()
}
