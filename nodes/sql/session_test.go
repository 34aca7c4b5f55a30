package sqlnode_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/node"
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
