package httpapi_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/httpapi"
)

// TestLettingGo runs a chain of large values, which together exceed the memory limit of a run, in
// all ways. Dropped values can be read from the record.
func TestLettingGo(t *testing.T) {
	const n, size = 20, 100_000
	s := newService(t, func(c *httpapi.Config) { c.RunMemory = 1 << 20 })
	nodes := []string{fmt.Sprintf(`{"id":"n0","type":"control.value","config":{"value":%q}}`, strings.Repeat("x", size))}
	var wires []string
	for i := range n {
		nodes = append(nodes, fmt.Sprintf(`{"id":"n%d","type":"text.format","config":{"template":"%d{a}"}}`, i+1, i))
		from := "result"
		if i == 0 {
			from = "value"
		}
		wires = append(wires, fmt.Sprintf(`{"fromNodeId":"n%d","fromPort":%q,"toNodeId":"n%d","toPort":"a"}`, i, from, i+1))
	}
	body := `{"id":"row","nodes":[` + strings.Join(nodes, ",") + `],"connections":[` + strings.Join(wires, ",") + `]}`
	output := func(result any, id string) any {
		return result.(map[string]any)["nodes"].(map[string]any)[id].(map[string]any)["outputs"].(map[string]any)["result"]
	}

	result := requireJSON(t, s.do("POST", "/execute", body), http.StatusOK)
	require.Equal(t, "completed", result.(map[string]any)["status"])
	require.Contains(t, output(result, "n3"), "$elided")
	result = requireJSON(t, s.do("POST", "/execute?full=true", body), http.StatusOK)
	require.Equal(t, "failed", result.(map[string]any)["status"], "all of them are too much")

	id := requireJSON(t, s.do("POST", "/executions", body), http.StatusAccepted).(map[string]any)["runId"].(string)
	var run map[string]any
	require.Eventually(t, func() bool {
		run = requireJSON(t, s.do("GET", "/executions/"+id, ""), http.StatusOK).(map[string]any)
		return run["status"] != "running"
	}, time.Minute, 10*time.Millisecond)
	require.Equal(t, "completed", run["status"])
	require.Contains(t, output(run["result"], "n3"), "$elided")
	whole := requireJSON(t, s.do("GET", "/executions/"+id+"?full=true", ""), http.StatusOK).(map[string]any)
	require.Equal(t, "210"+strings.Repeat("x", size), output(whole["result"], "n3"))
}
