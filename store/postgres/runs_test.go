package postgres_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/store"
	"github.com/svcflow/svc/store/postgres"
	"github.com/svcflow/svc/store/storetest"
)

// runs returns a database for the suite of shared runs.
func (s server) runs(t *testing.T, runBytes int64) storetest.SharedStore {
	t.Helper()
	url := s.migrated(t)
	shared := storetest.SharedStore{
		Open: func() store.SharedRuns { return s.openRuns(t, url, postgres.RunOptions{RunBytes: runBytes}) },
		Cut: func() {
			s.exec(t, url, `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`)
		},
		Damage: map[string]func(string){},
	}
	for name, query := range map[string]string{
		"frame edited":      `update svc_frames set data = replace(data, 'succeeded', 'skipped') where run = '$' and seq = 1`,
		"no JSON":           `update svc_frames set data = 'x' where run = '$' and seq = 2`,
		"about edited":      `update svc_frames set about = '-' where run = '$' and seq = 1`,
		"frame missing":     `delete from svc_frames where run = '$' and seq = 1`,
		"last frame gone":   `delete from svc_frames f using svc_runs r where f.run = r.id and f.seq = r.frames and run = '$'`,
		"frame too many":    `update svc_runs set frames = frames - 1 where id = '$'`,
		"piece missing":     `delete from svc_values where run = '$' and piece = 1`,
		"piece edited":      `update svc_values set data = replace(data, 'large', 'small') where run = '$' and piece = 0`,
		"start missing":     `delete from svc_starts where id = '$'`,
		"start edited":      `update svc_starts set summary = replace(summary, '0000-7000', '0001-7000') where id = '$'`,
		"inputs edited":     `update svc_starts set inputs = '[' where id = '$'`,
		"document missing":  `update svc_starts set document = '\\x00' where id = '$'`,
		"unknown status":    `update svc_runs set status = 'asleep' where id = '$'`,
		"ended and not":     `update svc_runs set status = case status when 'running' then 'failed' else 'running' end where id = '$'`,
		"trigger no record": `update svc_runs set started_by = '[]' where id = '$'`,
	} {
		shared.Damage[name] = func(runID string) { s.exec(t, url, strings.ReplaceAll(query, "$", runID)) }
	}
	return shared
}

func (s server) openRuns(t *testing.T, url string, o postgres.RunOptions) *postgres.Runs {
	t.Helper()
	runs, err := s.open(t, url).Runs(t.Context(), o)
	require.NoError(t, err)
	return runs
}
