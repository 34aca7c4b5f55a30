package clusterdb_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/cmd/svc-cluster/internal/clusterdb"
	"github.com/svcflow/svc/httpapi/keys/ring/ringtest"
	"github.com/svcflow/svc/store"
	"github.com/svcflow/svc/store/storetest"
)

// keys returns named keys in a database. It simulates the passing of time by moving stored times
// into the past.
func (s server) keys(t *testing.T) ringtest.World {
	t.Helper()
	url, n := s.migrated(t), 0
	runs := s.openRuns(t, url)
	return ringtest.World{
		Store: clusterdb.NewKeys(s.open(t, url).DB()),
		Pass: func(d time.Duration) {
			s.exec(t, url, fmt.Sprintf(`update svc_named_keys set full_at = full_at - interval '%[1]d us', day = case when day = '' then '' else to_char(day::date - interval '%[1]d us', 'YYYY-MM-DD') end;
				update svc_key_places set until = until - interval '%[1]d us'`, d.Microseconds()))
		},
		Run: func() string {
			n++
			require.NoError(t, runs.Begin(t.Context(), storetest.RunStart(n), store.SharedLimits{}))
			return storetest.RunID(n)
		},
		End: func(runID string) {
			s.exec(t, url, `update svc_runs set finished = clock_timestamp(), status = 'completed' where id = '`+runID+`'`)
		},
	}
}
