package httpapi_test

import (
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/httpapi"
	"github.com/svcflow/svc/store"
	"github.com/svcflow/svc/store/runlog"
)

// BenchmarkAnsweredHooks compares a synchronous run by id with the same run started by a hook and
// answered by a node. A part of the difference is the sync of the start, which is also measured
// alone in another store. The calls alternate, one at a time. Writes that a run by id makes after
// its answer are awaited before the hook is called.
func BenchmarkAnsweredHooks(b *testing.B) {
	dir := b.TempDir()
	s := withHooks(b, "", func(c *httpapi.Config) { c.DataDir = filepath.Join(dir, "data") })
	const inside = `{"id":"told","type":"text.format","config":{"template":"{text}"}}`
	for id, workflow := range map[string]string{
		"by-id": `{"id":"by-id","nodes":[{"id":"in","type":"io.input","config":{"name":"text","type":"any"}},` + inside + `,{"id":"out","type":"io.output","config":{"name":"said"}}],"connections":[
			{"fromNodeId":"in","fromPort":"value","toNodeId":"told","toPort":"text"},{"fromNodeId":"told","fromPort":"result","toNodeId":"out","toPort":"value"}]}`,
		"hooked": orders("hooked", "hooked", `,"respond":"node"`, `,`+inside+`,{"id":"say","type":"trigger.respond"}`,
			saysWiresTo("told", "text")+`,{"fromNodeId":"told","fromPort":"result","toNodeId":"say","toPort":"body"}`),
	} {
		w := s.do("POST", "/workflows", workflow)
		require.Equal(b, http.StatusCreated, w.Code, "%s: %s", id, w.Body)
	}
	require.Equal(b, http.StatusOK, s.do("POST", "/workflows/hooked/activation", "").Code)
	logged, err := runlog.Open(filepath.Join(dir, "beside"), runlog.Options{Keep: store.Retention{Runs: 100}})
	require.NoError(b, err)
	defer func() { require.NoError(b, logged.Close()) }()
	beside := &workflow.Definition{ID: "beside"}
	var runs, hooks, syncs []time.Duration
	for n := 0; b.Loop(); n++ {
		text := fmt.Sprintf(`"order %d"`, n)
		runs = append(runs, lasts(func() {
			require.Equal(b, http.StatusOK, s.do("POST", "/workflows/by-id/run", `{"inputs":{"text":`+text+`}}`).Code)
		}))
		syncs = append(syncs, lasts(func() {
			_, err := logged.Create(b.Context(), run.Start{RunID: uuid.Must(uuid.NewV7()).String(), StartedAt: time.Now().UTC(), Definition: beside})
			require.NoError(b, err)
		}))
		hooks = append(hooks, lasts(func() {
			require.Equal(b, http.StatusOK, s.hook("POST", "/hooks/hooked", text, "Authorization", bearer).Code)
		}))
	}
	median := func(all []time.Duration) float64 {
		slices.Sort(all)
		return float64(all[len(all)/2].Microseconds()) / 1000
	}
	b.ReportMetric(median(runs), "ms-run")
	b.ReportMetric(median(hooks), "ms-hook")
	b.ReportMetric(median(syncs), "ms-sync")
	b.ReportMetric(median(hooks)-median(runs)-median(syncs), "ms-more")
}

func lasts(do func()) time.Duration {
	began := time.Now()
	do()
	return time.Since(began)
}
