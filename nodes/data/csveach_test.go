package data_test

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/nodes"
	"github.com/svcflow/svc/nodes/data"
)

// each runs data.csv_each with a config and a body on files in dir.
func each(t testing.TB, dir, config, body string) (*engine.Run, error) {
	t.Helper()
	registry, err := node.NewRegistry(append(nodes.Builtin(nodes.Env{}), data.New(data.Config{Files: files(t, dir)}))...)
	require.NoError(t, err)
	def, err := workflow.Decode([]byte(`{"id":"w","nodes":[{"id":"each","type":"data.csv_each","config":`+config+`,"body":`+body+`}],"connections":[]}`), workflow.Limits{})
	require.NoError(t, err)
	plan, err := engine.Compile(t.Context(), def, engine.Env{Registry: registry})
	require.NoError(t, err)
	return new(engine.Local).Run(t.Context(), plan, engine.Options{})
}

// filterBody is a body that filters rows by an expression and appends them to a file.
func filterBody(expression string) string {
	return fmt.Sprintf(`{"nodes":[
		{"id":"rows","type":"io.input","config":{"name":"rows","type":"list<record>"}},
		{"id":"keep","type":"listops.filter","config":{"expression":%q}},
		{"id":"write","type":"data.csv_format","config":{"path":"out.csv","append":true,"columns":["id","name","city","amount"]}},
		{"id":"out","type":"io.output","config":{"name":"kept"}}],
	"connections":[
		{"fromNodeId":"rows","fromPort":"value","toNodeId":"keep","toPort":"list"},
		{"fromNodeId":"keep","fromPort":"result","toNodeId":"write","toPort":"rows"},
		{"fromNodeId":"write","fromPort":"count","toNodeId":"out","toPort":"value"}]}`, expression)
}

func TestCSVEach(t *testing.T) {
	dir := t.TempDir()
	var b strings.Builder
	b.WriteString("id,name,city,amount\n")
	for i := range 2500 {
		fmt.Fprintf(&b, "%d,Ada,\"Town, %d\",%d\n", i, i%7, i%100)
	}
	put(t, dir, "in.csv", b.String())
	run, err := each(t, dir, `{"path":"in.csv","batch":1000,"types":"guess"}`, filterBody("item.amount > 97"))
	require.NoError(t, err)
	require.Nil(t, run.Err())
	require.Equal(t, record{
		"kept": []any{20, 20, 10}, "count": 2500, "batches": 3, "columns": []any{"id", "name", "city", "amount"}, "warnings": []any{},
	}, run.Result().Nodes["each"].Outputs)
	text := read(t, dir, "out.csv")
	require.True(t, strings.HasPrefix(text, "id,name,city,amount\n98,Ada,\"Town, 0\",98\n99,Ada,\"Town, 1\",99\n198,"), text[:80])
	require.Equal(t, 51, strings.Count(text, "\n"))
}

func TestCSVEachFails(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "in.csv", "id,name,city,amount\n1,a,b,1\n2,a,b,2\n3,a,b,x\n")
	run, err := each(t, dir, `{"path":"in.csv","batch":2,"types":"guess"}`, filterBody("item.amount > 1"))
	require.NoError(t, err)
	require.ErrorContains(t, run.Err(), "rows 3 to 3: ")
	put(t, dir, "in.csv", "id,name,city,amount\n1,a,b,1\n2,a,b,2\n3,a,b\n")
	run, err = each(t, dir, `{"path":"in.csv","batch":2}`, filterBody("true"))
	require.NoError(t, err)
	require.ErrorContains(t, run.Err(), "line 4: there are 3 fields, and 4 columns")

	h, _ := host(t)
	require.Equal(t, "invalid_body", h.Problems("data.csv_each", record{"text": "a"})[0].Code)
}

// csvBytes is the default size of the file that BenchmarkCSVEach reads.
const csvBytes = 16 << 20

// BenchmarkCSVEach reads a file, filters out half of its rows, and writes the rest, on one
// core. It reports the throughput and the peak memory.
func BenchmarkCSVEach(b *testing.B) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	for name, row := range map[string]string{
		"short": "%d,Ada Lovelace,London,%d\n",
		"usual": "%d,Ada King Countess of Lovelace,12 St James's Square London SW1Y 4JH England (first door on the left),%d.75,2026-01-31T18:05:09Z,order-2026-0001-7f3c,paid by transfer on the first of the month\n",
		"long":  "%d," + strings.Repeat("a name that is long ", 10) + "," + strings.Repeat("a place far away ", 15) + ",%d," + strings.Repeat("and more to say ", 30) + "\n",
	} {
		b.Run(name, func(b *testing.B) {
			dir := b.TempDir()
			size := generate(b, filepath.Join(dir, "in.csv"), row, bytesToRead(b))
			b.SetBytes(size)
			peak := make(chan uint64)
			for b.Loop() {
				stop := make(chan struct{})
				go func() { peak <- highest(stop) }()
				run, err := each(b, dir, `{"path":"in.csv","batch":1000}`, filterBody(`item.id > "5"`))
				close(stop)
				b.ReportMetric(float64(<-peak)/(1<<20), "MB-memory")
				require.NoError(b, err)
				require.Nil(b, run.Err())
			}
		})
	}
}

// highest returns the peak memory until stop is closed.
func highest(stop chan struct{}) (most uint64) {
	var m runtime.MemStats
	for {
		runtime.ReadMemStats(&m)
		most = max(most, m.Sys-m.HeapReleased)
		select {
		case <-stop:
			debug.FreeOSMemory()
			return most
		case <-time.After(50 * time.Millisecond):
		}
	}
}

func bytesToRead(b *testing.B) int {
	b.Helper()
	text, given := os.LookupEnv("SVC_CSV_BYTES")
	if !given {
		return csvBytes
	}
	n, err := strconv.Atoi(text)
	require.NoError(b, err)
	return n
}

func generate(b *testing.B, name, row string, size int) int64 {
	b.Helper()
	f, err := os.Create(name)
	require.NoError(b, err)
	w := bufio.NewWriter(f)
	header := []string{"id", "name", "city", "amount", "at", "order", "note"}
	_, _ = fmt.Fprintln(w, strings.Join(header[:1+strings.Count(row, ",")], ","))
	for n, i := 0, 0; n < size; i++ {
		k, _ := fmt.Fprintf(w, row, i, i%1000)
		n += k
	}
	require.NoError(b, w.Flush())
	info, err := f.Stat()
	require.NoError(b, err)
	require.NoError(b, f.Close())
	return info.Size()
}
