//go:build unix

package main

import (
	"encoding/json"
	"net"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/cmd/internal/program"
	"github.com/svcflow/svc/store/postgres"
	"github.com/svcflow/svc/store/postgres/postgrestest"
)

// TestDatabasesThatDoNotFit starts workers with databases that they must refuse. Temporal is not
// running; a worker that accepts its database reports that next.
func TestDatabasesThatDoNotFit(t *testing.T) {
	server := postgrestest.Start(t)
	empty, newer, others, fits, readOnly := server.Database(), server.Database(), server.Database(), server.Database(), server.Database()
	for _, database := range []string{newer, others, fits, readOnly} {
		c := call(t, nil, "migrate", "--postgres", database)
		require.Zero(t, c.status, c.errs)
		require.Contains(t, c.out, "has the tables of version")
	}
	require.Contains(t, call(t, nil, "migrate", "--postgres", fits).out, "already")
	change(t, newer, `insert into svc_schema (version_id, is_applied) values (999, true)`)
	change(t, readOnly, `alter database `+strings.TrimPrefix(path(t, readOnly), "/")+` set default_transaction_read_only = on`)
	change(t, fits, `create role guest login password '`+postgrestest.Password+`'`)
	guest := strings.Replace(fits, "://svc:", "://guest:", 1)
	kept, err := postgres.Open(t.Context(), others)
	require.NoError(t, err)
	_, err = kept.Runs(t.Context(), postgres.RunOptions{Cluster: "theirs"})
	require.NoError(t, err)
	kept.Close()
	for name, c := range map[string]struct {
		database string
		says     []string
	}{
		"no tables":      {empty, []string{"--postgres", "svc-cluster migrate"}},
		"newer tables":   {newer, []string{"--postgres", "newer"}},
		"of others":      {others, []string{"--cluster", "theirs"}},
		"no database":    {server.Address("nowhere"), []string{"--postgres", "nowhere"}},
		"wrong password": {strings.Replace(fits, postgrestest.Password, "s3cret-7", 1), []string{"--postgres", "password"}},
		"read-only":      {readOnly, []string{"--postgres", "read-only"}},
		"no rights":      {guest, []string{"--postgres", "permission denied"}},
		"silent":         {"postgres://svc@" + silent(t) + "/svc", []string{"--postgres", "whether it runs"}},
		"fits":           {fits, []string{"--temporal", nowhere, "TEMPORAL_ADDRESS"}},
	} {
		t.Run(name, func(t *testing.T) {
			got := call(t, nil, "worker", "--postgres", c.database, "--temporal", nowhere)
			require.Equal(t, program.ExitFailed, got.status, got.errs)
			requireOneLine(t, got, c.says...)
			require.NotContains(t, got.errs, ":"+postgrestest.Password+"@")
			require.Less(t, got.took, 2*time.Minute, "10 s are asked of a machine that does nothing else")
		})
	}
	require.Contains(t, call(t, nil, "migrate", "--postgres", newer).errs, "newer")
}

// silent returns the address of a server that accepts connections and sends nothing.
func silent(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, l.Close()) })
	return l.Addr().String()
}

func path(t *testing.T, address string) string {
	t.Helper()
	u, err := url.Parse(address)
	require.NoError(t, err)
	return u.Path
}

func change(t *testing.T, database, statement string) {
	t.Helper()
	c, err := pgx.Connect(t.Context(), database)
	require.NoError(t, err)
	defer func() { require.NoError(t, c.Close(t.Context())) }()
	_, err = c.Exec(t.Context(), statement)
	require.NoError(t, err)
}

// TestCheckTellsWhatIsWrong checks clusters without a Temporal server. The findings about the
// database are complete nevertheless.
func TestCheckTellsWhatIsWrong(t *testing.T) {
	server := postgrestest.Start(t)
	fits := server.Database()
	require.Zero(t, call(t, nil, "migrate", "--postgres", fits).status)
	change(t, fits, `insert into svc_cluster values (true, 'theirs')`)
	for _, c := range []struct {
		database, cluster string
		wrong             []string
	}{
		{fits, "theirs", []string{"temporal"}},
		{fits, "ours", []string{"cluster", "temporal"}},
		{server.Database(), "ours", []string{"database", "temporal"}},
		{strings.Replace(fits, postgrestest.Password, "s3cret-7", 1), "ours", []string{"database", "temporal"}},
	} {
		args := []string{"check", "--postgres", c.database, "--temporal", nowhere, "--cluster", c.cluster}
		got := call(t, nil, append(args, "--output", "json")...)
		require.Equal(t, program.ExitFailed, got.status)
		require.Empty(t, got.errs)
		var answer checked
		require.NoError(t, json.Unmarshal([]byte(got.out), &answer))
		require.False(t, answer.OK)
		var wrong []string
		for _, f := range answer.Findings {
			if !f.OK {
				wrong = append(wrong, f.About)
			}
		}
		require.Equal(t, c.wrong, wrong)
		text := call(t, nil, args...)
		require.Equal(t, len(c.wrong), strings.Count(text.out, "  WRONG  "), text.out)
		require.NotContains(t, text.out+got.out, "s3cret-7")
	}
}
