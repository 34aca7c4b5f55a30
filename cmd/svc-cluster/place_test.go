//go:build unix

package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/cmd/svc-cluster/internal/member"
	"github.com/svcflow/svc/store/postgres/postgrestest"
)

// TestPlaceIsKept stores a placement in the database and prints it.
func TestPlaceIsKept(t *testing.T) {
	database := migrated(t, postgrestest.Start(t))
	place := func(rules ...string) called {
		return call(t, nil, append([]string{"place", "--postgres", database}, rules...)...)
	}
	require.Equal(t, "none\n", place().out)
	got := place("media.*=gpu", "a.b=cpu")
	require.Zero(t, got.status, got.errs)
	require.Equal(t, "a.b=cpu\nmedia.*=gpu\n", place().out)
	living(t, database, member.About{Runs: 1, Types: []string{"a.b", "c.d"}})
	got = place("a.b=cpu", "x.y=gpu")
	requireOneLine(t, got, "p0", "x.y=gpu fits no node type")
	got = place("a.*=cpu", "a.b=gpu")
	requireOneLine(t, got, "a.b is placed twice")
	require.Equal(t, "a.b=cpu\nmedia.*=gpu\n", place().out, "what is refused changes nothing")
	require.Zero(t, place("none").status)
	require.Equal(t, "none\n", place().out)
	requireOneLine(t, call(t, nil, "place", "--postgres", database, "--cluster", "other"), "--cluster", "other")
}
