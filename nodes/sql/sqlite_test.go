package sqlnode_test

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/credentials"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/nodes/nodetest"
	sqlnode "github.com/svcflow/svc/nodes/sql"
)

type record = map[string]any

// folder is the folder of databases that are files.
type folder struct{ *os.Root }

func (folder) Clean(name string) (string, error) {
	if !filepath.IsLocal(name) {
		return "", node.Errorf(node.CodeForbidden, "%s lies outside", name)
	}
	return filepath.Clean(name), nil
}

func (f folder) OpenFile(name string, flag int, perm fs.FileMode) (*os.File, error) {
	return f.Root.OpenFile(name, flag, perm)
}

// database is a database with the nodes that use it.
type database struct {
	*nodetest.Host

	t   testing.TB
	ref string
}

// open returns a host with a credential for each reference.
func open(t testing.TB, accounts map[string]string, c sqlnode.Config) *nodetest.Host {
	t.Helper()
	secrets := &credentials.Memory{}
	for ref, text := range accounts {
		parsed, err := credentials.Parse(text)
		require.NoError(t, err)
		require.NoError(t, secrets.SetCredential(t.Context(), credentials.Ref(ref), parsed))
	}
	c.Credentials = secrets
	p := sqlnode.New(c)
	t.Cleanup(func() { require.NoError(t, p.Close()) })
	return nodetest.New(t, p)
}

func inFolder(t testing.TB) (sqlnode.Config, string) {
	t.Helper()
	dir := t.TempDir()
	root, err := os.OpenRoot(dir)
	require.NoError(t, err)
	t.Cleanup(func() { _ = root.Close() })
	return sqlnode.Config{Files: folder{root}}, dir
}

func sqliteFile(t testing.TB) (database, string) {
	t.Helper()
	c, dir := inFolder(t)
	return database{open(t, map[string]string{"sqlite:main": `{"kind":"dsn","dsn":"sqlite:notes.db"}`}, c), t, "sqlite:main"}, dir
}

func (d database) exec(text string, params any) (int, error) {
	d.t.Helper()
	wired := record{}
	if params != nil {
		wired["params"] = params
	}
	out, err := d.Exec("sql.exec", record{"credential": d.ref, "sql": text}, wired)
	if err != nil {
		return 0, err
	}
	return out["affected"].(int), nil
}

func (d database) must(text string, params any) int {
	d.t.Helper()
	n, err := d.exec(text, params)
	require.NoError(d.t, err, text)
	return n
}

func (d database) query(text string, params record) ([]any, error) {
	d.t.Helper()
	if params == nil {
		params = record{}
	}
	out, err := d.Exec("sql.query", record{"credential": d.ref, "sql": text}, record{"params": params})
	if err != nil {
		return nil, err
	}
	return out["rows"].([]any), nil
}

func (d database) insert(config record, rows []any) (int, error) {
	d.t.Helper()
	config["credential"] = d.ref
	out, err := d.Exec("sql.insert", config, record{"rows": rows})
	if err != nil {
		return 0, err
	}
	return out["affected"].(int), nil
}

func TestSpecs(t *testing.T) { nodetest.Check(t, sqlnode.New(sqlnode.Config{})) }

func TestRandom(t *testing.T) {
	p := sqlnode.New(sqlnode.Config{})
	nodetest.Quick(t, p, map[string][]map[string]any{
		"sql.query": {{"credential": "sqlite:main", "sql": "SELECT :a"}}, "sql.exec": {{"credential": "sqlite:main", "sql": "SELECT :a"}},
		"sql.insert": {{"credential": "sqlite:main", "table": "t", "columns": []any{"a"}, "onConflict": "fail", "key": []any{"a"}}},
	})
}

