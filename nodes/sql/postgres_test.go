package sqlnode_test

import (
	"context"
	"net"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/node"
	sqlnode "github.com/svcflow/svc/nodes/sql"
	"github.com/svcflow/svc/store/postgres/postgrestest"
)

// direct dials any address.
func direct(ctx context.Context, network, address string) (net.Conn, error) {
	var d net.Dialer
	return d.DialContext(ctx, network, address)
}

func startPostgres(t *testing.T) database {
	t.Helper()
	dsn, _, _ := strings.Cut(postgrestest.Start(t).Address("postgres"), "?")
	return database{open(t, map[string]string{"postgres:main": `{"kind":"dsn","dsn":"` + dsn + `"}`}, sqlnode.Config{Dial: direct}), t, "postgres:main"}
}

func TestPostgreSQLTakesValuesByTypeOrRefusesThem(t *testing.T) {
	d := startPostgres(t)
	d.must("CREATE TYPE mood AS ENUM ('good', 'bad')", nil)
	d.must("CREATE TABLE v (i bigint, s text, b boolean, n numeric, f float8, ints int[], texts text[], docs jsonb[], moods mood[], j jsonb)", nil)
	for _, wrong := range []record{{"i": 1.5}, {"i": -2.25}, {"i": "x"}, {"i": true}, {"b": "maybe"}, {"i": []any{1}}, {"ints": []any{1, 2.5}}, {"ints": []any{"a"}}} {
		for column := range wrong {
			_, err := d.insert(record{"table": "v", "columns": []any{column}}, []any{wrong})
			require.Equal(t, node.CodeInvalidInput, node.CodeOf(err), "%v: %v", wrong, err)
			_, err = d.exec("INSERT INTO v ("+column+") VALUES (:x)", record{"x": wrong[column]})
			require.Equal(t, node.CodeInvalidInput, node.CodeOf(err), "%v: %v", wrong, err)
		}
	}
	row := record{"i": 1 << 60, "s": 5, "b": "true", "n": 0.1, "f": 2.5e30, "ints": []any{3, nil, -4}, "texts": []any{`a,"b"\`, nil, "NULL", "", "{x}"}, "docs": []any{record{"k": []any{1}}, []any{2}}, "moods": []any{"bad"}, "j": []any{1, "a"}}
	_, err := d.insert(record{"table": "v", "columns": []any{"i", "s", "b", "n", "f", "ints", "texts", "docs", "moods", "j"}}, []any{row})
	require.NoError(t, err)
	rows, err := d.query("SELECT * FROM v", nil)
	require.NoError(t, err)
	row["s"], row["b"], row["n"] = "5", true, "0.1"
	require.Equal(t, []any{row}, rows)
	rows, err = d.query("SELECT i FROM v WHERE i = any(:ids) AND s = :s::text AND :list::int[] = ints", record{"ids": []any{1, 1 << 60}, "s": 5, "list": []any{3, nil, -4}})
	require.NoError(t, err)
	require.Len(t, rows, 1)
	rows, err = d.query("SELECT :b::text AS b, :n::text AS n, :l::int[] AS l, :e::text[] AS e, 1 = any(:none) AS none", record{"b": true, "n": 2.5, "l": []any{[]any{1, 2}, []any{3, 4}}, "e": []any{}, "none": []any{}})
	require.NoError(t, err)
	require.Equal(t, []any{record{"b": "true", "n": "2.5", "l": []any{[]any{1, 2}, []any{3, 4}}, "e": []any{}, "none": false}}, rows)
	rows, err = d.query(`SELECT '[0:1]={7,8}'::int[] AS a, array[true,null] AS b, array[0.5::float8,'NaN'] AS f, array['\x00ff'::bytea] AS y, array['2026-03-01 10:00+02'::timestamptz] AS z, array['2026-03-01 10:00'::timestamp] AS t, array['1.50'::numeric] AS n, array['2026-03-01'::date] AS d`, nil)
	require.NoError(t, err)
	require.Equal(t, []any{record{
		"a": []any{7, 8}, "b": []any{true, nil}, "f": []any{0.5, "NaN"}, "y": []any{"AP8="},
		"z": []any{"2026-03-01T08:00:00Z"}, "t": []any{"2026-03-01T10:00:00"}, "n": []any{"1.50"}, "d": []any{"2026-03-01"},
	}}, rows)
}

func TestNothingOfAPostgreSQLSessionMeetsTheNextNode(t *testing.T) {
	d := startPostgres(t)
	d.must("CREATE SCHEMA other", nil)
	for _, leaves := range []string{"SET search_path = other", "SET statement_timeout = 1", "SET default_transaction_read_only = on", "CREATE TEMPORARY TABLE pg_left (a int)", "PREPARE left_over AS SELECT 1", "LISTEN left_over"} {
		d.must(leaves, nil)
	}
	_, err := d.query("SELECT pg_advisory_lock(7)::text AS a", nil)
	require.NoError(t, err)
	rows, err := d.query("SELECT current_setting('search_path') AS path, current_setting('statement_timeout') AS timeout, to_regclass('pg_left')::text AS t, (SELECT count(*) FROM pg_locks WHERE locktype = 'advisory') AS locks, (SELECT count(*) FROM pg_prepared_statements WHERE name = 'left_over') AS p", nil)
	require.NoError(t, err)
	require.Equal(t, []any{record{"path": `"$user", public`, "timeout": "0", "t": nil, "locks": 0, "p": 0}}, rows)
	for range 3 { // the same statement again, whose preparation went with the session
		d.must("CREATE TABLE IF NOT EXISTS public.kept (a int)", nil)
		d.must("INSERT INTO kept VALUES (:a)", record{"a": 1})
	}
	for _, opens := range []string{"BEGIN", " begin isolation level serializable", "/* x */ START TRANSACTION", "-- x\nSAVEPOINT a", "COMMIT", "rollback", "END"} {
		_, err := d.exec(opens, nil)
		require.Error(t, err, opens)
		require.Contains(t, err.Error(), "does not end with its node", opens)
		d.must("INSERT INTO kept VALUES (:a)", record{"a": 2})
	}
	rows, err = d.query("SELECT count(*) AS n FROM kept", nil)
	require.NoError(t, err)
	require.Equal(t, 10, rows[0].(record)["n"])
}

func TestAMessageOfPostgreSQLThatIsTooLargeEndsItsNodeOnly(t *testing.T) {
	d := startPostgres(t)
	_, err := d.query("SELECT repeat('x', 200000000) AS a", nil)
	require.Equal(t, node.CodeLimitExceeded, node.CodeOf(err), err)
	require.ErrorContains(t, err, "64 MiB for one row")
	rows, err := d.query("SELECT length(a) AS n FROM (SELECT repeat('x', 5000000) AS a) AS z, generate_series(1, 3)", nil)
	require.NoError(t, err)
	require.Len(t, rows, 3)
	out, err := d.Exec("sql.query", record{"credential": d.ref, "sql": "SELECT repeat('x', 1000000) AS a FROM generate_series(1, 100)"}, nil)
	require.NoError(t, err, "many rows may be larger together")
	require.Equal(t, 100, out["count"])
	first, err := d.query("SELECT pg_backend_pid() AS pid", nil)
	require.NoError(t, err)
	again, err := d.query("SELECT pg_backend_pid() AS pid", nil)
	require.NoError(t, err)
	require.Equal(t, first, again, "the connection is used again")
	_, err = d.query("SELECT repeat('x', 5000000) AS a", nil)
	require.NoError(t, err)
	again, err = d.query("SELECT pg_backend_pid() AS pid", nil)
	require.NoError(t, err)
	require.NotEqual(t, first, again, "a connection with a large buffer is not kept")
}
