package private_test

import (
	"context"
	"errors"
	"os"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/store/postgres/private"
)

func TestItIsThereAgain(t *testing.T) {
	ctx := t.Context()
	dir, err := os.MkdirTemp("", "pg")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(dir)) })
	config := private.Config{Dir: dir, Password: "p/w@1 ?", Hasty: true}
	first := open(t, config)
	address, err := first.Create(ctx, "things")
	require.NoError(t, err)
	require.NoError(t, query(t, address, "create table t as select 7 as n"))

	// The process that started it is killed and leaves the server running.
	second := open(t, config)
	address, err = second.Create(ctx, "things")
	require.NoError(t, err, "a database that there is already stays")
	require.NoError(t, query(t, address, "select n from t"))

	require.NoError(t, second.Crash(ctx))
	require.Error(t, query(t, address, "select n from t"))
	require.NoError(t, second.Up(ctx))
	require.NoError(t, query(t, second.Address("things"), "select n from t"))
}

func open(t *testing.T, c private.Config) *private.Server {
	t.Helper()
	s, err := private.New(t.Context(), c)
	if errors.Is(err, private.ErrNotInstalled) {
		t.Skip("PostgreSQL is not installed")
	}
	require.NoError(t, err)
	require.NoError(t, s.Up(t.Context()))
	t.Cleanup(func() { _ = s.Crash(context.Background()) })
	return s
}

func query(t *testing.T, address, text string) error {
	t.Helper()
	c, err := pgx.Connect(t.Context(), address)
	if err != nil {
		return err
	}
	defer func() { require.NoError(t, c.Close(context.Background())) }()
	_, err = c.Exec(t.Context(), text)
	return err
}