// suite tests what holds for every database. The types of columns differ.
func suite(t *testing.T, d database, integer, text string) {
	t.Helper()
	d.must("CREATE TABLE people (id "+integer+" PRIMARY KEY, name "+text+", info "+text+")", nil)
	require.Equal(t, 3, d.must("INSERT INTO people (id, name) VALUES (:id, :name)", []any{record{"id": 1, "name": "Ann"}, record{"id": 2, "name": "Bob"}, record{"id": 1<<62 + 1, "name": nil}}))
	rows, err := d.query("SELECT id, name FROM people WHERE id >= :low AND (name = :name OR name IS NULL) ORDER BY id", record{"low": 1, "name": "Bob", "more": 1})
	require.NoError(t, err)
	require.Equal(t, []any{record{"id": 2, "name": "Bob"}, record{"id": 1<<62 + 1, "name": nil}}, rows)

	// A batch is atomic.
	_, err = d.exec("INSERT INTO people (id, name) VALUES (:id, 'x')", []any{record{"id": 10}, record{"id": 11}, record{"id": 1}})
	require.Equal(t, "conflict", node.CodeOf(err))
	rows, err = d.query("SELECT count(*) AS n FROM people", nil)
	require.NoError(t, err)
	require.Equal(t, []any{record{"n": 3}}, rows)

	_, err = d.query("SELECT id FROM people WHERE id = :id", nil)
	require.Equal(t, node.CodeInvalidInput, node.CodeOf(err))
	require.ErrorContains(t, err, "params has no id")
	_, err = d.query("SELECT id FROM nowhere", nil)
	require.Equal(t, "sql_error", node.CodeOf(err))
	require.ErrorContains(t, err, "nowhere")
	_, err = d.Exec("sql.query", record{"credential": d.ref, "sql": "SELECT id FROM people", "maxRows": 2}, nil)
	require.Equal(t, node.CodeLimitExceeded, node.CodeOf(err))
	_, err = d.query("SELECT 1 AS a, 2 AS a", nil)
	require.ErrorContains(t, err, "two columns are called a")
	_, err = d.query("SELECT 1; SELECT 2", nil)
	if d.ref != "sqlite:main" {
		require.Error(t, err)
	}

	// Rows.
	many := make([]any, 1203)
	for i := range many {
		many[i] = record{"id": 100 + i, "name": fmt.Sprint("n", i), "info": record{"i": i}, "not a column": 1}
	}
	n, err := d.insert(record{"table": "people", "columns": []any{"id", "name", "info"}}, many)
	require.NoError(t, err)
	require.Equal(t, 1203, n)
	rows, err = d.query("SELECT name, info FROM people WHERE id = :id", record{"id": 1302})
	require.NoError(t, err)
	require.Equal(t, []any{record{"name": "n1202", "info": `{"i":1202}`}}, rows)
	_, err = d.insert(record{"table": "people", "columns": []any{"id"}}, []any{record{"id": 5000}, record{"id": 1}})
	require.Equal(t, "conflict", node.CodeOf(err))
	_, err = d.insert(record{"table": "people", "columns": []any{"id", "name"}, "onConflict": "skip"}, []any{record{"id": 5000}, record{"id": 1, "name": "Zoe"}})
	require.NoError(t, err)
	_, err = d.insert(record{"table": "people", "columns": []any{"id", "name"}, "onConflict": "update", "key": []any{"id"}}, []any{record{"id": 5000, "name": "Max"}, record{"id": 5001}})
	require.NoError(t, err)
	rows, err = d.query("SELECT id, name FROM people WHERE id IN (1, 5000, 5001) ORDER BY id", nil)
	require.NoError(t, err)
	require.Equal(t, []any{record{"id": 1, "name": "Ann"}, record{"id": 5000, "name": "Max"}, record{"id": 5001, "name": nil}}, rows)
	injections(t, d)
	cancels(t, d)
	largeBatch(t, d, integer, text)
}

// Neither values nor names can inject SQL.
func injections(t *testing.T, d database) {
	t.Helper()
	before, err := d.query("SELECT count(*) AS n FROM people", nil)
	require.NoError(t, err)
	for _, bad := range []string{
		"'; DROP TABLE people; --", "' OR '1'='1", `" OR ""="`, `\'; DROP TABLE people; -- `, "1; DELETE FROM people", "x' UNION SELECT name FROM people --", "$1", ":name", "?", "%s%n", "\\", "'", "''", "\"", "`",
		"$$; DROP TABLE people; $$", "/*", "*/; DROP TABLE people; /*", "-- ", "#", "\u02bc OR 1=1", "\uff07 OR 1=1", "中'", "a\r\nb", "0x27", "CHAR(39)", "\xc2\xbf\x27",
	} {
		rows, err := d.query("SELECT name FROM people WHERE name = :name", record{"name": bad})
		require.NoError(t, err, bad)
		require.Empty(t, rows, bad)
		d.must("UPDATE people SET info = :info WHERE id = 1", record{"info": bad})
		rows, err = d.query("SELECT info FROM people WHERE info = :info", record{"info": bad})
		require.NoError(t, err, bad)
		require.Equal(t, []any{record{"info": bad}}, rows)
		_, err = d.insert(record{"table": bad, "columns": []any{"id"}}, []any{record{"id": 1}})
		require.Error(t, err, bad)
		_, err = d.insert(record{"table": "people", "columns": []any{"id", bad}}, []any{record{"id": 77777}})
		require.Error(t, err, bad)
	}
	after, err := d.query("SELECT count(*) AS n FROM people", nil)
	require.NoError(t, err)
	require.Equal(t, before, after)
	require.NotEmpty(t, d.Problems("sql.query", record{"credential": d.ref}, "sql"), "no wire leads into sql")
}

