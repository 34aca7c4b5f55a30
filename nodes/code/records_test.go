package code_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/credentials"
	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/nodes"
	"github.com/svcflow/svc/nodes/code"
	"github.com/svcflow/svc/nodes/data"
	sqlnode "github.com/svcflow/svc/nodes/sql"
)

// fromFileToDatabase is a workflow that reads records from a file, runs a script on each,
// groups them by customer (a tenth as many), and writes the groups to a table. Its outputs
// are the number of groups and their sum.
func fromFileToDatabase(tb testing.TB, records int) *engine.Plan {
	tb.Helper()
	dir := tb.TempDir()
	var b strings.Builder
	b.WriteString("id,customer,price,qty\n")
	for i := range records {
		fmt.Fprintf(&b, "%d,customer %d,%d.5,%d\n", i, i%(records/10), i%100, 1+i%9)
	}
	require.NoError(tb, os.WriteFile(filepath.Join(dir, "orders.csv"), []byte(b.String()), 0o600))
	env, err := nodes.Local(nodes.Policy{FilesDir: dir})
	require.NoError(tb, err)
	accounts := &credentials.Memory{}
	require.NoError(tb, accounts.SetCredential(tb.Context(), "sqlite:main", credentials.Credential{Kind: credentials.KindDSN, Access: credentials.NewSecret("sqlite:orders.db")}))
	scripts, databases := code.New(child), sqlnode.New(sqlnode.Config{Credentials: accounts, Files: env.Files})
	tb.Cleanup(func() { require.NoError(tb, scripts.Close()) })
	tb.Cleanup(func() { require.NoError(tb, databases.Close()) })
	registry, err := node.NewRegistry(append(nodes.Builtin(env), data.New(data.Config{Files: env.Files}), scripts, databases)...)
	require.NoError(tb, err)
	def, err := workflow.Decode([]byte(`{"id":"load","nodes":[
		{"id":"table","type":"sql.exec","config":{"credential":"sqlite:main","sql":"CREATE TABLE IF NOT EXISTS sums (customer TEXT, orders INT, total REAL)"}},
		{"id":"empty","type":"sql.exec","config":{"credential":"sqlite:main","sql":"DELETE FROM sums"}},
		{"id":"csv","type":"data.csv_parse","config":{"path":"orders.csv","types":"guess"}},
		{"id":"script","type":"code.javascript","config":{"inputs":["rows"],"mode":"each","memoryMB":512,"code":"return {customer: item.customer, total: item.price * item.qty}"},"timeoutMs":60000},
		{"id":"group","type":"listops.aggregate","config":{"by":["customer"],"values":{"orders":"count","total":"sum total"}}},
		{"id":"insert","type":"sql.insert","config":{"credential":"sqlite:main","table":"sums","columns":["customer","orders","total"]}},
		{"id":"sum","type":"sql.query","config":{"credential":"sqlite:main","sql":"SELECT count(*) AS customers, sum(orders) AS orders, sum(total) AS total FROM sums"}},
		{"id":"out","type":"io.output","config":{"name":"sums"}}],
	"connections":[
		{"fromNodeId":"table","fromPort":"$done","toNodeId":"empty","toPort":"$after"},
		{"fromNodeId":"csv","fromPort":"rows","toNodeId":"script","toPort":"rows"},
		{"fromNodeId":"script","fromPort":"result","toNodeId":"group","toPort":"list"},
		{"fromNodeId":"group","fromPort":"result","toNodeId":"insert","toPort":"rows"},
		{"fromNodeId":"empty","fromPort":"$done","toNodeId":"insert","toPort":"$after"},
		{"fromNodeId":"insert","fromPort":"$done","toNodeId":"sum","toPort":"$after"},
		{"fromNodeId":"sum","fromPort":"rows","toNodeId":"out","toPort":"value"}]}`), workflow.DefaultLimits())
	require.NoError(tb, err)
	plan, err := engine.Compile(tb.Context(), def, engine.Env{Registry: registry})
	require.NoError(tb, err)
	return plan
}

// load runs the plan and returns the outputs and the results of the nodes.
func load(tb testing.TB, plan *engine.Plan) (record, map[string]engine.NodeResult) {
	tb.Helper()
	ended, err := new(engine.Local).Run(tb.Context(), plan, engine.Options{})
	require.NoError(tb, err)
	require.Equal(tb, engine.StatusCompleted, ended.Status(), "%v", ended.Err())
	return ended.Outputs()["sums"].([]any)[0].(record), ended.Result().Nodes
}

func TestRecordsFromFileToDatabase(t *testing.T) {
	sums, _ := load(t, fromFileToDatabase(t, 1000))
	total := 0.0
	for i := range 1000 {
		total += (float64(i%100) + 0.5) * float64(1+i%9)
	}
	require.Equal(t, record{"customers": 100, "orders": 1000, "total": total}, sums)
}

// BenchmarkRecordsFromFileToDatabase runs the workflow with 100,000 records. It reports the
// time of each node.
func BenchmarkRecordsFromFileToDatabase(b *testing.B) {
	plan := fromFileToDatabase(b, 100_000)
	took := map[string]int64{}
	for b.Loop() {
		sums, nodes := load(b, plan)
		require.Equal(b, 100_000, sums["orders"])
		for id := range nodes {
			took[id] += nodes[id].Duration.Milliseconds()
		}
	}
	for _, id := range []string{"csv", "script", "group", "insert"} {
		b.ReportMetric(float64(took[id])/float64(b.N), id+"-ms")
	}
}
