//go:build e2e

package sqlnode_test

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/node"
	sqlnode "github.com/svcflow/svc/nodes/sql"
	"github.com/svcflow/svc/store/postgres/postgrestest"
)

// as makes cmd run as a user of the system, since some servers refuse to run as root.
func as(t *testing.T, cmd *exec.Cmd, name string, folders ...string) *exec.Cmd {
	t.Helper()
	if os.Getuid() != 0 {
		return cmd
	}
	u, err := user.Lookup(name)
	require.NoError(t, err)
	uid, _ := strconv.Atoi(u.Uid)
	gid, _ := strconv.Atoi(u.Gid)
	for _, dir := range folders {
		require.NoError(t, os.Chown(dir, uid, gid))
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}
	return cmd
}

// folderFor returns a folder that other users can reach.
func folderFor(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "svc-sql")
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close() //nolint:errcheck // only its port is needed
	return strconv.Itoa(l.Addr().(*net.TCPAddr).Port)
}

// background runs a server until the test ends.
func background(t *testing.T, cmd *exec.Cmd, port string) {
	t.Helper()
	var said strings.Builder
	cmd.Stdout, cmd.Stderr = &said, &said
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		stop := time.AfterFunc(20*time.Second, func() { _ = cmd.Process.Kill() })
		_ = cmd.Wait()
		stop.Stop()
		if t.Failed() {
			t.Log(said.String())
		}
	})
	require.Eventually(t, func() bool {
		conn, err := net.Dial("tcp", "127.0.0.1:"+port)
		if err == nil {
			_ = conn.Close()
		}
		return err == nil
	}, time.Minute, 50*time.Millisecond)
}

func tool(t *testing.T, name string, places ...string) string {
	t.Helper()
	if path, err := exec.LookPath(name); err == nil {
		return path
	}
	for _, place := range places {
		if found, _ := filepath.Glob(filepath.Join(place, name)); len(found) > 0 {
			return found[len(found)-1]
		}
	}
	t.Fatalf("%s is not installed: .ci/run does it", name)
	return ""
}

func must(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	text, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", text)
}

func postgres(t *testing.T) (database, string) {
	t.Helper()
	dsn, _, _ := strings.Cut(postgrestest.Start(t).Address("postgres"), "?")
	return database{open(t, map[string]string{"postgres:main": `{"kind":"dsn","dsn":"` + dsn + `"}`}, sqlnode.Config{Dial: direct}), t, "postgres:main"}, dsn
}

func mariadb(t *testing.T) (database, string) {
	t.Helper()
	dir := folderFor(t)
	data := filepath.Join(dir, "data")
	install := as(t, exec.Command(tool(t, "mariadb-install-db"), "--no-defaults", "--datadir="+data, "--auth-root-authentication-method=normal", "--skip-test-db"), "mysql", dir)
	must(t, install)
	port := freePort(t) // chosen last: the installation takes seconds, in which others may take the port
	start := filepath.Join(dir, "start.sql")
	require.NoError(t, os.WriteFile(start, []byte("CREATE DATABASE svc CHARACTER SET utf8mb4;\nCREATE USER svc@'%' IDENTIFIED BY 'canary-7';\nGRANT ALL ON svc.* TO svc@'%';\nGRANT PROCESS ON *.* TO svc@'%';\n"), 0o644))
	background(t, as(t, exec.Command(tool(t, "mariadbd", "/usr/sbin"), "--no-defaults", "--datadir="+data, "--port="+port, "--bind-address=127.0.0.1", "--socket="+filepath.Join(dir, "socket"), "--init-file="+start, "--pid-file="+filepath.Join(dir, "pid"), "--innodb-flush-log-at-trx-commit=0"), "mysql"), port)
	dsn := "mysql://svc:canary-7@127.0.0.1:" + port + "/svc"
	return database{open(t, map[string]string{"mysql:main": `{"kind":"dsn","dsn":"` + dsn + `"}`}, sqlnode.Config{Dial: direct}), t, "mysql:main"}, dsn
}

func TestPostgreSQL(t *testing.T) {
	d, dsn := postgres(t)
	suite(t, d, "bigint", "text")
	endsSoon(t, d, "SELECT count(*) AS n FROM pg_stat_activity WHERE query LIKE '%pg_sleep(60)%' AND state = 'active' AND pid <> pg_backend_pid()")
	bounded(t, d, "SELECT pg_sleep(0.2)", "SELECT count(*) AS n FROM pg_stat_activity WHERE backend_type = 'client backend'")
	typesOfPostgres(t, d)
	refused(t, dsn, "postgres", postgrestest.Password)
}

