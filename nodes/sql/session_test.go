package sqlnode_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/nodes"
	sqlnode "github.com/svcflow/svc/nodes/sql"
)

func TestNothingOfASQLiteSessionMeetsTheNextNode(t *testing.T) {
	d, _ := sqliteFile(t)
	d.must("CREATE TABLE kept (a int)", nil)
	d.must("CREATE TEMPORARY TABLE passing (a int)", nil)
	_, err := d.query("SELECT * FROM passing", nil)
	require.Error(t, err)
	d.must("PRAGMA query_only = on", nil)
	d.must("INSERT INTO kept VALUES (1)", nil)
	for _, opens := range []string{"BEGIN", "begin immediate", "; BEGIN", "SAVEPOINT a", "-- x\nCOMMIT", "ROLLBACK", "END"} {
		_, err := d.exec(opens, nil)
		require.ErrorContains(t, err, "does not end with its node", opens)
	}
	_, err = d.exec("INSERT INTO kept VALUES (2); BEGIN; INSERT INTO kept VALUES (3)", nil)
	require.Equal(t, node.CodeInvalidConfig, node.CodeOf(err), err)
	d.must("INSERT INTO kept VALUES (4)", nil)
	rows, err := d.query("SELECT a FROM kept ORDER BY a", nil)
	require.NoError(t, err)
	require.Equal(t, []any{record{"a": 1}, record{"a": 2}, record{"a": 4}}, rows)
}

func TestFoldersOfASQLiteFileAreMade(t *testing.T) {
	c, dir := inFolder(t)
	d := database{open(t, map[string]string{"sqlite:main": `{"kind":"dsn","dsn":"sqlite:shop/2026/orders.db"}`}, c), t, "sqlite:main"}
	d.must("CREATE TABLE a (b int)", nil)
	require.FileExists(t, filepath.Join(dir, "shop", "2026", "orders.db"))
}

func TestASQLiteFileLiesInNoFolderOfARun(t *testing.T) {
	c, dir := inFolder(t)
	require.NoError(t, os.MkdirAll(filepath.Join(dir, node.RunsDir, "run-1"), 0o700))
	for _, name := range []string{node.RunsDir + "/run-1/a.db", "./" + node.RunsDir + "/a.db", "x/../" + node.RunsDir + "/run-1/a.db", node.RunsDir} {
		d := database{open(t, map[string]string{"sqlite:main": `{"kind":"dsn","dsn":"sqlite:` + name + `"}`}, c), t, "sqlite:main"}
		_, err := d.exec("CREATE TABLE a (b int)", nil)
		require.Equal(t, node.CodeForbidden, node.CodeOf(err), "%s: %v", name, err)
	}
}

func TestSQLiteFilesCountTowardsTheBytesOfFiles(t *testing.T) {
	env, err := nodes.Sandbox(nodes.Policy{FilesDir: t.TempDir(), Quota: nodes.NewQuota(200_000, 0)})
	require.NoError(t, err)
	d := database{open(t, map[string]string{"sqlite:main": `{"kind":"dsn","dsn":"sqlite:a/b.db"}`}, sqlnode.Config{Files: env.Files}), t, "sqlite:main"}
	d.must("PRAGMA auto_vacuum = full; CREATE TABLE a (b blob)", nil)
	_, err = d.exec("INSERT INTO a VALUES (zeroblob(300000))", nil)
	require.Equal(t, node.CodeStorageFull, node.CodeOf(err), err)
	for range 100 {
		if _, err = d.exec("INSERT INTO a VALUES (zeroblob(30000))", nil); err != nil {
			break
		}
	}
	require.Equal(t, node.CodeStorageFull, node.CodeOf(err), err)
	f, err := env.Files.OpenFile("c", os.O_CREATE|os.O_WRONLY, 0o600)
	require.NoError(t, err)
	defer f.Close() //nolint:errcheck // a file of the test
	_, err = env.Files.Writer(f).Write(make([]byte, 60_000))
	require.Equal(t, node.CodeStorageFull, node.CodeOf(err), "the database used it up: %v", err)
	_, err = d.exec("PRAGMA main.Max_Page_Count = 1000000", nil)
	require.ErrorContains(t, err, "leave it out")
	d.must("DELETE FROM a", nil)
	_, err = env.Files.Writer(f).Write(make([]byte, 60_000))
	require.NoError(t, err, "what was removed is free again")
}
