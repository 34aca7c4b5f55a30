package clusterdb_test

import (
	"bytes"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/cmd/svc-cluster/internal/clusterdb"
	"github.com/svcflow/svc/httpapi/audit"
)

// testAudit uses several stores that share only the database, like processes.
func testAudit(t *testing.T, s server) {
	url := s.migrated(t)
	kept := s.open(t, url)
	lines := func(last int) (all []string) {
		var text bytes.Buffer
		require.NoError(t, clusterdb.NewAudit(kept.DB()).Print(t.Context(), last, &text))
		for line := range strings.Lines(text.String()) {
			all = append(all, strings.TrimSuffix(line, "\n"))
		}
		return all
	}
	require.Empty(t, lines(0))
	const each = 50
	var writing sync.WaitGroup
	for process := range 2 {
		log := audit.To(clusterdb.NewAudit(s.open(t, url).DB()))
		for writer := range 4 {
			writing.Go(func() {
				for n := range each {
					assert.NoError(t, log.Write(audit.Entry{Time: time.Now(), Who: fmt.Sprint(process, writer), Status: n, Outcome: audit.Done}))
				}
			})
		}
	}
	writing.Wait()
	all := lines(0)
	require.Len(t, all, 2*4*each)
	require.Equal(t, all[len(all)-10:], lines(10))
	next := map[string]int{}
	for _, line := range all {
		_, who, _ := strings.Cut(line, `"who":"`)
		who, _, _ = strings.Cut(who, `"`)
		require.Contains(t, line, fmt.Sprintf(`"status":%d`, next[who]), "in the order of who writes")
		next[who]++
	}

	s.exec(t, url, fmt.Sprintf(`insert into svc_audit (id, line) overriding system value values (%d, '{}')`, clusterdb.AuditLines+200))
	require.NoError(t, clusterdb.Tidy(t.Context(), kept.DB()))
	require.Equal(t, append(all[200:], "{}"), lines(0), "the oldest go")
}