func TestMariaDB(t *testing.T) {
	d, dsn := mariadb(t)
	require.Eventually(t, func() bool { _, err := d.query("SELECT 1 AS a", nil); return err == nil }, time.Minute, 50*time.Millisecond)
	suite(t, d, "bigint", "varchar(500)")
	endsSoon(t, d, "SELECT count(*) AS n FROM information_schema.processlist WHERE info LIKE '%SLEEP(60)%' AND id <> CONNECTION_ID()")
	bounded(t, d, "SELECT SLEEP(0.2)", "SELECT count(*) AS n FROM information_schema.processlist WHERE user = 'svc'")
	typesOfMariaDB(t, d)
	refused(t, dsn, "mysql", "canary-7")
	leavesNothing(t, d)
}

// leavesNothing checks that a statement does not change the session of the next one.
func leavesNothing(t *testing.T, d database) {
	t.Helper()
	d.must("CREATE TABLE kept (a int)", nil)
	d.must("CREATE TEMPORARY TABLE passing (a int)", nil)
	_, err := d.query("SELECT a FROM passing", nil)
	require.Error(t, err)
	d.must("SET autocommit = 0, @left = 7", nil)
	d.must("INSERT INTO kept VALUES (1)", nil)
	_, err = d.query("SELECT GET_LOCK('left', 0) AS a", nil)
	require.NoError(t, err)
	for _, opens := range []string{"BEGIN", "# x\nSTART TRANSACTION", "LOCK TABLES kept READ", "XA START 'a'"} {
		_, err := d.exec(opens, nil)
		require.ErrorContains(t, err, "does not end with its node", opens)
	}
	rows, err := d.query("SELECT (SELECT count(*) FROM kept) AS n, @left AS v, IS_FREE_LOCK('left') AS l", nil)
	require.NoError(t, err)
	require.Equal(t, []any{record{"n": 1, "v": nil, "l": 1}}, rows)
}

// endsSoon checks that a cancelled statement also ends at the server, long before it would
// end by itself.
func endsSoon(t *testing.T, d database, count string) {
	t.Helper()
	require.Eventually(t, func() bool {
		rows, err := d.query(count, nil)
		return err == nil && rows[0].(record)["n"] == 0
	}, 50*time.Second, 20*time.Millisecond)
}

// bounded checks that many runs share few connections.
func bounded(t *testing.T, d database, slow, count string) {
	t.Helper()
	ended := make(chan error)
	for range 30 {
		go func() {
			_, err := d.Exec("sql.query", record{"credential": d.ref, "sql": slow}, nil)
			ended <- err
		}()
	}
	for range 30 {
		require.NoError(t, <-ended)
	}
	rows, err := d.query(count, nil)
	require.NoError(t, err)
	require.LessOrEqual(t, rows[0].(record)["n"], 10)
}