// A cancelled node returns at once, and its connection can be used again or is replaced.
func cancels(t *testing.T, d database) {
	t.Helper()
	slow := map[string]string{
		"sqlite:main": "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) AS n FROM n", "postgres:main": "SELECT pg_sleep(60)", "mysql:main": "SELECT SLEEP(60)",
	}[d.ref]
	for range 3 {
		ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
		began := time.Now()
		_, err := d.ExecContext(ctx, "sql.query", record{"credential": d.ref, "sql": slow}, nil)
		cancel()
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.Less(t, time.Since(began), 50*time.Second, "it would take a minute")
	}
	_, err := d.query("SELECT 1 AS one", nil)
	require.NoError(t, err)
}

// largeBatch inserts 100,000 rows in one call.
func largeBatch(t *testing.T, d database, integer, text string) {
	t.Helper()
	d.must("CREATE TABLE big (id "+integer+" PRIMARY KEY, name "+text+", price "+text+")", nil)
	rows := make([]any, 100_000)
	for i := range rows {
		rows[i] = record{"id": i, "name": fmt.Sprint("name ", i), "price": "1.50"}
	}
	began := time.Now()
	n, err := d.insert(record{"table": "big", "columns": []any{"id", "name", "price"}}, rows)
	require.NoError(t, err)
	require.Equal(t, len(rows), n)
	t.Logf("%d rows into %s in %v", len(rows), d.ref, time.Since(began))
	found, err := d.query("SELECT count(*) AS n FROM big", nil)
	require.NoError(t, err)
	require.Equal(t, []any{record{"n": len(rows)}}, found)
}

func TestSQLite(t *testing.T) {
	d, dir := sqliteFile(t)
	suite(t, d, "INTEGER", "TEXT")
	require.FileExists(t, filepath.Join(dir, "notes.db"))
}

func TestTypesOfSQLite(t *testing.T) {
	d, _ := sqliteFile(t)
	d.must("CREATE TABLE t (i INTEGER, r REAL, s TEXT, b BLOB, n NUMERIC)", nil)
	d.must("INSERT INTO t VALUES (:i, :r, :s, x'00ff', :n)", record{"i": -1 << 63, "r": 1.5, "s": "ä\x00😀", "n": nil})
	out, err := d.Exec("sql.query", record{"credential": d.ref, "sql": "SELECT i, r, s, b, n, true AS t FROM t"}, nil)
	require.NoError(t, err)
	require.Equal(t, []any{record{"i": -1 << 63, "r": 1.5, "s": "ä\x00😀", "b": "AP8=", "n": nil, "t": 1}}, out["rows"])
	require.Equal(t, record{"name": "i", "type": "integer"}, out["columns"].([]any)[0])
}

// A statement can open no file but that of the credential, and a credential no file outside
// the folder.
func TestSQLiteStaysInItsFile(t *testing.T) {
	d, dir := sqliteFile(t)
	other := filepath.Join(t.TempDir(), "other.db")
	for _, text := range []string{"ATTACH DATABASE '" + other + "' AS o", "VACUUM INTO '" + other + "'", "SELECT load_extension('/lib/x.so')", "SELECT writefile('" + other + "', 'x')", "SELECT readfile('/etc/passwd')"} {
		_, err := d.exec(text, nil)
		require.Error(t, err, text)
		require.NoFileExists(t, other)
	}
	require.NoError(t, os.Symlink(other, filepath.Join(dir, "link.db")))
	c, _ := inFolder(t)
	for _, dsn := range []string{"sqlite:../x.db", "sqlite:/etc/passwd", "sqlite:x.db?mode=memory", "sqlite:", "file:x.db", "postgres://a:b@c/d", "::"} {
		h := open(t, map[string]string{"sqlite:main": `{"kind":"dsn","dsn":"` + dsn + `"}`}, c)
		_, err := database{h, t, "sqlite:main"}.query("SELECT 1 AS a", nil)
		require.Error(t, err, dsn)
	}
}

