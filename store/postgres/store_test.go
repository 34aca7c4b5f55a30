package postgres_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/store"
	"github.com/svcflow/svc/store/postgres"
	"github.com/svcflow/svc/store/postgres/postgrestest"
	"github.com/svcflow/svc/store/storetest"
)

// soon is how long to wait for something on a slow machine.
const soon = time.Minute

type server struct {
	*postgrestest.Server

	template *string // address of a migrated database, from which others are copied; empty at first
	copies   *int
}

// TestStore uses one server for all tests, since starting it takes longest.
func TestStore(t *testing.T) {
	s := server{postgrestest.Start(t), new(string), new(int)}
	t.Run("suite", func(t *testing.T) {
		storetest.Run(t, func(t *testing.T) store.WorkflowStore { return s.open(t, s.migrated(t)) })
	})
	for name, test := range map[string]func(*testing.T, server){
		"only migrated ones": testOnlyMigrated, "migrated at once": testMigratedAtOnce, "damaged": testDamaged,
		"many processes": testManyProcesses, "revisions are bounded": testRevisionsAreBounded, "no passwords": testNoPasswords,
	} {
		t.Run(name, func(t *testing.T) { test(t, s) })
	}
	t.Run("runs", func(t *testing.T) { storetest.Shared(t, s.runs) })
	t.Run("activations", func(t *testing.T) { storetest.Activations(t, s.activations) })
	t.Run("who lets triggers fire", func(t *testing.T) { storetest.Arming(t, s.arming) })
	t.Run("state", func(t *testing.T) { storetest.State(t, s.state) })
	t.Run("who was taken for dead", func(t *testing.T) { testArmingFenced(t, s) })
	t.Run("through a pooler", func(t *testing.T) { testPooled(t, s) })
	for name, test := range map[string]func(*testing.T, server){
		"clusters": testClusters, "days": testDays, "days made at once": testDaysAtOnce, "cut off while migrating": testMigrateCut,
		"frames are read once": testFramesReadOnce,
	} {
		t.Run(name, func(t *testing.T) { test(t, s) })
	}
	t.Run("runs while it is away", func(t *testing.T) { testRunsAway(t, s) })
	t.Run("away", func(t *testing.T) { testAway(t, s) })
}

func (s server) migrated(t *testing.T) string {
	t.Helper()
	if *s.template == "" {
		url := s.Database()
		_, err := postgres.Migrate(t.Context(), url)
		require.NoError(t, err)
		*s.template = url
	}
	of, err := pgx.ParseConfig(*s.template)
	require.NoError(t, err)
	*s.copies++
	name := fmt.Sprint("copy", *s.copies)
	s.exec(t, s.Address("postgres"), "create database "+name+" template "+of.Database)
	return s.Address(name)
}

func (s server) open(t *testing.T, url string) *postgres.Store {
	t.Helper()
	opened, err := postgres.Open(t.Context(), url)
	require.NoError(t, err)
	t.Cleanup(opened.Close)
	return opened
}

func (s server) exec(t *testing.T, url, query string) {
	t.Helper()
	c, err := pgx.Connect(t.Context(), url)
	require.NoError(t, err)
	defer func() { require.NoError(t, c.Close(t.Context())) }()
	_, err = c.Exec(t.Context(), query)
	require.NoError(t, err)
}

func testOnlyMigrated(t *testing.T, s server) {
	url := s.Database()
	_, err := postgres.Open(t.Context(), url)
	require.ErrorIs(t, err, postgres.ErrNotMigrated)
	made, err := postgres.Migrate(t.Context(), url)
	require.NoError(t, err)
	require.Equal(t, []int64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14}, made, "numbered from 1 without a gap")
	s.open(t, url)
	made, err = postgres.Migrate(t.Context(), url)
	require.NoError(t, err)
	require.Empty(t, made, "it was done already")

	s.exec(t, url, `insert into svc_schema (version_id, is_applied) values (1000, true)`)
	_, err = postgres.Open(t.Context(), url)
	require.ErrorIs(t, err, postgres.ErrNewer)
	_, err = postgres.Migrate(t.Context(), url)
	require.ErrorIs(t, err, postgres.ErrNewer)
}

func testMigratedAtOnce(t *testing.T, s server) {
	url := s.Database()
	var wg sync.WaitGroup
	for range 10 {
		wg.Go(func() {
			_, err := postgres.Migrate(t.Context(), url)
			assert.NoError(t, err)
		})
	}
	wg.Wait()
	s.open(t, url)
}