func typesOfPostgres(t *testing.T, d database) {
	t.Helper()
	d.must(`CREATE TABLE types (i2 smallint, i8 bigint, n numeric(30,10), f8 double precision, f4 real, b boolean, s text, c char(3), u uuid, j json, jb jsonb, by bytea, d date, ts timestamp, tz timestamptz, ti time, iv interval, a int[], inf double precision, e inet)`, nil)
	_, err := d.insert(record{"table": "types", "columns": []any{"i2", "i8", "n", "f8", "f4", "b", "s", "c", "u", "j", "jb", "d", "ts", "tz", "ti", "iv", "a", "inf", "e"}}, []any{record{
		"i2": 7, "i8": 1<<63 - 1, "n": "12345678901234567890.1234567891", "f8": 0.1, "f4": 1.5, "b": true, "s": "ä😀", "c": "a", "u": "6ba7b810-9dad-11d1-80b4-00c04fd430c8", "j": record{"a": []any{1}}, "jb": []any{1 << 60},
		"d": "2026-01-31", "ts": "2026-01-31T18:05:09.25", "tz": "2026-01-31T19:05:09+01:00", "ti": "18:05:09", "iv": "1 day 02:00:00", "a": "{1,2}", "inf": "Infinity", "e": "10.0.0.1",
	}})
	require.NoError(t, err)
	d.must("UPDATE types SET by = decode(:by, 'base64')", record{"by": "AP8="})
	out, err := d.Exec("sql.query", record{"credential": d.ref, "sql": "SELECT * FROM types"}, nil)
	require.NoError(t, err)
	require.Equal(t, record{
		"i2": 7, "i8": 1<<63 - 1, "n": "12345678901234567890.1234567891", "f8": 0.1, "f4": 1.5, "b": true, "s": "ä😀", "c": "a  ", "u": "6ba7b810-9dad-11d1-80b4-00c04fd430c8", "j": record{"a": []any{1}}, "jb": []any{1 << 60},
		"by": "AP8=", "d": "2026-01-31", "ts": "2026-01-31T18:05:09.25", "tz": "2026-01-31T18:05:09Z", "ti": "18:05:09", "iv": "1 day 02:00:00", "a": []any{1, 2}, "inf": "+Inf", "e": "10.0.0.1",
	}, out["rows"].([]any)[0])
	require.Contains(t, out["columns"], record{"name": "n", "type": "numeric"})
	_, err = d.insert(record{"table": "types", "columns": []any{"i2"}}, []any{record{"i2": 1 << 40}})
	require.Equal(t, node.CodeInvalidInput, node.CodeOf(err), err)
}

func typesOfMariaDB(t *testing.T, d database) {
	t.Helper()
	d.must("CREATE TABLE types (i2 smallint, i8 bigint, u8 bigint unsigned, n decimal(30,10), f8 double, b boolean, s varchar(20) character set utf8mb4, j json, bi bit(9), bl blob, d date, dt datetime(2), ti time, e enum('a','b'), y year)", nil)
	_, err := d.insert(record{"table": "types", "columns": []any{"i2", "i8", "u8", "n", "f8", "b", "s", "j", "bi", "d", "dt", "ti", "e", "y"}}, []any{record{
		"i2": 7, "i8": -1 << 63, "u8": "18446744073709551615", "n": "12345678901234567890.1234567891", "f8": 0.1, "b": true, "s": "ä😀", "j": record{"a": []any{1}}, "bi": 257,
		"d": "2026-01-31", "dt": "2026-01-31 18:05:09.25", "ti": "18:05:09", "e": "b", "y": 2026,
	}})
	require.NoError(t, err)
	d.must("UPDATE types SET bl = FROM_BASE64(:by)", record{"by": "AP8="})
	out, err := d.Exec("sql.query", record{"credential": d.ref, "sql": "SELECT * FROM types"}, nil)
	require.NoError(t, err)
	require.Equal(t, record{
		"i2": 7, "i8": -1 << 63, "u8": "18446744073709551615", "n": "12345678901234567890.1234567891", "f8": 0.1, "b": 1, "s": "ä😀", "j": `{"a":[1]}`, "bi": 257, "bl": "AP8=",
		"d": "2026-01-31", "dt": "2026-01-31T18:05:09.25", "ti": "18:05:09", "e": "b", "y": 2026,
	}, out["rows"].([]any)[0])
}

// refused checks the errors for a wrong password, a host that is not allowed, and a host
// that does not answer. They must not contain the password.
func refused(t *testing.T, dsn, network, password string) {
	t.Helper()
	hosts := `"hosts":["db.example.com"]`
	h := open(t, map[string]string{
		network + ":wrong": `{"kind":"dsn","dsn":"` + strings.Replace(dsn, password, password+"-wrong", 1) + `"}`,
		network + ":hosts": `{"kind":"dsn","dsn":"` + dsn + `",` + hosts + `}`,
		network + ":none":  `{"kind":"dsn","dsn":"` + strings.Replace(dsn, "127.0.0.1:", "127.0.0.1:1", 1)[:len(dsn)-20] + `"}`,
	}, sqlnode.Config{Dial: direct})
	for account, code := range map[string]string{"wrong": node.CodeReauthorize, "hosts": node.CodeForbidden, "none": ""} {
		_, err := database{h, t, network + ":" + account}.query("SELECT 1 AS a", nil)
		require.Error(t, err)
		require.NotContains(t, fmt.Sprintf("%+v", err), password, account)
		if code != "" {
			require.Equal(t, code, node.CodeOf(err), err)
		}
	}
}
