package main

import (
	"net"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCredentialsTestOpensDatabases(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	nobody := l.Addr().String()
	require.NoError(t, l.Close())
	require.NoError(t, os.WriteFile(filepath.Join(dir, "text.db"), []byte("this is no database, but a text that is long enough for a header of one hundred bytes, which SQLite reads first"), 0o600))
	for text, want := range map[string]int{
		"sqlite:shop/orders.db": 0, "sqlite:text.db": 1, "sqlite:.runs/x.db": 1,
	} {
		errs := &watched{}
		status, out := svc(t, map[string]string{"SVC_CRED_SQLITE_MAIN": `{"kind":"dsn","dsn":"` + text + `"}`}, errs, "credentials", "test", "sqlite:main")
		require.Equal(t, want, status, "%s: %s%s", text, out, errs.String())
	}
	for _, ref := range []string{"postgres", "mysql"} {
		errs := &watched{}
		status, out := svc(t, map[string]string{"SVC_CRED_POSTGRES_MAIN": `{"kind":"dsn","dsn":"postgres://ann:canary-9@` + nobody + `/shop"}`, "SVC_CRED_MYSQL_MAIN": `{"kind":"dsn","dsn":"mysql://ann:canary-9@` + nobody + `/shop"}`}, errs, "credentials", "test", ref+":main")
		require.Equal(t, 1, status, out+errs.String())
		require.NotContains(t, out+errs.String(), "canary-9")
		require.Contains(t, errs.String(), "cannot be reached")
	}
}