func testDamaged(t *testing.T, s server) {
	url := s.migrated(t)
	kept := s.open(t, url)
	for damage, query := range map[string]string{
		"document": `update svc_revisions set document = left(document, 20)`,
		"other":    `update svc_revisions set document = replace(document, '"w"', '"v"')`,
	} {
		t.Run(damage, func(t *testing.T) {
			_, err := kept.Save(t.Context(), storetest.Definition("w", damage))
			require.NoError(t, err)
			s.exec(t, url, query)
			_, err = kept.Load(t.Context(), "w")
			require.ErrorIs(t, err, store.ErrDamaged)
			_, err = kept.Save(t.Context(), storetest.Definition("w", damage+" again"))
			require.NoError(t, err)
			_, err = kept.Load(t.Context(), "w")
			require.NoError(t, err)
		})
	}
}

// testManyProcesses uses two stores that share only the database, like two processes.
func testManyProcesses(t *testing.T, s server) {
	url := s.migrated(t)
	one, other := s.open(t, url), s.open(t, url)
	def := storetest.Definition("w", "1")
	_, err := one.Save(t.Context(), def)
	require.NoError(t, err)
	tag, err := other.Version(t.Context(), "w")
	require.NoError(t, err)
	require.NoError(t, other.Delete(t.Context(), "w"))
	_, err = other.Save(t.Context(), def)
	require.NoError(t, err)
	again, err := one.Version(t.Context(), "w")
	require.NoError(t, err)
	require.NotEqual(t, tag, again, "it is another workflow, though it says the same")

	var wg sync.WaitGroup
	won := make(chan error, 2)
	for _, s := range []*postgres.Store{one, other} {
		wg.Go(func() {
			_, err := s.SaveIf(t.Context(), storetest.Definition("w", "2"), workflow.Condition{Match: []string{def.Digest()}})
			won <- err
		})
	}
	wg.Wait()
	first, second := <-won, <-won
	require.True(t, (first == nil) != (second == nil), "%v, %v", first, second)
	require.ErrorIs(t, errors.Join(first, second), workflow.ErrConflict)
}

func testRevisionsAreBounded(t *testing.T, s server) {
	kept := s.open(t, s.migrated(t))
	for i := range 105 {
		_, err := kept.Save(t.Context(), storetest.Definition("w", strings.Repeat("x", i)))
		require.NoError(t, err)
	}
	metas, err := kept.Revisions(t.Context(), "w")
	require.NoError(t, err)
	require.Len(t, metas, 101, "the current one and a hundred others")
	require.Equal(t, 1, metas[100].Revision)
	require.Equal(t, 105, metas[0].Revision)
	require.Equal(t, metas[100].UpdatedAt, metas[0].CreatedAt)
}

func testNoPasswords(t *testing.T, s server) {
	for _, url := range []string{
		"postgres://svc:s3cret@127.0.0.1:1/x?sslmode=disable", "postgres://svc:s3cret@ho st/x", "postgres://svc:s3cret@127.0.0.1:x/y",
		"host=127.0.0.1 port=1 password=s3cret sslmode=disable", "host=127.0.0.1 password='s3cret", "password=s3cret sslmode=none",
		strings.Replace(s.Address("nothing"), "svc:", "nobody:", 1),
	} {
		_, err := postgres.Open(t.Context(), url)
		require.Error(t, err)
		require.NotContains(t, err.Error(), "s3cret")
		_, err = postgres.Migrate(t.Context(), url)
		require.Error(t, err)
		require.NotContains(t, err.Error(), "s3cret")
	}
}

// testAway stops the server immediately, like a crash, and starts it again.
func testAway(t *testing.T, s server) {
	kept := s.open(t, s.migrated(t))
	def := storetest.Definition("w", "1")
	_, err := kept.Save(t.Context(), def)
	require.NoError(t, err)
	s.Down()
	_, err = kept.Load(t.Context(), "w")
	require.ErrorIs(t, err, store.ErrUnavailable)
	_, err = kept.Save(t.Context(), storetest.Definition("w", "2"))
	require.ErrorIs(t, err, store.ErrUnavailable)
	_, err = workflow.All(t.Context(), kept.List)
	require.ErrorIs(t, err, store.ErrUnavailable)
	s.Up()
	require.Eventually(t, func() bool { // connections first have to notice that they are broken
		back, err := kept.Load(t.Context(), "w")
		return err == nil && back.Digest() == def.Digest()
	}, soon, soon/1000)
}