// Errors about a data source do not contain it, and forbidden addresses are not dialled.
func TestDataSources(t *testing.T) {
	for dsn, says := range map[string]string{
		"postgres://ann:canary@db.example.com/x?passfile=/canary":    "only sslmode",
		"postgres://ann:canary@db.example.com/x?sslmode=canary":      "cannot be read",
		"postgres://ann:canary@db.example.com":                       "name a user, a host and a database",
		"postgres://db.example.com/canary":                           "name a user, a host and a database",
		"postgres:///canary?host=/var/run":                           "name a user",
		"host=db.example.com user=ann password=canary":               "write it as postgres://",
		"mysql://ann:canary@db.example.com/x":                        "write it as postgres://",
		"postgres://ann:canary@db.example.com/x":                     "may not reach",
		"postgres://ann:canary@db.example.com,canary.example.com/x":  "",
		"postgres://ann:canary@db.example.com:99999/x":               "cannot be read",
		"postgres://ann:canary@db.example.com/x?sslrootcert=/canary": "only sslmode",
	} {
		h := open(t, map[string]string{"postgres:main": `{"kind":"dsn","dsn":"` + dsn + `"}`}, sqlnode.Config{})
		_, err := database{h, t, "postgres:main"}.query("SELECT 1 AS a", nil)
		require.Error(t, err, dsn)
		require.ErrorContains(t, err, says, dsn)
		require.NotContains(t, err.Error(), "canary", dsn)
	}
	h := open(t, map[string]string{
		"mysql:a": `{"kind":"dsn","dsn":"mysql://ann:canary@db.example.com/x?allowAllFiles=true"}`, "mysql:b": `{"kind":"dsn","dsn":"mysql://ann:canary@db.example.com/x?tls=canary"}`,
		"mysql:c": `{"kind":"dsn","dsn":"mysql://ann:canary@db.example.com/x"}`,
	}, sqlnode.Config{})
	for _, ref := range []string{"mysql:a", "mysql:b", "mysql:c", "mysql:none"} {
		_, err := database{h, t, ref}.query("SELECT 1 AS a", nil)
		require.Error(t, err, ref)
		require.NotContains(t, err.Error(), "canary", ref)
	}
}

func TestBadConfig(t *testing.T) {
	c, _ := inFolder(t)
	h := open(t, nil, c)
	for _, tt := range []struct {
		typ    string
		config record
		port   string
	}{
		{"sql.query", record{"sql": " "}, "sql"},
		{"sql.query", record{"sql": "SELECT $1"}, "sql"},
		{"sql.exec", record{"sql": "SELECT $2"}, "sql"},
		{"sql.insert", record{"table": "", "columns": []any{"a"}}, "table"},
		{"sql.insert", record{"table": "t", "columns": []any{}}, "columns"},
		{"sql.insert", record{"table": "t", "columns": []any{"a", "a"}}, "columns"},
		{"sql.insert", record{"table": "t", "columns": []any{"a"}, "onConflict": "update"}, "key"},
		{"sql.insert", record{"table": "t", "columns": []any{"a"}, "onConflict": "update", "key": []any{"b"}}, "key"},
	} {
		tt.config["credential"] = "postgres:main"
		problems := h.Problems(tt.typ, tt.config, "rows")
		if tt.typ != "sql.insert" {
			problems = h.Problems(tt.typ, tt.config)
		}
		require.Len(t, problems, 1, "%v", tt.config)
		require.Equal(t, tt.port, problems[0].Port)
	}
	_, err := h.Exec("sql.query", record{"sql": "SELECT ?"}, record{"credential": value.Credential("mysql:main")})
	require.ErrorContains(t, err, "write :name")
	for _, params := range []any{1, "x", []any{1}} {
		_, err := h.Exec("sql.exec", record{"sql": "SELECT :a", "credential": "mysql:main"}, record{"params": params})
		require.Equal(t, node.CodeTypeError, node.CodeOf(err))
	}
}
